import TestSupport
import Testing

@testable import ObservationEngine

/// UNION ALL in FROM: the rows of each SELECT come and go by themselves.
@Suite
struct UnionSelectsTests {
  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, place TEXT COLLATE NOCASE);
    CREATE TABLE match (id INTEGER PRIMARY KEY, home INTEGER, away INTEGER, hg INTEGER, ag INTEGER, day TEXT);
    CREATE TABLE bonus (team INTEGER, points INTEGER, weight REAL, note TEXT, day TEXT);
    CREATE VIEW result AS
      SELECT home AS team, hg AS scored, ag AS got, day FROM match
      UNION ALL SELECT away, ag, hg, day FROM match;
    INSERT INTO team VALUES (1, 'Reds', 'Rome'), (2, 'Blues', 'oslo'), (3, 'Greens', 'Oslo'), (4, 'Golds', NULL);
    INSERT INTO match VALUES (1, 1, 2, 3, 1, '2025-01-01'), (2, 2, 3, 0, 0, '2025-01-02'), (3, 3, 1, 2, 2, '2025-01-03');
    INSERT INTO bonus VALUES (1, 1, 0.5, 'fair', '2025-01-02'), (4, 2, 1.25, 'new', '2025-01-04');
    """

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...12, using: &random)
    let (a, b) = (Int.random(in: 1...5, using: &random), Int.random(in: 0...4, using: &random))
    let day = "2025-01-0\(Int.random(in: 1...9, using: &random))"
    return switch Int.random(in: 0..<11, using: &random) {
    case 0...3:
      "INSERT OR REPLACE INTO match VALUES (\(id), \(a), \((a + b) % 5 + 1), \(b), \(Int.random(in: 0...4, using: &random)), '\(day)')"
    case 4: "UPDATE match SET hg = \(b), day = '\(day)' WHERE id = \(id)"
    case 5: "DELETE FROM match WHERE id = \(id)"
    case 6: "INSERT INTO bonus VALUES (\(a), \(b), \(b) / 4.0, 'n\(a)', '\(day)')"
    case 7: "DELETE FROM bonus WHERE rowid % 3 = \(b % 3)"
    case 8: "INSERT OR REPLACE INTO team VALUES (\(a), 'T\(b)', 'p\(b)')"
    case 9: "UPDATE match SET home = away, away = home WHERE id < \(id)"
    default:
      "UPDATE bonus SET points = points + 1; UPDATE match SET ag = ag + 1 WHERE id > \(id); UPDATE team SET name = name || 'x' WHERE id = \(a)"
    }
  }

  @Test func `a row that is in both SELECTs comes, changes and goes in both`() throws {
    let scene = try StateScene(
      "SELECT team, sum(scored) FROM result GROUP BY team ORDER BY team", [], Self.schema)
    for statement in [
      "INSERT INTO match VALUES (9, 1, 3, 2, 5, '2025-01-09')",
      "UPDATE match SET hg = 7, away = 2 WHERE id = 9", "DELETE FROM match WHERE id = 9",
    ] {
      #expect(try scene.change(statement), "\(scene.reason ?? "")")
      #expect(scene.rows == (try scene.truth()))
    }
  }

  @Test func `a value that moves meets the columns of all SELECTs`() throws {
    let scene = try StateScene(
      """
      SELECT count(*) FROM (SELECT hg AS goals FROM match UNION ALL SELECT ag FROM match)
      WHERE goals > (SELECT min(points) FROM bonus)
      """, [], Self.schema)
    #expect(scene.rows == [[3]])
    // Of the first match only the second column is between 0 and 1.
    #expect(try scene.change("INSERT INTO bonus VALUES (1, 0, 0, '', '')"))
    #expect(scene.rows == [[4]])
  }

  @Test(arguments: [
    // A plus keeps the collation.
    "SELECT count(*) FROM (SELECT +place AS x FROM team UNION ALL SELECT note || '' FROM bonus) WHERE x = 'P1'",
    "SELECT x, count(*) FROM (SELECT (weight) AS x FROM bonus UNION ALL SELECT hg FROM match) GROUP BY x",
    "SELECT max(x) FROM (SELECT CAST(hg AS REAL) AS x FROM match UNION ALL SELECT sum(points) FROM bonus GROUP BY team)",
    "WITH bonus(n) AS (SELECT points FROM main.bonus UNION ALL SELECT n + 1 FROM bonus WHERE n < 5) SELECT count(*), sum(n) FROM bonus",
  ])
  func `what SQLite may compare otherwise is refused`(_ sql: String) {
    #expect(throws: NotMaintainable.self) { try StateScene(sql, [], Self.schema) }
  }

  @Test(arguments: [
    // A league table.
    "SELECT team, count(*), sum(CASE WHEN scored > got THEN 3 WHEN scored = got THEN 1 ELSE 0 END) AS pts, sum(scored - got) FROM (SELECT home AS team, hg AS scored, ag AS got FROM match UNION ALL SELECT away, ag, hg FROM match) AS r GROUP BY team ORDER BY pts DESC, team",
    "SELECT t.name, count(*) AS played, sum(r.scored) AS goals FROM result AS r JOIN team AS t ON t.id = r.team GROUP BY t.id ORDER BY goals DESC, t.id LIMIT 3",
    "WITH r(team, pts) AS (SELECT home, CASE WHEN hg > ag THEN 3 ELSE hg = ag END FROM match UNION ALL SELECT away, CASE WHEN ag > hg THEN 3 ELSE ag = hg END FROM match UNION ALL SELECT team, points FROM bonus) SELECT team, sum(pts) AS p, max(pts) FROM r GROUP BY team ORDER BY p DESC, team",
    // A feed of several tables.
    "SELECT day, kind, what FROM (SELECT day, 'match' AS kind, id AS what FROM match UNION ALL SELECT day, 'bonus', team FROM bonus) ORDER BY day DESC, kind, what LIMIT 5",
    "SELECT * FROM (SELECT day, team FROM bonus WHERE points > 0 UNION ALL SELECT day, home FROM match WHERE hg > ag) ORDER BY 1, 2",
    "SELECT day, count(*) FROM (SELECT day FROM bonus UNION ALL SELECT day FROM match UNION ALL SELECT day FROM result) WHERE day < '2025-01-06' GROUP BY day",
    "SELECT count(*), total(n) FROM (SELECT count(*) AS n FROM match GROUP BY home UNION ALL SELECT points FROM bonus)",
    "SELECT DISTINCT team FROM (SELECT home AS team FROM match UNION ALL SELECT team FROM bonus) ORDER BY team DESC",
    "SELECT r.team, b.note, b.points FROM result AS r JOIN bonus AS b ON b.team = r.team WHERE r.scored > r.got ORDER BY b.points, b.note, r.team, r.day LIMIT 4",
    "SELECT a.team, count(*), sum(b.scored) FROM result AS a JOIN result AS b ON b.team = a.team AND b.day >= a.day GROUP BY a.team",
    "SELECT place, count(*) FROM (SELECT t.place FROM match AS m JOIN team AS t ON t.id = m.home UNION ALL SELECT place FROM team) GROUP BY place",
    "SELECT day, n, row_number() OVER (ORDER BY n DESC, day) FROM (SELECT day, count(*) AS n FROM (SELECT day FROM match UNION ALL SELECT day FROM bonus) GROUP BY day) ORDER BY n DESC, day",
    "SELECT team, max(n), day FROM (SELECT home AS team, id * 2 AS n, day FROM match UNION ALL SELECT away, id * 2 + 1, day FROM match) GROUP BY team ORDER BY team",
    "SELECT team, sum(w) FROM (SELECT team, +weight AS w FROM bonus UNION ALL SELECT home, hg FROM match) GROUP BY team HAVING sum(w) > 1",
    // A column that two levels of SELECTs have, compared with a value.
    "SELECT count(*) FROM (SELECT goals FROM (SELECT hg AS goals FROM match UNION ALL SELECT ag FROM match) UNION ALL SELECT points FROM bonus) WHERE goals > (SELECT min(points) FROM bonus)",
    // Columns of several types, which nothing compares.
    "SELECT day, kind || '!' AS k, count(*) FROM (SELECT day, 'match' AS kind FROM match UNION ALL SELECT day, note FROM bonus) WHERE kind IS NOT NULL GROUP BY day, kind ORDER BY 1, 2",
    "SELECT team, sum(pts) AS points FROM (SELECT home AS team, hg AS pts FROM match UNION ALL SELECT team, 3 FROM bonus) GROUP BY team HAVING points > 3 ORDER BY points DESC, team",
    // Expressions without a type in each.
    "SELECT kind, count(*) FROM (SELECT kind FROM (SELECT 'a' AS kind, hg FROM match) WHERE hg > 1 UNION ALL SELECT 'b' FROM bonus) WHERE kind < 'c' GROUP BY kind ORDER BY 2, 1",
    "SELECT count(*), max(n) FROM (SELECT kind, count(*) AS n FROM (SELECT 'm' || home AS kind FROM match UNION ALL SELECT 'b' || team FROM bonus) GROUP BY kind)",
    "SELECT 'all', count(*) FROM result UNION ALL SELECT 'days', count(DISTINCT day) FROM (SELECT day FROM match UNION ALL SELECT day FROM bonus)",
    "SELECT (SELECT max(scored) FROM result), count(*) FROM bonus",
    "SELECT team, count(*) FROM (SELECT team FROM (SELECT home AS team FROM match UNION ALL SELECT away FROM match) WHERE team > 1 UNION ALL SELECT id FROM team) GROUP BY team ORDER BY 2 DESC, 1",
    "SELECT x, count(*) FROM (SELECT home AS x FROM match UNION ALL SELECT away FROM match UNION ALL SELECT hg FROM match UNION ALL SELECT ag FROM match UNION ALL SELECT id FROM match UNION ALL SELECT home + 1 FROM match) GROUP BY x",
  ])
  func `it follows random changes`(_ sql: String) throws {
    let scene = try StateScene(sql, [], Self.schema)
    try scene.expectTruth(steps: 150, atLeast: 40, changing: Self.statement)
  }
}
