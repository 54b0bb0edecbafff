import TestSupport
import Testing

@testable import ObservationEngine

/// SELECTs in expressions that are one value for all rows have a state of their own.
struct ScalarSubqueryTests {
  private static let schema = """
    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, team INT, score INT);
    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE sale(id INTEGER PRIMARY KEY, player INT, price REAL);
    CREATE TABLE visit(at INT, tag INT, PRIMARY KEY (at, tag)) WITHOUT ROWID;
    CREATE TABLE flag(id INTEGER PRIMARY KEY, "true" INT);
    CREATE VIEW good AS SELECT name, score AS points FROM player WHERE score > 2;
    CREATE VIEW means AS SELECT team, sum(score) * 1.0 / count(*) AS mean FROM player GROUP BY team HAVING count(*) > 1
    """

  /// What is compared with what SQLite returns.
  private static let queries = [
    "SELECT (SELECT count(*) FROM player) AS players, (SELECT count(*) FROM team) AS teams",
    "SELECT 'players' AS what, (SELECT count(*) FROM player) AS n UNION ALL "
      + "SELECT 'goals', (SELECT sum(score) FROM player) UNION ALL SELECT 'two', 2",
    "SELECT (SELECT name FROM player ORDER BY score DESC, id LIMIT 1) AS leader, "
      + "coalesce((SELECT max(score) FROM player), 0) - 1 AS next",
    "SELECT (SELECT city FROM team JOIN player ON team.id = team GROUP BY city ORDER BY count(*) DESC, 1)",
    "SELECT team, count(*), count(*) * 100.0 / (SELECT count(*) FROM player) FROM player GROUP BY team",
    "SELECT team, sum(score) FROM player GROUP BY team HAVING sum(score) > (SELECT avg(score) FROM player) "
      + "ORDER BY 2 DESC, 1 LIMIT 3",
    "SELECT team, count(*) AS n, count(*) * 1.0 / (SELECT count(*) FROM player) AS share FROM player "
      + "GROUP BY team HAVING share > 0.2 AND n < (SELECT max(id) FROM player) ORDER BY share * -1, 1",
    "SELECT name, score FROM player WHERE score = (SELECT max(score) FROM player) ORDER BY id",
    "SELECT count(*) FROM player WHERE id > (SELECT max(id) - 5 FROM player)",
    "SELECT id, score > (SELECT min(score) FROM player WHERE team = 1) AS above FROM player ORDER BY id",
    "SELECT team.name, count(*) FROM player JOIN team ON team.id = player.team "
      + "WHERE score >= (SELECT max(score) - 3 FROM player) GROUP BY team.id, team.name ORDER BY team.id",
    "SELECT t.name, count(p.id) FROM team t LEFT JOIN player p ON p.team = t.id "
      + "AND p.score > (SELECT min(score) FROM player) GROUP BY t.id, t.name ORDER BY t.id",
    "SELECT team, sum(CASE WHEN score > (SELECT total(id) / 9 FROM team) THEN 1 ELSE 0 END) FROM player GROUP BY 1",
    "SELECT name, points FROM good WHERE points = (SELECT max(points) FROM good) ORDER BY name, points",
    "WITH size(team, n) AS (SELECT team, count(*) FROM player GROUP BY team) "
      + "SELECT team.name, n FROM team, size WHERE team.id = size.team AND n = (SELECT max(n) FROM size) "
      + "ORDER BY team.id",
    "WITH late AS (SELECT id FROM player WHERE id > (SELECT max(id) - 3 FROM early)), "
      + "early AS (SELECT id FROM player WHERE score < 7) SELECT count(*), max(id) FROM late",
    "SELECT count(*), sum(score) FROM player WHERE score > (SELECT avg(score) FROM player) * 1.2",
    "SELECT id FROM player WHERE 2 * (SELECT min(score) FROM player) < score ORDER BY id",
    "SELECT id, score - (SELECT max(score) FROM player) FROM player ORDER BY id",
    "SELECT name, score, round(score * 100.0 / (SELECT sum(score) FROM player), 1) AS share FROM player "
      + "ORDER BY score DESC, id LIMIT 3",
    "SELECT p.name, t.name, score || '/' || (SELECT max(score) FROM player) FROM team t "
      + "JOIN player p ON t.id = p.team ORDER BY p.id DESC LIMIT 4",
    "SELECT t.name, coalesce(p.score, 0) + (SELECT count(*) FROM player) FROM team t "
      + "LEFT JOIN player p ON p.team = t.id AND p.score > 3 ORDER BY t.id, p.id",
    "SELECT a.id, b.id, a.score - b.score - (SELECT count(*) FROM team) FROM player a JOIN player b "
      + "ON a.team = b.team WHERE a.score > (SELECT min(score) FROM player) ORDER BY a.id, b.id LIMIT 9",
    "SELECT team, mean FROM means WHERE mean > (SELECT min(score) FROM player) ORDER BY team",
    "SELECT team, mean FROM means WHERE team > ?1 AND mean > (SELECT min(score) FROM player) ORDER BY team",
    "SELECT t.id, p.id, p.score * 1.0 / (SELECT sum(score) FROM player) FROM team t LEFT JOIN sale s "
      + "ON s.player = t.id JOIN player p ON p.team = t.id ORDER BY t.id, p.id, s.id",
    "SELECT at, tag, tag * (SELECT count(*) FROM player) FROM visit ORDER BY tag DESC, at LIMIT 5",
    "SELECT s.n, count(*) FROM (SELECT team AS n FROM player WHERE id < (SELECT max(id) FROM player)) AS s GROUP BY 1",
    "SELECT name FROM player WHERE score > (SELECT ?1 + min(score) FROM player WHERE team <> ?1) ORDER BY id",
    "SELECT sum(price), sum(price) / (SELECT sum(price) FROM sale) FROM sale WHERE player < 3",
    "SELECT player, sum(price) FROM sale GROUP BY player "
      + "HAVING sum(price) > (SELECT sum(price) * 0.3 FROM sale WHERE player > 1) ORDER BY 2 DESC, 1",
    "WITH income(player, price) AS (SELECT player, sum(price) FROM sale GROUP BY player) "
      + "SELECT p.name, price FROM player p JOIN income ON income.player = p.id "
      + "WHERE price = (SELECT max(price) FROM income) ORDER BY p.id",
  ]

