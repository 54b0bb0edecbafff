import TestSupport
import Testing

@testable import ObservationEngine

/// Groups behind one LEFT JOIN: no row of the result is evaluated again, and what is found for each row is counted.
@Suite
struct CountedJoinsTests {
  private static let schema = """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, since TEXT);
    CREATE TABLE sale (id INTEGER PRIMARY KEY, customer INTEGER, amount REAL, time TEXT);
    CREATE TABLE stock (shop TEXT, item INTEGER, n INTEGER, PRIMARY KEY (shop, item)) WITHOUT ROWID;
    INSERT INTO customer VALUES (1, 'ada', '2026-01'), (2, 'bob', '2026-02'), (3, 'cyd', '2026-02');
    INSERT INTO sale VALUES (1, 1, 0.1, '10:00'), (2, 1, 0.2, '11:00'), (3, 2, 5, '10:30');
    INSERT INTO stock VALUES ('n', 1, 4), ('s', 1, 0), ('s', 2, 7);
    """

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...10, using: &random)
    let customer = ["1", "2", "3", "4", "5", "NULL"].randomElement(using: &random)!
    let amount = ["0.1", "0.7", "3", "1e15", "-2.5", "NULL"].randomElement(using: &random)!
    let shop = ["'n'", "'s'", "'w'"].randomElement(using: &random)!
    return switch Int.random(in: 0..<12, using: &random) {
    case 0...2: "REPLACE INTO sale VALUES (\(id), \(customer), \(amount), '1\(id % 3):00')"
    case 3: "DELETE FROM sale WHERE id = \(id)"
    case 4: "UPDATE sale SET customer = \(customer) WHERE id = \(id)"
    case 5: "DELETE FROM sale WHERE customer IS \(customer)"
    case 6: "REPLACE INTO customer VALUES (\(id % 6), 'c\(id % 3)', '2026-0\(id % 4)')"
    case 7: "DELETE FROM customer WHERE id = \(id % 6)"
    case 8: "UPDATE customer SET id = id + 1 WHERE id = (SELECT max(id) FROM customer)"
    case 9: "REPLACE INTO stock VALUES (\(shop), \(id % 4), \(id))"
    case 10: "DELETE FROM stock WHERE shop = \(shop) AND n > 3"
    default:
      "DELETE FROM customer WHERE id = \(id % 6); REPLACE INTO sale VALUES (\(id), \(id % 6), 1, '12:00')"
    }
  }

  @Test func `the first row that is found and the last that goes are noticed`() throws {
    let scene = try StateScene(
      "SELECT c.name, count(s.id), count(*), sum(s.amount) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id GROUP BY c.id ORDER BY c.id",
      [], keepsOrder: true, Self.schema)
    guard case .counted = scene.query.plans[0].method else {
      Issue.record("it isn't counted")
      return
    }
    for (change, row) in [
      ("INSERT INTO sale VALUES (9, 3, 1.5, '12:00')", ["cyd", 1, 1, 1.5]),
      ("INSERT INTO sale VALUES (10, 3, 2, '12:01')", ["cyd", 2, 2, 3.5]),
      ("DELETE FROM sale WHERE id = 9", ["cyd", 1, 1, 2.0]),
      ("UPDATE sale SET customer = 2 WHERE id = 10", ["cyd", 0, 1, .null]),
      ("UPDATE customer SET name = 'cy' WHERE id = 3", ["cy", 0, 1, .null]),
      (
        "DELETE FROM customer WHERE id = 3; INSERT INTO customer VALUES (3, 'new', ''); INSERT INTO sale VALUES (11, 3, 4, '')",
        ["new", 1, 1, 4.0]
      ),
    ] as [(String, [Value])] {
      try scene.expectToFollow(change)
      #expect(scene.rows?[2] == row, "\(change)")
    }
  }

  @Test(arguments: [
    "SELECT c.id, count(s.id), sum(amount), max(s.time) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id GROUP BY c.id ORDER BY c.id",
    "SELECT since, count(*), count(s.id), group_concat(c.name || coalesce(s.id, '-')) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id AND s.amount > 0 GROUP BY since ORDER BY 1",
    "SELECT coalesce(s.time, 'never'), count(*), min(c.name) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id GROUP BY 1 HAVING count(*) > 1 ORDER BY 1",
    "SELECT count(*), total(amount) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id WHERE c.since > '2026-01'",
    "SELECT DISTINCT c.name, s.time FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id ORDER BY 1, 2",
    // Several tables before it, of which one has a key of two columns.
    "SELECT t.shop, c.name, count(s.id) FROM stock AS t JOIN customer AS c ON c.id = t.item LEFT JOIN sale AS s ON s.customer = c.id AND s.id > t.n GROUP BY t.shop, c.id ORDER BY 1, c.id",
    "SELECT t.item, count(u.n) FROM stock AS t LEFT JOIN stock AS u ON u.item > t.item OR u.n = t.n GROUP BY t.item ORDER BY 1",
    "SELECT a.name, count(b.id) FROM customer AS a LEFT JOIN customer AS b ON b.since < a.since GROUP BY a.name ORDER BY 1",
    // What stands behind it has a state of its own, or none.
    "SELECT c.since, max(n), count(n), count(*) FROM customer AS c LEFT JOIN (SELECT customer, count(*) AS n FROM sale GROUP BY customer) AS q ON q.customer = c.id GROUP BY c.since ORDER BY 1",
    "SELECT c.since, count(q.id) FROM customer AS c LEFT JOIN (SELECT id, customer FROM sale WHERE amount > 1) AS q ON q.customer = c.id GROUP BY c.since ORDER BY 1",
    "SELECT c.since, count(x) FROM customer AS c LEFT JOIN (SELECT 'c1' AS x UNION ALL SELECT 'c2') AS v ON v.x = c.name GROUP BY c.since ORDER BY 1",
    "SELECT name, max(amount), time FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id GROUP BY name ORDER BY name",
    "SELECT q.n, count(s.id) FROM (SELECT since, count(*) AS n, min(id) AS first FROM customer GROUP BY since) AS q LEFT JOIN sale AS s ON s.customer >= q.first GROUP BY q.n ORDER BY 1",
  ])
  func `it follows random changes`(_ sql: String) throws {
    let scene = try StateScene(sql, [], keepsOrder: true, Self.schema)
    guard case .counted = scene.query.plans[0].method else {
      Issue.record("it isn't counted")
      return
    }
    try scene.expectTruth(steps: 250, atLeast: 120, changing: Self.statement)
  }

  @Test(arguments: [
    // Of a row that is made up, WHERE may let through another one.
    "SELECT count(*) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id WHERE s.id IS NULL",
    "SELECT count(*) FROM customer LEFT JOIN sale ON customer = customer.id WHERE amount > 1 OR since > ''",
    "SELECT count(*) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id LEFT JOIN stock AS t ON t.item = c.id",
    "SELECT count(*), count(amount) FROM customer LEFT JOIN sale USING (id)",
    // The condition of a join before it filters its rows as WHERE does.
    "SELECT c.id, count(*), count(s.id) FROM customer AS c JOIN stock AS t ON coalesce(s.amount, 1) > t.n LEFT JOIN sale AS s ON s.customer = c.id GROUP BY c.id",
    "SELECT c.id, count(*) FROM customer AS c JOIN stock AS t ON t.item = c.id AND s.id IS NULL LEFT JOIN sale AS s ON s.customer = c.id GROUP BY c.id",
    "SELECT count(s.id) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id JOIN stock AS t ON t.item = c.id",
    "SELECT count(s.id) FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id WHERE EXISTS (SELECT 1 FROM stock WHERE item = c.id)",
    "SELECT c.id, s.id FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id ORDER BY 1, 2",
  ])
  func `these aren't counted`(_ sql: String) throws {
    let scene = try StateScene(sql, [], Self.schema)
    if case .counted = scene.query.plans[0].method { Issue.record("it is counted") }
    try scene.expectTruth(steps: 60, atLeast: -1, changing: Self.statement)
  }
}
