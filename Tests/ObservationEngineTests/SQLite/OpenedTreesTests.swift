import TestSupport
import Testing

@testable import ObservationEngine

/// What a query reads, by the authorizer, against what its program opens, by EXPLAIN.
struct OpenedTreesTests {
  private static let schema = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, x, y TEXT);
    CREATE TABLE b(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    CREATE TABLE c(p, q UNIQUE, r AS (p + 1));
    CREATE INDEX a_x ON a(x, y); CREATE INDEX c_p ON c(p) WHERE q > 0;
    CREATE VIEW both AS SELECT a.x, b.v FROM a JOIN b ON b.k = a.y;
    CREATE VIEW nested AS SELECT x FROM both WHERE v IN (SELECT p FROM c);
    CREATE VIRTUAL TABLE note USING fts5(body);
    INSERT INTO a VALUES (1, 1, 'k'), (2, 2, 'l'); INSERT INTO b VALUES ('k', 1), ('l', 2);
    INSERT INTO c(p, q) VALUES (1, 1), (2, 2); ANALYZE;
    """

  /// The names of tables that a statement opens b-trees of.
  private func opened(_ sql: String, _ connection: Connection) throws -> Set<String> {
    var owners: [Int64: String] = [1: "sqlite_master"]
    for row in try connection.fetchAll("SELECT rootpage, tbl_name FROM sqlite_schema").rows {
      if case .integer(let root) = row[0], case .text(let name) = row[1], root > 0 {
        owners[root] = name
      }
    }
    var tables: Set<String> = []
    for row in try connection.fetchAll("EXPLAIN \(raw: sql)").rows {
      guard case .text(let opcode) = row[1], ["OpenRead", "ReopenIdx"].contains(opcode),
        case .integer(let root) = row[3], row[4] == 0
      else { continue }
      tables.insert(try #require(owners[root]))
    }
    return tables
  }

  private func check(_ sql: String, _ connection: Connection) throws {
    let region = try connection.prepare(sql).region
    let read = Set(region.parts.keys.map(\.name))
    let opened = try opened(sql, connection)
    #expect(region.isFull || read.isSuperset(of: opened), "\(sql): \(read), \(opened)")
  }

  @Test(arguments: [
    "SELECT * FROM a", "SELECT count(*) FROM a", "SELECT x FROM a WHERE x > 1 ORDER BY y",
    "SELECT max(x) FROM a", "SELECT * FROM both", "SELECT count(*) FROM nested",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM c WHERE q = 2)",
    "SELECT (SELECT v FROM b WHERE k = y) FROM a",
    "WITH t AS (SELECT p FROM c), u AS (SELECT x FROM a) SELECT * FROM t LEFT JOIN u ON u.x = t.p",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n JOIN a ON a.id = i) SELECT i FROM n",
    "SELECT x FROM a UNION SELECT v FROM b EXCEPT SELECT r FROM c",
    "SELECT rank() OVER (ORDER BY x) FROM a",
    "SELECT DISTINCT a.x FROM a LEFT JOIN c ON c.q = a.id",
    "SELECT p FROM c WHERE q > 0", "SELECT 1 FROM b WHERE k BETWEEN 'a' AND 'z'",
    "SELECT a.x FROM a NATURAL JOIN b CROSS JOIN c",
    "SELECT count(*) FROM a NATURAL JOIN c", "SELECT 1 FROM c LEFT JOIN c AS o USING (q)",
    "SELECT * FROM a WHERE id IN (SELECT q FROM c)",
    "SELECT name FROM sqlite_schema", "SELECT a.x, count(*) FROM a JOIN sqlite_schema GROUP BY 1",
  ])
  func `each table that a query opens is in its region`(_ sql: String) throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { try $0.execute(script: Self.schema) }
    try database.readWaiting {
      #expect(try !opened(sql, $0).isEmpty)
      try check(sql, $0)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `each table that a random query opens is in its region`(_ seed: UInt64) throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { try $0.execute(script: Self.schema) }
    var random = SeededRandom(seed: seed)
    let columns = [
      "a": ["id", "x", "y"], "b": ["k", "v"], "c": ["p", "q", "r"], "both": ["x", "v"],
      "nested": ["x"],
    ]
    let names = columns.keys.sorted()
    func source(_ depth: Int) -> (sql: String, column: String) {
      let name = names.randomElement(using: &random)!
      let column = columns[name]!.randomElement(using: &random)!
      guard depth > 0, Bool.random(using: &random) else { return (name, column) }
      let (first, second) = (source(depth - 1), source(depth - 1))
      let join = ["JOIN", "LEFT JOIN", ","].randomElement(using: &random)!
      let head = "SELECT s.\(first.column) AS z FROM (SELECT * FROM \(first.sql)) s"
      return switch Int.random(in: 0..<4, using: &random) {
      case 0: ("(\(head) \(join) (SELECT * FROM \(second.sql)) t)", "z")
      case 1:
        ("(\(head) WHERE s.\(first.column) IN (SELECT \(second.column) FROM \(second.sql)))", "z")
      case 2: ("(\(head) UNION SELECT \(second.column) FROM \(second.sql))", "z")
      default: ("(SELECT max(\(first.column)) AS z FROM \(first.sql))", "z")
      }
    }
    try database.readWaiting { connection in
      for _ in 0..<200 {
        let (sql, column) = source(3)
        try check("SELECT \(column) FROM \(sql) ORDER BY 1 LIMIT 5", connection)
      }
    }
  }
}
