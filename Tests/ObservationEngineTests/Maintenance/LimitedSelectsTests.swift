import TestSupport
import Testing

@testable import ObservationEngine

/// SELECTs in FROM with LIMIT: the first lines of a state are the rows that the rest of the query reads.
struct LimitedSelectsTests {
  private static let schema = """
    CREATE TABLE reading (id INTEGER PRIMARY KEY, sensor INTEGER, at INTEGER, value REAL);
    CREATE TABLE sensor (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, kind);
    CREATE INDEX by_time ON reading(at)
    """

  @Test(arguments: [
    "SELECT at, value FROM (SELECT id, at, value FROM reading ORDER BY at DESC, id DESC LIMIT 6) ORDER BY at, id",
    "SELECT sensor, count(*), max(value) FROM (SELECT * FROM reading ORDER BY id DESC LIMIT 8) GROUP BY sensor ORDER BY sensor",
    "WITH top AS (SELECT sensor, count(*) AS n FROM reading GROUP BY sensor ORDER BY n DESC, sensor LIMIT 3) SELECT s.name, n FROM top JOIN sensor s ON s.id = top.sensor ORDER BY n DESC, s.id",
    "WITH top AS (SELECT sensor, count(*) AS n FROM reading GROUP BY sensor ORDER BY n DESC LIMIT 2 OFFSET 1) SELECT s.name, n FROM top LEFT JOIN sensor s ON s.id = top.sensor ORDER BY n DESC, s.id",
    "WITH top AS (SELECT sensor, sum(at) AS n FROM reading GROUP BY sensor ORDER BY n DESC LIMIT 3) SELECT group_concat(s.name, ' > ') FROM top JOIN sensor s ON s.id = top.sensor",
    "SELECT group_concat(name) FROM (SELECT name FROM sensor ORDER BY name, id DESC LIMIT 3)",
    "SELECT count(value), count(*) FROM (SELECT value FROM reading WHERE sensor < 4 ORDER BY at LIMIT 5 OFFSET 2)",
    "SELECT s.name, r.at FROM sensor s LEFT JOIN (SELECT sensor AS k, at FROM reading ORDER BY at DESC, id LIMIT 5) r ON r.k = s.id ORDER BY s.id, at",
    "SELECT name, count(*) FROM (SELECT s.name, r.at FROM reading r JOIN sensor s ON s.id = r.sensor ORDER BY r.at DESC LIMIT 7) GROUP BY name ORDER BY name COLLATE BINARY",
    "SELECT k, count(*) FROM (SELECT DISTINCT kind AS k, sensor FROM reading r JOIN sensor s ON s.id = r.sensor ORDER BY sensor, kind LIMIT 4) GROUP BY k ORDER BY k",
    "SELECT sum(n), (SELECT count(*) FROM sensor) FROM (SELECT sensor, sum(at) AS n FROM reading GROUP BY sensor ORDER BY n LIMIT 3)",
    "SELECT x, count(*) FROM (SELECT sensor AS x FROM (SELECT sensor, at FROM reading ORDER BY at DESC, id LIMIT 9) ORDER BY at, x LIMIT 5) GROUP BY x ORDER BY x",
    "SELECT at FROM (SELECT at, id FROM reading ORDER BY at DESC LIMIT 5) UNION ALL SELECT count(*) FROM sensor ORDER BY 1",
    "SELECT at - (SELECT avg(at) FROM (SELECT at FROM reading ORDER BY at DESC, id LIMIT 4)), id FROM reading ORDER BY id LIMIT 5",
    "SELECT a.at, b.n FROM (SELECT at, id FROM reading ORDER BY at, id LIMIT 4) a JOIN (SELECT at, count(*) AS n FROM reading GROUP BY at ORDER BY n DESC, at LIMIT 5) b ON a.at = b.at ORDER BY a.at, a.id",
    "SELECT * FROM (SELECT id, at FROM reading ORDER BY at DESC, rowid LIMIT 3) ORDER BY at, id",
  ])
  func `what reads the first rows of a SELECT is what SQLite returns`(_ sql: String) throws {
    try StateScene(sql, [], Self.schema).expectTruth(
      steps: 500, atLeast: 200, changing: Self.statement)
  }

  @Test(arguments: [
    "SELECT avg(value), sum(value * 0.3) FROM (SELECT value FROM reading ORDER BY at DESC LIMIT 6)",
    "SELECT sensor, total(value * 0.7), group_concat(at) FROM (SELECT * FROM reading ORDER BY at, value DESC LIMIT 9) AS r GROUP BY sensor ORDER BY sensor",
    "SELECT sum(value * 0.1) FROM (SELECT value FROM reading WHERE sensor > 0 ORDER BY id DESC LIMIT 5 OFFSET 1)",
  ])
  func `the first rows are added up in their order`(_ sql: String) throws {
    try StateScene(sql, [], keepsOrder: true, Self.schema).expectTruth(
      steps: 500, atLeast: 200, changing: Self.statement)
  }

