import TestSupport
import Testing

@testable import ObservationEngine

/// Queries that aren't linear, of tables without rowids: the rows that are evaluated again have a key of several columns.
@Suite
struct KeyedOwnersTests {
  private static let schema = """
    CREATE TABLE stock (shop TEXT, item INTEGER, n REAL, PRIMARY KEY (item, shop)) WITHOUT ROWID;
    CREATE TABLE mixed (k, v, PRIMARY KEY (k)) WITHOUT ROWID;
    CREATE TABLE sale (id INTEGER PRIMARY KEY, shop TEXT, item INTEGER, v);
    CREATE INDEX sale_item ON sale (item);
    INSERT INTO stock VALUES ('north', 1, 5), ('north', 2, 0.5), ('south', 1, 7);
    INSERT INTO mixed VALUES (1, 'a'), ('1', 'b'), (2.5, 'c'), (x'31', 'd');
    INSERT INTO sale VALUES (1, 'north', 1, 1), (2, 'south', 1, '1'), (3, 'east', 2, 2.5);
    """

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...12, using: &random)
    let item = Int.random(in: 1...4, using: &random)
    let shop = ["'north'", "'south'", "'east'", "''"].randomElement(using: &random)!
    let value = ["1", "1.0", "'1'", "2", "2.5", "NULL", "x'31'", "'x'"].randomElement(
      using: &random)!
    return switch Int.random(in: 0..<11, using: &random) {
    case 0...2: "REPLACE INTO sale VALUES (\(id), \(shop), \(item), \(value))"
    case 3: "DELETE FROM sale WHERE id = \(id)"
    case 4: "UPDATE sale SET item = \(item), v = \(value) WHERE id = \(id)"
    case 5, 6: "REPLACE INTO stock VALUES (\(shop), \(item), \(id).5)"
    case 7: "DELETE FROM stock WHERE item = \(item) AND shop = \(shop)"
    case 8: "UPDATE OR IGNORE stock SET item = \(item), n = n + 1 WHERE shop = \(shop)"
    case 9: "REPLACE INTO mixed SELECT \(value), '\(id)' WHERE \(value) NOTNULL"
    default: "DELETE FROM mixed WHERE k IS \(value)"
    }
  }

  @Test func `only the rows of the changed key are evaluated again`() throws {
    let scene = try StateScene(
      """
      SELECT t.shop, t.item, count(s.id) FROM stock AS t
      LEFT JOIN sale AS s ON s.item = t.item AND s.shop = t.shop GROUP BY t.shop, t.item ORDER BY 1, 2
      """, [], Self.schema)
    for (change, row) in [
      ("INSERT INTO sale VALUES (9, 'north', 2, 1)", ["north", 2, 1]),
      ("UPDATE sale SET shop = 'south' WHERE id = 9", ["north", 2, 0]),
      ("UPDATE stock SET item = 3 WHERE shop = 'north' AND item = 2", ["north", 3, 0]),
      ("INSERT INTO sale VALUES (10, 'north', 3, 1)", ["north", 3, 1]),
    ] as [(String, [Value])] {
      try scene.expectToFollow(change)
      #expect(scene.rows?[1] == row, "\(change)")
    }
  }

  @Test(arguments: [
    "SELECT t.shop, t.item, s.id FROM stock AS t LEFT JOIN sale AS s ON s.item = t.item AND s.shop = t.shop ORDER BY t.item, t.shop, s.id",
    "SELECT t.item, sum(n), count(s.id) FROM stock AS t LEFT JOIN sale AS s USING (item, shop) GROUP BY t.item ORDER BY 2 DESC, 1",
    "SELECT shop, item FROM stock AS t WHERE EXISTS (SELECT 1 FROM sale AS s WHERE s.item = t.item AND s.v > 1) ORDER BY n DESC, shop, item LIMIT 3",
    "SELECT shop, item, (SELECT count(*) FROM sale AS s WHERE s.shop = t.shop) FROM stock AS t ORDER BY shop, item",
    "SELECT k, v FROM mixed WHERE k NOT IN (SELECT v FROM sale WHERE v NOTNULL) ORDER BY v, typeof(k), k",
    "SELECT k, count(s.id), min(s.id) FROM mixed AS m LEFT JOIN sale AS s ON s.v = m.k GROUP BY m.k ORDER BY m.k",
    "SELECT t.shop, m.v, s.id FROM stock AS t JOIN mixed AS m ON m.k = t.item LEFT JOIN sale AS s ON s.item = t.item ORDER BY t.item, t.shop, m.k, s.id",
    "SELECT a.shop, b.item FROM stock AS a LEFT JOIN stock AS b ON b.item > a.item ORDER BY a.item, a.shop, b.item, b.shop",
    "SELECT shop, n * (SELECT count(*) FROM sale WHERE sale.item = stock.item) FROM stock ORDER BY item, shop",
  ])
  func `it follows random changes`(_ sql: String) throws {
    let scene = try StateScene(sql, [], keepsOrder: true, Self.schema)
    try scene.expectTruth(steps: 200, atLeast: 60, changing: Self.statement)
  }
}
