internal import CSQLite

// What identifies the row that an INSERT made. A table is the one that SQLite finds by its name
// alone.

extension Connection {
  /// Whether the rows of a table have rowids: it isn't declared WITHOUT ROWID.
  package func hasRowids(table: String) -> Bool {
    // A name that no column has is the rowid, and unknown where there is none. There all three are
    // known only if they are columns.
    SchemaReader.rowidNames.allSatisfy { name in
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
    // Only the rowid can have AUTOINCREMENT.
    if isNumbered != 0 { return true }
    let place = [table, column]
    if let known = schemaState.rowidColumns[place] { return known }
    let isInteger = type.map { String(cString: $0).asciiLowercased } == "integer"
    let isRowid =
      if isKey == 0 {
        // A virtual table declares no key: that of an R*Tree is its first column.
        try isVirtual(table)
      } else if try isInteger ? !hasColumn(column, table: table) : false {
        // Without a column of its name, it is the rowid itself.
        hasRowids(table: table)
      } else {
        // It may still be one of several columns of a key, an INTEGER PRIMARY KEY DESC, or the key of
        // a table WITHOUT ROWID. These keys have an index.
        isInteger ? try !SchemaReader(self).hasKeyIndex(table, in: nil) : false
      }
    schemaState.rowidColumns[place] = isRowid
    return isRowid
  }

  private func hasColumn(_ column: String, table: String) throws(DatabaseError) -> Bool {
    try columnNames(of: table).contains { $0.asciiLowercased == column.asciiLowercased }
  }

  private func isVirtual(_ table: String) throws(DatabaseError) -> Bool {
    try SchemaReader(self).tables().contains {
      $0.kind == .virtual && $0.name.asciiLowercased == table.asciiLowercased
    }
  }
}