  /// Which of the tied rows LIMIT takes follows from the index, and the value counts only with the query plan.
  @Test func `tied rows that LIMIT cuts follow the query plan`() throws {
    let scene = try StateScene(
      "SELECT sum(id) FROM (SELECT id FROM reading ORDER BY at LIMIT 2)", [], Self.schema)
    _ = try scene.change(
      "INSERT INTO reading(id, at) VALUES (5, 1), (3, 2), (4, 2), (9, 2), (8, 3)")
    #expect(scene.rows == [[8]] && scene.rowsFollowPlan)
    #expect(try scene.change("UPDATE reading SET at = 0 WHERE id = 8"))
    #expect(scene.rows == [[13]] && !scene.rowsFollowPlan)
    #expect(try scene.change("DELETE FROM reading WHERE id IN (8, 3)"))
    #expect(scene.rows == [[9]] && scene.rowsFollowPlan)
    #expect(try scene.rows == scene.truth())
  }

  /// The rows that show stay, and yet they may be those of others: the result before says nothing about that.
  @Test func `a value counts anew when LIMIT begins to cut tied rows`() throws {
    let scene = try StateScene(
      "SELECT count(*), max(id) FROM (SELECT id FROM p WHERE team = 1 OR name = 'a' ORDER BY score LIMIT 2)",
      [],
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT, team INTEGER, score INTEGER);
      CREATE INDEX a ON p(team); CREATE INDEX b ON p(name);
      INSERT INTO p VALUES (5, 'x', 1, 1), (7, 'a', 2, 2)
      """)
    #expect(scene.rows == [[2, 7]])
    #expect(try scene.change("INSERT INTO p VALUES (9, 'x', 1, 2)"))
    #expect(scene.rows == nil && scene.hasChanged)
  }

  /// The order of the part says nothing about lines that are tied.
  @Test(arguments: [
    "SELECT name, id FROM (SELECT * FROM p ORDER BY id LIMIT 4) ORDER BY name",
    "SELECT name, n FROM (SELECT id, name, count(*) AS n FROM p GROUP BY id ORDER BY id DESC LIMIT 4) ORDER BY n",
    "SELECT p.name, p.id FROM p JOIN (SELECT name, count(*) AS n FROM p GROUP BY name ORDER BY n DESC, name LIMIT 1) s ON s.name = p.name ORDER BY p.name",
  ])
  func `tied lines that read a part have an order of their own`(_ sql: String) throws {
    let scene = try StateScene(
      sql, [],
      "CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO p VALUES (2, 'a'), (3, 'a')")
    _ = try scene.change("INSERT INTO p VALUES (1, 'a')")
    #expect(try scene.rows == nil || scene.rows == scene.truth())
  }

  @Test func `the largest LIMIT is none`() throws {
    let scene = try StateScene(
      "SELECT count(*) FROM (SELECT id, count(*) FROM reading GROUP BY id ORDER BY id LIMIT 9223372036854775807 OFFSET 1)",
      [], Self.schema)
    #expect(try scene.change("INSERT INTO reading(id) VALUES (1), (2), (3)"))
    #expect(scene.rows == [[2]])
  }

  @Test(arguments: [
    (
      "SELECT count(*) FROM (SELECT id FROM reading LIMIT 3)",
      "the rows of a part of it have no order: add ORDER BY before LIMIT"
    ),
    (
      "SELECT sum(at) FROM (SELECT at FROM reading ORDER BY at LIMIT ?1)",
      "a part of it has LIMIT with a parameter"
    ),
    (
      "SELECT count(*) FROM (SELECT at FROM reading WHERE at > unixepoch() - 60 ORDER BY at LIMIT 3)",
      "a part of it has LIMIT, and it depends on the time"
    ),
    (
      "SELECT at FROM (SELECT at FROM reading ORDER BY at LIMIT 3)",
      "its rows have no order: add ORDER BY"
    ),
    (
      "SELECT at FROM (SELECT at FROM reading ORDER BY at)",
      "a part of it is sorted, and the rest isn't: add ORDER BY"
    ),
  ])
  func `what isn't certain has the query run`(_ sql: String, _ reason: String) throws {
    do {
      _ = try StateScene(sql, sql.utf8.contains(UInt8(ascii: "?")) ? [3] : [], Self.schema)
      Issue.record("it is planned")
    } catch let refusal as NotMaintainable { #expect(refusal.reason == reason) }
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 0..<24, using: &random)
    let sensor = ["0", "1", "2", "3", "NULL"].randomElement(using: &random)!
    let at = Int.random(in: 0..<9, using: &random)
    let value = ["0.1", "2.5", "7", "NULL"].randomElement(using: &random)!
    return switch Int.random(in: 0..<10, using: &random) {
    case 0...4: "INSERT OR REPLACE INTO reading VALUES (\(id), \(sensor), \(at), \(value))"
    case 5: "DELETE FROM reading WHERE id = \(id)"
    case 6: "UPDATE reading SET at = \(at) WHERE id % 6 = \(id % 6)"
    case 7: "UPDATE reading SET sensor = \(sensor), value = \(value) WHERE id = \(id)"
    case 8: "DELETE FROM sensor WHERE id = \(id % 4)"
    default:
      "INSERT OR REPLACE INTO sensor VALUES (\(id % 4), '\(id % 2 == 0 ? "s" : "S")\(id % 3)', \(at % 2))"
    }
  }
}
