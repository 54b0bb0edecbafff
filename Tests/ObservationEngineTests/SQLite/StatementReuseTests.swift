import ObservationEngine
import TestSupport
import Testing

/// Prepared statements are used again, and yet never out of date.
@Suite(.fewAtOnce)
struct StatementReuseTests {
  @Test(arguments: StorageKind.allCases)
  func `a statement has the columns of the schema as it is within the transaction`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(
      kind, schema: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try await db.database.write { connection in
      #expect(try connection.fetchAll("SELECT * FROM t").columns == ["a"])
      try connection.execute("ALTER TABLE t ADD COLUMN b DEFAULT 2")
      #expect(
        try connection.fetchAll("SELECT * FROM t") == RowSet(columns: ["a", "b"], rows: [[1, 2]]))
      try? connection.savepoint {
        try connection.execute("ALTER TABLE t RENAME COLUMN b TO c")
        #expect(try connection.fetchAll("SELECT * FROM t").columns == ["a", "c"])
        throw Unexpected("changed my mind")
      }
      #expect(try connection.fetchAll("SELECT * FROM t").columns == ["a", "b"])
    }
    try? await db.database.write { connection in
      try connection.execute("ALTER TABLE t RENAME COLUMN b TO c")
      #expect(try connection.fetchAll("SELECT * FROM t").columns == ["a", "c"])
      throw Unexpected("changed my mind")
    }
    let columns = try await db.database.write { try $0.fetchAll("SELECT * FROM t").columns }
    #expect(columns == ["a", "b"])
    #expect(
      try await db.database.read { try $0.fetchAll("SELECT * FROM t") }.columns == ["a", "b"])
  }

  @Test(arguments: StorageKind.allCases)
  func `what a statement reads is known anew after a view was made anew`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "CREATE VIEW v AS SELECT name FROM player")
    let recorder = db.database.record(integer: "SELECT count(*) FROM v")
    try await recorder.expect(0)
    try await db.write(
      script: "DROP VIEW v; CREATE VIEW v AS SELECT name FROM map; INSERT INTO map DEFAULT VALUES")
    try await recorder.expect(1)
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    try await recorder.expect(2)
  }

  @Test
  func `more statements than are kept, nested and the same, all give their own rows`() async throws
  {
    let db = try await TemporaryDatabase(.memory)
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    try await db.database.read { connection in
      var random = SeededRandom(seed: seed)
      for _ in 1...3_000 {
        let number = Int.random(in: 0..<100, using: &random)
        let value: Int? = try connection.fetchOne("SELECT \(raw: "\(number)") + ?", [1])
        #expect(value == number + 1)
      }
    }
    try await db.write(script: "INSERT INTO player(score) VALUES (1), (2), (3)")
    // The function runs while the statement that calls it does.
    let sum = try await db.database.write { connection -> Int in
      var sum = 0
      for _ in 1...2 {
        try connection.savepoint {
          sum += try connection.fetchOne("SELECT sum(score) FROM player") ?? 0
          try connection.savepoint {
            sum += try connection.fetchOne("SELECT sum(score) FROM player") ?? 0
          }
        }
      }
      return sum
    }
    #expect(sum == 24)
  }

  @Test(arguments: StorageKind.allCases)
  func `a statement of which not every row is taken has its effect, and is observed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.database.withoutTransaction { connection in
      let statement = try connection.prepare(
        "INSERT INTO player(name) VALUES ('a'), ('b') RETURNING id")
      #expect(try statement.step())
      statement.reset()
    }
    try await recorder.expect(2)
  }

  @Test(arguments: StorageKind.allCases)
  func `reading on the writer refuses what a writer's statement may do, used before or not`(
    _ kind: StorageKind
  ) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.usesSingleConnection = true
    let db = try await TemporaryDatabase(kind, configuration: configuration)
    let sql = "INSERT INTO player(name) VALUES ('ada')"
    for number in 1...3 {
      try await db.database.write { _ = try $0.execute(SQL(raw: sql)) }
      let error = await #expect(throws: DatabaseError.self) {
        try await db.database.read { _ = try $0.execute(SQL(raw: sql)) }
      }
      #expect(error?.message.contains("only queries are allowed") == true)
      #expect(try await db.integer("SELECT count(*) FROM player") == number)
    }
  }

  @Test
  func `a function of a virtual table that would write in a read is refused`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.usesSingleConnection = true
    let db = try await TemporaryDatabase(
      .wal, configuration: configuration, schema: "CREATE VIRTUAL TABLE note USING fts4(body)")
    for text in ["one", "two"] { try await db.write(script: "INSERT INTO note VALUES ('\(text)')") }
    let segments = try await db.integer("SELECT count(*) FROM note_segdir")
    await #expect(throws: DatabaseError.self) {
      // Merges the segments, although SQLite calls the statement one that only reads.
      try await db.database.read { try $0.fetchAll("SELECT optimize(note) FROM note LIMIT 1") }
    }
    #expect(try await db.integer("SELECT count(*) FROM note_segdir") == segments)
  }
}
