import TestSupport
import Testing

@testable import ObservationEngine

/// Queries around whose groups there is what SQLite alone evaluates: over their lines, in place of all rows.
struct SurroundingsTests {
  private static let schema = """
    CREATE TABLE sale (id INTEGER PRIMARY KEY, at TEXT, team TEXT, n INTEGER, price REAL);
    CREATE INDEX by_team ON sale(team);
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT)
    """

  @Test(arguments: [
    "SELECT day, n, sum(n) OVER (ORDER BY day) FROM (SELECT date(at) AS day, count(*) AS n FROM sale GROUP BY day) ORDER BY day",
    "WITH per AS (SELECT date(at) AS d, sum(n) AS n FROM sale GROUP BY 1) SELECT d, n - lag(n) OVER (ORDER BY d) FROM per ORDER BY d DESC",
    "SELECT team, count(*), count(*) * 100.0 / sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY 2 DESC, team",
    "SELECT team, sum(n), rank() OVER (ORDER BY sum(n) DESC), ntile(2) OVER (ORDER BY sum(n) DESC) FROM sale GROUP BY team",
    "SELECT team AS t, row_number() OVER (ORDER BY count(*) DESC) + 0 AS r FROM sale s GROUP BY t ORDER BY r LIMIT 2",
    "SELECT team, row_number() OVER (ORDER BY count(*)) FROM sale GROUP BY 1",
    "SELECT s.team, percent_rank() OVER (ORDER BY max(s.n)) AS p FROM sale s GROUP BY team ORDER BY p, s.team",
    "SELECT team, date(at), count(*), sum(count(*)) OVER (PARTITION BY team ORDER BY date(at)) FROM sale GROUP BY team, date(at)",
    "SELECT team, count(*), rank() OVER (PARTITION BY count(*) ORDER BY team DESC) FROM sale GROUP BY team",
    "SELECT team, sum(count(*)) OVER (PARTITION BY team) FROM sale GROUP BY team",
    "SELECT team, lag(team) OVER (ORDER BY count(*) DESC) FROM sale GROUP BY team ORDER BY rank() OVER (ORDER BY count(*) DESC), team",
    "SELECT n % 3 AS k, count(*) AS c, avg(count(*)) OVER (ORDER BY n % 3 ROWS 1 PRECEDING) FROM sale GROUP BY n % 3 HAVING c > 1 ORDER BY k",
    "SELECT team, sum(price * 0.1), sum(sum(price * 0.1)) OVER (ORDER BY team) FROM sale GROUP BY team",
    "SELECT coalesce(team, '?') || '!', first_value(team) OVER (ORDER BY count(*)) FROM sale GROUP BY team ORDER BY team",
    "SELECT lower(team), max(count(*)) OVER () - count(*) FROM sale GROUP BY lower(team) ORDER BY lower(team) COLLATE NOCASE DESC",
    "WITH t AS (SELECT team, sum(n) AS s FROM sale GROUP BY team) SELECT * FROM (SELECT team, s, rank() OVER (ORDER BY s DESC) AS r FROM t) WHERE r <= 2 ORDER BY r, team",
    "WITH per(d, c) AS MATERIALIZED (SELECT date(at), count(*) FROM sale GROUP BY 1) SELECT d, c, c * 1.0 / (SELECT sum(c) FROM per), (SELECT count(*) FROM per p WHERE p.c > per.c) FROM per ORDER BY c DESC, d LIMIT 3",
    "SELECT team, group_concat(n), sum(count(*)) OVER (ORDER BY team) FROM sale GROUP BY team",
    "SELECT n, team, c FROM (SELECT n, team, count(*) AS c, row_number() OVER (PARTITION BY n ORDER BY count(*) DESC, team) AS r FROM sale GROUP BY n, team) WHERE r <= 2 ORDER BY n, r",
    "WITH best(d, t, place) AS (SELECT date(at), team, rank() OVER (PARTITION BY date(at) ORDER BY sum(n) DESC) FROM sale GROUP BY 1, team) SELECT d, group_concat(t, '/') FROM best WHERE place = 1 GROUP BY d ORDER BY d",
    "SELECT max(c), t FROM (SELECT team AS t, count(*) AS c FROM sale GROUP BY team) WHERE t IN (SELECT 'a' UNION SELECT 'b')",
    "SELECT coalesce(s.team, s.at), sum(count(*)) OVER (ORDER BY coalesce(team, at)) FROM sale s GROUP BY coalesce(team, at)",
    "SELECT team, count(*) AS c, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY rank() OVER (ORDER BY count(*)), team",
    "SELECT d, strftime('%m', d), lag(c) OVER (ORDER BY d) FROM (SELECT date(at) AS d, count(*) AS c FROM sale GROUP BY 1) ORDER BY d",
    "SELECT t.name, count(s.id), sum(count(s.id)) OVER (ORDER BY t.name) FROM team t LEFT JOIN sale s ON s.team = t.city GROUP BY t.name",
    "SELECT m, sum(c) OVER (ORDER BY m) FROM (SELECT substr(d, 1, 7) AS m, sum(c) AS c FROM (SELECT date(at) AS d, count(*) AS c FROM sale GROUP BY 1) GROUP BY 1) ORDER BY m",
  ])
  func `what is around groups is what the query makes of them`(_ sql: String) throws {
    let scene = try StateScene(sql, keepsOrder: true, Self.schema)
    #expect(scene.query.surroundings != nil)
    try scene.expectTruth(steps: 400, atLeast: 250, changing: Self.statement)
  }

