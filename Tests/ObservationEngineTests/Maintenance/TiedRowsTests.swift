import TestSupport
import Testing

@testable import ObservationEngine

/// Rows that ORDER BY doesn't tell apart, or that have none, come as SQLite returns them.
struct TiedRowsTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
    CREATE INDEX by_team ON player(team DESC, score);
    CREATE TABLE team (name TEXT PRIMARY KEY, city TEXT);
    CREATE TABLE round (day INTEGER, number INTEGER, winner INTEGER, PRIMARY KEY (day DESC, number)) WITHOUT ROWID;
    CREATE VIEW sizes AS SELECT count(*) AS n, score FROM player GROUP BY score;
    CREATE VIEW best AS SELECT name, score FROM player WHERE score > 1
    """

  @Test(arguments: [
    "SELECT name FROM player ORDER BY score DESC LIMIT 3",
    "SELECT name FROM player ORDER BY score LIMIT 2 OFFSET 2",
    "SELECT name, score FROM player ORDER BY score",
    "SELECT * FROM player WHERE score > 0",
    "SELECT name FROM best ORDER BY score DESC LIMIT 4",
    "SELECT name FROM player WHERE score <> 2 LIMIT 3",
    "SELECT name, score FROM player WHERE team = 'b' AND name <> 'n1'",
    "SELECT name FROM player WHERE team IN ('c', 'a') AND name <> '' ORDER BY score % 2",
    "SELECT p.name, city FROM player p JOIN team t ON t.name = p.team ORDER BY city",
    "SELECT p.name, city FROM team t JOIN player p ON p.team = t.name ORDER BY p.score DESC LIMIT 3",
    "SELECT p.name, city FROM player p LEFT JOIN team t ON t.name = p.team ORDER BY p.score LIMIT 5",
    "SELECT a.name, b.name FROM player a JOIN player b ON b.team = a.team AND b.score < a.score",
    "SELECT * FROM round ORDER BY winner",
    // The index is read backwards.
    "SELECT score FROM player WHERE team > 'a' ORDER BY team, name",
    "SELECT team, score, id FROM player ORDER BY team",
    "SELECT day, number FROM round ORDER BY day LIMIT 3",
    "SELECT day, winner FROM round WHERE number < 3",
    "SELECT name, (SELECT count(*) FROM round WHERE winner = player.id) AS won FROM player ORDER BY won DESC",
    "SELECT team, count(*) FROM player GROUP BY team ORDER BY 2 DESC",
    "SELECT team, count(*) FROM player GROUP BY team ORDER BY count(*) % 2",
    "SELECT team, count(*) FROM player GROUP BY team",
    "SELECT name, count(*) FROM player GROUP BY name ORDER BY 2",
    "SELECT name, count(*) AS n FROM player GROUP BY name ORDER BY n DESC LIMIT 2",
    "SELECT score, name, count(*) FROM player GROUP BY score, name",
    "SELECT score, name, count(*) FROM player GROUP BY score, name ORDER BY 3 DESC",
    "SELECT score, name, count(*) FROM player GROUP BY score, name ORDER BY 3 DESC, score % 2",
    "SELECT city, score, count(*) FROM player p JOIN team t ON t.name = p.team GROUP BY city, score",
    "SELECT name, sum(score) FROM player GROUP BY name HAVING count(*) > 1 ORDER BY count(*) DESC",
    "SELECT t.*, count(*) FROM team t JOIN player p ON p.team = t.name GROUP BY t.name ORDER BY 3",
    "SELECT p.*, count(*) FROM player p JOIN team t ON t.name = p.team GROUP BY p.id ORDER BY p.score",
    "SELECT team, n FROM (SELECT team, count(*) AS n FROM player GROUP BY team) AS q ORDER BY n",
    "SELECT * FROM sizes ORDER BY n DESC LIMIT 2",
    "SELECT s.n, p.name FROM sizes s JOIN player p ON p.score = s.score ORDER BY s.n",
    "WITH n AS (SELECT score, name, count(*) AS n FROM player GROUP BY score, name) SELECT n, m.name FROM n AS m WHERE n < 3",
    "SELECT name, (SELECT city FROM team WHERE team.rowid = player.score) AS city FROM player ORDER BY city",
    "SELECT name, (SELECT p.name FROM player p WHERE p.id = player.score AND p.team <> 'c') AS r FROM player ORDER BY r LIMIT 4",
    "SELECT name FROM player WHERE score = 1 UNION ALL SELECT city FROM team",
    "SELECT name, score, count(*) FROM player GROUP BY name, score UNION ALL SELECT name, 0, 0 FROM team",
  ])
  func `they come as SQLite returns them, after each change`(_ sql: String) throws {
    let scene = try StateScene(sql, [], Self.schema)
    let seed = Soak.seed
    var random = SeededRandom(seed: seed)
    var (followed, tied) = (0, 0)
    for step in 0..<200 {
      if try scene.change(Self.statement(&random)) { followed += 1 }
      guard let rows = scene.rows else { continue }
      #expect(try rows == scene.truth(), "seed \(seed), step \(step)")
      if scene.rowsFollowPlan { tied += 1 }
    }
    #expect(followed > 100 && tied > 10, "seed \(seed): followed \(followed), tied \(tied)")
  }

  /// The row that has the least or greatest value of its group; of several the one that is visited first.
  @Test(arguments: [
    "SELECT team, max(score), name FROM player GROUP BY team",
    "SELECT score, min(id), name, team FROM player GROUP BY score ORDER BY 1",
    "SELECT name, max(score) AS best, id FROM player GROUP BY name ORDER BY best DESC, id LIMIT 3",
    "SELECT p.team, p.name, max(p.score), t.city FROM team t JOIN player p ON p.team = t.name GROUP BY p.team",
    "SELECT t.name, t.city, max(p.score), p.name FROM team t LEFT JOIN player p ON p.team = t.name GROUP BY t.name",
    "SELECT winner, max(number), day, count(*) FROM round GROUP BY winner",
    "SELECT t.*, max(p.score), p.* FROM team t LEFT JOIN player p ON p.team = t.name GROUP BY t.city",
    "SELECT score, name || '!', max(nullif(id % 4, 0)), count(*) FROM player GROUP BY score HAVING max(nullif(id % 4, 0)) > 0",
    "SELECT team, max(score), name FROM player GROUP BY team UNION ALL SELECT name, 0, city FROM team",
  ])
  func `columns beside the only extremum are those of its row`(_ sql: String) throws {
    let scene = try StateScene(sql, [], Self.schema)
    let seed = Soak.seed
    var random = SeededRandom(seed: seed)
    var followed = 0
    for step in 0..<400 {
      if try scene.change(Self.statement(&random)) { followed += 1 }
      guard let rows = scene.rows else { continue }
      #expect(try rows == scene.truth(), "seed \(seed), step \(step)")
    }
    #expect(followed > 200, "seed \(seed): followed \(followed), \(scene.reason ?? "")")
  }

  /// The row that is returned had a rival with the same columns, until these changed.
  @Test func `a row that changes in its place leaves rivals behind`() throws {
    let scene = try StateScene(
      "SELECT score, name, max(id % 4) FROM player GROUP BY score", [],
      Self.schema
        + "; DELETE FROM player; INSERT INTO player VALUES (7, 'n1', 'a', 2), (11, 'n1', 'a', 2)")
    #expect(try scene.change("UPDATE player SET name = 'n2' WHERE id = 7"))
    #expect(try scene.rows == scene.truth())
    _ = try scene.change("DELETE FROM player WHERE id = 7")
    let rows = scene.rows
    #expect(try rows == nil || rows == scene.truth())
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let (id, small) = (
      Int.random(in: 0..<12, using: &random), Int.random(in: 0..<4, using: &random)
    )
    let team = ["a", "b", "c", "d"][Int.random(in: 0..<4, using: &random)]
    return switch Int.random(in: 0..<10, using: &random) {
    case 0...2:
      "INSERT OR REPLACE INTO player VALUES (\(id), 'n\(small)', '\(team)', \(Int.random(in: 0..<3, using: &random)))"
    case 3:
      "UPDATE player SET score = \(small), name = 'n\(Int.random(in: 0..<3, using: &random))' WHERE id % 3 = \(id % 3)"
    case 4: "UPDATE player SET team = '\(team)' WHERE id = \(id)"
    case 5: "DELETE FROM player WHERE id = \(id)"
    case 6: "INSERT OR REPLACE INTO team VALUES ('\(team)', 'c\(small % 2)')"
    case 7: "DELETE FROM team WHERE name = '\(team)'"
    case 8:
      "INSERT OR REPLACE INTO round VALUES (\(small), \(id % 4), \(Int.random(in: 0..<3, using: &random)))"
    default: "DELETE FROM round WHERE day = \(small) AND number = \(id % 4)"
    }
  }

  @Test(arguments: [
    // An index is read backwards, and by another part of the query as well.
    "SELECT score, (SELECT max(score) FROM player WHERE team = 'a') FROM player WHERE team > 'a' ORDER BY team, name",
    // A list is gone through in the direction of `team` alone.
    "SELECT name FROM player WHERE (team, score) IN (SELECT name, length(city) FROM team) ORDER BY name",
    // A part is sorted by something else.
    "SELECT q.n FROM (SELECT team, count(*) AS n FROM player GROUP BY team ORDER BY n) AS q ORDER BY q.n % 2",
    // No rows are tied.
    "SELECT name FROM player ORDER BY score, player.id",
    // Several SELECTs are merged.
    "SELECT name FROM player UNION ALL SELECT name FROM team ORDER BY 1",
    "SELECT name, row_number() OVER (PARTITION BY team ORDER BY id) AS n FROM player ORDER BY n",
  ])
  func `otherwise their order isn't known`(_ sql: String) throws {
    #expect(try StateScene(sql, [], Self.schema).query.tiePlan == nil)
  }

  @Test(arguments: [
    "SELECT team, name, 0 AND max(score) > 1 FROM player GROUP BY team ORDER BY team",
    "SELECT team, name, max(score) IN () FROM player GROUP BY team ORDER BY team",
    "SELECT team, name, max(score), min(id) FROM player GROUP BY team ORDER BY team",
    "SELECT team, name, max(score) FILTER (WHERE id > 1) FROM player GROUP BY team ORDER BY team",
  ])
  func `columns are carried by the only extremum that SQLite certainly evaluates`(
    _ sql: String
  ) throws {
    #expect(try !StateScene(sql, [], Self.schema).query.plans[0].carriesColumns)
  }

  @Test(arguments: [
    "SELECT id, (SELECT name FROM team WHERE team.name = player.team) FROM player ORDER BY id",
    "SELECT id, (SELECT name FROM player p WHERE p.id = p.score) FROM player ORDER BY id",
    "SELECT pl.id, (SELECT city AS score FROM team WHERE team.rowid = score) FROM player pl ORDER BY pl.id",
    "SELECT id, (SELECT p.name FROM player p JOIN team t WHERE p.id = player.score) FROM player ORDER BY id",
  ])
  func `a SELECT that may have several rows is no value`(_ sql: String) throws {
    let refusal = #expect(throws: NotMaintainable.self) { try StateScene(sql, [], Self.schema) }
    #expect(refusal?.reason == "a SELECT of several rows as a value")
  }

  @Test func `rows without a value are kept of each group two at most`() throws {
    let scene = try StateScene(
      "SELECT team, max(score), name FROM player GROUP BY team ORDER BY team", [], Self.schema)
    let name = String(repeating: "n", count: 1_000)
    let rows = (1...100).map { "(\($0), '\(name)\($0)', 'a', NULL)" }.joined(separator: ", ")
    try scene.change("INSERT INTO player VALUES \(rows), (101, 'best', 'a', 1)")
    #expect(try scene.rows == scene.truth())
    #expect(try scene.readState().byteCount < 10_000)
    // SQLite returns the last one that it visits.
    try scene.change("DELETE FROM player WHERE id = 101")
    #expect(scene.rows == nil)
    try scene.change("DELETE FROM player WHERE id <> 50")
    #expect(try scene.rows == scene.truth())
  }
}
