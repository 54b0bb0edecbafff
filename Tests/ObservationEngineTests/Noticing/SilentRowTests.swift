import ObservationEngine
import TestSupport
import Testing

/// Queries of single rows, in plain SQL: a change of another row does not concern them.
@Suite(.fewAtOnce)
struct SilentRowTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, name TEXT);
    INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z'), (4, 40, NULL)
    """

  /// Queries of the rows 1 and 2 at most.
  static let queries: [(sql: String, arguments: QueryArguments)] = [
    ("SELECT a FROM t WHERE id = 1", []),
    ("SELECT a FROM t WHERE rowid = 1", []),
    ("SELECT * FROM t AS p WHERE 1 = p.id AND p.a > 0", []),
    ("SELECT sum(a), count(*) FROM main.t WHERE id IN (1, 2)", []),
    ("SELECT a FROM t WHERE id = ?", [1]),
    ("SELECT a FROM t WHERE id = :id", ["id": 1]),
    ("SELECT a, ?1 FROM t WHERE id IN (?2, ?3) ORDER BY a", ["why", 1, 2]),
    ("SELECT a FROM t WHERE name = 'x'", []),
    ("SELECT a FROM t WHERE name IN (?, ?)", ["x", "y"]),
    ("SELECT a FROM t WHERE a < 100 AND (id IS ? AND name LIKE '%')", [1]),
  ]

  @Test(arguments: StorageKind.allCases, queries.indices)
  func `a change of another row is silent, and of its own is noticed`(
    _ kind: StorageKind, index: Int
  ) async throws {
    let (sql, arguments) = Self.queries[index]
    let query = try await ObservedQuery(kind, Self.schema, sql, arguments)
    try await query.ignores("UPDATE t SET a = a + 1 WHERE id = 3")
    try await query.ignores("DELETE FROM t WHERE id = 3")
    try await query.ignores("INSERT INTO t VALUES (7, 70, 'other'), (8, 80, NULL)")
    try await query.ignores("UPDATE t SET id = 9, name = 'yet another' WHERE id = 7")
    try await query.notices("UPDATE t SET a = a + 1 WHERE id = 1")
    try await query.ignores("DELETE FROM t WHERE id > 2")
    try await query.notices("DELETE FROM t")
    // Nothing is there now, and still it is known what would matter.
    try await query.ignores("INSERT INTO t VALUES (5, 50, 'elsewhere')")
    try await query.notices("INSERT INTO t VALUES (1, 11, 'x')")
  }

  @Test(arguments: StorageKind.allCases)
  func `a row that comes into the restriction, or leaves it, is noticed`(
    _ kind: StorageKind
  ) async throws {
    let query = try await ObservedQuery(
      kind, Self.schema, "SELECT id FROM t WHERE name = ?", ["x"])
    try await query.notices("UPDATE t SET name = 'x' WHERE id = 3")
    try await query.notices("UPDATE t SET name = 'w' WHERE id = 1")
    try await query.notices("REPLACE INTO t VALUES (3, 0, 'no more')")
    let byKey = try await ObservedQuery(kind, Self.schema, "SELECT name FROM t WHERE id = 5")
    try await byKey.notices("UPDATE t SET id = 5 WHERE id = 2")
    try await byKey.notices("UPDATE t SET id = 6 WHERE id = 5")
  }

  @Test(arguments: StorageKind.allCases)
  func `NULL is no value to an equation, and one to IS`(_ kind: StorageKind) async throws {
    let equal = try await ObservedQuery(
      kind, Self.schema, "SELECT count(*) FROM t WHERE name = ?", [nil])
    try await equal.ignores("UPDATE t SET name = 'w' WHERE id = 1")
    let same = try await ObservedQuery(
      kind, Self.schema, "SELECT count(*) FROM t WHERE name IS ?", [nil])
    try await same.ignores("UPDATE t SET name = 'w' WHERE id = 1")
    try await same.notices("UPDATE t SET name = NULL WHERE id = 1")
    try await same.notices("UPDATE t SET name = 'back' WHERE id = 4")
  }

  @Test(arguments: StorageKind.allCases)
  func `what is compared in another way than it is written is not narrowed`(
    _ kind: StorageKind
  ) async throws {
    let schema = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, folded TEXT COLLATE NOCASE, trimmed TEXT, r REAL, x);
      INSERT INTO t VALUES (1, 'a', 'a', 1, 1), (2, 'b', 'b', 2, '1')
      """
    let change = "UPDATE t SET folded = 'A', trimmed = '5', r = 5.0, x = 5.0 WHERE id = 2"
    for sql in [
      "SELECT count(*) FROM t WHERE folded = 'a'", "SELECT count(*) FROM t WHERE trimmed = 5",
      "SELECT count(*) FROM t WHERE r = 5", "SELECT count(*) FROM t WHERE x = 5",
      "SELECT count(*) FROM t WHERE trimmed = 'A' COLLATE NOCASE OR folded = 'A'",
    ] {
      let query = try await ObservedQuery(kind, schema, sql)
      try await query.notices(change)
    }
    let text = try await ObservedQuery(kind, schema, "SELECT r FROM t WHERE id = '2'")
    try await text.notices(change)
  }

  @Test(arguments: StorageKind.allCases)
  func `many observations of one row each`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: Self.schema)
    let runs = Counter()
    let recorders = (1...4).map { id in
      Recorder(
        db.database.observe { connection -> Int in
          runs.increment()
          return try connection.fetchOne("SELECT a FROM t WHERE id = ?", [id]) ?? -1
        })
    }
    for (index, recorder) in recorders.enumerated() { try await recorder.expect(10 + 10 * index) }
    try await db.write(script: "UPDATE t SET a = 99 WHERE id = 3")
    try await recorders[2].expect(99)
    #expect(runs.value == 5)
  }
}
