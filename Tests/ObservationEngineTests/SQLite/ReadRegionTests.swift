import TestSupport
import Testing

@testable import ObservationEngine

/// What a query is found to read.
struct ReadRegionTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, Name TEXT, score INT);
    CREATE TABLE map (id INTEGER PRIMARY KEY, name TEXT);
    CREATE VIEW best AS SELECT name FROM player WHERE score > 10;
    CREATE VIEW shared AS SELECT score FROM player JOIN map USING (name);
    CREATE VIRTUAL TABLE note USING fts5(body);
    CREATE VIRTUAL TABLE word USING fts5vocab(note, row);
    CREATE INDEX by_score ON player(score)
    """

  /// The region as text: `table(columns)`, or why it is everything.
  private func region(_ sql: String) throws -> String {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { try $0.execute(script: Self.schema) }
    let region = try database.readWaiting { try $0.prepare(sql).region }
    if let reason = region.fullReason { return "everything: \(reason)" }
    return region.parts.sorted { $0.key < $1.key }
      .map { "\($0.key.name)(\($0.value.columns.sorted().joined(separator: " ")))" }
      .joined(separator: " ")
  }

  @Test(
    arguments: [
      ("SELECT name FROM player", "player(name)"),
      ("SELECT 1 FROM Player WHERE NAME = 'x'", "player(name)"),
      ("SELECT count(*) FROM player", "player()"),
      ("SELECT * FROM map", "map(id name)"),
      ("SELECT max(score) FROM player", "player(score)"),
      ("SELECT name FROM player ORDER BY score", "player(name score)"),
      ("SELECT rowid FROM map", "map(id)"),
      ("SELECT p.name FROM player p JOIN map m ON m.id = p.id", "map(id) player(id name)"),
      ("SELECT name FROM map WHERE EXISTS (SELECT 1 FROM player)", "map(name) player()"),
      ("SELECT name FROM best", "best(name) player(name score)"),
      ("SELECT name FROM map UNION SELECT name FROM player", "map(name) player(name)"),
      ("SELECT sum(score) OVER (ORDER BY id) FROM player", "player(id score)"),
      ("SELECT 1", ""),
      // SQLite's authorizer is silent about columns that are joined by name.
      ("SELECT m.name FROM map m JOIN player USING (id)", "map(id name) player(id name score)"),
      ("SELECT count(*) FROM map NATURAL JOIN player", "map(id name) player(id name score)"),
      ("SELECT count(*) FROM shared", "map(id name) player(id name score)"),
      ("SELECT name AS using_none FROM map", "map(name)"),
    ])
  func `tables and columns are recorded`(_ sql: String, expected: String) throws {
    let found = try region(sql)
    #expect(found == expected)
  }

  @Test(
    arguments: [
      "SELECT * FROM word", "SELECT count(*) FROM word WHERE term > 'x'",
      "PRAGMA user_version", "PRAGMA table_info(player)", "SELECT * FROM pragma_table_list",
      "SELECT * FROM sqlite_stat1",
    ])
  func `what no hook tells of is everything`(_ sql: String) throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { try $0.execute(script: Self.schema + "; ANALYZE") }
    #expect(try database.readWaiting { try $0.prepare(sql).region.isFull })
  }

  @Test
  func `a virtual table is read through the tables that hold its content`() throws {
    let tables = try region("SELECT count(*) FROM note WHERE note MATCH 'x'")
    for part in ["note_content(c0 id)", "note_data(block id)", "note_idx(pgno segid term)"] {
      #expect(tables.contains(part), "\(tables)")
    }
  }

  @Test
  func `a function that returns a table reads nothing of the database`() throws {
    #expect(try !region("SELECT value FROM json_each('[1]')").contains("everything"))
  }

  @Test
  func `common table expressions are no tables`() throws {
    #expect(try region("WITH q AS (SELECT name FROM map) SELECT count(*) FROM q") == "map(name)")
    #expect(try region("WITH q AS (SELECT name FROM map) SELECT name FROM q") == "map(name)")
    let recursive = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3)"
    #expect(try region("\(recursive) SELECT sum(i) FROM n") == "")
  }

  @Test
  func `a fetch records what all of its queries read, cached or shared ones too`() async throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { try $0.execute(script: Self.schema) }
    try database.readWaiting { connection in
      for _ in 0..<2 {
        let (result, region) = connection.recordingRegion {
          try connection.sharingResults {
            for _ in 0..<2 {
              _ = try connection.fetchAll("SELECT name FROM map")
              _ = try connection.fetchAll("SELECT count(*) FROM player")
            }
          }
        }
        try result.get()
        #expect(region.parts.keys.sorted().map(\.name) == ["map", "player"])
      }
    }
  }

  @Test
  func `a shared result is recorded by each fetch that uses it`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { try $0.execute(script: Self.schema) }
    let regions = try database.readWaiting { connection in
      connection.sharingResults {
        (0..<2).map { _ in
          connection.recordingRegion { try connection.fetchAll("SELECT name FROM map") }.1
        }
      }
    }
    #expect(regions[0] == regions[1])
    #expect(!regions[0].parts.isEmpty)
  }
}
