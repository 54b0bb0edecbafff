import ObservationEngine
import TestSupport
import Testing

/// Errors of an observation, and how it recovers from them.
@Suite(.fewAtOnce)
struct SchemaObservationTests {
  @Test(arguments: StorageKind.allCases)
  func `a dropped table is an error, and its return a value`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    let other = db.database.record(integer: "SELECT count(*) FROM map")
    try await recorder.expect(0)
    try await other.expect(0)
    try await db.write(script: "DROP TABLE player")
    let error = try await recorder.expectError()
    #expect(error.message == "no such table: player")
    #expect(error.sql == "SELECT count(*) FROM player")
    // The error of one observation does not stop another, and is told once.
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    try await other.expect(1)
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    try await other.expect(2)
    try await db.write(script: "\(TemporaryDatabase.players); INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
    #expect(recorder.updates.count == 3)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(2)
  }

  @Test(arguments: StorageKind.allCases)
  func `a query that is wrong from the start can become right`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: "")
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    #expect(try await recorder.expectError().message == "no such table: player")
    try await db.write(script: TemporaryDatabase.players)
    try await recorder.expect(0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a column that comes, goes or has another name is seen`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO map VALUES (1, 'tower')")
    let recorder = db.database.record(.rows("SELECT * FROM map"))
    try await recorder.expect(RowSet(columns: ["id", "name"], rows: [[1, "tower"]]))
    try await db.write(script: "ALTER TABLE map ADD COLUMN width DEFAULT 3")
    try await recorder.expect(RowSet(columns: ["id", "name", "width"], rows: [[1, "tower", 3]]))
    try await db.write(script: "ALTER TABLE map RENAME COLUMN width TO height")
    try await recorder.expect(RowSet(columns: ["id", "name", "height"], rows: [[1, "tower", 3]]))
    try await db.write(script: "ALTER TABLE map DROP COLUMN name")
    try await recorder.expect(RowSet(columns: ["id", "height"], rows: [[1, 3]]))
    try await db.write(script: "ALTER TABLE map RENAME TO place")
    #expect(try await recorder.expectError().message == "no such table: map")
    try await db.write(script: "CREATE VIEW map AS SELECT height FROM place")
    try await recorder.expect(RowSet(columns: ["height"], rows: [[3]]))
    // Through the view, the table behind it is observed.
    try await db.write(script: "UPDATE place SET height = 4")
    try await recorder.expect(RowSet(columns: ["height"], rows: [[4]]))
  }

  @Test(arguments: StorageKind.files)
  func `another process changes the schema, and it is seen`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(.rows("SELECT * FROM map"))
    try await recorder.expect(RowSet(columns: ["id", "name"], rows: []))
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("DROP TABLE map")
    #expect(try await recorder.expectError().message == "no such table: map")
    try await other.send("CREATE TABLE map (width)")
    try await recorder.expect(RowSet(columns: ["width"], rows: []))
    // The writer's statements and hooks follow as well.
    try await db.write(script: "INSERT INTO map VALUES (7)")
    try await recorder.expect(RowSet(columns: ["width"], rows: [[7]]))
  }

  @Test(arguments: StorageKind.allCases)
  func `an error that depends on rows comes and goes with them`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT ifnull(sum(score), 0) FROM player")
    try await recorder.expect(0)
    try await db.write(
      script: "INSERT INTO player(score) VALUES (9223372036854775807), (9223372036854775807)")
    #expect(try await recorder.expectError().message == "integer overflow")
    try await db.write(script: "DELETE FROM player WHERE id = 1")
    try await recorder.expect(.max)
  }

  @Test(arguments: StorageKind.allCases)
  func `an error thrown by the fetch itself ends the sequence, and the updates go on`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let observation = db.database.observe { connection -> Int in
      let count = try connection.count(of: "player")
      if count == 1 { throw Unexpected("one is not enough") }
      return count
    }
    let recorder = Recorder(observation)
    try await recorder.expect(0)
    var iterator = observation.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(try await iterator.nextError() is Unexpected)
    await #expect(throws: Unexpected.self) { try await recorder.expectError() }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(try await iterator.next(isolation: #isolation) == nil)
    try await recorder.expect(2)
  }

  @Test(arguments: StorageKind.allCases)
  func `virtual tables are observed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind, schema: "CREATE VIRTUAL TABLE note USING fts5(body); \(TemporaryDatabase.maps)")
    let recorder = db.database.record(
      integer: "SELECT count(*) FROM note WHERE note MATCH 'tower'")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO note VALUES ('the tower')")
    try await recorder.expect(1)
    try await db.write(script: "UPDATE note SET body = 'the bridge'")
    try await recorder.expect(0)
  }

  /// FTS5 writes some of its tables as late as in COMMIT, and with these options no others.
  @Test(arguments: StorageKind.allCases)
  func `what a virtual table writes in COMMIT is observed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind, schema: "CREATE VIRTUAL TABLE ix USING fts5(title, content='', columnsize=0)")
    let matches = db.database.record(
      integer: "SELECT count(*) FROM ix WHERE ix MATCH 'world'")
    let blocks = db.database.record(integer: "SELECT count(*) FROM ix_data")
    try await matches.expect(0)
    let before = try await blocks.next().value
    try await db.run("INSERT INTO ix(rowid, title) VALUES (1, 'hello world')")
    try await matches.expect(1)
    try await blocks.expect(before + 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `statistics and an index made by the program itself are observed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.run("INSERT INTO player(score, name) VALUES (30, 'b'), (10, 'a')")
    let names = db.database.record(
      .rows("SELECT name FROM sqlite_master WHERE name IN ('by_score', 'sqlite_stat1') ORDER BY 1"))
    let first = db.database.record(integer: "SELECT score FROM player LIMIT 1")
    #expect(try await names.next().value.rows == [])
    try await first.expect(30)
    try await db.run("UPDATE player SET score = 20 WHERE score = 30")
    try await first.expect(20)
    try await db.run("ANALYZE")
    #expect(try await names.next().value.rows == [["sqlite_stat1"]])
    // The first row is now the first of the index.
    try await db.run("CREATE INDEX by_score ON player(score)")
    #expect(try await names.next().value.rows == [["by_score"], ["sqlite_stat1"]])
    try await first.expect(10)
  }
}
