import ObservationEngine
import TestSupport
import Testing

/// Changes of rows that hooks tell in odd ways, or not at all, and that are noticed all the same.
@Suite(.fewAtOnce)
struct NoticedRowTests {
  private static let keyed = """
    CREATE TABLE t (k TEXT, n INT, v, PRIMARY KEY (n, k)) WITHOUT ROWID;
    INSERT INTO t VALUES ('a', 1, 10), ('b', 1, 20)
    """

  @Test(arguments: StorageKind.allCases)
  func `an insert into a WITHOUT ROWID table`(_ kind: StorageKind) async throws {
    let count = try await ObservedQuery(kind, Self.keyed, "SELECT count(*) FROM t")
    try await count.notices("INSERT INTO t VALUES ('c', 1, 30)")
  }

  @Test(arguments: StorageKind.allCases)
  func `an update of a WITHOUT ROWID table, of its key too`(_ kind: StorageKind) async throws {
    let values = try await ObservedQuery(kind, Self.keyed, "SELECT sum(v) FROM t")
    try await values.notices("UPDATE t SET v = v + 1 WHERE k = 'a'")
    let keys = try await ObservedQuery(kind, Self.keyed, "SELECT k FROM t WHERE n = 1")
    try await keys.notices("UPDATE t SET n = 2 WHERE k = 'b'")
  }

  @Test(arguments: StorageKind.allCases)
  func `a delete from a WITHOUT ROWID table`(_ kind: StorageKind) async throws {
    let count = try await ObservedQuery(kind, Self.keyed, "SELECT count(*) FROM t")
    try await count.notices("DELETE FROM t WHERE k = 'b'")
    try await count.notices("DELETE FROM t")
  }

  @Test(arguments: StorageKind.allCases)
  func `a text that isn't UTF-8, as a key and as a value`(_ kind: StorageKind) async throws {
    let keys = try await ObservedQuery(kind, Self.keyed, "SELECT count(*), hex(max(k)) FROM t")
    try await keys.notices("INSERT INTO t VALUES (CAST(x'fe' AS TEXT), 1, 0)")
    try await keys.notices("UPDATE t SET k = CAST(x'ff' AS TEXT) WHERE hex(k) = 'FE'")
    try await keys.notices("DELETE FROM t WHERE hex(k) = 'FF'")
    let value = try await ObservedQuery(
      kind, "CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'fe' AS TEXT))",
      "SELECT hex(a) FROM t")
    try await value.notices("UPDATE t SET a = CAST(x'ff' AS TEXT)")
  }

  @Test(arguments: StorageKind.allCases, ["VIRTUAL", "STORED"])
  func `a generated column, when the column changes that it is made of`(
    _ kind: StorageKind, generation: String
  ) async throws {
    let double = try await ObservedQuery(
      kind,
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b AS (a * 2) \(generation), c AS (b + 1));
      INSERT INTO t(a) VALUES (1), (2)
      """, "SELECT b FROM t ORDER BY id")
    try await double.notices("UPDATE t SET a = 5 WHERE id = 1")
    let indirect = try await ObservedQuery(
      kind,
      "CREATE TABLE t (a INT, b AS (a * 2) \(generation), c AS (b + 1)); INSERT INTO t VALUES (1)",
      "SELECT c FROM t")
    try await indirect.notices("UPDATE t SET a = 5")
    try await indirect.notices("INSERT INTO t(a) VALUES (7)")
  }

  @Test(arguments: StorageKind.allCases)
  func `a row that REPLACE removes`(_ kind: StorageKind) async throws {
    let schema = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
      INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')
      """
    let first = try await ObservedQuery(kind, schema, "SELECT email FROM t WHERE id = 1")
    try await first.notices("INSERT OR REPLACE INTO t VALUES (9, 'a')")
    let second = try await ObservedQuery(kind, schema, "SELECT count(*) FROM t")
    try await second.notices("UPDATE OR REPLACE t SET email = 'b' WHERE id = 3")
    let third = try await ObservedQuery(kind, schema, "SELECT email FROM t WHERE id = 3")
    try await third.notices("REPLACE INTO t VALUES (3, 'z')")
  }

