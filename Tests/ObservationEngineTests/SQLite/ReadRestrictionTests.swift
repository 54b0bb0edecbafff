import ObservationEngine
import TestSupport
import Testing

/// A query of a panel cannot change anything, wherever it runs.
@Suite(.fewAtOnce)
struct ReadRestrictionTests {
  static let forbidden = [
    "INSERT INTO player(name) VALUES ('eve')", "UPDATE player SET name = 'eve'",
    "DELETE FROM player", "REPLACE INTO player(id) VALUES (1)",
    "INSERT INTO player(name) VALUES ('eve') RETURNING id",
    "WITH x AS (SELECT 1) DELETE FROM player WHERE id IN x",
    "CREATE TABLE extra (x)", "CREATE TEMP TABLE extra (x)", "CREATE TEMP VIEW v AS SELECT 1",
    "DROP TABLE player", "ALTER TABLE player RENAME TO gamer", "CREATE INDEX i ON player(name)",
    "ATTACH ':memory:' AS other", "DETACH main", "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK",
    "SAVEPOINT a", "RELEASE a", "VACUUM", "VACUUM INTO '/tmp/livequery-must-not-exist'", "REINDEX",
    "ANALYZE", "PRAGMA journal_mode = DELETE", "PRAGMA journal_mode(WAL)", "PRAGMA query_only = 0",
    "PRAGMA user_version = 7", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint",
    "PRAGMA writable_schema = 1", "PRAGMA optimize", "PRAGMA incremental_vacuum",
    "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA trusted_schema = 1", "SELECT * FROM pragma_optimize",
    "SELECT load_extension('evil.so')", "UPDATE sqlite_schema SET sql = ''",
    "INSERT INTO sqlite_schema DEFAULT VALUES",
  ]

  @Test(arguments: StorageKind.allCases)
  func `what writes, or holds a transaction, is refused with a clear error`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(
      kind, schema: "\(TemporaryDatabase.players); CREATE INDEX by_name ON player(name)")
    let before = try await dump(db)
    for sql in Self.forbidden {
      let error = await #expect(throws: DatabaseError.self, "\(sql)") {
        try await db.database.read { try $0.fetchAll(SQL(raw: sql)) }
      }
      #expect(error.map { $0.message.count > 12 } == true, "\(sql): \(error?.message ?? "")")
      #expect(error?.message.contains("not authorized") == false, "\(sql): words, not a code")
    }
    #expect(try await dump(db) == before)
    // And as an observation.
    let recorder = db.database.record(.rows("INSERT INTO player(name) VALUES ('eve')"))
    #expect(try await recorder.expectError().code == .readOnly)
    #expect(try await dump(db) == before)
    // The writer is not restricted by what happened before, in memory too, where it is the reader.
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
  }

  private func dump(_ db: TemporaryDatabase) async throws -> [RowSet] {
    try await db.database.read { connection in
      [
        try connection.fetchAll("SELECT type, name, sql FROM sqlite_schema"),
        try connection.fetchAll("SELECT * FROM player"),
        try connection.fetchAll("PRAGMA user_version"),
        try connection.fetchAll("PRAGMA journal_mode"),
      ]
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `what only tells is allowed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    for sql in [
      "PRAGMA journal_mode", "PRAGMA table_info(player)", "PRAGMA user_version",
      "SELECT * FROM pragma_table_info('player')", "PRAGMA integrity_check", "PRAGMA page_count",
      "EXPLAIN QUERY PLAN SELECT * FROM player",
      "SELECT sum(score) OVER () FROM player", "VALUES (1)", "SELECT sqlite_version()",
      "SELECT value FROM json_each('[1]')", "WITH RECURSIVE n(i) AS (SELECT 1) SELECT i FROM n",
    ] {
      await #expect(throws: Never.self, "\(sql)") {
        try await db.database.read { _ = try $0.fetchAll(SQL(raw: sql)) }
      }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a trigger or view of the file cannot make a query write`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: """
        \(TemporaryDatabase.players); CREATE VIEW v AS SELECT name FROM player;
        CREATE TRIGGER t INSTEAD OF INSERT ON v
        BEGIN INSERT INTO player(name) VALUES (new.name); END
        """)
    await #expect(throws: DatabaseError.self) {
      try await db.database.read { _ = try $0.fetchAll("INSERT INTO v VALUES ('eve')") }
    }
    #expect(try await db.integer("SELECT count(*) FROM player") == 0)
  }

  @Test
  func `extensions cannot be loaded, even by a write`() async throws {
    let db = try await TemporaryDatabase(.memory)
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.write { _ = try $0.fetchAll("SELECT load_extension('evil.so')") }
    }
    #expect(error?.message == "extensions cannot be loaded")
  }

  @Test
  func `a database opened for reading refuses to write`() async throws {
    let db = try await TemporaryDatabase(.wal)
    var configuration = Configuration()
    configuration.isReadOnly = true
    let database = try Database(path: db.path, configuration: configuration)
    defer { database.close() }
    let error = await #expect(throws: DatabaseError.self) {
      try await database.write { _ = try $0.execute("INSERT INTO player(name) VALUES ('eve')") }
    }
    #expect(error?.code.primary == .readOnly)
    #expect(try await database.isReadOnly())
  }
}
