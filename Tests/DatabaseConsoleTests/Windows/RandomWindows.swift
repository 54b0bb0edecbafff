import TestSupport

@testable import DatabaseConsole
@testable import ObservationEngine

/// A table with rows at random, queries of it of many forms, and commits.
struct RandomWindows {
  var random: SeededRandom
  private(set) var nextID = 1

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Statements that make the tables, and fill them.
  mutating func schema() -> String {
    let key = pick([
      "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY",
      "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY DESC",
      "id INT PRIMARY KEY", "id INTEGER",
    ])
    let isWithoutRowid = key.contains("PRIMARY") && random.onceIn(6)
    var sql = """
      CREATE TABLE t (a, \(key), b INT, c TEXT\(random.onceIn(2) ? " COLLATE NOCASE" : ""), d)\
      \(isWithoutRowid ? " WITHOUT ROWID" : "");
      CREATE TABLE u (x, y INTEGER PRIMARY KEY);
      CREATE VIEW v AS SELECT id, b, c FROM t WHERE b > 1\(random.onceIn(2) ? " ORDER BY c" : "");
      CREATE VIEW w AS SELECT d, id FROM t;

      """
    for index in ["b", "c", "b, c", "a DESC", "c COLLATE BINARY", "id"] where random.onceIn(3) {
      sql += "CREATE INDEX \"by \(index)\" ON t (\(index));\n"
    }
    for _ in 0..<Int.random(in: 30...90, using: &random) { sql += insertion() }
    for number in 0..<Int.random(in: 0...9, using: &random) {
      sql += "INSERT INTO u VALUES (\(value()), \(number * 2));\n"
    }
    if random.onceIn(2) { sql += "ANALYZE;\n" }
    return sql
  }

