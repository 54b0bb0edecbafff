import TestSupport
import Testing

@testable import ObservationEngine

/// Aggregates that SQLite computes of all rows of a group, in the order in which it visits them.
struct CollectedRowsTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team INTEGER, score NUMERIC, data TEXT);
    CREATE INDEX by_score ON player(team, score DESC);
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE)
    """

  @Test(arguments: [
    "SELECT team, group_concat(name, ', ') FROM player GROUP BY team ORDER BY team",
    "SELECT team, count(*), group_concat(name) FROM player GROUP BY team ORDER BY 2 DESC, 1 LIMIT 3",
    "SELECT t.name, group_concat(p.name, t.name) FROM team t JOIN player p ON p.team = t.id GROUP BY t.id ORDER BY t.id",
    "SELECT t.name, group_concat(p.name), sum(p.score * 0.1) FROM team t LEFT JOIN player p ON p.team = t.id GROUP BY t.id ORDER BY t.id",
    "SELECT team, group_concat(DISTINCT name), sum(DISTINCT score), avg(DISTINCT score * 0.1) FROM player GROUP BY team ORDER BY team",
    "SELECT team, group_concat(name) FILTER (WHERE score > 2), count(*) FROM player GROUP BY team ORDER BY team",
    "SELECT '[' || group_concat(name, '|') || ']', length(group_concat(name)) FROM player",
    "SELECT team, group_concat(name) AS names FROM player GROUP BY team HAVING names LIKE '%a%' ORDER BY names DESC, team",
    "SELECT team, json_group_array(name), json_group_object(id, score) FROM player GROUP BY team ORDER BY team",
    "SELECT team, json_group_array(json_object('name', name, 'score', score)) FROM player GROUP BY team ORDER BY team",
    "SELECT team, json_group_array(json(data)) FILTER (WHERE data IS NOT NULL) FROM player GROUP BY team ORDER BY team",
    "SELECT team, json_group_array(iif(score > 2, json_array(score), name)) FROM player GROUP BY team ORDER BY team",
    "SELECT team, json_group_object(data ->> '$.a', id), json_group_object(json_extract(data, '$.a'), json(data)) FROM player GROUP BY team ORDER BY team",
    "WITH q AS MATERIALIZED (SELECT * FROM player ORDER BY name DESC) SELECT team, max(score), id FROM q GROUP BY team ORDER BY team",
    "WITH q AS MATERIALIZED (SELECT * FROM player ORDER BY name DESC) SELECT team, id FROM q ORDER BY team LIMIT 3",
    "WITH q AS MATERIALIZED (SELECT * FROM player ORDER BY name DESC) SELECT team, group_concat(id) FROM q AS z GROUP BY team ORDER BY team",
    "SELECT team, round(max(data ->> '$.a') - min(data ->> '$.a'), 1), coalesce(max(json_extract(data, '$.a')), 'none') FROM player GROUP BY team ORDER BY team",
    "SELECT team, json_group_object(name, data -> '$.a') FROM player GROUP BY team ORDER BY team",
    "SELECT json_object('team', team, 'players', json_group_array(name), 'n', count(*)) FROM player GROUP BY team ORDER BY team",
    "SELECT team, max(score), name, group_concat(id) FROM player GROUP BY team ORDER BY team",
    "SELECT names, count(*) FROM (SELECT team, group_concat(name) AS names FROM player GROUP BY team) AS g GROUP BY names ORDER BY names",
    "WITH g AS (SELECT team, group_concat(score, ' ') AS scores FROM player GROUP BY team) SELECT t.name, scores FROM team t JOIN g ON g.team = t.id ORDER BY t.id",
    "SELECT team, group_concat(name, ', ') FROM (SELECT team, name FROM player ORDER BY score DESC, name) GROUP BY team ORDER BY team",
    "SELECT group_concat(name) FROM (SELECT name FROM player WHERE score > 1 ORDER BY name)",
    "WITH q AS (SELECT t.id AS t, p.name AS n FROM team t JOIN player p ON p.team = t.id ORDER BY p.score, 2 DESC) SELECT t, group_concat(n) FROM q GROUP BY t ORDER BY t",
    "SELECT team, sum(DISTINCT x) FROM (SELECT team, score * 0.1 AS x FROM player ORDER BY name DESC) AS q GROUP BY team ORDER BY team",
    "SELECT name, score FROM (SELECT name, score, id FROM player ORDER BY name) ORDER BY score, id",
    "SELECT team, group_concat(name) FROM (SELECT * FROM player ORDER BY team, score DESC) GROUP BY team ORDER BY team",
    "SELECT team, json_group_array(n) FROM (SELECT team, upper(name) AS n FROM player ORDER BY name COLLATE NOCASE) GROUP BY team ORDER BY team",
    "SELECT names, count(*) FROM (SELECT team, group_concat(name) AS names FROM player GROUP BY team) GROUP BY names ORDER BY names",
    "WITH g AS (SELECT team, count(*) AS c FROM player GROUP BY team) SELECT team, c FROM g WHERE c > 1 UNION ALL SELECT 'all', group_concat(c) FROM g",
    "SELECT group_concat(team || ': ' || c, ', ') FROM (SELECT team, count(*) AS c FROM player GROUP BY team)",
    "SELECT json_group_array(json_object('team', team, 'n', c)) FROM (SELECT team, count(*) AS c FROM player GROUP BY team)",
    "SELECT id, name FROM player WHERE name <> (SELECT group_concat(name) FROM player WHERE score > 3) ORDER BY id",
    "SELECT id, score, (SELECT group_concat(name, ' ') FROM team) FROM player ORDER BY id LIMIT 4",
    "SELECT team, group_concat(name || '; ' || score, char(10)) FROM player WHERE score IS NOT NULL GROUP BY team ORDER BY team",
  ])
  func `what SQLite makes of all rows of a group is kept up to date`(_ sql: String) throws {
    try StateScene(sql, [], Self.schema).expectTruth(
      steps: 400, atLeast: 250, changing: Self.statement)
  }

  /// Each is refused for what isn't certain.
  @Test(arguments: [
    "SELECT team, group_concat(name ORDER BY score) FROM player GROUP BY team ORDER BY team",
    // The order in which SQLite visits the rows of these can be another one for some of them.
    "SELECT t.name, (SELECT group_concat(p.name) FROM player p WHERE p.team = t.id) FROM team t ORDER BY t.id",
    "SELECT id, group_concat(name) OVER (PARTITION BY team) FROM player ORDER BY id",
    // It keeps what is JSON in one of its forms.
    "SELECT team, json_group_array(DISTINCT json_array(score)) FROM player GROUP BY team ORDER BY team",
    "SELECT team, json_array(max(json_object('s', score))) FROM player GROUP BY team ORDER BY team",
    "SELECT json_object('teams', j) FROM (SELECT json_group_array(name) AS j FROM team GROUP BY name ORDER BY name)",
    "SELECT id, json_array((SELECT json_group_array(name) FROM team)) FROM player ORDER BY id",
    // NOCASE decides which of equal texts it keeps.
    "SELECT group_concat(DISTINCT name) FROM team",
  ])
  func `what depends on more has the query run`(_ sql: String) {
    #expect(throws: (any Error).self) { _ = try StateScene(sql, [], Self.schema) }
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 0..<24, using: &random)
    let name = ["'a'", "'b'", "'c \"d\"'", "'é'", "NULL"].randomElement(using: &random)!
    let team = Int.random(in: 0..<4, using: &random)
    let score = ["0", "1", "1.0", "2.5", "0.1", "7", "NULL"].randomElement(using: &random)!
    let data = ["'{\"a\": [1, 2.50]}'", "'[true]'", "'{\"a\": \"x\"}'", "NULL"]
    return switch Int.random(in: 0..<9, using: &random) {
    case 0...3:
      "INSERT OR REPLACE INTO player VALUES (\(id), \(name), \(team), \(score), \(data.randomElement(using: &random)!))"
    case 4: "DELETE FROM player WHERE id = \(id)"
    case 5: "UPDATE player SET team = \(team) WHERE id % 5 = \(id % 5)"
    case 6: "UPDATE player SET score = \(score), name = \(name) WHERE id = \(id)"
    case 7: "INSERT OR REPLACE INTO team VALUES (\(team), \(name))"
    default: "DELETE FROM player WHERE id % 7 = \(id % 7)"
    }
  }
}
