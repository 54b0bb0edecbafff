import Testing

@testable import ObservationEngine

/// Which queries have a plan, what it reads, and why the others have none.
struct MaintenancePlanTests {
  private static let tables = [
    "player": table("player", ["id", "name", "team", "score", "joined"]),
    "team": table("team", ["id", "title"]),
    "descending": table("descending", ["team"], hasDescendingIndex: true),
    "keyed": table("keyed", ["k", "v"], keyPlaces: [0]),
    "rated": table("rated", ["id", "rate"]),
  ]
  private static let views = [
    "best": "SELECT name, score * 2 AS double FROM player WHERE score > 7",
    "totals": "SELECT team, sum(score) AS total FROM player GROUP BY team",
  ]

  private static func table(
    _ name: String, _ columns: [String], keyPlaces: [Int] = [], hasDescendingIndex: Bool = false
  ) -> MaintainedTable {
    MaintainedTable(
      id: TableID(name: name), name: name,
      columns: columns.map {
        MaintainedTable.Column(
          name: $0, foldedName: $0,
          affinity: $0 == "score" ? .integer : $0 == "rate" ? .real : .text, collation: .binary)
      }, identity: keyPlaces.isEmpty ? ["rowid"] : keyPlaces.map { columns[$0].quotedIdentifier },
      keyPlaces: keyPlaces, hasDescendingIndex: hasDescendingIndex)
  }

  private func plan(_ sql: String) throws -> MaintenancePlan {
    let select = try SelectText(sql)
    let sources = try QuerySources(select) { _, name in
      if let view = Self.views[name] {
        return .view(
          try SelectText.selects(ofView: view), columns: name == "best" ? ["n", "d"] : ["a", "b"])
      }
      guard let table = Self.tables[name] else { throw NotMaintainable("no table \(name)") }
      return .table(table)
    }
    return try MaintenancePlan(select, sources)
  }

  private func reason(_ sql: String) -> String? {
    do {
      _ = try plan(sql)
      return nil
    } catch {
      return (error as? NotMaintainable)?.reason ?? "\(error)"
    }
  }

