import TestSupport
import Testing

@testable import ObservationEngine

/// What is computed of each group, from its keys and aggregates.
struct GroupExpressionTests {
  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, code TEXT, size NUMERIC, plain);
    CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER, kind TEXT, score REAL);
    CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT, real INTEGER, kind TEXT, "end" INTEGER)
    """

  @Test(arguments: [
    "SELECT kind || ': ' || count(*) FROM player GROUP BY kind ORDER BY kind",
    "SELECT kind, count(*) FROM player GROUP BY kind HAVING kind <> 'b' AND count(*) > 1 ORDER BY 1",
    "SELECT t.name || ' (' || count(*) || ')' FROM team t JOIN player p ON p.team = t.id GROUP BY t.id ORDER BY count(*) DESC, t.id",
    "SELECT t.id, count(*) * 100.0 / t.size FROM team t JOIN player p ON p.team = t.id GROUP BY t.id ORDER BY t.id",
    "SELECT t.id, count(p.id) = t.code, t.code < t.plain + count(*), t.size = '3' AND count(*) > 0 FROM team t JOIN player p ON p.team = t.id GROUP BY t.id ORDER BY t.id",
    "SELECT t.id, t.name = 'A' OR count(*) > 3, max(t.name, 'b', count(*)) FROM team t LEFT JOIN player p ON p.team = t.id GROUP BY t.id ORDER BY t.id",
    "SELECT CASE kind WHEN 'a' THEN count(*) ELSE 1.0 * sum(score) END AS x FROM player GROUP BY kind ORDER BY x, kind LIMIT 2",
    "SELECT team % 2 AS half, (team % 2) || '/' || count(*), max(team % 2, count(*)) FROM player GROUP BY half ORDER BY 1",
    "SELECT lower(kind) || count(*), max(count(*), length(lower(kind))) FROM player GROUP BY lower(kind) ORDER BY lower(kind)",
    "SELECT kind AS k, kind || count(*) AS l FROM player GROUP BY k HAVING k || l > 'a' AND l <> 'a2' ORDER BY l DESC",
    "SELECT DISTINCT kind, team FROM player ORDER BY kind || team, team",
    "SELECT x || y, count(*) FROM (SELECT kind || count(*) AS x, team AS y FROM player GROUP BY kind, team) GROUP BY x, y ORDER BY x, y",
    "SELECT t.id, json_object('name', t.name, 'players', json_group_array(p.score)) FROM team t JOIN player p ON p.team = t.id GROUP BY t.id ORDER BY t.id",
    "SELECT id || count(*) FROM player p GROUP BY p.id ORDER BY id LIMIT 4",
    "SELECT max(score), kind || id FROM player GROUP BY team ORDER BY team",
    "SELECT id, CAST(count(*) AS TEXT), CAST(sum(real) AS real), CAST(count(*) AS VARCHAR) || kind FROM word GROUP BY id ORDER BY id",
    "SELECT team, kind || ' ' || max(score) || ' of ' || count(*), kind FROM player GROUP BY team ORDER BY team",
    "SELECT kind, count(*) FROM player GROUP BY kind ORDER BY kind NULLS LAST",
    "SELECT kind, nullif(count(*), 2) AS n FROM player GROUP BY kind ORDER BY n DESC NULLS FIRST, 1 NULLS FIRST LIMIT 3",
    "SELECT id, kind FROM player ORDER BY kind COLLATE NOCASE NULLS LAST, id DESC LIMIT 6",
    "SELECT kind, id FROM player ORDER BY kind DESC NULLS FIRST",
    "SELECT kind AS k, 1 FROM player UNION ALL SELECT code, 2 FROM team ORDER BY k NULLS LAST, 2",
    "SELECT team, sum(score) FROM player GROUP BY team HAVING abs(sum(score)) > 2 AND team IS NOT NULL ORDER BY team",
    "SELECT date(id * 86400, 'unixepoch') AS d, count(*) FROM player GROUP BY d ORDER BY d",
    "SELECT team, strftime('%d', max(id), 'unixepoch'), date(round(max(score)) * 86400, 'unixepoch') FROM player GROUP BY team ORDER BY team",
    "SELECT julianday('2024-01-0' || (id % 5 + 1)), id FROM player ORDER BY id LIMIT 7",
  ])
  func `expressions of keys and aggregates are what SQLite computes`(_ sql: String) throws {
    try StateScene(sql, [], Self.schema).expectTruth(
      steps: 400, atLeast: 250, changing: Self.statement)
  }

  /// Each is refused for what isn't certain.
  @Test(arguments: [
    "SELECT kind, count(*) + (SELECT count(*) FROM team t WHERE t.name = kind) FROM player GROUP BY kind ORDER BY kind",
    // As a column it would be compared by BINARY, whatever it is compared with.
    "SELECT lower(name) = code || count(*) FROM team GROUP BY lower(name) ORDER BY lower(name)",
    "SELECT json_array(json_array(team), count(*)) FROM player GROUP BY json_array(team) ORDER BY 1",
    "SELECT DISTINCT kind FROM player ORDER BY kind || team",
    // It may be the column or the word.
    "SELECT id, CASE WHEN count(*) > 1 THEN 1 ELSE 0 END FROM word GROUP BY id ORDER BY id",
    "SELECT text, text || count(*) FROM word GROUP BY text ORDER BY 1",
    // It may be the text `now`.
    "SELECT date('{\"a\":' || kind ->> '$.a'), count(*) FROM player GROUP BY 1 ORDER BY 1",
    "SELECT date(kind || 'w'), count(*) FROM player GROUP BY 1 ORDER BY 1",
    "SELECT date(CASE WHEN id + 1 > 2 THEN kind END) FROM player ORDER BY id",
    "SELECT team, count(*) FROM player GROUP BY team HAVING abs(team) > 1 ORDER BY team",
    "SELECT id, lag(id) OVER (PARTITION BY team ORDER BY kind NULLS LAST) FROM player ORDER BY id",
  ])
  func `what depends on more has the query run`(_ sql: String) {
    #expect(throws: NotMaintainable.self) { _ = try StateScene(sql, [], Self.schema) }
  }

  @Test func `a column that differs within a group has the query run`() throws {
    let scene = try StateScene(
      "SELECT kind, team || '/' || count(*) FROM player GROUP BY kind ORDER BY kind", [],
      Self.schema)
    #expect(try scene.change("INSERT INTO player VALUES (1, 7, 'a', 1), (2, 7, 'a', 2)"))
    #expect(scene.rows == [["a", "7/2"]])
    _ = try scene.change("UPDATE player SET team = 8 WHERE id = 2")
    #expect(scene.rows == nil && scene.reason == "team is neither grouped nor aggregated")
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 0..<20, using: &random)
    let kind = ["'a'", "'b'", "'B'", "NULL"].randomElement(using: &random)!
    let team = Int.random(in: 0..<4, using: &random)
    let size = ["3", "'3'", "2.5", "NULL", "'x'", "4"].randomElement(using: &random)!
    let code = ["'2'", "'a'", "'3'", "NULL"].randomElement(using: &random)!
    return switch Int.random(in: 0..<8, using: &random) {
    case 0...3: "INSERT OR REPLACE INTO player VALUES (\(id), \(team), \(kind), \(id % 3))"
    case 4: "DELETE FROM player WHERE id % 6 = \(id % 6)"
    case 5: "UPDATE player SET team = \(team) WHERE id % 5 = \(id % 5)"
    case 6: "UPDATE player SET kind = \(kind) WHERE id = \(id)"
    case 7 where id % 2 == 0:
      "INSERT OR REPLACE INTO word VALUES (\(id % 5), \(code), \(team), \(kind), 1)"
    default: "INSERT OR REPLACE INTO team VALUES (\(team), \(kind), \(code), \(size), \(size))"
    }
  }
}
