import Testing

@testable import ObservationEngine

/// What is said of a query for the user: where the reason against it stands, or what its state is made of.
@Suite struct RefusalPlaceTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
    CREATE TABLE team (name TEXT PRIMARY KEY, city TEXT);
    CREATE VIEW best AS SELECT name COLLATE NOCASE AS n FROM player;
    CREATE VIEW dark AS SELECT random() AS r FROM player;
    CREATE VIEW plain AS SELECT id, name, team, score FROM player WHERE score > 3
    """

  private func place(_ sql: String) throws -> String? {
    do {
      _ = try StateScene(sql, [], Self.schema)
      Issue.record("\(sql) is maintained")
      return nil
    } catch let refusal as NotMaintainable {
      return "\(refusal.reason) (\(refusal.placeText(in: sql) ?? "all of it"))"
    }
  }

  @Test(arguments: [
    ("SELECT DISTINCT name FROM player", "its rows have no order: add ORDER BY (all of it)"),
    (
      "SELECT team,\n  count(*),\n  json_array(max(json_array(id)))\nFROM player GROUP BY team ORDER BY team",
      "an expression of the least or greatest JSON (line 3: json_array(max(json_array(id))))"
    ),
    (
      "SELECT team FROM player\nORDER BY team COLLATE\tRTRIM",
      "COLLATE (line 2: team COLLATE RTRIM)"
    ),
    (
      "SELECT team\nFROM player AS p\nWHERE score > (SELECT score FROM player LIMIT 1)\nORDER BY id",
      "a SELECT as a value whose first row isn't certain: end its ORDER BY with the key (line 3: SELECT score FROM player LIMIT 1)"
    ),
    (
      "SELECT name FROM (\n  SELECT name, score FROM player LIMIT 5)\nORDER BY name",
      "the rows of a part of it have no order: add ORDER BY before LIMIT (line 2: SELECT name, score FROM player LIMIT 5)"
    ),
    (
      "SELECT n FROM best ORDER BY n",
      "COLLATE (view best: name COLLATE NOCASE AS)"
    ),
    ("SELECT r FROM dark ORDER BY r", "it calls random() (view dark: random())"),
    (
      "SELECT name FROM player ORDER BY abs(random()) + 100000000000000000000 + 200000000000000000000 + 3",
      "it calls random() (line 1: abs(random()) + 100000000000000000000 + 2000000000000000000…)"
    ),
    (
      "SELECT team FROM player GROUP BY team UNION ALL\nSELECT random() FROM player",
      "its 2nd SELECT: it calls random() (line 2: random())"
    ),
  ])
  func `a refusal says where its reason stands`(_ sql: String, _ said: String) throws {
    let place = try place(sql)
    #expect(place == said)
  }

  @Test(arguments: [
    ("SELECT name FROM player ORDER BY score DESC, id LIMIT 10", "rows of player, up to the 10th"),
    ("SELECT count(*), sum(score) FROM player", "totals of player"),
    (
      "SELECT city, count(*) FROM player JOIN team ON team.name = team GROUP BY city ORDER BY 1",
      "groups of player and team"
    ),
    (
      "SELECT id FROM player WHERE EXISTS (SELECT 1 FROM team WHERE team.name = player.team) ORDER BY id",
      "rows of player and team by rows of player"
    ),
    (
      "SELECT id, rank() OVER (PARTITION BY team ORDER BY score) FROM player ORDER BY id",
      "rows of player by partitions"
    ),
    ("SELECT name FROM plain ORDER BY id", "rows of player"),
    (
      "SELECT max(n) FROM (SELECT team, count(*) AS n FROM player GROUP BY team)",
      "totals of player, with groups of a SELECT in FROM"
    ),
    (
      "SELECT name FROM player UNION SELECT name FROM team ORDER BY 1",
      "groups of player, and groups of team, as a set"
    ),
  ])
  func `a plan is named`(_ sql: String, _ said: String) throws {
    #expect(try StateScene(sql, [], Self.schema).query.summary == said)
  }
}
