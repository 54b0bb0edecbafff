import CPlainSQLite

/// A row of five columns as a structure, read by hand.
struct PlainPurchase {
  let id: Int64
  let customer: String
  let product: String?
  let price: Double
  let pieces: Int64

  static func all(_ statement: PlainStatement) throws(Failure) -> [PlainPurchase] {
    var all: [PlainPurchase] = []
    try statement.run { row in
      all.append(
        PlainPurchase(
          id: sqlite3_column_int64(row, 0), customer: String(cString: sqlite3_column_text(row, 1)),
          product: sqlite3_column_text(row, 2).map { String(cString: $0) },
          price: sqlite3_column_double(row, 3), pieces: sqlite3_column_int64(row, 4)))
    }
    return all
  }
}
