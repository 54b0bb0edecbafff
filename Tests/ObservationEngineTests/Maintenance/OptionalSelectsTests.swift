import TestSupport
import Testing

@testable import ObservationEngine

/// SELECTs in FROM behind a LEFT JOIN: what changes in them concerns the rows alone for which the equation holds.
struct OptionalSelectsTests {
  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, code TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER, name TEXT, score INTEGER);
    CREATE TABLE won (id INTEGER PRIMARY KEY, player INTEGER, at INTEGER);
    CREATE INDEX by_team ON player(team)
    """

  @Test(arguments: [
    "SELECT t.name, s.n FROM team t LEFT JOIN (SELECT team, count(*) AS n FROM player GROUP BY team) s ON s.team = t.id ORDER BY t.id",
    "SELECT t.name, coalesce(n, 0) AS n FROM team t LEFT JOIN (SELECT team, count(*) AS n FROM player GROUP BY team) s ON s.team = t.id ORDER BY n DESC, t.id LIMIT 3",
    "WITH s AS (SELECT team, max(score) AS x FROM player GROUP BY team), u AS (SELECT team AS k, avg(score) AS a FROM player GROUP BY k) SELECT t.id, s.x, u.a FROM team t LEFT JOIN s ON s.team = t.id LEFT JOIN u ON u.k = t.id AND u.a > 1 ORDER BY t.id",
    "SELECT t.name, sum(s.n), count(s.n) FROM team t LEFT JOIN (SELECT team, count(*) AS n FROM player GROUP BY team) s ON t.id = s.team GROUP BY t.name ORDER BY t.name",
    "SELECT p.name, w.n, t.name FROM player p LEFT JOIN (SELECT player, count(*) AS n FROM won GROUP BY player) w ON w.player = p.id LEFT JOIN team t ON t.id = p.team ORDER BY p.id",
    "SELECT t.id, s.name FROM team t LEFT JOIN (SELECT id AS k, team, name FROM player WHERE score > 2) s ON s.team = t.id ORDER BY t.id, k",
    "SELECT t.id, s.at FROM team t LEFT JOIN (SELECT p.team, w.at, w.id AS k FROM player p JOIN won w ON w.player = p.id) s ON s.team = t.id ORDER BY t.id, k",
    "SELECT t.id, s.name, s.at FROM team t LEFT JOIN (SELECT p.team, p.name, p.id AS k, w.at FROM player p LEFT JOIN won w ON w.player = p.id) s ON s.team = t.id ORDER BY t.id, k, s.at",
    "SELECT t.id, s.n FROM team t LEFT JOIN (SELECT team, count(*) AS n FROM (SELECT team, score FROM player WHERE score > 1) GROUP BY team HAVING n > 1) s ON s.team = t.id WHERE s.n IS NULL ORDER BY t.id",
  ])
  func `rows that LEFT JOIN finds in a SELECT follow its changes`(_ sql: String) throws {
    try StateScene(sql, [], Self.schema).expectTruth(
      steps: 400, atLeast: 250, changing: Self.statement)
  }

  @Test(arguments: [
    // A row that LEFT JOIN makes up meets these conditions, and no changed row leads to it.
    "SELECT t.id, p.id, w.id FROM team t LEFT JOIN player p ON p.team = t.id LEFT JOIN won w ON w.player = coalesce(p.id, 1) ORDER BY 1, 2, 3",
    "SELECT t.id, p.id, w.id FROM team t LEFT JOIN player p ON p.team = t.id JOIN won w ON w.player IS p.score ORDER BY 1, 2, 3",
    "SELECT t.id, p.id, w.id FROM team t LEFT JOIN player p ON p.team = t.id LEFT JOIN won w ON (p.id IS NULL) = (w.player IS NULL) ORDER BY 1, 2, 3",
    "SELECT t.id, p.id FROM team t LEFT JOIN player p ON p.team = t.id WHERE EXISTS (SELECT 1 FROM won w WHERE w.player > coalesce(p.id, 0)) ORDER BY 1, 2",
    "SELECT t.id, p.id FROM team t LEFT JOIN player p ON p.team = t.id LEFT JOIN won w ON w.player = p.id WHERE coalesce(w.id, t.id) = 1 ORDER BY 1, 2, w.id",
    "SELECT t.id, (SELECT count(*) FROM player p LEFT JOIN won w ON w.player = p.id WHERE p.team = t.id AND ifnull(w.id, t.id) = 1) FROM team t ORDER BY 1",
    "SELECT t.id, q.id FROM team t JOIN (SELECT p.id AS id, w.id AS x FROM player p LEFT JOIN won w ON w.player = p.id) q ON q.x IS t.id ORDER BY 1, 2, q.x",
  ])
  func `no row that LEFT JOIN makes up is forgotten`(_ sql: String) throws {
    try StateScene(sql, [], Self.schema).expectTruth(
      steps: 300, atLeast: -1, changing: Self.statement)
  }

  /// The column has no affinity: that of the other one, TEXT, makes 1 equal to `'1'`.
  @Test func `an equation with what is computed leads to its rows`() throws {
    let scene = try StateScene(
      "SELECT t.id, s.n FROM team t LEFT JOIN (SELECT team % 3 AS k, count(*) AS n FROM player GROUP BY k) s ON s.k = t.code ORDER BY t.id",
      [], Self.schema)
    for change in [
      "INSERT INTO team VALUES (1, 'a', '1'); INSERT INTO player VALUES (1, 4, 'b', 1)",
      "INSERT INTO player VALUES (2, 1, 'c', 1)", "DELETE FROM player",
      "UPDATE team SET code = '2'",
    ] {
      try scene.expectToFollow(change)
    }
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 0..<20, using: &random)
    let team = ["0", "1", "2", "3", "NULL"].randomElement(using: &random)!
    let score = Int.random(in: 0..<5, using: &random)
    return switch Int.random(in: 0..<9, using: &random) {
    case 0...2: "INSERT OR REPLACE INTO player VALUES (\(id), \(team), 'p\(id)', \(score))"
    case 3: "DELETE FROM player WHERE id % 6 = \(id % 6)"
    case 4: "UPDATE player SET team = \(team) WHERE id % 5 = \(id % 5)"
    case 5: "INSERT OR REPLACE INTO won VALUES (\(id % 9), \(id), \(score))"
    case 6: "DELETE FROM won WHERE player = \(id)"
    case 7: "DELETE FROM team WHERE id = \(id % 4)"
    default: "INSERT OR REPLACE INTO team VALUES (\(id % 4), 't\(score)', '\(score)')"
    }
  }
}
