import CPlainSQLite
import ObservationEngine
import ObservationRecords

/// Fetching 100,000 rows of five columns, against a loop over SQLite's own functions that makes an
/// array of structures.
struct FetchRows {
  let project: Project
  private let count = 100_000

  func run() throws -> [Row] {
    let path = project.newDatabase("fetch.db")
    try ItemTable.make(path)
    let plain = try PlainConnection(path)
    try plain.run(
      """
      CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer TEXT NOT NULL, product TEXT,
        price REAL NOT NULL, pieces INTEGER NOT NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO purchase SELECT i, 'customer ' || (i % 1000), 'product number ' || i,
        i * 1.25, i % 7 FROM n;
      """)
    let database = try Database(path: path)
    defer { database.close() }
    let statement = try plain.prepare(Self.sql)
    func measure(_ fetch: (Connection) throws -> Int) throws -> Turns {
      try Turns(most: 15) {
        try time { try PlainPurchase.all(statement).count }
      } measured: {
        try time { try database.readWaiting(fetch) }
      }
    }
    let byPosition = try measure { connection in
      try connection.fetchAll(SQL(raw: Self.sql)) { row in
        try PlainPurchase(
          id: row[0], customer: row[1], product: row[2], price: row[3], pieces: row[4])
      }.count
    }
    let codable = try measure { try $0.fetchAll(SQL(raw: Self.sql), as: Purchase.self).count }
    let rows = try measure { try $0.fetchAll(SQL(raw: Self.sql)).count }
    return [
      row("typed by position", byPosition, target: 1.15),
      row("Codable", codable, target: 2),
      row("Row", rows, target: 1.5),
      Row("  plain loop", rows.base / 1e6, .milliseconds),
    ]
  }

  private func row(_ way: String, _ turns: Turns, target: Double) -> Row {
    Row(
      "fetch 100k rows × 5 columns, \(way) / plain loop", turns.ratio, .ratio,
      target: .atMost(target))
  }

  private static let sql = "SELECT id, customer, product, price, pieces FROM purchase"

  private func time(_ fetch: () throws -> Int) throws -> UInt64 {
    let start = Clock.now
    let fetched = try fetch()
    let elapsed = Clock.now - start
    guard fetched == count else { throw Failure("\(fetched) rows instead of \(count)") }
    return elapsed
  }
}

/// A row as a `Codable` structure.
private struct Purchase: Codable {
  let id: Int64
  let customer: String
  let product: String?
  let price: Double
  let pieces: Int64
}
