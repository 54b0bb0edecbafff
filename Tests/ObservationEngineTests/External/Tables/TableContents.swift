import CSQLite
import TestSupport

/// What stands in each table of a database, to the last bit: the truth that the tracker's answers
/// are held against.
///
/// Takes O(database) per reading, so tables are to be small.
struct TableContents: Equatable {
  /// A digest of all rows by the name of the table, ASCII letters folded; shadow tables are tables.
  private(set) var digests: [String: Int] = [:]

  init(_ connection: PlainConnection) throws(PlainConnection.Failure) {
    try connection.run("BEGIN")
    defer { try? connection.run("COMMIT") }  // It only read: nothing can be lost.
    let names = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    for name in names + ["sqlite_schema"] {
      digests[name.lowercased()] = try Self.digest(of: name, connection)
    }
  }

  /// The tables whose rows are others than in `older`, and those that only one of the two has.
  func differences(from older: TableContents) -> Set<String> {
    var names = Set(digests.keys).union(older.digests.keys)
    names = names.filter { digests[$0] != older.digests[$0] }
    return names
  }

  var tables: [String] { digests.keys.sorted() }

  private static func digest(of table: String, _ connection: PlainConnection)
    throws(PlainConnection.Failure) -> Int
  {
    // Without an index, and so in the order of the key. A WITHOUT ROWID table has no rowid.
    do {
      return try digest("SELECT rowid, * FROM \"\(table)\" NOT INDEXED", connection)
    } catch {
      return try digest("SELECT * FROM \"\(table)\" NOT INDEXED", connection)
    }
  }

  private static func digest(_ sql: String, _ connection: PlainConnection)
    throws(PlainConnection.Failure) -> Int
  {
    // Its seed differs from process to process, but digests are compared within one only.
    var hasher = Hasher()
    try connection.run(sql, []) { row in
      for column in 0..<sqlite3_column_count(row) {
        let type = sqlite3_column_type(row, column)
        hasher.combine(type)
        switch type {
        case SQLITE_INTEGER: hasher.combine(sqlite3_column_int64(row, column))
        case SQLITE_FLOAT: hasher.combine(sqlite3_column_double(row, column))
        case SQLITE_NULL: break
        default:
          let start = sqlite3_column_blob(row, column)
          let count = Int(sqlite3_column_bytes(row, column))
          hasher.combine(count)
          hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: count))
        }
      }
    }
    return hasher.finalize()
  }
}
