import TestSupport
import Testing

@testable import ObservationEngine

/// Window functions with PARTITION BY are kept up to date, against what SQLite returns.
struct WindowFunctionTests {
  private static let schema = """
    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, team INT, score, weight REAL);
    CREATE INDEX player_team ON player(team);
    CREATE VIEW ranked AS SELECT team AS t, row_number() OVER (PARTITION BY team ORDER BY score DESC) AS place,
      name FROM player
    """

  private func scene(_ sql: String, rows: String = "") throws -> StateScene {
    try StateScene(sql, [], Self.schema + ";" + rows)
  }

  private static let best = """
    SELECT team, name, score FROM (SELECT *, row_number() OVER (PARTITION BY team ORDER BY score DESC, id) AS place
    FROM player) WHERE place <= 2 ORDER BY team, place
    """

  @Test func `the best of each team`() throws {
    let scene = try self.scene(
      Self.best,
      rows: """
        INSERT INTO player(id, name, team, score) VALUES
          (1, 'a', 1, 10), (2, 'b', 1, 20), (3, 'c', 1, 15), (4, 'd', 2, 5)
        """)
    #expect(scene.rows == [[1, "b", 20], [1, "c", 15], [2, "d", 5]])
    #expect(try scene.change("UPDATE player SET score = 30 WHERE id = 1"))
    #expect(scene.rows == [[1, "a", 30], [1, "b", 20], [2, "d", 5]])
    #expect(try scene.change("UPDATE player SET team = 2 WHERE id = 2"))
    #expect(scene.rows == [[1, "a", 30], [1, "c", 15], [2, "b", 20], [2, "d", 5]])
    #expect(try scene.change("DELETE FROM player WHERE team = 1"))
    #expect(scene.rows == [[2, "b", 20], [2, "d", 5]])
  }

  @Test(
    arguments: [
      best,
      "SELECT team, name, rank() OVER (PARTITION BY team ORDER BY score DESC) AS r FROM player ORDER BY team, r, id",
      "SELECT id, sum(score) OVER (PARTITION BY team ORDER BY id) FROM player ORDER BY id DESC LIMIT 5",
      "SELECT id, sum(weight) OVER (PARTITION BY team, name ORDER BY id ROWS 2 PRECEDING) FROM player ORDER BY id",
      "SELECT id, score - lag(score, 1, 0) OVER (PARTITION BY team ORDER BY id) FROM player WHERE score > 1 ORDER BY 1",
      "SELECT id, rank() OVER (PARTITION BY team ORDER BY score) FROM player WHERE lower(name) = 'b' ORDER BY id",
      "SELECT id, ntile(3) OVER w, max(weight) OVER w FROM player WINDOW w AS (PARTITION BY team ORDER BY id) ORDER BY id",
      "SELECT p.id, t.name, count(*) OVER (PARTITION BY t.id) FROM player p JOIN team t ON t.id = p.team ORDER BY 1 LIMIT 6",
      "SELECT team, max(share) FROM (SELECT team, 100 * score / max(score) OVER (PARTITION BY team) AS share "
        + "FROM player) GROUP BY team",
      "SELECT t, name, place FROM ranked WHERE place = 1 ORDER BY t",
      "WITH r(a, b) AS (SELECT team, dense_rank() OVER (PARTITION BY team ORDER BY score) FROM player) "
        + "SELECT a, max(b), count(*) FROM r WHERE b > 1 AND a < 4 GROUP BY a",
      "SELECT name, score FROM player WHERE team = 1 UNION ALL SELECT name, first_value(score) OVER "
        + "(PARTITION BY team ORDER BY id) FROM player ORDER BY 2, 1",
      "SELECT DISTINCT a FROM (SELECT avg(score) OVER (PARTITION BY team) AS a, team FROM player) ORDER BY a",
      "SELECT size, count(*) FROM (SELECT n, count(*) OVER (PARTITION BY n) AS size FROM "
        + "(SELECT team, count(*) AS n FROM player GROUP BY team)) GROUP BY size",
    ], 1...4 as ClosedRange<UInt64>)
  func `partitions are evaluated again`(_ sql: String, _ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let hasNamedWindow = sql.contains("WINDOW")
    if hasNamedWindow {
      #expect(reason { _ = try self.scene(sql) } == "a named window")
      return
    }
    let scene = try self.scene(
      sql, rows: "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue'), (3, 'Green'), (4, 'Red')")
    var (compared, followed) = (0, 0)
    for step in 0..<150 {
      let id = Int.random(in: 1...14, using: &random)
      let team = Int.random(in: 1...4, using: &random)
      // Some are tied, some stored in two ways, some REAL.
      let score =
        random.onceIn(12)
        ? ["NULL", "2.0", "'1'", "0.1", "2"].randomElement(using: &random)!
        : "\(id * 7 % 14 + step % 3 * 20)"
      let isFollowed =
        switch Int.random(in: 0..<8, using: &random) {
        case 0...4:
          try scene.change(
            "REPLACE INTO player VALUES (\(id), 'n\(id % 3)', \(team), \(score), \(id) * 0.1)")
        case 5: try scene.change("UPDATE player SET team = \(team) WHERE id % 5 = \(id % 5)")
        case 6:
          try scene.change(
            "UPDATE team SET name = 'x\(step)' WHERE id = \(team); DELETE FROM player WHERE id = \(id)"
          )
        default: try scene.change("DELETE FROM player WHERE id = \(id)")
        }
      if isFollowed { followed += 1 }
      guard let rows = scene.rows else { continue }
      compared += 1
      #expect(try rows == scene.truth(), "seed \(seed), step \(step)")
    }
    #expect(compared > 40 && followed > 30, "seed \(seed): \(compared), \(followed)")
  }