  /// Each is refused for what it was before.
  @Test(arguments: [
    // Another order of reading could return another of its rows.
    "WITH g AS (SELECT team, count(*) AS c FROM sale GROUP BY team) SELECT a.team, sum(b.c) OVER (ORDER BY a.team) FROM g a, g b ORDER BY 1",
    "WITH g AS (SELECT team, count(*) AS c FROM sale GROUP BY team) SELECT g.team, sum(c) OVER (ORDER BY c) FROM g JOIN team ON city = g.team ORDER BY 1",
    "SELECT team, count(*) + random() * 0, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY 1",
    "SELECT team, id, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY 1",
    "SELECT team, rowid, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY 1",
    "SELECT team, *, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY 1",
    "SELECT n - 1 - 2, sum(count(*)) OVER () FROM sale GROUP BY 1 - 2",
    "SELECT DISTINCT team, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY 1",
    "SELECT team, rank() OVER (ORDER BY count(*) DESC), sum(count(*)) OVER () FROM sale GROUP BY team",
    "SELECT d, sum(c) OVER (ORDER BY d) FROM (SELECT date(at) AS d, count(*) AS c FROM sale GROUP BY 1) WHERE d > date('now', '-5 days') ORDER BY 1",
    "SELECT d, sum(c) OVER (ORDER BY d) FROM (SELECT date(at) AS d, count(*) AS c FROM sale GROUP BY 1 ORDER BY 2) ORDER BY 1",
    "SELECT d, sum(c) OVER (ORDER BY d) FROM (SELECT date(at) AS d, count(*) AS c FROM sale GROUP BY 1 LIMIT 3) ORDER BY 1",
    // What is JSON to a function is a text as a column of the groups.
    "SELECT json_group_array(j) FROM (SELECT team, json_group_array(n) AS j FROM sale GROUP BY team)",
    "SELECT team, json_object('all', json_group_array(n), 'place', rank() OVER (ORDER BY count(*))) FROM sale GROUP BY team",
    // SQLite makes an index of the groups, which has equal ones in another order.
    "WITH days(d) AS (SELECT 1 UNION ALL SELECT d + 1 FROM days WHERE d < 4), g AS (SELECT n, team, count(*) AS c FROM sale GROUP BY n, team) SELECT d, (SELECT group_concat(c) FROM g WHERE g.n = d) FROM days",
    // It isn't known which of two windows sorts the groups first.
    "SELECT team, count(*), sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY rank() OVER (ORDER BY count(*) DESC)",
    "SELECT team, row_number() OVER (ORDER BY count(*) DESC) FROM sale GROUP BY team ORDER BY dense_rank() OVER (ORDER BY sum(n))",
    // Names that mean something else there.
    "SELECT team, count(*) AS n, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY n + 0",
    "SELECT team, count(*) AS n, sum(count(*)) OVER () FROM sale GROUP BY team ORDER BY sum(n) OVER (ORDER BY team)",
    "SELECT team, (SELECT count(*)), sum(count(*)) OVER () FROM sale GROUP BY team",
    "SELECT team, (SELECT team FROM (SELECT 'z' AS team)), sum(count(*)) OVER () FROM sale GROUP BY team",
    "SELECT team, c, sum(c) OVER () FROM (WITH sale AS (SELECT team FROM main.sale LIMIT 2) SELECT team, c FROM (SELECT team, count(*) AS c FROM sale GROUP BY team)) ORDER BY team",
    "SELECT team, count(*) * 2 AS a, count(*) AS a, sum(count(*)) OVER () FROM sale GROUP BY team HAVING a > 2",
    "SELECT x, (SELECT group_concat(c) FROM (SELECT team, x + 0 AS c FROM sale GROUP BY team)) FROM (SELECT 1 AS x UNION ALL SELECT 9)",
    // The collation of the team doesn't go through another SELECT.
    "SELECT lower(city) = name, sum(count(*)) OVER () FROM team GROUP BY lower(city), name",
    // What it calls can be the app's, or depend on the time.
    "SELECT d, sum(c) OVER () FROM (SELECT team AS d, count(*) AS c FROM sale GROUP BY 1) WHERE d REGEXP 'a'",
    // As a number infinity isn't among the texts of an index that begin so.
    "WITH g AS (SELECT n AS k, count(*) AS c FROM sale GROUP BY n) SELECT k, rank() OVER (ORDER BY c) FROM g WHERE k LIKE 'in%'",
    "SELECT date(u), lag(u) OVER () FROM (SELECT substr(t, 2) AS u FROM (SELECT at AS t, count(*) FROM sale GROUP BY at))",
    "SELECT id, sum(n) OVER (ORDER BY id) FROM sale ORDER BY id",
  ])
  func `what reads more, or in an order of its own, has the query run`(_ sql: String) {
    #expect(throws: NotMaintainable.self) { _ = try StateScene(sql, [], Self.schema) }
  }