  @Test(arguments: StorageKind.allCases)
  func `an UPSERT, whether it inserts or updates`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "CREATE TABLE t (word TEXT PRIMARY KEY, n INT)", "SELECT n FROM t WHERE word = 'a'")
    let upsert = "INSERT INTO t VALUES ('a', 1) ON CONFLICT DO UPDATE SET n = n + 1"
    try await query.notices(upsert)
    try await query.notices(upsert)
  }

  @Test(arguments: StorageKind.allCases)
  func `an UPDATE of an observed primary key`(_ kind: StorageKind) async throws {
    let schema =
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    let leaving = try await ObservedQuery(kind, schema, "SELECT v FROM t WHERE id = 1")
    try await leaving.notices("UPDATE t SET id = 7 WHERE id = 1")
    try await leaving.notices("UPDATE t SET rowid = 1 WHERE id = 2")
    let keys = try await ObservedQuery(kind, schema, "SELECT group_concat(rowid) FROM t")
    try await keys.notices("UPDATE t SET id = id + 100")
  }

  @Test(arguments: StorageKind.allCases)
  func `what foreign keys do to other tables`(_ kind: StorageKind) async throws {
    let schema = """
      CREATE TABLE team (id INTEGER PRIMARY KEY);
      CREATE TABLE gone (team REFERENCES team ON DELETE CASCADE);
      CREATE TABLE moved (team REFERENCES team ON UPDATE CASCADE ON DELETE SET NULL);
      INSERT INTO team VALUES (1), (2);
      INSERT INTO gone VALUES (1), (2); INSERT INTO moved VALUES (1), (2)
      """
    let pragma = ["PRAGMA foreign_keys = ON"]
    let gone = try await ObservedQuery(kind, schema, setUp: pragma, "SELECT count(*) FROM gone")
    try await gone.notices("DELETE FROM team WHERE id = 1")
    try await gone.notices("DELETE FROM team")
    let moved = try await ObservedQuery(kind, schema, setUp: pragma, "SELECT team FROM moved")
    try await moved.notices { try await $0.write(script: "DELETE FROM team WHERE id = 2") }
    try await moved.notices(
      "PRAGMA defer_foreign_keys = 1; DELETE FROM gone; UPDATE team SET id = 8")
  }

  @Test(arguments: StorageKind.allCases)
  func `what triggers do, one after the other`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind,
      """
      CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x); INSERT INTO c VALUES (0);
      CREATE TRIGGER ab AFTER INSERT ON a BEGIN INSERT INTO b VALUES (new.x); END;
      CREATE TRIGGER bc BEFORE INSERT ON b BEGIN UPDATE c SET x = x + new.x; END;
      CREATE TRIGGER cd AFTER DELETE ON a BEGIN DELETE FROM c; END
      """, "SELECT x FROM c")
    try await query.notices("INSERT INTO a VALUES (1), (2)")
    try await query.notices("DELETE FROM a")
  }

  @Test(arguments: StorageKind.allCases)
  func `what INSTEAD OF triggers do for a view`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind,
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, x); CREATE VIEW v AS SELECT id, x + 1 AS y FROM t;
      CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN INSERT INTO t(x) VALUES (new.y - 1); END;
      CREATE TRIGGER vu INSTEAD OF UPDATE ON v
      BEGIN UPDATE t SET x = new.y - 1 WHERE id = old.id; END;
      CREATE TRIGGER vd INSTEAD OF DELETE ON v BEGIN DELETE FROM t WHERE id = old.id; END
      """, "SELECT y FROM v ORDER BY id")
    try await query.notices("INSERT INTO v(y) VALUES (5)")
    try await query.notices("UPDATE v SET y = 6")
    try await query.notices("DELETE FROM v")
  }
}
