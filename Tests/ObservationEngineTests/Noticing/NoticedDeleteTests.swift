import ObservationEngine
import TestSupport
import Testing

/// DELETE without WHERE, which SQLite can do by emptying the table at once, telling of no row.
@Suite(.fewAtOnce)
struct NoticedDeleteTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, x INT); CREATE INDEX i ON t(x);
    CREATE TABLE w (id INTEGER PRIMARY KEY, x INT) WITHOUT ROWID;
    CREATE TABLE g (id INTEGER PRIMARY KEY, x INT, y AS (x + 1), z AS (x - 1) STORED);
    CREATE TABLE button (x);
    CREATE TRIGGER pressed AFTER INSERT ON button WHEN new.x = 1
    BEGIN DELETE FROM t; DELETE FROM w; DELETE FROM g; END;
    CREATE VIEW v AS SELECT * FROM t;
    CREATE TRIGGER cleared INSTEAD OF DELETE ON v BEGIN DELETE FROM t; END;
    INSERT INTO t(x) VALUES (1), (2), (3);
    INSERT INTO w SELECT * FROM t; INSERT INTO g(id, x) SELECT * FROM t
    """

  /// Scripts after which a table is empty.
  static let shapes: [(table: String, script: String)] = [
    ("t", "DELETE FROM t"), ("t", "DELETE FROM main.t"), ("t", "DELETE FROM t AS all_of_them"),
    ("t", "DELETE FROM t WHERE 1"), ("t", "DELETE FROM t WHERE id > 0"),
    ("t", "DELETE FROM t INDEXED BY i WHERE x > 0"), ("t", "DELETE FROM t NOT INDEXED"),
    ("t", "DELETE FROM t RETURNING id"), ("t", "WITH q AS (SELECT 1) DELETE FROM t"),
    ("t", "DELETE FROM T; INSERT INTO t VALUES (9, 9); DELETE FROM \"t\""),
    ("t", "SAVEPOINT a; DELETE FROM t; RELEASE a"),
    ("t", "SAVEPOINT a; DELETE FROM t; ROLLBACK TO a; DELETE FROM t"),
    ("t", "INSERT INTO button VALUES (1)"), ("t", "DELETE FROM v"),
    ("w", "DELETE FROM w"), ("w", "DELETE FROM w WHERE true"),
    ("w", "INSERT INTO button VALUES (1)"),
    ("g", "DELETE FROM g"), ("g", "INSERT INTO button VALUES (1)"),
  ]

  @Test(arguments: StorageKind.allCases, shapes.indices)
  func `an emptied table is noticed`(_ kind: StorageKind, shape: Int) async throws {
    let (table, script) = Self.shapes[shape]
    let count = try await ObservedQuery(kind, Self.schema, "SELECT count(*) FROM \(table)")
    try await count.notices(script)
    let row = try await ObservedQuery(kind, Self.schema, "SELECT x FROM \(table) WHERE id = 2")
    try await row.notices(script)
  }

  @Test(arguments: StorageKind.allCases)
  func `a statement that was prepared before anybody observed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: Self.schema)
    try await db.database.write { connection in
      // Prepared, run, and kept for the next time.
      try connection.execute("DELETE FROM t")
      try connection.execute("INSERT INTO t VALUES (1, 1), (2, 2)")
    }
    let recorder = db.database.record(integer: "SELECT count(*) FROM t")
    try await recorder.expect(2)
    try await db.database.write { _ = try $0.execute("DELETE FROM t") }
    try await recorder.expect(0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a statement of its own, outside of a transaction`(_ kind: StorageKind) async throws {
    let count = try await ObservedQuery(kind, Self.schema, "SELECT count(*) FROM t")
    try await count.notices { _ = try await $0.run("DELETE FROM t") }
  }

  @Test(arguments: StorageKind.allCases)
  func `a table that foreign keys empty`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind,
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (parent REFERENCES parent ON DELETE CASCADE);
      INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES (1), (1), (2)
      """, setUp: ["PRAGMA foreign_keys = ON"], "SELECT count(*) FROM child")
    try await query.notices("DELETE FROM parent")
  }

  @Test(arguments: StorageKind.files)
  func `another process that empties a table`(_ kind: StorageKind) async throws {
    let count = try await ObservedQuery(kind, Self.schema, "SELECT count(*) FROM t")
    let other = try await ExternalProcess.serve(count.db.path)
    try await count.notices { _ in try await other.send("DELETE FROM t") }
  }

  @Test(arguments: StorageKind.allCases)
  func `silence when the table was empty, or is filled again with the same`(
    _ kind: StorageKind
  ) async throws {
    let count = try await ObservedQuery(kind, Self.schema, "SELECT count(*) FROM button")
    try await count.ignores("DELETE FROM button")
    let sum = try await ObservedQuery(kind, Self.schema, "SELECT sum(x) FROM t")
    try await sum.ignores("SAVEPOINT a; DELETE FROM t; ROLLBACK TO a; RELEASE a")
    try await sum.ignores("DELETE FROM t; INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
  }
}
