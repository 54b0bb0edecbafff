import TestSupport
import Testing

@testable import ObservationEngine

/// Queries that read rows which are in no table: the days of a month, a list of states.
@Suite
struct SeriesTests {
  private static let schema = """
    CREATE TABLE sale (id INTEGER PRIMARY KEY, time TEXT, amount REAL, state TEXT, shop INTEGER);
    CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT, code TEXT COLLATE NOCASE);
    CREATE TABLE visit (shop INTEGER, day TEXT, n INTEGER, PRIMARY KEY (shop, day)) WITHOUT ROWID;
    INSERT INTO shop VALUES (1, 'north', 'a'), (2, 'south', 'B');
    INSERT INTO sale VALUES (1, '2026-03-01 10:00', 0.1, 'open', 1), (2, '2026-03-01 11:00', 0.2, 'paid', 1),
      (3, '2026-03-03 09:00', 0.3, 'open', 2), (4, '2026-02-27', 9, NULL, 2);
    INSERT INTO visit VALUES (1, '2026-03-02', 5), (2, '2026-03-02', 7);
    """

  private static let days = """
    WITH RECURSIVE day(d) AS (SELECT '2026-03-01' UNION ALL SELECT date(d, '+1 day') FROM day WHERE d < '2026-03-06')
    """

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...16, using: &random)
    let shop = Int.random(in: 1...4, using: &random)
    let day = "2026-03-0\(Int.random(in: 1...8, using: &random))"
    let time = ["'\(day) 1\(id % 10):00'", "'\(day)'", "NULL", "'\(day) 23:59:59'", "\(id)"]
      .randomElement(using: &random)!
    let state = ["'open'", "'paid'", "'lost'", "NULL", "1"].randomElement(using: &random)!
    let amount = ["0.1", "0.7", "1e15", "-0.3", "3", "NULL"].randomElement(using: &random)!
    return switch Int.random(in: 0..<10, using: &random) {
    case 0...3: "REPLACE INTO sale VALUES (\(id), \(time), \(amount), \(state), \(shop))"
    case 4: "DELETE FROM sale WHERE id = \(id)"
    case 5: "UPDATE sale SET time = \(time) WHERE id = \(id)"
    case 6: "UPDATE sale SET amount = \(amount), state = \(state) WHERE id = \(id)"
    case 7: "REPLACE INTO visit VALUES (\(shop), '\(day)', \(id))"
    case 8: "DELETE FROM visit WHERE day = '\(day)' AND n > \(id)"
    default: "REPLACE INTO shop VALUES (\(shop), 's\(id % 3)', 'c\(id % 2)')"
    }
  }

  @Test func `a day without rows has its line, and one that gets some is followed`() throws {
    let scene = try StateScene(
      "\(Self.days) SELECT d, count(s.id), sum(amount) FROM day LEFT JOIN sale AS s ON date(s.time) = d GROUP BY d ORDER BY d",
      [], keepsOrder: true, Self.schema)
    #expect(scene.rows?.count == 6)
    for (statement, day, line) in [
      ("INSERT INTO sale VALUES (7, '2026-03-02 08:00', 1.5, 'open', 1)", 1, [1, 1.5]),
      ("UPDATE sale SET time = '2026-03-06' WHERE id = 7", 5, [1, 1.5]),
      ("DELETE FROM sale WHERE id = 7", 5, [0, .null]),
      ("INSERT INTO sale VALUES (8, '2026-04-02', 1.5, 'open', 1)", 0, [2, .real(0.1 + 0.2)]),
    ] as [(String, Int, [Value])] {
      try scene.expectToFollow(statement)
      #expect(scene.rows.map { Array($0[day].dropFirst()) } == line, "\(statement)")
    }
  }

  @Test(arguments: [
    "\(days) SELECT d, count(s.id), sum(amount), max(time) FROM day LEFT JOIN sale AS s ON date(s.time) = d GROUP BY d ORDER BY d",
    "\(days) SELECT day.d, total(amount) FROM day LEFT JOIN sale AS s ON s.time >= day.d AND s.time < date(day.d, '+1 day') GROUP BY 1",
    "\(days) SELECT d, (SELECT count(*) FROM sale WHERE date(time) = d) AS n FROM day ORDER BY d DESC LIMIT 4",
    "\(days) SELECT d FROM day WHERE NOT EXISTS (SELECT 1 FROM sale WHERE substr(time, 1, 10) = day.d AND state = 'open') ORDER BY d",
    "\(days) SELECT d, name, n FROM day CROSS JOIN shop LEFT JOIN visit AS v ON v.shop = shop.id AND v.day = d ORDER BY d, shop.id",
    // What is added up for each day stands beside the days.
    "\(days), sums AS (SELECT date(time) AS d, count(*) AS n, sum(amount) AS most FROM sale GROUP BY 1) "
      + "SELECT day.d, coalesce(n, 0), most FROM day LEFT JOIN sums ON sums.d = day.d ORDER BY day.d",
    "\(days) SELECT day.d, n FROM (SELECT day AS d, sum(n) AS n FROM visit GROUP BY day) AS sums JOIN day ON day.d = sums.d ORDER BY 1",
    "\(days) SELECT count(*), count(DISTINCT d) FROM sale JOIN day ON time >= d",
    "\(days) SELECT a.d, b.d, count(s.id) FROM day AS a JOIN day AS b ON b.d > a.d LEFT JOIN sale AS s ON s.time BETWEEN b.d AND date(b.d, '+1 day') GROUP BY a.d, b.d ORDER BY 1, 2",
    "\(days), week AS (SELECT d, strftime('%W', d) AS w FROM day) SELECT w, count(s.id) FROM week LEFT JOIN sale AS s ON date(s.time) = week.d GROUP BY w ORDER BY w",
    "\(days) SELECT shop.name, count(d) FROM shop LEFT JOIN day ON day.d > shop.name GROUP BY shop.id ORDER BY shop.id",
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT i, name FROM n LEFT JOIN shop ON shop.id = i ORDER BY i",
    "WITH state(name, rank) AS (VALUES ('open', 1), ('paid', 2), ('sent', 3)) "
      + "SELECT state.name, count(s.id) FROM state LEFT JOIN sale AS s ON s.state = state.name GROUP BY state.name ORDER BY min(rank)",
    "SELECT l.label, count(s.id) FROM (SELECT 0 AS low, 1 AS high, 'small' AS label UNION ALL SELECT 1, 1e9, 'large') AS l "
      + "LEFT JOIN sale AS s ON s.amount >= l.low AND s.amount < l.high GROUP BY l.label ORDER BY 1",
    "SELECT column1, count(sale.id) FROM (VALUES ('open'), ('paid')) LEFT JOIN sale ON state = column1 GROUP BY column1 ORDER BY 1",
    "SELECT count(*), sum(amount * rate) FROM sale, (SELECT 2 AS rate) WHERE id IN (1, 2, 3, 5, 8)",
    // The same values in several rows.
    "SELECT v.x, shop.name FROM (SELECT 1 AS x UNION ALL SELECT 1 UNION ALL SELECT 2) AS v JOIN shop ON shop.id = v.x ORDER BY shop.id, v.x",
    "WITH n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i), count(*), group_concat(name) FROM n JOIN shop ON shop.id = i",
    "WITH RECURSIVE hour(i, h) AS (SELECT 8, '08' UNION ALL SELECT i + 1, printf('%02d', i + 1) FROM hour WHERE i < 20) "
      + "SELECT h, count(s.id) FROM hour LEFT JOIN sale AS s ON strftime('%H', s.time) = h GROUP BY h ORDER BY h",
  ])
  func `it follows random changes`(_ sql: String) throws {
    let scene = try StateScene(sql, [], keepsOrder: true, Self.schema)
    try scene.expectTruth(steps: 150, atLeast: 100, changing: Self.statement)
  }

  @Test(arguments: [
    (
      "WITH RECURSIVE n(i) AS (SELECT CAST(1 AS TEXT) UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT i, count(*) FROM n JOIN shop ON id = i GROUP BY i",
      "CAST in rows without a table"
    ),
    (
      "WITH RECURSIVE n(i) AS (SELECT min(id) FROM shop UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i, count(shop.id) FROM n LEFT JOIN shop ON id = i GROUP BY i",
      "WITH RECURSIVE that reads a table"
    ),
    (
      "WITH RECURSIVE n(i) AS (SELECT abs(random() % 5) UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i, count(*) FROM n JOIN shop ON id = i GROUP BY i",
      "it calls random()"
    ),
    (
      "SELECT name, (SELECT count(*) FROM (SELECT 1 AS x) WHERE x = shop.id) FROM shop ORDER BY id",
      "rows without a table in a SELECT in an expression"
    ),
  ])
  func `what isn't certain is refused`(_ sql: String, _ reason: String) throws {
    let refusal = #expect(throws: NotMaintainable.self) { try StateScene(sql, [], Self.schema) }
    #expect(refusal?.reason == reason)
  }

  private static let isConstant =
    "a column without a type that equals a constant and occurs in another condition"
  private static let isRowid = "the rowid of a SELECT in FROM"

  @Test(arguments: [
    // SQLite puts 1 in place of x in the other condition.
    (
      "SELECT shop.id, v.x FROM (SELECT 1 AS x UNION ALL SELECT 1.0) AS v, shop WHERE v.x = 1 AND v.x || '' <> shop.name ORDER BY 1",
      isConstant
    ),
    (
      "SELECT shop.id FROM (SELECT 1 AS x UNION ALL SELECT 1.0) AS v, shop WHERE v.x || '' <> shop.name AND (v.x) = 2 - length('a') ORDER BY 1",
      isConstant
    ),
    (
      "SELECT shop.id FROM (SELECT 1.0 AS x) AS v, shop WHERE v.x IN (1) AND v.x / 2 < shop.id ORDER BY 1",
      isConstant
    ),
    (
      "SELECT z.id FROM (SELECT shop.id, q.m FROM shop, (SELECT sum(amount) AS m FROM sale GROUP BY shop) AS q WHERE q.m || '' <> name) AS z WHERE z.m = 1 ORDER BY 1",
      isConstant
    ),
    // It may number the rows.
    ("SELECT v.rowid, shop.id FROM shop CROSS JOIN (VALUES (7), (8)) AS v ORDER BY 2, 1", isRowid),
    (
      "SELECT v.oid, shop.id FROM shop JOIN (SELECT shop AS s, count(*) AS n FROM sale GROUP BY 1) AS v ON v.s = shop.id ORDER BY 2, 1",
      isRowid
    ),
    // It leaves this order out in a join.
    (
      "SELECT v.x, shop.id FROM (SELECT 3 AS x UNION ALL SELECT 1 ORDER BY 1) AS v JOIN shop ORDER BY shop.name",
      "ORDER in rows without a table"
    ),
    (
      "SELECT x, shop.id FROM (SELECT 'n' || 'ow' AS x UNION ALL SELECT 1 LIMIT 3 OFFSET 1) AS v JOIN shop ORDER BY 2, 1",
      "OFFSET in rows without a table"
    ),
    // It calls such a column by its number.
    (
      "WITH v(true) AS (VALUES (0), (7)) SELECT shop.id FROM v LEFT JOIN shop ON shop.id = true ORDER BY 1",
      "its columns aren't recognised"
    ),
  ])
  func `what SQLite does otherwise with a column has the query run`(_ sql: String, _ reason: String)
  {
    let refusal = #expect(throws: NotMaintainable.self) { try StateScene(sql, [], Self.schema) }
    #expect(refusal?.reason == reason)
  }

  @Test func `a text that comes out as now is a time like others`() throws {
    let scene = try StateScene(
      "WITH v(x) AS (SELECT 'no' || 'w') SELECT date(x), count(*) FROM v JOIN shop GROUP BY 1", [],
      Self.schema)
    #expect(scene.rows == nil)
    #expect(scene.reason == "a time that is now")
  }

  @Test func `an endless series isn't read to its end`() throws {
    let scene = try StateScene(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n CROSS JOIN shop ORDER BY 1 LIMIT 3",
      [], Self.schema)
    #expect(scene.rows == nil)
    #expect(scene.reason == "more than 20000 rows without a table")
  }
}
