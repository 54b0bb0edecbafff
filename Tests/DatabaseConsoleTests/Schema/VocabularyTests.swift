import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// The names that a person who writes SQL can use.
@Suite(.fewAtOnce)
struct VocabularyTests {
  @Test func `tables and views have their columns, and tables a number of rows`() async throws {
    let db = try await TemporaryDatabase(
      schema: "\(TemporaryDatabase.players); CREATE VIEW best AS SELECT name FROM player")
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada'), ('bob')")
    let vocabulary = try await db.database.vocabulary()
    #expect(vocabulary.tables.map(\.name) == ["best", "player"])
    #expect(vocabulary.tables.map(\.kind) == ["view", "table"])
    #expect(vocabulary.tables.map(\.rows) == [nil, .exact(2)])
    #expect(
      vocabulary.tables[1].columns == [
        .init(name: "id", type: "INTEGER"), .init(name: "name", type: "TEXT"),
        .init(name: "score", type: "INT"),
      ])
  }

  @Test func `a view of a table that is gone hides no other`() async throws {
    let db = try await TemporaryDatabase(
      schema: "\(TemporaryDatabase.players); CREATE VIEW broken AS SELECT x FROM nowhere")
    let vocabulary = try await db.database.vocabulary()
    #expect(vocabulary.tables.map(\.name) == ["broken", "player"])
    #expect(vocabulary.tables.map(\.columns.count) == [0, 3])
  }

  @Test func `functions and pragmas are those of the library`() async throws {
    let db = try await TemporaryDatabase()
    let vocabulary = try await db.database.vocabulary()
    #expect(vocabulary.functions.contains("group_concat"))
    #expect(vocabulary.functions == Array(Set(vocabulary.functions)).sorted())
    #expect(vocabulary.pragmas.contains("journal_mode"))
  }

  @Test func `functions that are tables have the columns that can be seen`() async throws {
    let db = try await TemporaryDatabase()
    let functions = try await db.database.vocabulary().tableFunctions
    func columns(_ name: String) -> [String]? {
      functions.first { $0.name == name }?.columns.map(\.name)
    }
    let json = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"]
    #expect(columns("json_each") == json)
    #expect(columns("json_tree") == json)
    #expect(
      columns("pragma_table_info") == ["cid", "name", "type", "notnull", "dflt_value", "pk"])
    #expect(columns("pragma_shrink_memory") == nil, "it returns nothing")
  }

  @Test func `a large table is estimated by its greatest rowid`() async throws {
    let db = try await TemporaryDatabase()
    try await db.run(
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100001)"
        + " INSERT INTO map SELECT i + 500, '' FROM n")
    let rows = try await db.database.vocabulary().tables.first { $0.name == "map" }?.rows
    #expect(rows == .estimate(100_001))
  }

  @Test func `the statement's progress is told row by row, and rows are kept up to a size`()
    async throws
  {
    let db = try await TemporaryDatabase(.memory)
    let progress = StatementProgress()
    let outcome = try await db.database.run(
      statement: "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)"
        + " SELECT i, zeroblob(1000) FROM n",
      arguments: [500], rowLimit: 1_000, byteLimit: 100_000, progress: progress)
    #expect(progress.rows == 500)
    #expect(outcome.rowCount == 500)
    let kept = try #require(outcome.rows).rows.count
    #expect((80...100).contains(kept))
  }
}
