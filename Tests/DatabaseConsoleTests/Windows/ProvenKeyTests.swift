import TestSupport
import Testing

@testable import DatabaseConsole
@testable import ObservationEngine

/// Of which queries the order is proved to be that of a key.
struct ProvenKeyTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INT, c REAL);
    CREATE INDEX by_b ON t(b);
    CREATE TABLE u (x TEXT NOT NULL UNIQUE, y INT);
    CREATE TABLE k (name TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
    CREATE TABLE f (id INT PRIMARY KEY, v);
    CREATE TABLE d (id INTEGER PRIMARY KEY DESC, v);
    CREATE TABLE e (v);
    CREATE VIEW v AS SELECT a, id FROM t WHERE c > 1;
    """

  @Test(arguments: [
    ("SELECT * FROM t", 0), ("SELECT a, id FROM t", 1),
    ("SELECT a, id AS z FROM t p ORDER BY z", 1),
    ("SELECT id, a FROM t WHERE c > 1.5 AND a LIKE 'x%' AND typeof(b) = 'text'", 0),
    ("SELECT a || 'x', CASE WHEN b > 2 THEN a END, id FROM t WHERE b IS NOT NULL", 2),
    ("SELECT id FROM t WHERE b = 5", 0), ("SELECT * FROM t WHERE id BETWEEN 5 AND 70", 0),
    ("SELECT v, rowid FROM e", 1), ("SELECT lower(a), date(a), id FROM t", 2),
    ("SELECT * FROM v", 1), ("SELECT * FROM (SELECT c, id FROM t);", 1),
    ("WITH q AS (SELECT id, c FROM t) SELECT c, id FROM q -- all", 1),
    ("SELECT id, a FROM t WHERE id > ?", 0), ("SELECT c, oid FROM t WHERE id > :least", 1),
    ("SELECT rowid, v FROM d", 0),
  ])
  func `a plain look at a table is in the order of its key`(_ sql: String, column: Int) throws {
    #expect(try Self.key(of: sql) == .init(column: column, isDescending: false))
  }

  @Test(arguments: [
    ("SELECT * FROM t ORDER BY id DESC", 0), ("SELECT * FROM v ORDER BY id DESC", 1),
    ("SELECT a, id FROM t WHERE id < 50 AND c > 1 ORDER BY rowid DESC", 1),
  ])
  func `and so backwards`(_ sql: String, column: Int) throws {
    #expect(try Self.key(of: sql) == .init(column: column, isDescending: true))
  }

  @Test(arguments: [
    // Another order.
    "SELECT * FROM t ORDER BY b", "SELECT id FROM t ORDER BY b, id",
    "SELECT id, b FROM t WHERE b > 3",
    "SELECT * FROM t ORDER BY -id", "SELECT x, rowid FROM u", "SELECT b, id FROM t",
    "SELECT * FROM (SELECT * FROM t ORDER BY b)",
    // The key is not there, or something else has its name.
    "SELECT a, c FROM t", "SELECT c AS id FROM t", "SELECT -id AS id FROM t ORDER BY 1",
    "SELECT CASE WHEN b > 2 THEN id ELSE 7 END AS id, a, c FROM t", "SELECT max(id, 5), c FROM t",
    // Rows that come more than once, or are made of several.
    "SELECT t.id FROM t, u", "SELECT t.id, c FROM t CROSS JOIN (VALUES (1), (2))",
    "SELECT t.id, c FROM t CROSS JOIN json_each('[1, 2]')",
    "SELECT id, c FROM t UNION ALL SELECT 5, 5",
    "SELECT id, c FROM t UNION ALL SELECT id, c FROM t",
    "SELECT p.id FROM t p JOIN t q ON q.id = p.id + 1",
    "SELECT p.id, p.c, q.c FROM t p CROSS JOIN t q",
    "SELECT id, max(c) FROM t", "SELECT id, c FROM t GROUP BY b",
    "SELECT DISTINCT id, c FROM t WHERE b = 1",
    // What SQLite does in several loops.
    "SELECT id, c FROM t WHERE b IN (1, 2)", "SELECT id, c FROM t WHERE id IN (SELECT y FROM u)",
    "SELECT id, (SELECT count(*) FROM u WHERE y = id) FROM t",
    "SELECT id, row_number() OVER () FROM t",
    "SELECT id, c FROM t WHERE b = 1 OR id = 7",
    // What has an end of its own.
    "SELECT id, c FROM t LIMIT 40", "SELECT id, c FROM t LIMIT 40 OFFSET 2",
    // Tables without an integer key of their own.
    "SELECT * FROM k", "SELECT * FROM f", "SELECT id, v FROM d", "SELECT 1", "VALUES (1), (2)",
  ])
  func `other queries are not`(_ sql: String) throws { #expect(try Self.key(of: sql) == nil) }

  @Test
  func `nor is one that calls a function of the application`() throws {
    var configuration = Configuration()
    configuration.functions = [CustomFunction("upper", argumentCount: 1) { $0[0] }]
    #expect(try Self.key(of: "SELECT id, upper(a) FROM t", configuration) == nil)
    #expect(try Self.key(of: "SELECT id, lower(a) FROM t", configuration) != nil)
  }

  private static func key(
    of sql: String, _ configuration: Configuration = Configuration()
  ) throws -> WindowSQL.Key? {
    let database = try Database(inMemory: configuration)
    defer { database.close() }
    try database.writeWaiting { try $0.execute(script: schema) }
    let arguments: QueryArguments = sql.contains("?") ? [3] : sql.contains(":") ? ["least": 3] : []
    return try database.readWaiting { connection in
      try connection.withCachedStatement(sql, arguments) { statement in
        let text = WindowSQL(sql, arguments, columnCount: statement.columnNames.count)
        return try connection.provenKey(of: statement, arguments, in: #require(text))
      }
    }
  }
}
