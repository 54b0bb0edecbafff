internal import CSQLite

// What identifies the row that an INSERT made. A table is the one that SQLite finds by its name
// alone.

extension Connection {
  /// Whether the rows of a table have rowids: it isn't declared WITHOUT ROWID.
  package func hasRowids(table: String) -> Bool {
    // A name that no column has is the rowid, and unknown where there is none. There all three are
    // known only if they are columns.
    Self.rowidNames.allSatisfy { (name: String) in
      sqlite3_table_column_metadata(handle, nil, table, name, nil, nil, nil, nil, nil) == SQLITE_OK
    }
  }

  /// Whether a column is the rowid of a table.
  package func isRowid(_ column: String, ofTable table: String) throws(DatabaseError) -> Bool {
    var type: UnsafePointer<CChar>?
    var isKey: Int32 = 0
    var isNumbered: Int32 = 0
    let result = sqlite3_table_column_metadata(
      handle, nil, table, column, &type, nil, nil, &isKey, &isNumbered)
    guard result == SQLITE_OK else { return false }
    // A virtual table declares no key: that of an R*Tree is its first column.
    guard isKey != 0 else { return try isVirtual(table) }
    // Only the rowid can have AUTOINCREMENT.
    if isNumbered != 0 { return true }
    guard let type, String(cString: type).asciiLowercased == "integer" else { return false }
    if Self.rowidNames.contains(column.asciiLowercased) {
      let columns = try columnNames(of: table)
      // Without a column of this name, it is the rowid itself.
      if !columns.contains(where: { isSame($0, column) }) { return hasRowids(table: table) }
    }
    // It may still be one of several columns of a key, an INTEGER PRIMARY KEY DESC, or the key of a
    // table WITHOUT ROWID. These keys have an index.
    return try !keyHasIndex(table)
  }

  private static let rowidNames = ["rowid", "_rowid_", "oid"]

  private func isSame(_ name: String, _ other: String) -> Bool {
    name.asciiLowercased == other.asciiLowercased
  }

  private func keyHasIndex(_ table: String) throws(DatabaseError) -> Bool {
    if let known = schemaState.hasKeyIndex[table] { return known }
    let hasKeyIndex = try SchemaReader(self).hasKeyIndex(table, in: nil)
    schemaState.hasKeyIndex[table] = hasKeyIndex
    return hasKeyIndex
  }

  private func isVirtual(_ table: String) throws(DatabaseError) -> Bool {
    try SchemaReader(self).tables().contains { $0.kind == .virtual && isSame($0.name, table) }
  }
}