  /// Something to commit.
  mutating func change() -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: (0..<Int.random(in: 1...12, using: &random)).map { _ in insertion() }.joined()
    case 4..<6: "DELETE FROM t WHERE id % \(Int.random(in: 2...9, using: &random)) = 1;"
    case 6: "DELETE FROM t WHERE id IN (SELECT id FROM t ORDER BY random() LIMIT 40);"
    case 7: "UPDATE t SET b = \(value()), c = \(value()) WHERE id % 3 = 0;"
    case 8: "UPDATE OR IGNORE t SET id = id + 1 WHERE b = 2;"
    default:
      "INSERT OR REPLACE INTO u VALUES (\(value()), \(Int.random(in: 0..<20, using: &random)));"
    }
  }

  private mutating func insertion() -> String {
    // Now and then an identifier is left out, or comes before others.
    nextID += random.onceIn(5) ? Int.random(in: 2...40, using: &random) : 1
    let id = random.onceIn(12) ? -nextID : nextID
    return "INSERT OR IGNORE INTO t (a, id, b, c, d) VALUES "
      + "(\(value()), \(id), \(value()), \(value()), \(value()));\n"
  }

  private mutating func value() -> String {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: "NULL"
    case 1..<5: "\(Int.random(in: 0..<5, using: &random))"
    case 5: "\(Int.random(in: -3..<9, using: &random)).5"
    case 6: "x'\(pick(["", "00", "ff", "4142", "41"]))'"
    case 7: "2.0"
    default: "'\(pick(["", "a", "A", "b", "B", "ä", "zz", "10", "9", "a b"]))'"
    }
  }

  // MARK: - Queries

  /// A query, and arguments for it.
  mutating func query() -> (sql: String, arguments: QueryArguments) {
    if random.onceIn(6) { return strange() }
    if random.onceIn(2) { return plain() }
    let columns = pick([
      "*", "id", "id, b", "b, id, c", "c, id, id", "id, id AS b, a", "a, b", "rowid, *",
      "id + 0, c, id",
      "b AS id, c", "t.id AS \"the key\", upper(c) u, a || 'x'",
      "CASE WHEN b > 2 THEN id ELSE 7 END, id, b",
      "max(id, 5) id, c", "-id, id, length(c)", "coalesce(c, '-'), id", "CAST(id AS TEXT), id",
    ])
    let condition = pick([
      "", "", "", "WHERE b > 1", "WHERE b = 2", "WHERE id > 10", "WHERE id BETWEEN 5 AND 40",
      "WHERE c LIKE 'a%'", "WHERE c > 'a' OR b IS NULL", "WHERE b IN (1, 2, 3)",
      "WHERE b = 1 OR c = 'a'",
      "WHERE id IN (SELECT y FROM u)", "WHERE EXISTS (SELECT 1 FROM u WHERE y = t.id)",
      "WHERE a IS NOT NULL",
      "WHERE b > ?", "WHERE b >= ?2 AND b < ?1 + 3", "WHERE id > :least",
      "WHERE typeof(d) = 'text'",
    ])
    let group = random.onceIn(12) ? pick(["GROUP BY id", "GROUP BY b", "GROUP BY id, b"]) : ""
    let order = pick([
      "", "", "", "ORDER BY id", "ORDER BY id DESC", "ORDER BY b", "ORDER BY b DESC, id",
      "ORDER BY c",
      "ORDER BY id, b", "ORDER BY a DESC", "ORDER BY 1", "ORDER BY c COLLATE BINARY, id DESC",
      "ORDER BY -id",
    ])
    let limit = random.onceIn(8) ? pick(["LIMIT 30", "LIMIT 30 OFFSET 3", "LIMIT -1"]) : ""
    let distinct = random.onceIn(12) ? "DISTINCT" : ""
    let sql = "SELECT \(distinct) \(columns) FROM t \(condition) \(group) \(order) \(limit)"
    return (dressed(sql), arguments(for: condition))
  }

  /// One in the order of its key, or nearly so.
  private mutating func plain() -> (sql: String, arguments: QueryArguments) {
    let columns = pick([
      "*", "b, id, c", "t.id AS \"the key\", upper(c) u", "id, id", "d, rowid, c",
    ])
    let condition = pick(["", "", "", "WHERE d IS NOT NULL", "WHERE b > ?", "WHERE id > :least"])
    let order = pick(["", "", "ORDER BY id", "ORDER BY id DESC", "ORDER BY rowid DESC"])
    return (dressed("SELECT \(columns) FROM t \(condition) \(order)"), arguments(for: condition))
  }

  private func arguments(for condition: String) -> QueryArguments {
    if condition.contains("?2") { return [1, 0] }
    if condition.contains("?") { return [0] }
    return condition.contains(":least") ? ["least": 3] : []
  }

  /// The query within another one, or with more at its end than there need be.
  private mutating func dressed(_ sql: String) -> String {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: "SELECT * FROM (\(sql))"
    case 1: "WITH q AS (\(sql)) SELECT * FROM q"
    case 2: sql + ";"
    case 3: sql + " ; -- the end"
    case 4: sql + " -- the end"
    case 5: sql + " /* the end"
    case 6: "/* ; */ " + sql + ";; /* ; */ "
    default: sql
    }
  }

  /// Queries that are not of one table.
  private mutating func strange() -> (sql: String, arguments: QueryArguments) {
    let sql = pick([
      "SELECT t.id, x FROM t, u", "SELECT t.id, u.y FROM t JOIN u ON u.y < t.id ORDER BY t.id",
      "SELECT t.id FROM t CROSS JOIN (VALUES (1), (2))",
      "SELECT id, b FROM t UNION ALL SELECT y, x FROM u",
      "SELECT id, b FROM t UNION SELECT y, x FROM u",
      "SELECT id FROM t UNION ALL SELECT id FROM t ORDER BY 1",
      "SELECT id FROM t UNION ALL SELECT 5", "SELECT * FROM v", "SELECT * FROM v ORDER BY id DESC",
      "SELECT * FROM w", "SELECT id, row_number() OVER (ORDER BY b) FROM t",
      "SELECT id, sum(b) OVER (ORDER BY id) FROM t",
      "SELECT id, (SELECT count(*) FROM u WHERE y < id) FROM t",
      "VALUES (1, 'a'), (2, NULL), (3, x'00')", "PRAGMA table_info(t)",
      "EXPLAIN SELECT * FROM t WHERE b > 1",
      "EXPLAIN QUERY PLAN SELECT * FROM t, u", "SELECT t.*, u.* FROM t LEFT JOIN u ON y = b",
      "SELECT id FROM t LEFT JOIN u ON y = t.b",
      "SELECT value, key FROM json_each('[3,1,2,3,1,2,9,9,9]')",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i % 7, i FROM n
      """,
      "SELECT id, b FROM t INDEXED BY \"by b\" WHERE b > 0", "SELECT count(*), max(id) FROM t",
      "SELECT p.id, q.id FROM t p JOIN t q ON q.id = p.id + 1",
      "SELECT p.id, p.d, q.d FROM t p CROSS JOIN t q",
      "SELECT id, group_concat(c) FROM t GROUP BY b",
    ])
    return (dressed(sql, only: sql.hasPrefix("SELECT")), [])
  }

  private mutating func dressed(_ sql: String, only isPossible: Bool) -> String {
    isPossible ? dressed(sql) : sql
  }

  // MARK: - Windows

  /// A place, an order and a filter; the rows that it lets through are those of `filter`.
  mutating func window(after last: RowWindow, rows: Int) -> RowWindow {
    var window = RowWindow()
    window.count = random.onceIn(10) ? 500 : Int.random(in: 1...12, using: &random)
    window.first =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: max(0, last.first + last.count)
      case 1: max(0, last.first - window.count)
      case 2: max(0, last.first + Int.random(in: -3...3, using: &random))
      case 3: random.onceIn(2) ? 0 : rows + Int.random(in: -3...20, using: &random)
      default: Int.random(in: 0...max(1, rows), using: &random)
      }
    window.first = max(0, window.first)
    if random.onceIn(3) {
      window.sort = .init(
        column: Int.random(in: 0..<5, using: &random), isDescending: random.onceIn(2))
    }
    if random.onceIn(6) {
      let part = Int.random(in: 0..<4, using: &random)
      window.filter = { row in part == 0 ? false : Self.weight(row) % 4 < part }
    }
    return window
  }

  private static func weight(_ row: [Value]) -> Int {
    switch row.first {
    case .integer(let number)?: Int(number & 0xff)
    case .text(let text)?: text.utf8.count
    default: 1
    }
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements.randomElement(using: &random)!
  }
}

/// What a window of a result is, by the definition: from all rows in memory.
enum WindowOracle {
  static func result(
    of whole: RowSet, _ window: RowWindow, limit: Int, isSortable: Bool
  ) -> RowSet {
    guard whole.rows.count > limit else { return whole }
    var rows = whole.rows
    if isSortable, let sort = window.sort, whole.columns.indices.contains(sort.column) {
      let places = rows.indices.sorted { left, right in
        let order = compare(rows[left][sort.column], rows[right][sort.column])
        if order == 0 { return left < right }
        return sort.isDescending ? order > 0 : order < 0
      }
      rows = places.map { rows[$0] }
    }
    if let filter = window.filter { rows = rows.filter(filter) }
    let count = min(window.count, rows.count)
    let first = min(window.first, rows.count - count)
    return RowSet(
      columns: whole.columns, rows: Array(rows[first..<first + count]),
      part: .init(first: first, total: rows.count, all: whole.rows.count))
  }

  /// NULL, then numbers, then texts and BLOBs by their bytes.
  private static func compare(_ left: Value, _ right: Value) -> Int {
    let (a, b) = (rank(left), rank(right))
    guard a == b else { return a - b }
    switch (left, right) {
    case (.text(let left), .text(let right)): return order(Array(left.utf8), Array(right.utf8))
    case (.blob(let left), .blob(let right)): return order(left, right)
    default:
      let (left, right) = (number(left), number(right))
      return left < right ? -1 : left > right ? 1 : 0
    }
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text, .date: 2
    case .blob: 3
    }
  }

  private static func number(_ value: Value) -> Double {
    switch value {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: 0
    }
  }
}
