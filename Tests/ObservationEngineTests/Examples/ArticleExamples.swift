import ObservationEngine
import TestSupport
import Testing

/// The examples of articles that are in no comment.
@Suite(.fewAtOnce)
struct ArticleExamples {
  @Test func `a list is read`() async throws {
    let example = try await exampleDatabase()
    let database = example.database

    let names = try await database.read { db in
      try db.fetchAll("SELECT name FROM player WHERE score > ?", [40]) { row in
        try row[0] as String
      }
    }

    #expect(names.isEmpty)
  }
}