  private func reason(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? NotMaintainable)?.reason ?? "\(error)" }
    return nil
  }

  @Test func `a row in doubt has the query run, whether it shows or not`() throws {
    let rows =
      "INSERT INTO player(id, name, team, score) VALUES (1, 'a', 1, 10), (2, 'b', 1, 8), (3, 'c', 1, 8)"
    let numbered =
      "SELECT *, row_number() OVER (PARTITION BY team ORDER BY score DESC) AS n FROM player"
    func doubt(_ sql: String) throws -> String? { try scene(sql, rows: rows).reason }
    let isInDoubt = WindowPartitions.isInDoubt.reason
    // Which of two is the second isn't known; that the first is one of the others is.
    #expect(try doubt("SELECT name FROM (\(numbered)) WHERE n < 2 ORDER BY n") == nil)
    #expect(try doubt("SELECT name FROM (\(numbered)) WHERE n <= 2 ORDER BY n") == isInDoubt)
    #expect(try doubt("SELECT name FROM (\(numbered)) WHERE n = 3 ORDER BY n") == isInDoubt)
    #expect(
      reason {
        _ = try scene("SELECT name FROM (\(numbered)) WHERE n = 3 AND team = 1 ORDER BY n")
      } == isInDoubt)
    #expect(
      reason {
        _ = try scene("SELECT name FROM (\(numbered)) WHERE n = 2 AND name = 'b' ORDER BY n")
      }
        == isInDoubt)
    let former = "SELECT *, lag(name) OVER (PARTITION BY team ORDER BY score) AS l FROM player"
    #expect(
      reason { _ = try scene("SELECT name FROM (\(former)) WHERE l = 'x' ORDER BY id") }
        == isInDoubt)
    #expect(try doubt("SELECT name, l FROM (\(former)) WHERE id = 1 ORDER BY id") == isInDoubt)
    #expect(try doubt("SELECT name, l FROM (\(former)) WHERE id = 9 ORDER BY id") == nil)
    // Sums of whole numbers, counts and ranks are the same in any order.
    for call in ["sum(score)", "count(*)", "rank()", "max(score)", "cume_dist()"] {
      #expect(
        try doubt(
          "SELECT id, \(call) OVER (PARTITION BY team ORDER BY score) FROM player ORDER BY 1")
          == nil)
    }
    for call in ["sum(score * 0.1)", "ntile(2)", "max(score * 1.0)", "last_value(id)"] {
      #expect(
        try doubt(
          "SELECT id, \(call) OVER (PARTITION BY team ORDER BY score) FROM player ORDER BY 1")
          == isInDoubt)
    }
  }

  @Test func `a row in doubt behind LIMIT could come before it`() throws {
    let rows = (1...20).map { "(\($0), \($0), 1)" } + ["(21, 99, 1)", "(22, 99, 1)"]
    let scene = try self.scene(
      "SELECT id, row_number() OVER (PARTITION BY team ORDER BY score) AS n FROM player ORDER BY team, n LIMIT 1",
      rows: "INSERT INTO player(id, team, score) VALUES \(rows.joined(separator: ", "))")
    #expect(scene.reason == WindowPartitions.isInDoubt.reason)
    try scene.change("DELETE FROM player WHERE id = 22")
    #expect(scene.rows == [[1, 1]])
  }

  @Test func `partitions that can't be told apart have the query run`() throws {
    let sql = "SELECT id, count(*) OVER (PARTITION BY score) FROM player ORDER BY id"
    let scene = try self.scene(
      sql, rows: "INSERT INTO player(id, score) VALUES (1, 1), (2, NULL), (3, 'a')")
    #expect(scene.rows == [[1, 1], [2, 1], [3, 1]])
    #expect(try scene.change("INSERT INTO player(id, score) VALUES (4, 'a')"))
    #expect(scene.rows == [[1, 1], [2, 1], [3, 2], [4, 2]])
    #expect(try !scene.change("INSERT INTO player(id, score) VALUES (5, NULL)"))
    #expect(scene.reason == "what changed is in a partition of NULL")
    #expect(try !scene.change("INSERT INTO player(id, score) VALUES (6, 1.0)"))
    #expect(scene.reason == "a partition of equal values that can be stored in two ways")
    #expect(scene.rows == nil)
  }

  @Test func `a partition by a text that isn't UTF-8 has the query run`() throws {
    let scene = try self.scene(
      """
      SELECT p.id, count(*) OVER (PARTITION BY t.name) FROM player p JOIN team t ON t.id = p.team
      ORDER BY 1
      """,
      rows: """
        INSERT INTO team VALUES (1, 'Red'), (2, CAST(x'ff' AS TEXT));
        INSERT INTO player(id, team) VALUES (1, 1)
        """)
    #expect(scene.rows == [[1, 1]])
    #expect(try !scene.change("INSERT INTO player(id, team) VALUES (2, 2)"))
    #expect(scene.reason == "a text that may not be UTF-8")
  }

  @Test(arguments: [
    (
      "SELECT id, r FROM (SELECT id, rank() OVER (PARTITION BY team ORDER BY n) AS r FROM (SELECT id, team, "
        + "row_number() OVER (PARTITION BY name ORDER BY id) AS n FROM player)) ORDER BY id",
      "window functions of window functions"
    ),
    (
      "SELECT r FROM (SELECT rank() OVER (PARTITION BY t ORDER BY place) AS r FROM ranked) ORDER BY r",
      "window functions of window functions"
    ),
    (
      "SELECT name FROM (SELECT name, row_number() OVER (PARTITION BY team ORDER BY score) AS int FROM player) "
        + "WHERE int = 2 AND name = 'a' ORDER BY 1", WindowPartitions.isInDoubt.reason
    ),
    (
      "SELECT name FROM (SELECT name, lag(name) OVER (PARTITION BY team ORDER BY score) AS text FROM player) "
        + "WHERE text = 'x' ORDER BY 1", WindowPartitions.isInDoubt.reason
    ),
    (
      "SELECT name FROM (SELECT name, row_number() OVER (PARTITION BY team ORDER BY score) * (id) AS n "
        + "FROM player) WHERE n = 2 ORDER BY 1", WindowPartitions.isInDoubt.reason
    ),
    (
      "SELECT name FROM (SELECT name, team AS \"and\", row_number() OVER (PARTITION BY team ORDER BY score) AS n "
        + "FROM player) WHERE n = 2 AND \"and\" = 1 ORDER BY 1", WindowPartitions.isInDoubt.reason
    ),
    (
      "SELECT g FROM (SELECT name AS g, team AS g, row_number() OVER (PARTITION BY team ORDER BY score) AS n "
        + "FROM player) WHERE n = 2 ORDER BY 1", "its columns aren't recognised"
    ),
    (
      "SELECT id, rank() OVER (ORDER BY score) FROM player ORDER BY 1",
      "a window function without PARTITION BY"
    ),
    (
      "SELECT id, count(*) OVER () FROM player ORDER BY 1", "a window function without PARTITION BY"
    ),
    (
      "SELECT id, rank() OVER (PARTITION BY team), rank() OVER (PARTITION BY score) FROM player ORDER BY 1",
      "window functions with several PARTITION BY"
    ),
    (
      "SELECT DISTINCT rank() OVER (PARTITION BY team) FROM player ORDER BY 1",
      "a window function over groups"
    ),
    (
      "SELECT id, group_concat(name) OVER (PARTITION BY team) FROM player ORDER BY 1",
      "it calls group_concat()"
    ),
    (
      "SELECT p.id, rank() OVER (PARTITION BY t.id) FROM player p LEFT JOIN team t ON t.id = p.team ORDER BY 1",
      "a window function beside LEFT JOIN or SELECTs in expressions"
    ),
    (
      "SELECT p.id, rank() OVER (PARTITION BY t.id ORDER BY p.score) FROM player p JOIN team t ON t.id = p.score "
        + "ORDER BY 1",
      "a window function, and an equation of values of different types"
    ),
    (
      "SELECT p.id, rank() OVER (PARTITION BY p.id ORDER BY q.n) FROM player p JOIN (SELECT name AS n FROM team) q "
        + "ON p.team = q.n ORDER BY 1",
      "a window function, and an equation of values of different types"
    ),
    (
      "SELECT n FROM (SELECT name AS n, score AS s, rank() OVER (PARTITION BY name, score) AS r FROM player) WHERE n = s "
        + "ORDER BY 1",
      "a window function, and an equation of values of different types"
    ),
    (
      "SELECT place FROM ranked r JOIN team ON id = t ORDER BY 1",
      "a window function in one of several parts of it"
    ),
    (
      "SELECT place FROM (SELECT * FROM ranked) ORDER BY 1",
      "a window function in one of several parts of it"
    ),
    (
      "SELECT id FROM team WHERE id IN (SELECT rank() OVER (PARTITION BY team) FROM player) ORDER BY 1",
      "a window function in a SELECT in an expression"
    ),
    (
      "SELECT id, count(*) FILTER (WHERE score < unixepoch('now')) OVER (PARTITION BY team) FROM player ORDER BY 1",
      "a window function, and it depends on the time"
    ),
    (
      "SELECT id, rank() OVER (w PARTITION BY team) FROM player ORDER BY 1", "a named window"
    ),
  ])
  func `others say why not`(_ sql: String, _ expected: String) {
    #expect(reason { _ = try scene(sql) } == expected)
  }
}
