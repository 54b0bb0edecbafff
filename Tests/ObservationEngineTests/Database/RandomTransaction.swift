import ObservationEngine
import TestSupport

/// A transaction of random statements: some fail, some are undone by a savepoint, some by a rollback.
struct RandomTransaction: Sendable, CustomStringConvertible {
  static let schema = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, x, r REAL, z TEXT COLLATE NOCASE UNIQUE);
    CREATE TABLE b (x, y INT);
    CREATE TABLE c (k INT, n INT, v, PRIMARY KEY (n, k)) WITHOUT ROWID;
    CREATE TABLE d (id INTEGER PRIMARY KEY, a REFERENCES a ON DELETE CASCADE ON UPDATE SET NULL);
    CREATE TABLE e (what, who);
    CREATE TABLE fence (x);
    CREATE VIEW v AS
    SELECT a.id, a.z, count(d.id) AS n FROM a LEFT JOIN d ON d.a = a.id GROUP BY a.id;
    CREATE TRIGGER ta AFTER UPDATE OF x ON a WHEN new.x IS NOT old.x
    BEGIN INSERT INTO e VALUES ('x', new.id); END;
    CREATE TRIGGER td BEFORE DELETE ON d BEGIN DELETE FROM e WHERE who = old.a; END;
    INSERT INTO a SELECT value, value, value / 2.0, 'z' || value
    FROM json_each('[1,2,3,4,5,6,7,8]');
    INSERT INTO b SELECT value, value FROM json_each('[1,2,3,4,5,6,7,8]');
    INSERT INTO c SELECT value, value % 3, value FROM json_each('[1,2,3,4,5,6,7,8]');
    INSERT INTO d SELECT value, 1 + value % 8 FROM json_each('[1,2,3,4,5,6,7,8]');
    INSERT INTO fence VALUES (0)
    """

  /// Each table, and an expression that identifies its rows.
  static let tables = [
    "a": "id", "b": "rowid", "c": "n || ',' || k", "d": "id", "e": "rowid",
  ]

  static let queries = [
    "SELECT count(*) FROM a", "SELECT sum(x) FROM a", "SELECT z FROM a ORDER BY r DESC, id LIMIT 3",
    "SELECT y FROM b ORDER BY rowid", "SELECT * FROM c ORDER BY n, k",
    "SELECT * FROM v ORDER BY id",
    "SELECT what, count(*) FROM e GROUP BY what", "SELECT max(id) FROM d",
    "SELECT a.id, b.y FROM a JOIN b ON b.rowid = a.id WHERE EXISTS (SELECT 1 FROM c WHERE k = a.id)",
    "WITH q AS (SELECT id FROM a) SELECT count(*) FROM q", "SELECT rowid FROM b ORDER BY 1",
  ]

  let statements: [String]
  let isRolledBack: Bool

  var description: String {
    statements.joined(separator: "; ") + (isRolledBack ? "; (ROLLBACK)" : "")
  }

  init(using random: inout SeededRandom) {
    var statements: [String] = []
    var savepoints = 0
    for _ in 0..<Int.random(in: 1...7, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        statements.append("SAVEPOINT s")
        savepoints += 1
      case 1 where savepoints > 0: statements.append("ROLLBACK TO s")
      case 2 where savepoints > 0:
        statements.append("RELEASE s")
        savepoints -= 1
      default: statements.append(Self.statement(&random))
      }
    }
    self.statements = statements
    isRolledBack = random.onceIn(8)
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    func n(_ limit: Int = 10) -> Int { Int.random(in: 1...limit, using: &random) }
    let conflict = ["", "OR IGNORE", "OR REPLACE", "OR FAIL", "OR ABORT"]
      .randomElement(using: &random)!
    let value = ["NULL", "1", "1.0", "'1'", "x'31'", "-0.0", "9007199254740993"]
      .randomElement(using: &random)!
    switch n(18) {
    case 1: return "INSERT \(conflict) INTO a VALUES (\(n()), \(value), \(n()), 'z\(n())')"
    case 2: return "UPDATE \(conflict) a SET z = 'Z' || (id + \(n(3) - 1)) WHERE id > \(n())"
    case 3: return "UPDATE a SET x = \(value), r = r WHERE id = \(n())"
    case 4: return "UPDATE \(conflict) a SET id = id + \(n(3)) WHERE id <= \(n())"
    case 5: return "DELETE FROM a WHERE id IN (\(n()), \(n()))"
    case 6:
      return """
        INSERT INTO a VALUES (\(n()), 0, 0, 'z\(n())')
        ON CONFLICT DO UPDATE SET x = \(value), z = excluded.z
        """
    case 7: return "INSERT INTO b SELECT id, \(n()) FROM a WHERE id < \(n())"
    case 8: return "UPDATE b SET y = y + \(n(3) - 2)"
    case 9: return "DELETE FROM b WHERE y % 2"
    case 10: return "DELETE FROM \(["b", "c", "e"].randomElement(using: &random)!)"
    case 11: return "INSERT \(conflict) INTO c VALUES (\(n()), \(n(3)), \(value))"
    case 12: return "UPDATE \(conflict) c SET n = \(n(3)) WHERE k = \(n())"
    case 13: return "UPDATE c SET v = v WHERE k < \(n())"
    case 14: return "DELETE FROM c WHERE n = \(n(3))"
    case 15: return "INSERT INTO d(a) VALUES (\(n()))"
    case 16: return "REPLACE INTO b(rowid, x, y) VALUES (\(n()), \(value), \(n()))"
    case 17: return "UPDATE b SET rowid = rowid + 100 WHERE rowid = \(n())"
    default: return "UPDATE a SET r = \(n()) / 2.0 WHERE id = \(n())"
    }
  }

  /// Runs it; statements that fail are left out, as a program would that goes on.
  ///
  /// - Returns: Whether it was committed.
  func run(_ db: TemporaryDatabase) async -> Bool {
    do {
      try await db.database.write { connection in
        for statement in statements {
          do {
            try connection.execute(SQL(raw: statement))
          } catch let error as DatabaseError {
            guard error.code.primary == .constraint else { throw error }
          }
        }
        if isRolledBack { throw Unexpected("rolled back") }
      }
      return true
    } catch {
      return false
    }
  }
}
