import TestSupport
import Testing

@testable import ObservationEngine

/// Queries whose names, positions and clauses SQLite reads by rules of its own: a result that is maintained is the one
/// that SQLite returns, or the query is refused.
struct NamesInQueriesTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b INT, c TEXT, d INT);
    CREATE TABLE u(id INTEGER PRIMARY KEY, a INT, k TEXT, n INT);
    CREATE TABLE o(pk INTEGER PRIMARY KEY, oid INT, x INT, "null" INT, "end" INT);
    CREATE VIEW v(n, x) AS SELECT a AS x1, b AS n FROM t WHERE n > 15;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
    INSERT INTO t SELECT i, i * 7 % 11, i * 13 % 31, i * 5 % 17, i * 3 % 7 FROM n;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
    INSERT INTO u SELECT i, i * 7 % 11, 'k' || i, i % 9 + 10 FROM n;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
    INSERT INTO o SELECT i, i * 7 % 11, i * 5 % 9, i % 3, i % 5 FROM n;
    CREATE TABLE v1(id INTEGER PRIMARY KEY, uid INT NOT NULL, n INT NOT NULL);
    INSERT INTO v1 SELECT id, id, id + 20 FROM u;
    CREATE TABLE match(id INTEGER PRIMARY KEY, match INT);
    INSERT INTO match SELECT id, a FROM u;
    CREATE TABLE words(id INTEGER PRIMARY KEY, "desc" INT, rows INT, "first" INT);
    INSERT INTO words SELECT id, a, n, k FROM u
    """

  /// Each after the one before.
  private static let changes = [
    "UPDATE t SET a = a + 1 WHERE id % 9 = 0", "UPDATE t SET a = 2, b = 40 WHERE id = 4",
    "DELETE FROM t WHERE id = 5", "INSERT INTO t VALUES (200, 3, 16, '9', 4)",
    "UPDATE t SET b = 1, d = d + 1 WHERE id IN (7, 11, 70)",
    "UPDATE u SET a = 7, n = 3 WHERE id = 8", "UPDATE u SET a = 4, n = 3 WHERE id = 8",
    "UPDATE u SET a = NULL, n = 3 WHERE id = 8", "UPDATE u SET a = 3, n = 5 WHERE id = 8",
    "UPDATE u SET a = 3, n = 3 WHERE id = 9", "UPDATE u SET a = 4, n = 5 WHERE id = 9",
    "UPDATE u SET a = 8 WHERE id = 8", "UPDATE u SET a = 9 WHERE id = 8",
    "DELETE FROM v1 WHERE uid = 4", "INSERT INTO u VALUES (30, 1, 'new', 12)",
    "UPDATE u SET a = 10, n = 10 WHERE id IN (9, 10)", "UPDATE u SET a = 1, n = 10 WHERE id = 10",
    "UPDATE u SET n = 12 WHERE id = 10", "UPDATE u SET n = 2 WHERE id = 5",
    "UPDATE u SET n = 1 WHERE id = 5",
    "DELETE FROM u WHERE id > 15", "UPDATE o SET oid = 2, \"null\" = 9 WHERE pk = 3",
    "UPDATE o SET x = 3, \"end\" = 7 WHERE pk IN (3, 8)", "UPDATE match SET match = 5 WHERE id = 3",
    "UPDATE words SET \"desc\" = 3, rows = 1 WHERE id = 3",
    "UPDATE words SET \"first\" = 'z' WHERE id = 4",
  ]

  @Test(arguments: [
    // Parentheses and signs around positions and aliases.
    "SELECT b, id FROM t WHERE a < 3 ORDER BY (1), id",
    "SELECT b, id FROM t WHERE a < 3 ORDER BY +1, id",
    "SELECT b, id FROM t WHERE a < 3 ORDER BY -(-(1)), id",
    "SELECT a, sum(b) AS s FROM t GROUP BY a ORDER BY (2), a",
    "SELECT -a AS a, id FROM t WHERE b < 20 ORDER BY ((a)), id",
    "SELECT b, count(*) FROM t GROUP BY (1) ORDER BY 2 DESC, 1",
    // Names in single quotes.
    "SELECT -a AS 'b', id FROM t WHERE a < 5 ORDER BY b, id",
    "SELECT -a 'b', id FROM t WHERE a < 5 ORDER BY b, id",
    "SELECT count(*) AS 'a', a FROM t GROUP BY a ORDER BY a, 2 LIMIT 5",
    "SELECT count(*) 'a', a FROM t GROUP BY a ORDER BY a, 2 LIMIT 5",
    "SELECT DISTINCT -a AS 'b', b FROM t WHERE a < 5 ORDER BY b, 1",
    "SELECT row_number() OVER (PARTITION BY a ORDER BY id) AS 'b', id FROM t WHERE a < 5 ORDER BY b, id",
    "WITH s(x) AS (SELECT DISTINCT a AS 'y' FROM t) SELECT count(*) FROM s WHERE x > '5'",
    "SELECT x, count(*) FROM (SELECT DISTINCT t.'a' AS x, b FROM t) WHERE x > '4' GROUP BY x ORDER BY x",
    "SELECT sum(u.a), count(*) FROM t AS 'u', u AS 't' WHERE u.id < 50 AND t.id < 10",
    // Words about an order that are columns.
    "SELECT w.desc, count(*) FROM words w GROUP BY w.desc ORDER BY w.desc",
    "SELECT w.desc, id FROM words w ORDER BY w.desc, w.id LIMIT 5",
    "SELECT w.first, id FROM words w ORDER BY w.first DESC, w.id LIMIT 5",
    "SELECT id, max(id) OVER (PARTITION BY w.desc ORDER BY w.rows, id) FROM words w ORDER BY id",
    // Words that are constants only where nothing has their name.
    "SELECT -a true, id FROM t WHERE a < 5 ORDER BY true, id",
    "SELECT -x end, pk FROM o WHERE oid < 5 ORDER BY end, pk",
    "SELECT a - 3 AS true, id FROM t WHERE true AND b < 20 ORDER BY id",
    "SELECT a - 3 \"false\", id FROM t WHERE NOT false AND b < 20 ORDER BY id",
    "SELECT count(*) - 7 AS true, a FROM t GROUP BY a HAVING true ORDER BY a",
    // A rowid goes before an alias, and before what is around a SELECT.
    "SELECT a AS oid, count(*) AS n FROM t GROUP BY oid ORDER BY n DESC, 1 LIMIT 10",
    "SELECT count(*) FROM o WHERE EXISTS (SELECT 1 FROM u WHERE u.a = oid)",
    "SELECT pk, (SELECT count(*) FROM u WHERE u.a = oid) FROM o WHERE x = 3 ORDER BY pk",
    // So does an alias within it.
    "SELECT count(*) FROM t WHERE EXISTS (SELECT u.a AS b FROM u WHERE u.n = b AND u.id IN (8, 9))",
    "SELECT count(*) FROM t WHERE NOT EXISTS (SELECT u.a AS b FROM u WHERE u.n = b AND u.id IN (8, 9))",
    // A list whose result isn't a condition.
    "SELECT count(*) FROM t WHERE a IN (SELECT a FROM u WHERE n = 3) = 0",
    "SELECT count(*) FROM t WHERE a IN (SELECT a FROM u WHERE n = 3) IS NULL",
    "SELECT count(*) FROM t WHERE a IN (SELECT a FROM u WHERE n = 3) + 1 = 1",
    "SELECT count(*) FROM t WHERE a IN (SELECT a FROM u WHERE n = 3) NOTNULL",
    "SELECT count(*), sum(u.n) FROM t LEFT JOIN u ON u.id = t.b AND t.d IN (SELECT w.a FROM u AS w WHERE w.n = 3) = 0",
    // An aggregate of what is around it.
    "SELECT id, (SELECT count(t.a) FROM u) AS z FROM t ORDER BY id",
    "SELECT id, (SELECT count(*) FILTER (WHERE t.a > 1) FROM u) AS z FROM t ORDER BY id",
    "SELECT count(*) FROM t WHERE t.a < 9 AND EXISTS (WITH q AS (SELECT count(*) AS m FROM u WHERE u.id = t.b) "
      + "SELECT 1 FROM q, u AS w WHERE w.id = 5 AND w.n + q.m = 2)",
    // What an inner condition doesn't say of the rows around it.
    "SELECT d, count(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.n = 10 AND NOT EXISTS "
      + "(SELECT 1 FROM o WHERE o.oid = t.a AND o.x = u.a)) GROUP BY d ORDER BY d",
    "SELECT d, sum((SELECT count(*) FROM u WHERE NOT EXISTS (SELECT 1 FROM o WHERE o.oid = t.a AND o.x = u.a))) "
      + "FROM t GROUP BY d ORDER BY d",
    "SELECT d, count(u.id) FROM t LEFT JOIN u ON NOT EXISTS (SELECT 1 FROM o WHERE o.oid = t.a AND o.x = u.a) "
      + "GROUP BY d ORDER BY d",
    "SELECT t.id, u.id, u.k, (SELECT count(*) FROM o WHERE o.oid = t.a AND o.x = u.n) FROM t, u "
      + "WHERE t.b < 3 ORDER BY t.id, u.id",
    "SELECT t.id, u.k, (SELECT count(*) FROM o WHERE o.oid = t.a AND t.d = u.a) AS n "
      + "FROM t JOIN u ON u.id = t.b ORDER BY t.id",
    "SELECT count(*), sum(t.b) FROM t WHERE t.a + 0 IS NOT NULL AND t.a NOT IN "
      + "(SELECT v1.n FROM u LEFT JOIN v1 ON v1.uid = u.id WHERE u.n = 14)",
    "SELECT count(*) FROM t WHERE (t.a IN (SELECT v1.n FROM u LEFT JOIN v1 ON v1.uid = u.id WHERE u.n = 14)) IS NULL",
    // What binds as strongly as IN, and stands before it.
    "SELECT count(*) FROM t WHERE (t.b BETWEEN t.d AND t.a IN (SELECT u.a FROM u WHERE u.n = 10)) AND t.d < 30",
    "SELECT count(*) FROM t WHERE (t.b IS NOT t.a IN (SELECT u.a FROM u WHERE u.n = 10)) AND t.d < 30",
    "SELECT count(*) FROM t WHERE (t.b BETWEEN t.d BETWEEN 1 AND 2 AND t.a IN (SELECT u.a FROM u WHERE u.n = 10))",
    // Columns with two names.
    "SELECT count(*), sum(n), sum(x) FROM v",
    "WITH q(n, x) AS (SELECT a, b AS n FROM t WHERE n > 15) SELECT count(*), sum(n), sum(x) FROM q",
    "SELECT count(*), sum(n) FROM (SELECT main.t.a AS x, count(*) AS n FROM t GROUP BY main.t.a) WHERE x > '5'",
    // Expressions that only look alike.
    "SELECT (SELECT count(*) FROM u WHERE u.a = a) AS x, count(*) FROM t "
      + "GROUP BY (SELECT count(*) FROM u WHERE u.a = t.a) ORDER BY 2, 1",
    "SELECT NULL AS n, count(*) FROM o GROUP BY \"null\" ORDER BY 2, 1",
    "SELECT DISTINCT * FROM (SELECT \"null\" FROM o) ORDER BY NULL, 1",
    "SELECT count(*), sum(\"a+1\") FROM (SELECT a+1, b FROM t) WHERE \"a+1\" > 3",
    "SELECT d AS k, d, id FROM t UNION ALL SELECT b, a, id FROM t ORDER BY d, 3",
  ])
  func `names mean what they mean to SQLite`(_ sql: String) throws {
    let scene: StateScene
    do { scene = try StateScene(sql, [], Self.schema) } catch is NotMaintainable { return }
    for change in Self.changes where try scene.change(change) {
      let truth = try scene.truth()
      #expect(scene.rows == truth, "\(change)")
    }
  }

  /// Those that must not be refused with the others.
  @Test(arguments: [
    "SELECT b, id FROM t WHERE a < 3 ORDER BY (b), id",
    "SELECT a, CASE WHEN b > 3 THEN 'x' ELSE 'y' END, id FROM t ORDER BY id",
    "SELECT id, c LIKE 'a%' AS l FROM t WHERE c NOT LIKE 'b%' AND c IN ('1', '2') ORDER BY 1",
    "SELECT 'players' AS kind, count(*) FROM t WHERE c BETWEEN '1' AND '9'",
    "SELECT match, count(*) FROM match GROUP BY match ORDER BY 2, match",
    "SELECT m.match, match.match + 1, match.id FROM t JOIN match ON match.match = t.id, match AS m "
      + "WHERE m.id = match.id ORDER BY t.id, match.id",
    "SELECT id, a = 3 AND true, b ISNULL FROM t WHERE true ORDER BY id",
    "SELECT count(*) FROM t WHERE a IN (SELECT a FROM u WHERE n = 13)",
    "SELECT id, (SELECT count(u.k) FROM u WHERE u.a = t.a) AS z FROM t ORDER BY id",
    "WITH q(x, y) AS (SELECT a, b + 1 FROM t) SELECT x, sum(y) FROM q GROUP BY x",
  ])
  func `these are maintained`(_ sql: String) throws {
    let scene = try StateScene(sql, [], Self.schema)
    var followed = 0
    for change in Self.changes where try scene.change(change) {
      followed += 1
      let truth = try scene.truth()
      #expect(scene.rows == truth, "\(change)")
    }
    #expect(followed > 5)
  }

  @Test(arguments: [
    "SELECT city, count(*) FROM member JOIN club USING (club) GROUP BY city ORDER BY city",
    "SELECT count(*) FROM member JOIN club USING (club)",
    "SELECT city FROM member JOIN club USING (club) ORDER BY city",
    "SELECT city, count(*) FROM (SELECT club FROM member) JOIN club USING (club) GROUP BY city ORDER BY city",
  ])
  func `a table of which USING alone compares columns is followed`(_ sql: String) throws {
    let scene = try StateScene(
      sql, [],
      """
      CREATE TABLE member (id INTEGER PRIMARY KEY, club TEXT); CREATE TABLE club (club TEXT, city TEXT);
      CREATE INDEX "members of clubs" ON member (club);
      INSERT INTO member VALUES (1, 'a'), (2, 'a'), (3, 'b'); INSERT INTO club VALUES ('a', 'x'), ('b', 'y')
      """)
    #expect(scene.reason == nil)
    for statement in [
      "INSERT INTO member VALUES (4, 'b'), (5, NULL)", "UPDATE member SET club = 'a' WHERE id = 3",
      "INSERT INTO club VALUES ('a', 'z')", "DELETE FROM member WHERE club = 'b'",
      "UPDATE club SET club = 'c', city = 'y'",
      "UPDATE member SET club = 'c'; DELETE FROM club WHERE city = 'z'",
    ] {
      #expect(try scene.change(statement))
      #expect(try scene.rows == scene.truth())
    }
  }
}