  /// The groups come in the direction of the window, which shows only when some of them are tied.
  @Test func `groups that are tied come as they do for the window`() throws {
    let scene = try StateScene(
      "SELECT lower(team), lag(lower(team)) OVER (ORDER BY count(*) DESC) FROM sale GROUP BY lower(team)",
      [],
      Self.schema)
    #expect(
      try scene.change(
        "INSERT INTO sale(team, n) VALUES ('a', 1), ('a', 1), ('c', 1), ('c', 1), ('b', 2), ('d', 2)"
      ))
    #expect(try scene.rows == scene.truth())
    #expect(scene.rows?.first?.first == "c")
  }

  @Test func `a time that is now is found among the groups`() throws {
    let scene = try StateScene(
      "SELECT t, julianday(t) - lag(julianday(t)) OVER (ORDER BY t) FROM (SELECT at AS t, count(*) FROM sale GROUP BY at)",
      [], Self.schema)
    #expect(try scene.change("INSERT INTO sale(at) VALUES ('2024-01-01')"))
    #expect(scene.rows?.count == 1)
    _ = try scene.change("INSERT INTO sale(at) VALUES ('now')")
    #expect(scene.rows == nil)
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 0..<30, using: &random)
    let team = ["'a'", "'b'", "'c'", "'D'", "NULL"].randomElement(using: &random)!
    let day =
      "2024-0\(Int.random(in: 1...3, using: &random))-0\(Int.random(in: 1...3, using: &random))"
    let n = Int.random(in: 0...6, using: &random)
    let price = ["0.1", "0.7", "1e15", "3", "NULL"].randomElement(using: &random)!
    return switch Int.random(in: 0..<9, using: &random) {
    case 0...3:
      "INSERT OR REPLACE INTO sale VALUES (\(id), '\(day) 10:00', \(team), \(n), \(price))"
    case 4: "DELETE FROM sale WHERE id = \(id)"
    case 5: "UPDATE sale SET team = \(team) WHERE id % 5 = \(id % 5)"
    case 6: "UPDATE sale SET n = \(n), price = \(price) WHERE id = \(id)"
    case 7: "INSERT OR REPLACE INTO team VALUES (\(id % 4), 'team \(id % 4)', \(team))"
    default: "DELETE FROM sale WHERE id % 7 = \(id % 7) AND team = \(team)"
    }
  }
}
