internal import CSQLite

extension Statement {
  /// Which of its columns are exactly the rowid of an ordinary table of `main`.
  ///
  /// Empty when the SQLite library was built without this information
  /// (SQLITE_ENABLE_COLUMN_METADATA).
  package var rowidColumns: [(column: Int, table: TableID)] {
    columnNames.indices.compactMap { column in
      guard let origin = origin(ofColumn: column),
        connection.isRowid(origin.column, of: origin.table)
      else { return nil }
      return (column, origin.table)
    }
  }

  /// The column of a table of `main` that a column of the result is, unchanged; also through views
  /// and subqueries.
  ///
  /// Nil for any other, and when the SQLite library was built without this information
  /// (SQLITE_ENABLE_COLUMN_METADATA).
  package func origin(ofColumn column: Int) -> (table: TableID, column: String)? {
    var schema: UnsafePointer<CChar>?
    var table: UnsafePointer<CChar>?
    var name: UnsafePointer<CChar>?
    guard lq_column_origin(handle, Int32(column), &schema, &table, &name) != 0,
      let schema, let table, let name, String(cString: schema) == "main"
    else { return nil }
    return (TableID(name: String(cString: table)), String(cString: name))
  }
}

extension Connection {
  /// Whether a column, or another name, is an alias of a table's rowid.
  fileprivate func isRowid(_ name: String, of id: TableID) -> Bool {
    guard let table = catalog.table(id) else { return false }
    var type: UnsafePointer<CChar>?
    let result = sqlite3_table_column_metadata(
      handle, id.schema, table.name, name, &type, nil, nil, nil, nil)
    guard result == SQLITE_OK else { return false }
    let declared = (type.map { String(cString: $0) } ?? "").asciiLowercased
    return isRowid(name.asciiLowercased, table, id, declaredType: declared)
  }
}
