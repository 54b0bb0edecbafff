import TestSupport
import Testing

@testable import DatabaseConsole
@testable import ObservationEngine

/// Sorted windows around the place where SQLite is asked in another way, with many equal rows: they keep the
/// order that the query has.
@Suite(.fewAtOnce)
struct TieOrderTests {
  private static let rows = 24_000

  /// Rows whose sorting goes to disk, as SQLite's does from some megabytes on.
  private static func schema(_ random: inout SeededRandom) -> String {
    let kinds = Int.random(in: 1...4, using: &random)
    let length = Int.random(in: 0...200, using: &random)
    return """
      CREATE TABLE t (id INTEGER PRIMARY KEY, kind, size, text);
      \(random.onceIn(2) ? "CREATE INDEX by_kind ON t (kind);" : "")
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO t SELECT i * 7919 % 1000003, i * 31 % \(kinds), i * 17 % 5,
        substr(hex(randomblob(\(length))), 1, \(length)) FROM n;
      """
  }

  private static let queries = [
    "SELECT * FROM t", "SELECT id, kind, size FROM t ORDER BY id DESC",
    "SELECT kind, size, text FROM t", "SELECT kind, size, text FROM t ORDER BY kind",
    "SELECT kind, size, id || '' FROM t ORDER BY size DESC",
    "SELECT size, kind, text FROM t ORDER BY +id",
    "SELECT kind, size, text FROM t ORDER BY text",
    "SELECT size, kind, id + 0 FROM t WHERE kind >= 0",
    "SELECT kind, max(id), text FROM t GROUP BY id % 23001",
    "SELECT size, kind FROM t UNION ALL SELECT 1, 2",
  ]

  @Test(arguments: queries.indices)
  func `equal rows stand as in the query, on both sides`(_ index: Int) async throws {
    let sql = Self.queries[index]
    var random = SeededRandom(seed: 100 + UInt64(index))
    let db = try await TemporaryDatabase(.wal, schema: Self.schema(&random))
    let limits = WindowedQuery.Limits()
    let window = WindowedQuery(.rows(SQL(raw: sql)), limits: limits)
    let bench = WindowBench(db.database)
    defer { bench.close() }
    let whole = try await db.database.read { try $0.fetchAll(SQL(raw: sql)) }
    // The orders by columns with few values, from one look at all rows.
    let orders = [0, 1].flatMap { column in
      [false, true].map { RowWindow.Sort(column: column, isDescending: $0) }
    }
    for sort in orders {
      let sorted = WindowOracle.result(
        of: whole, RowWindow(count: .max, sort: sort), limit: limits.whole, isSortable: true)
      for _ in 0..<3 {
        let first = limits.shallow + Int.random(in: -60...20, using: &random)
        let count = Int.random(in: 1...60, using: &random)
        window.show(RowWindow(first: first, count: count, sort: sort))
        let found = try bench.look(window, using: &random).window.get()
        let expected = Array(sorted.rows[first..<first + count])
        #expect(found.rows == expected, "\(sql), \(sort), \(first), \(count)")
      }
    }
  }
}
