import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// The examples of opening, of writes that read, and of handlers that write.
@Suite(.fewAtOnce)
struct WritingExamples {
  @Test func `a file is opened in a task`() async throws {
    let example = try await exampleDatabase()
    let path = example.path
    let database = try await Database.open(path: path)
    #expect(try await database.read { try $0.count(of: "player") } == 2)
    await database.close()
  }

  @Test func `a read gets what the updates returned`() async throws {
    let example = try await exampleDatabase()
    let database = example.database
    let rank = try await database.write { db in
      try db.insert(into: "player", ["name": "eve", "score": 2])
    } thenRead: { db, id in
      try db.count(
        of: "player", where: "score >= (SELECT score FROM player WHERE id = \(id))")
    }
    #expect(rank == 2)
  }

  @Test func `optional scalars`() async throws {
    let example = try await exampleDatabase()
    let database = example.database
    let best = Query.scalar("SELECT max(score) FROM player WHERE name = ?", ["eve"], as: Int.self)
    #expect(try await database.read { try $0.fetch(best) } == nil)
    let found = try await database.read { db in
      let score = try db.fetchOne("SELECT score FROM player WHERE id = ?", [7], as: Int.self)
      return score
    }
    #expect(found == nil)
  }

  @Test func `a database is emptied`() async throws {
    let example = try await exampleDatabase()
    let database = example.database
    var migrator = Migrator()
    migrator.register("players") { try $0.execute("CREATE TABLE player (id INTEGER PRIMARY KEY)") }
    try await database.eraseAll()
    try await migrator.migrate(database)
    #expect(try await database.read { try $0.count(of: "player") } == 0)
  }

  @Test func `a handler writes behind each commit`() async throws {
    let example = try await exampleDatabase()
    let database = example.database
    try await database.write { try $0.execute("CREATE TABLE journal (change INTEGER)") }
    let report: @Sendable (any Error) -> Void = { Issue.record($0) }
    let subscription = database.writeOnChange(of: .table("player"), onError: report) { db, commit in
      try db.execute("INSERT INTO journal(change) VALUES (\(commit.ordinal))")
    }
    try await database.write { try $0.execute("DELETE FROM player") }
    #expect(try await database.read { try $0.count(of: "journal") } == 1)
    subscription.cancel()
  }
}
