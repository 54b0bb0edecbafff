import TestSupport
import Testing

@testable import ObservationEngine

/// Places in an order of all rows, which follow from the lines before.
struct RankingTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
    CREATE INDEX by_score ON player(score DESC, team);
    CREATE TABLE team (name TEXT PRIMARY KEY, city TEXT);
    CREATE VIEW best AS SELECT name, score FROM player WHERE score > 1
    """

  @Test(arguments: [
    "SELECT name, score, rank() OVER (ORDER BY score DESC) AS place FROM player ORDER BY place LIMIT 3",
    "SELECT rank() OVER (ORDER BY score DESC), dense_rank() OVER (ORDER BY score DESC), name FROM player ORDER BY 1",
    "SELECT rank() OVER (ORDER BY score DESC) AS r, name FROM player ORDER BY r, name LIMIT 4 OFFSET 2",
    "SELECT *, dense_rank() OVER (ORDER BY score DESC, team) AS r FROM player ORDER BY r, id DESC",
    "SELECT row_number() OVER (ORDER BY score DESC, id) AS n, player.* FROM player WHERE team <> 'a' ORDER BY n LIMIT 5",
    "SELECT row_number() OVER (ORDER BY score DESC) AS n, name, rank() OVER (ORDER BY score DESC) FROM player ORDER BY n",
    "SELECT name, row_number() OVER (ORDER BY score DESC) AS n, rank() OVER (ORDER BY score DESC) AS r FROM player ORDER BY r LIMIT 4",
    "SELECT name, rank() OVER (ORDER BY score DESC) FROM player",
    "SELECT name, rank() OVER (ORDER BY score DESC) AS r FROM player LIMIT 4 OFFSET 1",
    "SELECT name, rank() OVER (ORDER BY id) AS r FROM player WHERE score > 0",
    // The index is read backwards.
    "SELECT team, rank() OVER (ORDER BY score) FROM player",
    "SELECT team, id, dense_rank() OVER (ORDER BY score) AS r FROM player ORDER BY r LIMIT 4",
    "SELECT name, score, rank() OVER (ORDER BY score DESC) FROM player ORDER BY score DESC LIMIT 4",
    "SELECT name AS n, score AS s, rank() OVER (ORDER BY score DESC) FROM player ORDER BY s DESC, n",
    "SELECT team, sum(score) AS points, rank() OVER (ORDER BY sum(score) DESC) AS r FROM player GROUP BY team ORDER BY r",
    "SELECT team, count(*), dense_rank() OVER (ORDER BY count(*) DESC) AS r FROM player GROUP BY team ORDER BY r, team LIMIT 2",
    "SELECT team, count(*), rank() OVER (ORDER BY count(*) DESC) FROM player GROUP BY team",
    "SELECT name, score, count(*), row_number() OVER (ORDER BY score, name) FROM player GROUP BY name, score",
    "SELECT t.city, sum(p.score), rank() OVER (ORDER BY sum(p.score) DESC) AS r FROM player p JOIN team t ON t.name = p.team GROUP BY t.city ORDER BY r",
    "SELECT p.name, t.city, rank() OVER (ORDER BY p.score DESC) AS r FROM player p LEFT JOIN team t ON t.name = p.team ORDER BY r, p.id",
    "SELECT name, rank() OVER (ORDER BY score DESC) AS r FROM best ORDER BY r",
    "SELECT name, rank() OVER (ORDER BY score % 2, -score) AS r FROM player ORDER BY r LIMIT 4",
    "SELECT name, rank() OVER (ORDER BY score DESC) AS r FROM player WHERE score > (SELECT avg(score) FROM player) ORDER BY r, id",
    "WITH p AS (SELECT name, score FROM player WHERE team = 'a') SELECT name, rank() OVER (ORDER BY score) AS r FROM p ORDER BY r",
    "SELECT rank() OVER (ORDER BY n DESC) AS r, team FROM (SELECT team, count(*) AS n FROM player GROUP BY team) AS sizes ORDER BY r, team",
  ])
  func `places are those that SQLite returns, after each change`(_ sql: String) throws {
    let scene = try StateScene(sql, [], Self.schema)
    #expect(scene.query.ranking != nil)
    let seed = Soak.seed
    var random = SeededRandom(seed: seed)
    var (followed, compared) = (0, 0)
    for step in 0..<300 {
      if try scene.change(Self.statement(&random)) { followed += 1 }
      guard let rows = scene.rows else { continue }
      compared += 1
      #expect(try rows == scene.truth(), "seed \(seed), step \(step)")
    }
    #expect(
      followed > 150 && compared > 100,
      "seed \(seed): followed \(followed), compared \(compared), \(scene.reason ?? "")")
  }

  @Test(arguments: [
    // The rows of other places have to be known.
    "SELECT name, rank() OVER (ORDER BY score) AS r FROM player ORDER BY name",
    "SELECT name, rank() OVER (ORDER BY score) AS r FROM player ORDER BY r DESC",
    "SELECT name, row_number() OVER (ORDER BY score) AS n FROM player ORDER BY score, name",
    "SELECT rank() OVER (ORDER BY score), rank() OVER (ORDER BY name) FROM player ORDER BY 1",
    "SELECT name, 1 + rank() OVER (ORDER BY score) FROM player ORDER BY 2",
    "SELECT name, rank() OVER (PARTITION BY team ORDER BY score) FROM player ORDER BY 2",
    "SELECT name, rank() OVER () AS r FROM player ORDER BY r",
    "SELECT name, ntile(4) OVER (ORDER BY score) AS r FROM player ORDER BY r",
    "SELECT DISTINCT name, rank() OVER (ORDER BY score) AS r FROM player ORDER BY r",
    "SELECT rank() OVER (ORDER BY score) AS r FROM player ORDER BY r",
    // A number is no position there, and a name no alias.
    "SELECT name, rank() OVER (ORDER BY 1) AS r FROM player ORDER BY r",
    "SELECT -score AS score, rank() OVER (ORDER BY score) AS r FROM player ORDER BY r",
    "SELECT *, rank() OVER (ORDER BY score) AS r FROM player ORDER BY 5",
    "SELECT name, rank() OVER (ORDER BY score) AS r FROM player UNION ALL SELECT name, 0 FROM team ORDER BY 2",
    // Without the column, a position is that of another one.
    "SELECT row_number() OVER (ORDER BY sum(score)) AS n, team, sum(score) FROM player GROUP BY 2 ORDER BY 1",
    // What an alias stands for would be looked up again, or be a position.
    "SELECT name AS label, team AS name, rank() OVER (ORDER BY score) AS r FROM player ORDER BY r, label",
    "SELECT name AS label, team AS name, rank() OVER (ORDER BY score) AS r FROM player ORDER BY r, 1",
    "SELECT 2 AS x, name, rank() OVER (ORDER BY score) AS r FROM player ORDER BY r, x",
  ])
  func `other columns aren't taken out`(_ sql: String) throws {
    #expect(try SelectText.combined(in: sql).ranking == nil)
  }

  /// SQLite sorts by the first column of a name.
  @Test(arguments: [
    "SELECT *, rank() OVER (ORDER BY score DESC) AS team FROM player ORDER BY team",
    "SELECT *, name || '' AS team, rank() OVER (ORDER BY score) AS r FROM player ORDER BY r, Team",
  ])
  func `a name that a column of the table has as well is not certain`(_ sql: String) {
    let refusal = #expect(throws: NotMaintainable.self) {
      try StateScene(sql, [], Self.schema)
    }
    #expect(refusal?.reason == "it sorts by team, which several columns are named")
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let (id, small) = (
      Int.random(in: 0..<14, using: &random), Int.random(in: 0..<4, using: &random)
    )
    let team = ["'a'", "'b'", "'c'", "NULL"][Int.random(in: 0..<4, using: &random)]
    let score = ["NULL", "0", "1", "1.0", "2", "3", "3.5", "7"].randomElement(using: &random)!
    return switch Int.random(in: 0..<8, using: &random) {
    case 0...2: "INSERT OR REPLACE INTO player VALUES (\(id), 'n\(small)', \(team), \(score))"
    case 3: "UPDATE player SET score = \(score) WHERE id % 3 = \(id % 3)"
    case 4: "UPDATE player SET team = \(team) WHERE id = \(id)"
    case 5: "DELETE FROM player WHERE id = \(id)"
    case 6: "INSERT OR REPLACE INTO team VALUES (coalesce(\(team), 'd'), 'c\(small % 2)')"
    default: "DELETE FROM team WHERE name = \(team)"
    }
  }
}
