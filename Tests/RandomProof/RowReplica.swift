internal import CSQLite
package import ObservationEngine
package import TestSupport

/// The rows of all tables, kept up to date from what a tracker says of commits.
package struct RowReplica {
  typealias Rows = [RowChange.Key: [Value]]

  private var tables: [String: Rows] = [:]
  /// Why rows of a table aren't known any more.
  package private(set) var unknown: [String: String] = [:]
  /// Rows that were not what a commit said that they had been.
  package private(set) var complaints: [String] = []
  /// How many rows commits changed.
  package private(set) var rowCount = 0

  /// Reads what there is.
  package init(_ connection: PlainConnection) throws(PlainConnection.Failure) {
    try connection.run("BEGIN")
    defer { try? connection.run("COMMIT") }  // It only read: nothing can be lost.
    let names = try connection.texts(
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
      """)
    for name in names { tables[name.asciiLowercased] = try Self.rows(of: name, connection) }
  }

  private static func rows(
    of table: String, _ connection: PlainConnection
  ) throws(PlainConnection.Failure) -> Rows {
    var rows: Rows = [:]
    let isKeyed =
      try connection.integer("SELECT wr FROM pragma_table_list(?1)", [.text(table)]) == 1
    guard isKeyed else {
      try connection.run("SELECT rowid, * FROM \"\(table)\" NOT INDEXED", []) { row in
        let values = Self.values(row)
        rows[.rowid(values[0].integer!)] = Array(values[1...])
      }
      return rows
    }
    let key = try connection.texts(
      "SELECT cid FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk", [.text(table)]
    ).compactMap { Int($0) }
    try connection.run("SELECT * FROM \"\(table)\" NOT INDEXED", []) { row in
      let values = Self.values(row)
      rows[.primaryKey(key.map { values[$0] })] = values
    }
    return rows
  }

  private static func values(_ row: OpaquePointer) -> [Value] {
    (0..<sqlite3_column_count(row)).map { column in
      switch sqlite3_column_type(row, column) {
      case SQLITE_INTEGER: return .integer(sqlite3_column_int64(row, column))
      case SQLITE_FLOAT: return .real(sqlite3_column_double(row, column))
      case SQLITE_TEXT:
        let start = sqlite3_column_text(row, column)
        let count = Int(sqlite3_column_bytes(row, column))
        return .text(
          String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
      case SQLITE_BLOB:
        let start = sqlite3_column_blob(row, column)
        let count = Int(sqlite3_column_bytes(row, column))
        return .blob([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
      default: return .null
      }
    }
  }

  /// Changes the rows as a commit did.
  package mutating func apply(_ changeset: Changeset) {
    if let reason = changeset.everythingReason {
      for name in tables.keys { unknown[name] = reason }
    }
    for (table, change) in changeset.tables {
      let name = table.name
      switch change {
      case .bulk(let reason): unknown[name] = reason
      case .rows(let difference):
        guard difference.interest.wantsRows else {
          unknown[name] = "its computed columns aren't known"
          continue
        }
        rowCount += difference.entries.count
        for entry in difference.entries where unknown[name] == nil {
          if tables[name]?[entry.key] != entry.old {
            complaints.append("\(name): \(entry.key) was not what the commit said")
          }
          tables[name]?[entry.key] = entry.new
        }
      }
    }
  }

  /// What is wrong with tables of which all changed rows were known.
  package func differences(from truth: RowReplica) -> [String] {
    var differences: [String] = []
    for (name, rows) in truth.tables where unknown[name] == nil {
      let own = tables[name] ?? [:]
      guard own != rows else { continue }
      let missing = rows.filter { own[$0.key] != $0.value }.keys
      let surplus = own.keys.filter { rows[$0] == nil }
      differences.append(
        "\(name): rows \(missing.prefix(3)) differ, rows \(surplus.prefix(3)) are gone, unseen")
    }
    return differences
  }
}