  @Test func `a delta reads the user's expressions of the changed rows`() throws {
    let top = try plan("SELECT p.name, score s FROM player AS p WHERE score > ? ORDER BY s DESC, 1")
    #expect(
      top.deltaSQL(1)
        == #"""
        SELECT "p"."livequery weight", "p".rowid, score, p.name, p.name, score \#
        FROM "livequery delta player" AS "p" WHERE score > ?1
        """#)
    #expect(
      top.stateSQL(count: 7)
        == #"""
        SELECT 1, "p".rowid, score, p.name, p.name, score \#
        FROM "main"."player" AS "p" WHERE score > ?1 ORDER BY 3 DESC, 4, 2 LIMIT 7
        """#)
    let teams = try plan(
      "SELECT team, 1 + sum(score) / count(*) FROM player GROUP BY player.team ORDER BY sum(score)")
    #expect(
      teams.deltaSQL(1)
        == #"""
        SELECT "player"."livequery weight", player.team, score \#
        FROM "livequery delta player" AS "player"
        """#)
    guard case .groups(let shape) = teams.shape else {
      Issue.record("groups were expected")
      return
    }
    #expect(shape.finishSQL == "SELECT 1 + ?1 / ?2")
    #expect(shape.outputs == [.key(0), .expression(0)])
    #expect(shape.order == [.aggregate(0)])
    let ratios = try plan(
      "SELECT p.team || ': ' || count(*) / p.score FROM player p GROUP BY team ORDER BY team")
    guard case .groups(let shape) = ratios.shape else {
      Issue.record("groups were expected")
      return
    }
    #expect(
      shape.finishSQL
        == #"""
        SELECT c0 || ': ' || ?1 / c1 FROM "livequery delta all of keys of text integer"
        """#)
    // The score isn't grouped: it must be the same for all players of a team.
    #expect(
      shape.finished.map(\.source) == [.key(0), .key(1)] && shape.determined?.groupedCount == 1)
  }

  @Test func `each set of changed tables is a term of a join`() throws {
    let plan = try plan(
      "SELECT p.name FROM player p CROSS JOIN team t ON p.team = t.id, keyed ORDER BY t.title, v")
    #expect(
      plan.deltaSQL(0b001)
        == #"""
        SELECT "p"."livequery weight", "p".rowid, "t".rowid, "keyed"."k", t.title, v, p.name \#
        FROM "livequery delta player" AS "p" JOIN "main"."team" AS "t" ON p.team = t.id, \#
        "main"."keyed" AS "keyed"
        """#)
    let two = plan.deltaSQL(0b011)
    #expect(two.hasPrefix(#"SELECT -"p"."livequery weight" * "t"."livequery weight", "#))
    #expect(
      two.contains(#""livequery delta player" AS "p" JOIN "livequery delta team" AS "t" ON"#))
    #expect(
      plan.deltaSQL(0b111).hasPrefix(
        #"SELECT "p"."livequery weight" * "t"."livequery weight" * "keyed"."livequery weight", "#))
  }

  @Test func `views and SELECTs in FROM hand their rows through`() throws {
    let plan = try plan(
      "SELECT d, count(*) FROM best b, (SELECT * FROM team) WHERE n = title GROUP BY d")
    #expect(
      plan.deltaSQL(0b01)
        == #"""
        SELECT "b"."livequery weight 0", d FROM (SELECT name AS "n", score * 2 AS "d", \#
        "player"."livequery weight" AS "livequery weight 0", "player".rowid AS "livequery key 0 0" \#
        FROM "livequery delta player" AS "player" WHERE score > 7) AS "b", \#
        (SELECT "team"."id" AS "id", "team"."title" AS "title", "team".rowid AS "livequery key 1 0" \#
        FROM "main"."team" AS "team") AS "livequery part 2" WHERE n = title
        """#)
    let named = try self.plan(
      "WITH w AS MATERIALIZED (SELECT id FROM team) SELECT * FROM w AS x JOIN w ON x.id = w.id ORDER BY 1"
    )
    #expect(named.sources.leaves == [0, 0])
    #expect(named.outputCount == 2)
  }

  @Test(
    arguments: [
      (
        "SELECT name FROM player p WHERE EXISTS (SELECT * FROM team WHERE title = p.team AND id > 1) ORDER BY id",
        [
          1: #"""
          SELECT DISTINCT "k0".rowid FROM "livequery delta team" AS "k1" CROSS JOIN "main"."player" AS "k0" \#
          WHERE "k1"."title" = "k0"."team"
          """#
        ]
      ),
      (
        "SELECT p.name, title FROM player p LEFT JOIN team t ON t.id = p.team AND p.score = 1 ORDER BY 1",
        [
          1: #"""
          SELECT DISTINCT "k0".rowid FROM "livequery delta team" AS "k1" CROSS JOIN "main"."player" AS "k0" \#
          WHERE "k1"."id" = "k0"."team"
          """#
        ]
      ),
      (
        "SELECT count(*) FROM player WHERE team IN (SELECT title FROM team JOIN keyed ON (v = id) WHERE v > 1)",
        [
          1: #"""
          SELECT DISTINCT "k0".rowid FROM "livequery delta team" AS "k1" CROSS JOIN "main"."player" AS "k0" \#
          WHERE "k1"."title" = "k0"."team"
          """#,
          2: #"""
          SELECT DISTINCT "k0".rowid FROM "livequery delta keyed" AS "k2" CROSS JOIN "main"."team" AS "k1" \#
          CROSS JOIN "main"."player" AS "k0" WHERE "k2"."v" = "k1"."id" AND "k1"."title" = "k0"."team"
          """#,
        ]
      ),
      (
        "SELECT id, (SELECT max(score) FROM player q WHERE q.team = p.team) FROM player p ORDER BY 2",
        [
          1: #"""
          SELECT DISTINCT "k0".rowid FROM "livequery delta player" AS "k1" CROSS JOIN "main"."player" AS "k0" \#
          WHERE "k1"."team" = "k0"."team"
          """#
        ]
      ),
      ("SELECT id FROM player WHERE score > (SELECT max(id) FROM team) ORDER BY id", [:]),
      (
        "SELECT id FROM player p WHERE EXISTS (SELECT * FROM team WHERE id = p.id OR 1) ORDER BY id",
        [:]
      ),
      (
        "SELECT id FROM player p WHERE EXISTS (SELECT * FROM team t WHERE 1 BETWEEN 0 AND t.id = p.id) ORDER BY 1",
        [
          1: #"""
          SELECT DISTINCT "k0".rowid FROM "livequery delta team" AS "k1" CROSS JOIN "main"."player" AS "k0" \#
          WHERE (1 BETWEEN 0 AND "k1"."id" = "k0"."id" )
          """#
        ]
      ),
      ("SELECT id FROM player WHERE id + 1 IN (SELECT id FROM team) ORDER BY id", [:]),
      (
        "SELECT p.id FROM player p LEFT JOIN keyed k ON k.k = p.id "
          + "WHERE k.v NOT IN (SELECT title FROM team) ORDER BY p.id",
        [
          1: #"""
          SELECT DISTINCT "k0".rowid FROM "livequery delta keyed" AS "k1" CROSS JOIN "main"."player" AS "k0" \#
          WHERE "k1"."k" = "k0"."id"
          """#
        ]
      ),
      (
        "SELECT id FROM player WHERE id IN (SELECT count(*) FROM team GROUP BY title) ORDER BY id",
        [:]
      ),
    ] as [(String, [Int: String])])
  func `a row of a table that isn't joined leads to those of the owner`(
    _ sql: String, _ expected: [Int: String]
  ) throws {
    guard case .owner(let owner) = try plan(sql).method else {
      Issue.record("\(sql) has no owner")
      return
    }
    #expect(owner.leaf == 0)
    #expect(owner.dirtySQL == expected)
    #expect(owner.sql.contains(#"rowid IN (SELECT rowid FROM "livequery delta player")"#))
  }

  /// Of which the query plan has their steps.
  @Test(arguments: [
    (
      "SELECT q.a, count(*) FROM (SELECT team AS a, sum(score) FROM player GROUP BY team) AS q GROUP BY 1",
      ["q"]
    ),
    (
      "SELECT a FROM (SELECT team AS a, sum(score) FROM player GROUP BY team), team AS q ORDER BY 1",
      [""]
    ),
    ("SELECT q.a FROM totals AS q JOIN totals ON totals.a = q.a ORDER BY 1", ["totals", "totals"]),
    (
      "WITH w AS (SELECT team, sum(score) FROM player GROUP BY team) SELECT q.team FROM w AS q ORDER BY 1",
      ["w"]
    ),
  ])
  func `parts have the names that SQLite gives them`(_ sql: String, _ names: [String]) throws {
    #expect(try plan(sql).sources.parts.map(\.name) == names)
  }

  private static let owned = #"IN (SELECT rowid FROM "livequery delta player")"#

  /// What is in a list, and concerns no row that is evaluated again, isn't read.
  @Test(arguments: [
    (
      "SELECT id FROM player WHERE team IN (SELECT title FROM team) ORDER BY id",
      #"""
      (team IN (SELECT title FROM team WHERE title IN (SELECT "k0"."team" FROM "main"."player" AS "k0" \#
      WHERE "k0".rowid \#(owned))))
      """#
    ),
    (
      "SELECT p.id FROM player p JOIN team t ON t.id = p.id "
        + "WHERE t.title IN (SELECT q.name FROM player q WHERE q.id > 3 OR q.id = 1 GROUP BY q.name, q.id) ORDER BY 1",
      #"""
      (t.title IN (SELECT q.name FROM player q WHERE (q.id > 3 OR q.id = 1) AND q.name IN (SELECT \#
      "k1"."title" FROM "main"."player" AS "k0" CROSS JOIN "main"."team" AS "k1" \#
      WHERE "k1"."id" = "k0"."id" AND "k0".rowid \#(owned)) GROUP BY q.name, q.id))
      """#
    ),
  ])
  func `a list has only what can equal an operand in the owner's rows`(
    _ sql: String, _ expected: String
  ) throws {
    guard case .owner(let owner) = try plan(sql).method else {
      Issue.record("\(sql) has no owner")
      return
    }
    #expect(owner.sql.contains(expected), "\(owner.sql)")
  }

  @Test func `lists that NULL turns around, and sums in expressions, need rules`() throws {
    func rules(_ sql: String) throws -> Set<String> {
      Set(try plan(sql).sources.dependencies.rules.map(\.kind.rawValue))
    }
    let list = "team IN (SELECT title FROM team)"
    #expect(try rules("SELECT id FROM player WHERE \(list) ORDER BY id") == [])
    #expect(try rules("SELECT id FROM player WHERE (\(list) AND id > 1) ORDER BY id") == [])
    #expect(
      try rules("SELECT id FROM player WHERE team NOT IN (SELECT title FROM team) ORDER BY id")
        == ["NULL in a list"])
    #expect(
      try rules("SELECT id FROM player WHERE \(list) OR id = 1 ORDER BY id") == ["NULL in a list"])
    #expect(try rules("SELECT \(list), id FROM player ORDER BY id") == ["NULL in a list"])
    let sum = "(SELECT avg(q.score) FROM player q WHERE q.team = p.team)"
    #expect(
      try rules("SELECT id FROM player p WHERE score > \(sum) ORDER BY id")
        == ["a sum of other values than small whole numbers"])
  }

  @Test func `parameters keep their numbers`() throws {
    let plan = try plan(
      "SELECT count(*) + ?, max(score + :x) FROM player WHERE team = :x AND name <> ?")
    #expect(
      plan.deltaSQL(1)
        == #"""
        SELECT "player"."livequery weight", score + ?2 \#
        FROM "livequery delta player" AS "player" WHERE team = ?2 AND name <> ?3
        """#)
    guard case .groups(let shape) = plan.shape else {
      Issue.record("groups were expected")
      return
    }
    #expect(shape.finishSQL == "SELECT ?4 + ?1")
  }

  @Test(arguments: [
    "SELECT count(*) FROM player", "SELECT count() n FROM player WHERE score BETWEEN 1 AND 2;",
    "SELECT max(score) AS best FROM main.player x WHERE x.team IN ('a', 'b')",
    "SELECT team t, count(*) FROM player GROUP BY t", "SELECT team FROM player GROUP BY 1",
    "SELECT team || '!', avg(score) FROM player GROUP BY team || '!' ORDER BY 2 LIMIT ?",
    "SELECT * FROM player ORDER BY score DESC LIMIT 10 OFFSET 5",
    "SELECT player.* FROM player ORDER BY id", "SELECT id FROM player ORDER BY 1 LIMIT 5, 10",
    "SELECT CASE WHEN score > 5 THEN 'a' ELSE 'b' END FROM player ORDER BY score, max(id, 3)",
    "SELECT round(avg(score), 1) || ' points' FROM player WHERE name LIKE 'a%'",
    "SELECT DISTINCT team FROM player ORDER BY 1", "SELECT ALL id FROM player ORDER BY 1",
    "SELECT count(DISTINCT team), max(DISTINCT score) FROM player",
    "SELECT count(*) FILTER (WHERE id > 3) AS n, sum(score) FILTER (WHERE id) FROM player",
    "SELECT team, count(*) FROM player GROUP BY team HAVING count(*) > 1 AND max(score) < ?",
    "SELECT count(*) FROM player a, player b WHERE a.id = b.score",
    "SELECT t.title, sum(p.score) FROM player p INNER JOIN team t ON t.id = p.team GROUP BY title",
    "SELECT title, player.name FROM player JOIN team USING (id) ORDER BY id",
    "SELECT v FROM keyed ORDER BY k", "SELECT n FROM best ORDER BY d DESC LIMIT 3",
    "SELECT strftime('%Y-%m', joined, 'start of month') m, count(*) FROM player GROUP BY m",
    "SELECT max(julianday(joined) - julianday(date(joined))) FROM player",
    "WITH w AS (SELECT team, score FROM player) SELECT team, sum(score) FROM w GROUP BY team",
    "SELECT name, title FROM player LEFT JOIN team ON team.id = team ORDER BY name",
    "SELECT team.id, count(player.id) FROM team LEFT JOIN player ON team = title GROUP BY 1",
    "SELECT id FROM player WHERE id IN (SELECT id FROM team) ORDER BY 1",
    "SELECT count(*) FROM (SELECT score FROM player WHERE score > 5) JOIN team",
    "SELECT a FROM totals ORDER BY 1", "SELECT 1 FROM (SELECT DISTINCT id FROM team) ORDER BY 1",
    "WITH t(a) AS (SELECT id FROM team) SELECT * FROM t ORDER BY a",
    "SELECT n, count(*) FROM (SELECT team, count(*) AS n FROM player GROUP BY team) GROUP BY n",
    "SELECT title, b FROM team LEFT JOIN totals ON a = title ORDER BY team.id",
    "SELECT id FROM player WHERE name LIKE 'in%' AND team GLOB ?1 AND score LIKE '1%' ORDER BY 1",
    "SELECT id FROM player WHERE score NOT LIKE 'in%' AND score LIKE '%n' ORDER BY 1",
    "SELECT id FROM player WHERE score LIKE 'Info%' OR score GLOB '[In]*' OR score LIKE '1.0e+2%' ORDER BY 1",
    "SELECT rate IN (1, 2) FROM rated ORDER BY rate",
    "SELECT id IN (1, 2), count(*) FROM rated GROUP BY 1",
    "SELECT id, (SELECT count(*) FROM team WHERE title = score) FROM player ORDER BY 1",
    "SELECT id FROM player WHERE score = (SELECT max(score) FROM player) ORDER BY 1 LIMIT 5",
    "SELECT id FROM player WHERE score = true AND (SELECT count(*) FROM team) = score ORDER BY 1 LIMIT 5",
    """
    SELECT id, (SELECT count(*) FROM (SELECT DISTINCT score FROM player p WHERE p.team = title) q WHERE q.score > 5)
    FROM team ORDER BY id
    """,
    "SELECT id FROM team WHERE id IN (SELECT p.t FROM (SELECT team AS t FROM player GROUP BY team) p) ORDER BY 1",
  ])
  func `these have a plan`(_ sql: String) { #expect(reason(sql) == nil) }

  @Test(arguments: [
    ("INSERT INTO player DEFAULT VALUES", "it isn't a SELECT"),
    ("WITH t AS (SELECT 1) SELECT * FROM t ORDER BY 1", "its columns aren't recognised"),
    (
      "WITH t(a, b) AS (SELECT id FROM team) SELECT * FROM t ORDER BY 1",
      "its columns aren't recognised"
    ),
    (
      "WITH RECURSIVE t(id) AS (SELECT min(id) FROM team UNION ALL SELECT id + 1 FROM t WHERE id < 5) SELECT count(*) FROM t",
      "WITH RECURSIVE that reads a table"
    ),
    ("SELECT 1", "it reads no table"),
    ("SELECT id FROM player", "its rows have no order: add ORDER BY"),
    ("SELECT DISTINCT team FROM player", "its rows have no order: add ORDER BY"),
    ("SELECT DISTINCT count(*) FROM player ORDER BY 1", "DISTINCT of aggregates"),
    ("SELECT count(*) FROM player WHERE id IS DISTINCT FROM 1", "IS DISTINCT FROM"),
    ("SELECT count(*) FROM player RIGHT JOIN team ON 1", "RIGHT JOIN"),
    ("SELECT count(*) FROM player NATURAL JOIN team", "NATURAL JOIN"),
    ("SELECT count(*) FROM player JOIN team USING ('id')", "a name in single quotes"),
    ("SELECT like n FROM player ORDER BY n", "a column that is named like"),
    (
      "SELECT id, (SELECT count(*) + rowid FROM team) FROM player ORDER BY id",
      "rowid is neither grouped nor aggregated"
    ),
    (
      "SELECT count(*) FROM player WHERE id BETWEEN 1 AND name = datetime('now')",
      "it depends on the time other than by comparing a column with it"
    ),
    (
      "SELECT count(*) FROM player WHERE id IS NOT name = datetime('now')",
      "it depends on the time other than by comparing a column with it"
    ),
    ("SELECT * FROM player JOIN team USING (id) ORDER BY 1", "* with USING"),
    ("SELECT (SELECT 1) FROM player ORDER BY 1", "it reads no table"),
    ("SELECT id FROM player WHERE id IN (VALUES (1)) ORDER BY 1", "VALUES in an expression"),
    ("SELECT id FROM player UNION ALL VALUES (1)", "its 2nd SELECT: VALUES"),
    ("SELECT (SELECT id FROM team) FROM player ORDER BY 1", "a SELECT of several rows as a value"),
    (
      "SELECT id FROM player WHERE id IN (SELECT id FROM team LIMIT 1) ORDER BY 1",
      "LIMIT in a part of it"
    ),
    (
      "SELECT id FROM player WHERE id = (SELECT max(title) || id FROM team) ORDER BY 1",
      "id is neither grouped nor aggregated"
    ),
    (
      "SELECT id FROM player WHERE id = (SELECT sum(id + 1) FROM team) ORDER BY 1",
      "an aggregate of an expression in a SELECT in an expression"
    ),
    (
      "SELECT id FROM player WHERE score GLOB 'In*' ORDER BY 1", "a pattern that numbers may match"
    ),
    ("SELECT id FROM player WHERE +name LIKE 'I%' ORDER BY 1", "a pattern that numbers may match"),
    (
      "SELECT id FROM player WHERE score LIKE '-inf' ORDER BY 1",
      "a pattern that numbers may match"
    ),
    ("SELECT id FROM player WHERE score LIKE ?1 ORDER BY 1", "a pattern that numbers may match"),
    (
      "SELECT id FROM player WHERE score LIKE '1.0e%' ORDER BY 1",
      "a pattern that numbers may match"
    ),
    (
      "SELECT id FROM player WHERE score GLOB '-2e+*' ORDER BY 1",
      "a pattern that numbers may match"
    ),
    (
      "SELECT rate, rate IN (1, 2) FROM rated GROUP BY rate ORDER BY 1",
      "IN of what may be a REAL value, in a SELECT with groups"
    ),
    (
      "SELECT count(*) FROM rated GROUP BY (id) NOT IN (1, 2) ORDER BY 1",
      "IN of what may be a REAL value, in a SELECT with groups"
    ),
    (
      "SELECT id, (SELECT max(title) FROM team WHERE title = score) FROM player ORDER BY 1",
      "an equation of values of different types in a SELECT in an expression"
    ),
    (
      "SELECT id, (SELECT count(DISTINCT title) FROM team WHERE title = score) FROM player ORDER BY 1",
      "an equation of values of different types in a SELECT in an expression"
    ),
    (
      """
      SELECT id FROM player WHERE NOT EXISTS (SELECT 1 FROM team WHERE title = score GROUP BY title HAVING count(*) > 1)
      ORDER BY 1
      """, "an equation of values of different types in a SELECT in an expression"
    ),
    (
      """
      SELECT id, (SELECT count(*) FROM (SELECT DISTINCT title FROM team WHERE title = score) AS p) FROM player ORDER BY 1
      """,
      "DISTINCT or groups of values that may differ, in FROM of a SELECT in an expression"
    ),
    (
      "SELECT id, (SELECT max(title) FROM team WHERE team.id < sum(score)) FROM player ORDER BY 1",
      "an aggregate in a SELECT in an expression of columns around it"
    ),
    (
      "SELECT id FROM player WHERE EXISTS (SELECT 1 FROM team JOIN keyed ON k < count(score)) ORDER BY 1",
      "an aggregate in a SELECT in an expression of columns around it"
    ),
    (
      "SELECT id FROM team WHERE EXISTS (SELECT 1 FROM (SELECT score FROM player LIMIT 1) WHERE score > 2) ORDER BY 1",
      "LIMIT in FROM of a SELECT in an expression"
    ),
    (
      "SELECT id FROM team WHERE EXISTS (SELECT 1 FROM (SELECT DISTINCT score + 1 AS s FROM player)) ORDER BY 1",
      "DISTINCT or groups of values that may differ, in FROM of a SELECT in an expression"
    ),
    (
      "SELECT id FROM team WHERE EXISTS (SELECT 1 FROM (SELECT * FROM player GROUP BY team)) ORDER BY 1",
      "DISTINCT or groups of values that may differ, in FROM of a SELECT in an expression"
    ),
    (
      "WITH w AS (SELECT id FROM team) SELECT id FROM player WHERE id IN (SELECT id FROM w) ORDER BY 1",
      "a SELECT in an expression reads what WITH names"
    ),
    (
      "SELECT n FROM (SELECT count(*) AS n FROM team LIMIT 1) ORDER BY 1",
      "the rows of a part of it have no order: add ORDER BY before LIMIT"
    ),
    (
      "SELECT n FROM (SELECT CAST(team AS INT) AS n FROM player GROUP BY 1) ORDER BY 1",
      "a column of a part, or of groups, whose affinity isn't certain"
    ),
    (
      "SELECT id FROM (SELECT id FROM team ORDER BY 1)",
      "a part of it is sorted, and the rest isn't: add ORDER BY"
    ),
    ("SELECT * FROM (SELECT id + 1 FROM team) ORDER BY 1", "its columns aren't recognised"),
    (
      "SELECT date(joined, 'localtime') FROM player ORDER BY 1",
      "it calls date() with what isn't constant"
    ),
    ("SELECT date(joined || '') FROM player ORDER BY 1", "it calls date() with an expression"),
    (
      "SELECT strftime('%Y') FROM player ORDER BY 1",
      "it sorts by what it computes with the same value for all rows"
    ),
    ("SELECT count(*) FROM player HAVING count(*) > 1", "HAVING without GROUP BY"),
    ("SELECT 1 FROM player UNION SELECT 2 FROM player", "UNION in a part of it"),
    (
      "SELECT *, -id AS name FROM player ORDER BY name",
      "it sorts by name, which several columns are named"
    ),
    (
      "SELECT DISTINCT *, -id AS name FROM player ORDER BY name",
      "it sorts by name, which several columns are named"
    ),
    ("SELECT 1 FROM (SELECT id FROM team UNION ALL SELECT 2)", "it reads no table"),
    (
      "SELECT 1 FROM (SELECT id FROM team UNION SELECT id FROM player)", "UNION in a part of it"
    ),
    (
      "SELECT 1 FROM (SELECT id FROM team UNION ALL SELECT id FROM player LIMIT 3)",
      "UNION ALL with ORDER BY or LIMIT in a part of it"
    ),
    (
      "SELECT 1 FROM team WHERE id IN (SELECT 1 UNION ALL SELECT 2)", "UNION ALL in a part of it"
    ),
    (
      "SELECT count(*) FROM (SELECT id AS x FROM team UNION ALL SELECT 1 FROM team) WHERE x = '1'",
      "a column of UNION ALL in FROM whose type isn't the same in all of its SELECTs"
    ),
    (
      "SELECT x FROM (SELECT id AS x FROM team UNION ALL SELECT 1 FROM team) GROUP BY x HAVING (x, count(*)) = ('1', 2)",
      "a column of UNION ALL in FROM whose type isn't the same in all of its SELECTs"
    ),
    (
      "SELECT y FROM (SELECT x AS y FROM (SELECT id AS x FROM team UNION ALL SELECT 1 FROM team)) ORDER BY 1",
      "a column of UNION ALL in FROM whose type isn't the same in all of its SELECTs"
    ),
    (
      "SELECT count(*) FROM (SELECT score * 1.0 AS x FROM player UNION ALL SELECT CAST(id AS REAL) FROM team)",
      "x isn't the same kind of column in all SELECTs of UNION ALL in FROM: put + before each"
    ),
    (
      "SELECT count(*) FROM (SELECT (v) AS x FROM keyed UNION ALL SELECT id FROM team)",
      "x isn't the same kind of column in all SELECTs of UNION ALL in FROM: put + before each"
    ),
    (
      "SELECT 1 FROM (SELECT id AS x, 1 AS x FROM player UNION ALL SELECT id, 2 FROM team)",
      "UNION ALL in FROM whose columns haven't each a name of their own"
    ),
    (
      "WITH team(id) AS (SELECT id FROM main.team UNION ALL SELECT id + 1 FROM team WHERE id < 5) SELECT count(*) FROM team",
      "WITH RECURSIVE that reads a table"
    ),
    (
      "SELECT count(*) FROM (SELECT id FROM team UNION ALL SELECT id FROM team) q LEFT JOIN player p ON p.id = q.id",
      "UNION ALL in FROM, beside LEFT JOIN or SELECTs in expressions"
    ),
    ("SELECT rank() OVER () FROM player ORDER BY 1", "a window function without PARTITION BY"),
    ("SELECT id FROM player ORDER BY name COLLATE RTRIM", "COLLATE"),
    ("SELECT id FROM player ORDER BY id LIMIT 1 + 1", "its LIMIT is an expression"),
    ("SELECT id FROM player ORDER BY 2", "it sorts by a constant"),
    ("SELECT random() FROM player ORDER BY 1", "it calls random()"),
    ("SELECT id FROM player WHERE \"abs\"(score) > 1 ORDER BY id", "it calls abs()"),
    (
      "SELECT id FROM player WHERE name || '' > current_date ORDER BY id",
      "it depends on the time other than by comparing a column with it"
    ),
    ("SELECT id FROM player WHERE name LIKE team ORDER BY id", "a pattern that isn't constant"),
    ("SELECT id FROM player WHERE id IN player ORDER BY id", "IN with a table"),
    (
      "SELECT id FROM player WHERE score > 1 OR abs(score) > 1 ORDER BY id",
      "abs can fail, in a condition"
    ),
    (
      "SELECT id FROM player WHERE name -> 'a' BETWEEN 1 AND 2 ORDER BY id",
      "-> can fail, in a condition"
    ),
    (
      "SELECT p.id FROM player p JOIN team t ON t.name = p.team WHERE abs(p.score) > 1 ORDER BY p.id",
      "abs can fail, in a condition"
    ),
    (
      "SELECT p.id FROM player p JOIN team t ON t.name = p.team AND abs(p.score) > 1 ORDER BY p.id",
      "abs can fail, in a condition"
    ),
    (
      "SELECT abs(score) AS s, count(*) FROM player GROUP BY s HAVING s > 1",
      "abs can fail, in a condition"
    ),
    (
      "SELECT id, name ->> 'a' AS x FROM player WHERE x > 1 ORDER BY id",
      "->> can fail, in a condition"
    ),
    (
      "SELECT x FROM (SELECT abs(score) AS x FROM player) ORDER BY x",
      "abs can fail, in a part of it"
    ),
    (
      "SELECT x FROM (SELECT abs(score) AS x FROM player GROUP BY 1) ORDER BY x",
      "abs can fail, in a part of it"
    ),
    (
      "SELECT id FROM player WHERE team IN (SELECT name FROM team WHERE abs(player) > 1) ORDER BY id",
      "abs can fail, in a part of it"
    ),
    // SQLite loads columns of the first rows alone, or stops.
    ("SELECT abs(score) FROM player ORDER BY id LIMIT 3", "abs can fail, with LIMIT"),
    ("SELECT id FROM player WHERE name ->> 'a' > 1 LIMIT 3", "->> can fail, with LIMIT"),
    // It takes comparisons of rows apart.
    (
      "SELECT id FROM player WHERE (team, abs(score)) = ('a', 1) ORDER BY id",
      "abs can fail, in a condition"
    ),
    (
      "SELECT id FROM player WHERE json_valid(name, score) ORDER BY id",
      "it calls json_valid() with flags"
    ),
    (
      "SELECT id FROM player WHERE id > 1 OR replace(name, 'a', name) > 'b' ORDER BY id",
      "replace can fail, in a condition"
    ),
    (
      "SELECT printf(name, id) FROM player ORDER BY id",
      "it calls printf() with a format that isn't constant"
    ),
    (
      "SELECT printf('%*d', score, id) FROM player ORDER BY id",
      "it calls printf() with a format that isn't constant"
    ),
    (
      "SELECT *, count(*) FROM player GROUP BY 1", "it groups by a position, next to *"
    ),
    ("SELECT id FROM player WHERE name MATCH 'a' ORDER BY id", "MATCH"),
    ("SELECT id FROM player INDEXED BY x ORDER BY id", "INDEXED BY"),
    ("SELECT max(score), id FROM player", "id is neither grouped nor aggregated"),
    ("SELECT *, count(*) FROM player", "a column that is neither grouped nor aggregated"),
    ("SELECT team, id FROM player GROUP BY team, id", "its groups have no order: add ORDER BY"),
    ("SELECT group_concat(name ORDER BY id) FROM player", "ORDER BY within an aggregate"),
    ("SELECT id FROM json_each('[1]') ORDER BY 1", "a table-valued function"),
    ("SELECT id FROM player; SELECT 1", "it isn't one statement"),
  ])
  func `these have none, for a reason`(_ sql: String, _ expected: String) {
    #expect(reason(sql) == expected)
  }

  @Test func `a part with aggregates is a table of its own`() throws {
    let plan = try plan("SELECT b, count(*) FROM totals WHERE a <> 'x' GROUP BY b")
    #expect(plan.sources.parts.map(\.table) == [1])
    #expect(plan.sources.parts[0].tables == [0: 0])
    #expect(plan.sources.tables[1].columns.map(\.affinity) == [.text, .blob])
    // The sum has no affinity, as in SQLite.
    #expect(
      plan.deltaSQL(1)
        == #"""
        SELECT "totals"."livequery weight 0", b FROM (SELECT c0 AS "a", +c1 AS "b", \#
        "livequery rows 0"."livequery weight" AS "livequery weight 0", \#
        "livequery rows 0".rowid AS "livequery key 0 0" \#
        FROM "livequery delta part 0 of text blob" AS "livequery rows 0") AS "totals" WHERE a <> 'x'
        """#)
    #expect(
      plan.stateSQL(count: nil).contains(#"FROM "livequery delta all of part 0 of text blob""#))
  }

  @Test func `groups of one key come in its order unless an index is descending`() {
    let sql = "SELECT team, count(*) FROM descending GROUP BY team"
    #expect(reason(sql) == "its groups have no order: add ORDER BY")
    #expect(reason(sql + " ORDER BY team") == nil)
  }

  @Test func `a column that is named true is no literal`() throws {
    let tables = [
      "named": Self.table("named", ["id", "true"]), "player": Self.tables["player"]!,
    ]
    func looseness(_ sql: String) throws -> QuerySources.Looseness {
      try QuerySources(SelectText(sql)) { _, name in .table(tables[name]!) }.looseness
    }
    #expect(try looseness("SELECT 1 FROM player WHERE score = true AND FALSE = score") == .none)
    #expect(try looseness("SELECT 1 FROM player, named WHERE score = true") == .numbers)
    #expect(try looseness("SELECT 1 FROM player WHERE score = \"true\"") == .texts)
  }

  @Test(arguments: [
    ("SELECT player.id FROM player JOIN team ON title = score ORDER BY player.id, title", true),
    ("SELECT title AS t FROM player JOIN team ON title = score ORDER BY t", true),
    ("SELECT score, title FROM player JOIN team ON title = score ORDER BY 2", true),
    ("SELECT k FROM player JOIN team ON title = score JOIN keyed ON k = title ORDER BY k", true),
    ("SELECT player.*, title FROM player JOIN team ON title = score ORDER BY 1", true),
    ("SELECT name FROM player JOIN team ON title = score ORDER BY likely(title)", true),
    ("SELECT n FROM best JOIN team ON title = d ORDER BY n", true),
    ("SELECT d FROM best JOIN team ON title = n ORDER BY d", false),
    ("SELECT name FROM player JOIN team ON title = score ORDER BY name, title || ''", false),
    ("SELECT name FROM player JOIN team ON title = name ORDER BY title", false),
  ])
  func `a column of an equation of values that differ may not be sorted`(
    _ sql: String, _ isLoose: Bool
  ) throws {
    #expect(try plan(sql + " LIMIT 5").isSortedLoosely == isLoose)
  }

  @Test(arguments: [
    ("team USING (id)", QuerySources.Looseness.none), ("team ON team.id = score", .numbers),
    ("(SELECT title AS id FROM team) AS t USING (id)", .none),
    ("(SELECT 1 AS x, * FROM team) AS t ON t.id = score", .numbers),
    ("(SELECT title || '' AS id FROM team) AS t USING (id)", .texts),
    ("best ON n = player.id", .none), ("best ON best.d = score", .texts),
    ("team WHERE EXISTS (SELECT 1 FROM keyed WHERE k = title) AND team.id = 5", .none),
    ("team WHERE EXISTS (SELECT 1 FROM keyed WHERE k = score) AND team.id = 5", .numbers),
    ("totals AS t ON player.id = t.a", .none), ("totals AS t ON player.id = t.b", .texts),
  ])
  func `columns of a SELECT in FROM are compared as what they are`(
    _ joined: String, _ expected: QuerySources.Looseness
  ) throws {
    #expect(try plan("SELECT count(*) FROM player JOIN \(joined)").sources.looseness == expected)
  }

  @Test(
    arguments: [
      ("a = 1 AND b IS NULL OR 'x' == c", true), ("lower(a) = 'x' AND a IS NOT ?1", true),
      ("x IN (1, 2) AND t.a = -3", true), ("a = b", false), ("a + b = 5", false),
      ("lower(a) = b", true),
      ("a = (SELECT max(x) FROM t)", true), ("(SELECT max(x) FROM t) = a AND b = 1", true),
      ("a = (SELECT x FROM t)", false), ("a = (SELECT max(x) + y FROM t)", false),
      ("(a) = b", false), ("a = true", false),
      ("likely(a) = 5", false), ("a IS NOT DISTINCT FROM b", false), ("(a, b) = (1, 2)", false),
      ("a = CAST(5 AS INTEGER) AND CASE WHEN b = 1 OR b = 2 THEN 0 ELSE 1 END", false),
      ("(a = CAST(5 AS INTEGER) AND CASE WHEN b = 1 THEN 0 ELSE 1 END) AND c > 1", false),
    ])
  func `equations of columns are found at any depth`(_ condition: String, _ isHarmless: Bool) {
    let equations = Equation.all(in: SQLTokenizer.tokens(of: condition)[...])
    #expect(!equations.isEmpty)
    #expect(equations.allSatisfy(\.equatesNoColumns) == isHarmless)
  }

  @Test func `only sums for each row of another table are exact up to a count of rows`() throws {
    #expect(try !plan("SELECT team, sum(score) FROM player GROUP BY team").limitsRowCount)
    let sum = "SELECT id, (SELECT sum(score) FROM player WHERE team = t.id) AS s FROM team AS t"
    #expect(try plan("\(sum) ORDER BY id").limitsRowCount)
    let count = "SELECT id, (SELECT count(*) FROM player WHERE team = t.id) AS s FROM team AS t"
    #expect(try !plan("\(count) ORDER BY id").limitsRowCount)
  }
}