  @Test(arguments: queries, 1...3 as ClosedRange<UInt64>)
  func `a state follows the values of its scalar subqueries`(
    _ sql: String, _ seed: UInt64
  ) throws {
    let scene = try StateScene(
      sql, sql.contains("?1") ? [1] : [], keepsOrder: sql.contains("price"), Self.schema)
    #expect(!scene.query.scalars.isEmpty)
    let (compared, followed) = try compare(scene, seed: seed)
    #expect(compared > 60 && followed > 60, "seed \(seed): \(compared), \(followed)")
  }

  /// These stay a part of the SQL, and some of them have no plan then.
  @Test(arguments: [
    ("SELECT team, count(*) FROM player WHERE (SELECT count(*) FROM team) > 2 GROUP BY team", true),
    (
      "SELECT id, score - (SELECT max(score) FROM player) AS gap FROM player ORDER BY gap DESC, id",
      true
    ),
    ("SELECT id, score - (SELECT max(score) FROM player) FROM player ORDER BY 2, 1", true),
    (
      "SELECT id, score - (SELECT max(score) FROM player) AS gap FROM player WHERE gap < 2 ORDER BY id",
      true
    ),
    (
      "SELECT gap FROM (SELECT id, score - (SELECT max(score) FROM player) AS gap FROM player) ORDER BY id",
      true
    ),
    ("SELECT DISTINCT score - (SELECT max(score) FROM player) FROM player ORDER BY 1", true),
    (
      "SELECT id FROM player p WHERE score = (SELECT max(score) FROM player WHERE team = p.team) ORDER BY id",
      true
    ),
    ("SELECT count(*) FROM player WHERE score IN (1, (SELECT max(id) FROM team))", true),
    ("SELECT count(*) FROM player WHERE name = (SELECT id FROM team ORDER BY id LIMIT 1)", false),
    ("SELECT (SELECT max(id) FROM team) AS n, count(*) FROM player GROUP BY n", true),
    (
      "WITH above AS (SELECT * FROM player WHERE score > (SELECT avg(score) FROM player)) "
        + "SELECT count(*) FROM above WHERE score = (SELECT max(score) FROM above)", false
    ),
    (
      "SELECT team, (SELECT name FROM team ORDER BY id LIMIT 1) AS least, count(*) AS n FROM player "
        + "GROUP BY team HAVING n >= least", false
    ),
    ("SELECT count(*) FROM player WHERE id > (SELECT max(id) FROM team) + 1e308 - 9e999", true),
    ("SELECT count(*) FROM player WHERE id > (SELECT max(id) FROM team) * 2 - 1", true),
    ("SELECT count(*) FROM player WHERE id > (SELECT max(id) FROM team) * 0", true),
    ("SELECT id, (SELECT count(*) FROM team WHERE id > true) FROM flag ORDER BY id", true),
    (
      "SELECT count(*) FROM team t LEFT JOIN player p ON p.team = t.id "
        + "WHERE coalesce(p.score, 1) > (SELECT min(id) FROM team)", true
    ),
  ])
  func `what a state couldn't follow isn't taken out`(_ sql: String, _ hasPlan: Bool) throws {
    let scene = try? StateScene(sql, [], Self.schema)
    #expect((scene != nil) == hasPlan)
    guard let scene else { return }
    #expect(scene.query.scalars.isEmpty)
    _ = try compare(scene, seed: 1)
  }

