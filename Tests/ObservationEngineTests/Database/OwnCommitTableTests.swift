import TestSupport
import Testing

@testable import ObservationEngine

/// Tables whose rows are hard to follow: what cannot be told exactly must be told as changed.
@Suite(.fewAtOnce)
struct OwnCommitTableTests {
  private static let t = TableID(name: "t")

  private func change(_ schema: String, _ script: String) async throws -> TableChange? {
    let db = try await TemporaryDatabase(.memory, schema: schema)
    let log = CommitLog(db.database)
    try await db.write(script: script)
    let changeset = try await log.nextChangeset()
    #expect(changeset.everythingReason == nil)
    return changeset.tables[Self.t]
  }

  private func rows(
    inserted: Int = 0, updated: Int = 0, deleted: Int = 0, columns: Set<String> = []
  ) -> TableChange {
    .rows(
      Commit.RowCounts(inserted: inserted, updated: updated, deleted: deleted),
      updatedColumns: columns)
  }

  @Test
  func `rows of a WITHOUT ROWID table are told by their primary key`() async throws {
    let schema = """
      CREATE TABLE t (x, b TEXT COLLATE NOCASE, a INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
      INSERT INTO t VALUES (1, 'k', 1), (2, 'k', 2), (3, 'm', 2)
      """
    #expect(try await change(schema, "INSERT INTO t VALUES (4, 'n', 2)") == rows(inserted: 1))
    #expect(
      try await change(schema, "UPDATE t SET x = 9 WHERE a = 2")
        == rows(updated: 2, columns: ["x"]))
    #expect(try await change(schema, "DELETE FROM t WHERE b = 'K'") == rows(deleted: 2))
    #expect(
      try await change(schema, "UPDATE t SET a = 7 WHERE b = 'm'")
        == rows(inserted: 1, deleted: 1))
    // The same key by its collation, and another text: the row changed.
    let folded = try await change(schema, "UPDATE t SET b = 'M' WHERE b = 'm'")
    #expect(folded.map { $0.affects(Region.Part(columns: ["b"])) } == true)
  }

  @Test(arguments: ["VIRTUAL", "STORED"])
  func `a table with generated columns is told by its rows`(_ kind: String) async throws {
    for columns in ["a, b AS (a + 1) \(kind), c", "a, c, b AS (a + 1) \(kind)"] {
      let db = try await TemporaryDatabase(
        .memory, schema: "CREATE TABLE t (\(columns)); INSERT INTO t(a, c) VALUES (1, 1)")
      let log = RowLog(db.database)
      for statement in ["UPDATE t SET a = 2", "UPDATE t SET c = 2", "DELETE FROM t"] {
        try await db.write(script: statement)
      }
      #expect(log.differences.map(\.updatedColumns) == [["a", "b"], ["c"], []])
      #expect(log.differences.map(\.entries.count) == [1, 1, 1])
      #expect(log.differences.allSatisfy { $0.columns.sorted() == ["a", "b", "c"] })
      // Without the rows, a computed column may have changed with any other.
      let change = try await change(
        "CREATE TABLE t (\(columns)); INSERT INTO t(a, c) VALUES (1, 1)", "UPDATE t SET a = 2")
      #expect(change == rows(updated: 1, columns: ["a", "b"]))
    }
  }

  /// SQLite's hook takes their places in the record for those in the declaration.
  @Test(arguments: [
    ("n INT, a REAL, b TEXT PRIMARY KEY", "WITHOUT ROWID"),
    ("a REAL, n INT, b TEXT PRIMARY KEY", "WITHOUT ROWID"),
    ("a REAL, b INT PRIMARY KEY, n NUMERIC", "WITHOUT ROWID"),
    ("b INTEGER PRIMARY KEY, v AS (n + a), n INT, a REAL", ""),
    ("b INTEGER PRIMARY KEY, v AS (n + a), w AS (2), a REAL, n INT", ""),
  ])
  func `numbers keep their type where the hook mixes it up`(
    _ columns: String, _ option: String
  ) async throws {
    let db = try await TemporaryDatabase(
      .memory,
      schema: "CREATE TABLE t (\(columns)) \(option); INSERT INTO t(n, a, b) VALUES (5, 6, 7)")
    let names = try await db.database.read { try $0.fetchAll("SELECT * FROM t").columns }
    let before = try await db.database.read { try $0.fetchAll("SELECT * FROM t").rows }
    let log = RowLog(db.database)
    try await db.write(script: "UPDATE t SET n = 50, a = 60")
    let entry = try #require(log.differences.first?.entries.first)
    #expect(log.differences.first?.columns == names)
    #expect(entry.old == before.first)
    #expect(
      entry.new == (try await db.database.read { try $0.fetchAll("SELECT * FROM t").rows.first }))
  }

  @Test(arguments: [
    ("n BLOB, a REAL, b TEXT PRIMARY KEY) WITHOUT ROWID", "5"),
    ("n INT, a REAL, b TEXT PRIMARY KEY) WITHOUT ROWID", "9007199254740993"),
  ])
  func `a number that the hook doesn't tell has its table told as changed`(
    _ declaration: String, _ number: String
  ) async throws {
    let change = try await change(
      "CREATE TABLE t (\(declaration); INSERT INTO t VALUES (\(number), 6, 'b')",
      "UPDATE t SET a = 1")
    #expect(change == .bulk(reason: "SQLite doesn't report all values of t exactly"))
  }

  @Test(arguments: [
    ("(v AS (id), id INTEGER PRIMARY KEY, a)", "its key"),
    ("(id INT PRIMARY KEY, v AS (a), a) WITHOUT ROWID", "one that is stored"),
  ])
  func `a VIRTUAL column has its table told as changed where it shifts keys`(
    _ columns: String, _ what: String
  ) async throws {
    let schema = "CREATE TABLE t \(columns); INSERT INTO t(id, a) VALUES (1, 2)"
    #expect(
      try await change(schema, "UPDATE t SET a = 3")
        == .bulk(reason: "t has a VIRTUAL column before \(what)"))
  }

  /// SQLite has such a column twice in the record, and the hook returns NULL for the last one.
  @Test func `a key with a column under two collations has its table told as changed`() async throws
  {
    let schema = """
      CREATE TABLE t (k TEXT, n INT, r REAL, PRIMARY KEY (k, k COLLATE NOCASE, k COLLATE RTRIM)) WITHOUT ROWID;
      INSERT INTO t VALUES ('a', 5, 6.5)
      """
    #expect(
      try await change(schema, "UPDATE t SET n = 6")
        == .bulk(reason: "t has a column twice in its key"))
  }

  @Test func `a table that was altered and restored is told as changed`() async throws {
    let script = """
      SAVEPOINT s; ALTER TABLE t DROP COLUMN a; ALTER TABLE t ADD COLUMN a; UPDATE t SET a = 3;
      ROLLBACK TO s; RELEASE s; UPDATE t SET a = 4
      """
    let change = try await change("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x')", script)
    #expect(change == .bulk(reason: "a table was altered or dropped in the same transaction"))
    let db = try await TemporaryDatabase(.memory, schema: "CREATE TABLE t (a)")
    let log = CommitLog(db.database)
    try await db.write(
      script: """
        CREATE TEMP TABLE u (a); DROP TABLE u; CREATE TABLE IF NOT EXISTS t (a);
        INSERT INTO t VALUES (1)
        """)
    #expect(try await log.nextChangeset().tables[Self.t] == rows(inserted: 1))
    try await db.write(script: "DELETE FROM t")
    #expect(try await log.nextChangeset().tables[Self.t] == rows(deleted: 1))
  }

  @Test func `a temporary table that was dropped and restored is told as changed`() async throws {
    let db = try await TemporaryDatabase(.memory, schema: "CREATE TABLE t (a, b)")
    let log = CommitLog(db.database)
    try await db.write(script: "CREATE TEMP TABLE u (a, b); INSERT INTO u VALUES (1, 'x')")
    _ = try await log.nextCommit()
    try await db.write(
      script: """
        SAVEPOINT s; DROP TABLE u; CREATE TEMP TABLE u (b, a); INSERT INTO u VALUES (2, 3);
        UPDATE u SET a = 4; ROLLBACK TO s; UPDATE u SET a = 5; INSERT INTO t VALUES (2, 'y')
        """)
    let tables = try await log.nextChangeset().tables
    #expect(tables[Self.t] == rows(inserted: 1))
    let isBulk = if case .bulk? = tables[TableID(schema: "temp", name: "u")] { true } else { false }
    #expect(isBulk)
  }

  @Test
  func `a row older than an added column with a default is told in full`() async throws {
    let schema = """
      CREATE TABLE t (a); INSERT INTO t VALUES (1), (2);
      ALTER TABLE t ADD COLUMN b DEFAULT 5; ALTER TABLE t ADD COLUMN c
      """
    let explicit = try await change(schema, "UPDATE t SET b = NULL WHERE a = 1")
    #expect(explicit.map { $0.affects(Region.Part(columns: ["b"])) } == true)
    let other = try await change(schema, "UPDATE t SET c = 1 WHERE a = 1")
    #expect(other.map { $0.affects(Region.Part(columns: ["c"])) } == true)
    #expect(try await change(schema, "DELETE FROM t WHERE a = 1") == rows(deleted: 1))
  }

  @Test
  func `a column named rowid, or three, hides nothing`() async throws {
    let schema = "CREATE TABLE t (rowid TEXT, x); INSERT INTO t VALUES ('a', 1), ('b', 2)"
    #expect(
      try await change(schema, "UPDATE t SET x = 3 WHERE x = 1")
        == rows(updated: 1, columns: ["x"]))
    let all = "CREATE TABLE t (rowid, _rowid_, oid); INSERT INTO t VALUES (1, 1, 1)"
    let changed = try await change(all, "UPDATE t SET oid = 2")
    #expect(changed.map { $0.affects(Region.Part(columns: ["oid"])) } == true)
  }

  @Test
  func `names that need quotes are quoted`() async throws {
    let db = try await TemporaryDatabase(
      .memory, schema: "CREATE TABLE \"a \"\"b\"\" é\" (\"x y\" PRIMARY KEY) WITHOUT ROWID")
    let log = CommitLog(db.database)
    try await db.write(script: "INSERT INTO \"A \"\"b\"\" é\" VALUES (1)")
    #expect(
      try await log.nextChangeset().tables == [TableID(name: "a \"b\" é"): rows(inserted: 1)])
  }

  @Test
  func `storage classes and bits count, not values`() async throws {
    let schema = "CREATE TABLE t (x, y); INSERT INTO t VALUES (1, 'a')"
    let changed = rows(updated: 1, columns: ["x"])
    #expect(try await change(schema, "UPDATE t SET x = 1.0") == changed)
    #expect(try await change(schema, "UPDATE t SET x = '1'") == changed)
    #expect(
      try await change(schema, "UPDATE t SET y = CAST('a' AS BLOB)")
        == rows(updated: 1, columns: ["y"]))
    let real = "CREATE TABLE t (x REAL); INSERT INTO t VALUES (1), (1e300)"
    #expect(
      try await change(real, "UPDATE t SET x = 2 WHERE x = 1") == rows(updated: 1, columns: ["x"]))
  }

  @Test
  func `DELETE without WHERE is counted row by row`() async throws {
    let schema = """
      CREATE TABLE t (x);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO t SELECT i FROM n
      """
    #expect(try await change(schema, "DELETE FROM t") == rows(deleted: 3_000))
    #expect(
      try await change(schema, "DELETE FROM t; INSERT INTO t(rowid, x) VALUES (1, 1), (2, 9)")
        == rows(updated: 1, deleted: 2_998, columns: ["x"]))
  }

  @Test
  func `beyond the limit a table has changed in bulk, even when a savepoint takes it back`()
    async throws
  {
    let many = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)
      INSERT INTO t SELECT i FROM n;
      """
    let change = try await change("CREATE TABLE t (x); CREATE TABLE u (x)", many)
    #expect(change == .bulk(reason: "more than 50 000 rows changed"))
    let db = try await TemporaryDatabase(.memory, schema: "CREATE TABLE t (x)")
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM t")
    try await recorder.expect(0)
    try await db.write(
      script: "SAVEPOINT a; \(many) ROLLBACK TO a; RELEASE a; INSERT INTO t VALUES (0)")
    let changeset = try await log.nextChangeset()
    #expect(changeset.tables[Self.t].map { $0.affects(Region.Part(columns: [])) } == true)
    try await recorder.expect(1)
    // The next transaction is exact again.
    try await db.write(script: "INSERT INTO t VALUES (1)")
    #expect(try await log.nextChangeset().tables == [Self.t: rows(inserted: 1)])
  }

  @Test
  func `changes of the schema are changes of everything`() async throws {
    let db = try await TemporaryDatabase(.memory)
    let log = CommitLog(db.database)
    for script in [
      "CREATE TABLE t (x); INSERT INTO t VALUES (1)", "ALTER TABLE t RENAME TO u",
      "DROP TABLE u", "CREATE VIEW v AS SELECT 1", "DROP VIEW v",
    ] {
      try await db.write(script: script)
      let commit = try await log.nextCommit()
      #expect(commit.kind == .schema)
      #expect(commit.tables == .all(reason: "the schema changed"))
      #expect(commit.rows == nil)
    }
  }

  @Test
  func `tables of SQLite's own are never missed`() async throws {
    let db = try await TemporaryDatabase(
      .memory, schema: "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, x)")
    let recorder = db.database.record(integer: "SELECT ifnull(max(seq), 0) FROM sqlite_sequence")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO t(x) VALUES (1)")
    try await recorder.expect(1)
    try await db.write(script: "INSERT INTO t(x) VALUES (1)")
    try await recorder.expect(2)
    let version = db.database.record(integer: "PRAGMA user_version")
    try await version.expect(0)
    try await db.write(script: "PRAGMA user_version = 7")
    try await version.expect(7)
  }

  @Test
  func `a temporary table is told under its own schema`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let log = CommitLog(db.database)
    try await db.run("CREATE TEMP TABLE player (x)")
    #expect(
      try await log.nextCommit().tables == .all(reason: "the schema changed")
    )
    try await db.run("INSERT INTO temp.player VALUES (1)")
    #expect(try await log.nextCommit().tables == .named(["temp.player"]))
    try await db.run("INSERT INTO main.player(name) VALUES ('ada')")
    #expect(
      try await log.nextChangeset().tables == [TableID(name: "player"): rows(inserted: 1)])
    #expect(log.count(.external) == 0)
  }
}

/// The row differences of table `t`, with their rows.
private final class RowLog: Sendable {
  private let journal = Journal<RowDifference>()
  private let follower: EventFollower

  init(_ database: Database) {
    follower = EventFollower(database, wanting: .all(wantsRows: true)) { [journal] _, changeset in
      guard case .rows(let difference)? = changeset.tables[TableID(name: "t")] else { return }
      journal.append(difference)
    }
  }

  var differences: [RowDifference] { journal.entries }
}
