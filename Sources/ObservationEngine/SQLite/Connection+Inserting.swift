internal import CSQLite

extension Connection {
  /// A rowid that SQLite assigns to no row: it counts up from 1, and picks random ones from above 0.
  private static let noRowid = Int64.min + 1

  /// Runs an INSERT of one row that the library composed, and adds a remedy to SQLite's error.
  ///
  /// - Returns: The rowid of the new row; `nil` when SQLite inserted none (a conflict that is ignored,
  ///   a trigger that refuses the row or replaces the INSERT into a view), and for a WITHOUT ROWID
  ///   table.
  package func insertRow(_ sql: String, _ values: [Value], table: String) throws -> Int64? {
    try checkUse()
    // SQLite leaves the number of an earlier row when it assigns none.
    let earlier = sqlite3_last_insert_rowid(handle)
    sqlite3_set_last_insert_rowid(handle, Self.noRowid)
    defer {
      if sqlite3_last_insert_rowid(handle) == Self.noRowid {
        sqlite3_set_last_insert_rowid(handle, earlier)
      }
    }
    try executeRow(sql, values, table: table)
    let rowid = sqlite3_last_insert_rowid(handle)
    return rowid == Self.noRowid ? nil : rowid
  }

  /// Whether a column is the rowid of its table, which must have rowids.
  ///
  /// - Parameters:
  ///   - column: The column's name.
  ///   - table: The name of a table, in the schema where SQLite finds it.
  package func isRowid(_ column: String, ofTable table: String) throws(DatabaseError) -> Bool {
    var type: UnsafePointer<CChar>?
    var isKey: Int32 = 0
    var isNumbered: Int32 = 0
    let result = sqlite3_table_column_metadata(
      handle, nil, table, column, &type, nil, nil, &isKey, &isNumbered)
    guard result == SQLITE_OK, isKey != 0 else { return false }
    // Only the rowid can have AUTOINCREMENT.
    if isNumbered != 0 { return true }
    guard let type, String(cString: type).asciiLowercased == "integer" else { return false }
    // What remains is one of several columns of a key, or INTEGER PRIMARY KEY DESC.
    if let known = schemaState.hasKeyIndex[table] { return !known }
    let hasKeyIndex = try SchemaReader(self).hasKeyIndex(table, in: nil)
    schemaState.hasKeyIndex[table] = hasKeyIndex
    return !hasKeyIndex
  }
}