  @Test(arguments: [
    ("SELECT 1", "it reads no table"),
    ("SELECT count(*), (SELECT max(id) FROM team)", "it reads no table"),
    ("SELECT (SELECT max(id) FROM team) WHERE 1", "it reads no table"),
    ("SELECT (SELECT name FROM team)", "a SELECT of several rows as a value"),
  ])
  func `of rows that no table has, only values of SELECTs are maintained`(
    _ sql: String, _ reason: String
  ) throws {
    do {
      _ = try StateScene(sql, [], Self.schema)
      Issue.record("it has a plan")
    } catch let refusal as NotMaintainable {
      #expect(refusal.reason == reason)
    }
  }

  @Test func `a value of one of several tied rows has the query run`() throws {
    let scene = try StateScene(
      "SELECT (SELECT name FROM player ORDER BY score LIMIT 1)", [], Self.schema)
    #expect(try scene.change("INSERT INTO player VALUES (1, 'a', 1, 7), (2, 'b', 1, 8)"))
    #expect(scene.rows == [["a"]])
    #expect(try scene.change("INSERT INTO player VALUES (3, 'c', 1, 7)"))
    #expect(scene.rows == nil)
    #expect(try scene.change("DELETE FROM player WHERE id = 1"))
    #expect(scene.rows == [["c"]])
    #expect(try scene.change("DELETE FROM player"))
    #expect(scene.rows == [[nil]])
  }

  /// Rows that a comparison with NULL keeps out aren't between NULL and a value.
  @Test func `a value that becomes NULL has the state read again`() throws {
    let scene = try StateScene(
      "SELECT count(*) FROM player WHERE score > (SELECT min(id) FROM team)", [], Self.schema)
    try scene.change("INSERT INTO player VALUES (1, 'a', 1, 7)")
    #expect(scene.rows == [[0]])
    #expect(try !scene.change("INSERT INTO team VALUES (5, 'x', 'y')"))
    #expect(scene.reason == "what it compares with is NULL, or was")
    #expect(scene.rows == [[1]])
    #expect(try !scene.change("DELETE FROM team"))
    #expect(scene.rows == [[0]])
  }

  /// Infinity less infinity is NULL.
  @Test func `a value that becomes infinite has the state read again`() throws {
    let scene = try StateScene(
      "SELECT count(*) FROM player WHERE score > (SELECT max(price) FROM sale) - 9e999", [],
      Self.schema)
    try scene.change("INSERT INTO player VALUES (1, 'a', 1, 7); INSERT INTO sale VALUES (1, 1, 5)")
    #expect(scene.rows == [[1]])
    #expect(try !scene.change("INSERT INTO sale VALUES (2, 1, 9e999)"))
    #expect(scene.reason == "what it compares with is infinite, or was")
    #expect(scene.rows == [[0]])
  }

  @Test func `a value that is now has the query run`() throws {
    let scene = try StateScene(
      "SELECT id, date((SELECT max(name) FROM team)) FROM player ORDER BY id", [], Self.schema)
    #expect(!scene.query.scalars.isEmpty)
    try scene.change(
      "INSERT INTO player VALUES (1, 'a', 1, 7); INSERT INTO team VALUES (1, '2024-01-02', 'x')")
    #expect(scene.rows == [[1, "2024-01-02"]])
    #expect(try !scene.change("INSERT INTO team VALUES (2, 'now', 'x')"))
    #expect(scene.reason == "a time that is now")
    #expect(scene.rows == nil)
  }

  /// As SQLite numbers them in its query plan.
  @Test func `they are taken out in the order in which they stand in the SQL`() throws {
    let sql = """
      WITH w AS (SELECT id FROM player WHERE id > (SELECT min(id) FROM team))
      SELECT (SELECT 1 FROM sale), count(*) FROM w GROUP BY id > (SELECT 2 FROM sale) HAVING 1 < (SELECT 3 FROM sale)
      """
    let places = try SelectText.combined(in: sql).valueSubqueries()
    let taken = try SelectText.combined(in: sql, takingOut: places).scalars
    #expect(taken.map { $0.outputs[0].expression.first?.text } == ["min", "1", "2", "3"])
  }

