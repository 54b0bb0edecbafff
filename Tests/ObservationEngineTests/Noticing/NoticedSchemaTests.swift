import ObservationEngine
import TestSupport
import Testing

/// Changes of the schema and of the file as such.
@Suite(.fewAtOnce)
struct NoticedSchemaTests {
  private static let schema = "CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 2), (3, 4)"

  @Test(
    arguments: StorageKind.allCases,
    [
      "ALTER TABLE t ADD COLUMN c DEFAULT 5", "ALTER TABLE t RENAME COLUMN b TO c",
      "ALTER TABLE t DROP COLUMN b",
      "ALTER TABLE t RENAME TO u; CREATE TABLE t (z); INSERT INTO t VALUES (1)",
    ])
  func `ALTER TABLE`(_ kind: StorageKind, change: String) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT * FROM t")
    try await query.notices(change)
    // What came of it is observed from now on.
    try await query.notices("DELETE FROM t")
  }

  @Test(arguments: StorageKind.allCases)
  func `DROP TABLE is an error, and a later CREATE TABLE a value`(_ kind: StorageKind) async throws
  {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT count(*) FROM t")
    try await query.db.write(script: "DROP TABLE t")
    #expect(try await query.recorder.expectError().message == "no such table: t")
    try await query.db.write(script: "CREATE TABLE t (z)")
    try await query.recorder.expect(RowSet(columns: ["count(*)"], rows: [[0]]))
    try await query.notices("INSERT INTO t VALUES (1)")
  }

  @Test(arguments: StorageKind.allCases)
  func `DROP TABLE and CREATE TABLE of the same name in one transaction`(
    _ kind: StorageKind
  ) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT sum(a) FROM t")
    try await query.notices("DROP TABLE t; CREATE TABLE t (a)")
    try await query.notices("INSERT INTO t VALUES (7)")
  }

  @Test(arguments: StorageKind.allCases)
  func `a view that is another one of the same name`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "\(Self.schema); CREATE TABLE u (x); CREATE VIEW v AS SELECT sum(a) AS s FROM t",
      "SELECT s FROM v")
    try await query.notices("DROP VIEW v; CREATE VIEW v AS SELECT sum(b) AS s FROM t")
    try await query.notices("UPDATE t SET b = 10")
    try await query.notices("DROP VIEW v; CREATE VIEW v AS SELECT count(*) AS s FROM u")
    try await query.notices("INSERT INTO u VALUES (1)")
    try await query.ignores("UPDATE t SET b = 11")
  }

  @Test(arguments: StorageKind.allCases)
  func `a table that is created late`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT count(*) FROM late")
    #expect(try await recorder.expectError().message == "no such table: late")
    try await db.write(script: "CREATE TABLE late (x)")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO late VALUES (1)")
    try await recorder.expect(1)
  }

  @Test(arguments: StorageKind.allCases)
  func `sqlite_schema, by either of its names`(_ kind: StorageKind) async throws {
    for name in ["sqlite_schema", "sqlite_master"] {
      let query = try await ObservedQuery(
        kind, Self.schema, "SELECT group_concat(name) FROM \(name) WHERE type <> 'trigger'")
      try await query.notices("CREATE TABLE u (x)")
      try await query.notices("CREATE INDEX i ON u(x)")
      try await query.notices("CREATE VIEW v AS SELECT 1")
      try await query.notices("ALTER TABLE u RENAME TO w")
      try await query.notices("DROP TABLE w")
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `the number of rows in sqlite_schema, by either of its names`(
    _ kind: StorageKind
  ) async throws {
    for name in ["sqlite_schema", "sqlite_master"] {
      let query = try await ObservedQuery(kind, Self.schema, "SELECT count(*) FROM \(name)")
      try await query.notices("CREATE INDEX i ON t(a)")
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `user_version and application_id`(_ kind: StorageKind) async throws {
    for pragma in ["user_version", "application_id"] {
      let query = try await ObservedQuery(kind, Self.schema, "PRAGMA \(pragma)")
      try await query.notices("PRAGMA \(pragma) = 7")
      try await query.notices { _ = try await $0.run("PRAGMA \(pragma) = 8") }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `pragmas that tell of the schema, as functions too`(_ kind: StorageKind) async throws {
    for sql in [
      "PRAGMA table_info(t)", "SELECT group_concat(name) FROM pragma_table_info('t')",
      "PRAGMA index_list(t)", "SELECT count(*) FROM pragma_table_list",
    ] {
      let query = try await ObservedQuery(kind, Self.schema, sql)
      try await query.notices(
        "ALTER TABLE t ADD COLUMN c; CREATE INDEX i ON t(c); CREATE TABLE u (x)")
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `the AUTOINCREMENT counters`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)",
      "SELECT seq FROM sqlite_sequence")
    try await query.notices("INSERT INTO t DEFAULT VALUES")
    try await query.notices("INSERT INTO t DEFAULT VALUES")
  }

  @Test(arguments: StorageKind.allCases)
  func `rowids that VACUUM numbers anew`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3); DELETE FROM t WHERE x = 1",
      "SELECT group_concat(rowid) FROM t")
    try await query.notices { _ = try await $0.run("VACUUM") }
    // Row by row the numbers are right from now on.
    try await query.notices("UPDATE t SET rowid = 50 WHERE x = 3")
  }

  @Test(arguments: StorageKind.files)
  func `what another process does to schema, header and rowids`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3); DELETE FROM t WHERE x = 1",
      """
      SELECT group_concat(t.rowid), (SELECT group_concat(sql) FROM sqlite_schema),
      (SELECT user_version FROM pragma_user_version) FROM t
      """)
    let other = try await ExternalProcess.serve(query.db.path)
    for sql in [
      "PRAGMA user_version = 9", "CREATE VIEW v AS SELECT 1", "ALTER TABLE t ADD COLUMN y",
      "VACUUM",
    ] {
      try await query.notices { _ in try await other.send(sql) }
    }
  }
}
