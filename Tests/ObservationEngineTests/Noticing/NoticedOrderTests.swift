import TestSupport
import Testing

@testable import ObservationEngine

/// Changes of columns by which SQLite visits rows, although the query doesn't read them.
@Suite(.fewAtOnce)
struct NoticedOrderTests {
  private static let schema = """
    CREATE TABLE sale(id INTEGER PRIMARY KEY, player INT, day INT, price REAL, note TEXT);
    CREATE INDEX sold ON sale(player, day);
    CREATE INDEX noted ON sale(note);
    INSERT INTO sale VALUES (1, 7, 1, 0.1, 'x'), (2, 7, 2, 0.2, 'x'), (3, 7, 3, 0.3, 'x')
    """

  @Test(
    arguments: StorageKind.allCases,
    [
      // 0.1 + 0.2 + 0.3 is another number than 0.2 + 0.3 + 0.1.
      "SELECT sum(price) FROM sale WHERE player = 7",
      "SELECT price FROM sale WHERE player = 7",
      "SELECT price FROM sale WHERE player = 7 LIMIT 1",
      "SELECT (SELECT price FROM sale WHERE player = 7) AS first",
    ])
  func `a row that comes in another order is noticed`(
    _ kind: StorageKind, _ sql: String
  ) async throws {
    let query = try await ObservedQuery(kind, Self.schema, sql)
    try await query.notices("UPDATE sale SET day = 9 WHERE id = 1")
    // By an index that the query doesn't go through.
    try await query.ignores("UPDATE sale SET note = 'y' WHERE id = 2")
  }

  @Test(arguments: StorageKind.allCases)
  func `rows that are only counted come in any order`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, Self.schema, "SELECT count(*), count(DISTINCT price) FROM sale WHERE player = 7")
    try await query.ignores("UPDATE sale SET day = 9 WHERE id = 1")
    try await query.notices("UPDATE sale SET player = 8 WHERE id = 1")
  }

  @Test func `an index by an expression may be sorted by any column`() async throws {
    let query = try await ObservedQuery(
      .wal,
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b INT, c INT); CREATE INDEX i ON t(a, b + 1);
      INSERT INTO t VALUES (1, 1, 1, 1), (2, 1, 2, 2)
      """, "SELECT c FROM t WHERE a = 1")
    try await query.notices("UPDATE t SET b = 5 WHERE id = 1")
  }

  @Test(
    arguments: [
      ("SELECT count(*) FROM t", true),
      ("SELECT count(a), count(DISTINCT b + 1) AS n, count(*) total FROM t JOIN u", true),
      ("SELECT count(*) + 1 FROM t", false), ("SELECT count(*), a FROM t", false),
      ("SELECT count(*) FROM (SELECT a FROM t LIMIT 1)", false),
      ("SELECT count(*) FROM t GROUP BY a", false), ("SELECT count(*) OVER () FROM t", false),
      ("SELECT sum(a) FROM t", false), ("SELECT a count FROM t", false), ("SELECT 1", false),
      ("SELECT max(count) FROM t", false),
    ])
  func `what only counts is recognised`(_ sql: String, _ expected: Bool) {
    #expect(QueryShape.onlyCounts(sql) == expected)
  }
}