  private static let grouped = [
    "SELECT t.id, t.name, count(p.id) FROM team t LEFT JOIN player p ON p.team = t.id GROUP BY t.id",
    "SELECT p.team, t.name AS called, sum(score) FROM player p JOIN team t ON t.id = p.team GROUP BY p.team "
      + "ORDER BY called DESC, 1 LIMIT 3",
    "SELECT id, lower(name) || team, count(*) FROM player GROUP BY id HAVING count(*) > 0 ORDER BY name, id",
    "SELECT city, count(*), max(name) FROM (SELECT t.city, t.name, count(*) AS n FROM team t "
      + "JOIN player ON t.id = team GROUP BY t.id) GROUP BY city",
    "SELECT score, name || team, count(*), max(id) FROM player GROUP BY score, name, team ORDER BY 1, 2",
  ]

  /// Where rows of a group differ, the query runs.
  @Test(arguments: grouped, 1...3 as ClosedRange<UInt64>)
  func `what is the same for all rows of each group needn't be grouped`(
    _ sql: String, _ seed: UInt64
  ) throws {
    let (compared, followed) = try compare(try StateScene(sql, [], Self.schema), seed: seed)
    #expect(compared > 20 && followed > 20, "seed \(seed): \(compared), \(followed)")
  }

  @Test func `rows of a group that differ have the query run`() throws {
    let scene = try StateScene(
      "SELECT team, name, count(*) FROM player GROUP BY team", [], Self.schema)
    #expect(try scene.change("INSERT INTO player VALUES (1, 'a', 1, 7), (2, 'b', 2, 8)"))
    #expect(scene.rows == [[1, "a", 1], [2, "b", 1]])
    #expect(try scene.change("UPDATE player SET name = 'c' WHERE id = 1"))
    #expect(scene.rows == [[1, "c", 1], [2, "b", 1]])
    #expect(try !scene.change("INSERT INTO player VALUES (3, 'd', 1, 7)"))
    #expect(scene.reason == "name is neither grouped nor aggregated")
    #expect(scene.rows == nil)
    try scene.change("DELETE FROM player WHERE id = 1")
    #expect(scene.rows == [[1, "d", 1], [2, "b", 1]])
  }

  @Test(
    arguments: [
      "SELECT id, name FROM player WHERE team IN (SELECT id FROM team WHERE city = 'c1') ORDER BY id",
      "SELECT name FROM team WHERE id IN (SELECT team FROM player GROUP BY team HAVING count(*) > 2) "
        + "AND city IN (SELECT 'c' || id FROM team) ORDER BY id",
      "SELECT t.city, count(*) FROM player p JOIN team t ON t.id = p.team WHERE p.score > 1 AND "
        + "t.id IN (SELECT team FROM player p WHERE p.id IN (SELECT player FROM sale WHERE id < 9) AND score > 2) "
        + "GROUP BY t.city",
      "SELECT p.id, t.name FROM player p LEFT JOIN team t ON t.id = p.team "
        + "WHERE p.id IN (SELECT player FROM sale GROUP BY player) ORDER BY p.id",
      "SELECT name FROM team t WHERE EXISTS (SELECT * FROM player WHERE team = t.id "
        + "AND id IN (SELECT player FROM sale)) ORDER BY id",
      "SELECT count(*) FROM (SELECT id, team FROM player WHERE team IN (SELECT id FROM team)) AS s "
        + "WHERE s.id IN (SELECT player FROM sale)",
    ], 1...3 as ClosedRange<UInt64>)
  func `a list is read for the rows that are evaluated again`(
    _ sql: String, _ seed: UInt64
  ) throws {
    let (compared, followed) = try compare(try StateScene(sql, [], Self.schema), seed: seed)
    #expect(compared > 100 && followed > 100, "seed \(seed): \(compared), \(followed)")
  }

  /// - Returns: How often the state had a result, and how often it followed a change.
  private func compare(
    _ scene: StateScene, seed: UInt64
  ) throws -> (compared: Int, followed: Int) {
    var random = SeededRandom(seed: seed)
    var (compared, followed) = (0, 0)
    for step in 0..<150 {
      var number: Int { Int.random(in: 0...9, using: &random) }
      let id = Int.random(in: 1...12, using: &random)
      let statement =
        switch Int.random(in: 0..<9, using: &random) {
        case 8: "INSERT OR IGNORE INTO visit VALUES (\(number), \(id))"
        case 0...3: "REPLACE INTO player VALUES (\(id), 'p\(number)', \(number / 2), \(number))"
        case 4: "DELETE FROM player WHERE id > \(id + 2)"
        case 5: "REPLACE INTO team VALUES (\(number / 2), 't\(id)', 'c\(number / 5)')"
        case 6: "DELETE FROM sale WHERE id = \(id)"
        default: "REPLACE INTO sale VALUES (\(id), \(number / 2), \(number).1 * 1.1)"
        }
      if try scene.change(statement) { followed += 1 }
      guard let rows = scene.rows else { continue }
      compared += 1
      #expect(try rows == scene.truth(), "seed \(seed), step \(step)")
    }
    return (compared, followed)
  }
}
