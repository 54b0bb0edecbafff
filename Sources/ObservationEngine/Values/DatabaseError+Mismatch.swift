extension DatabaseError {
  /// The error for a column's value that does not fit a Swift type, with the cause and a remedy.
  ///
  /// - Parameter column: The column's name for the user; the message leaves out the value itself.
  package static func misfit(
    _ value: Value, in column: String, type: Any.Type, sql: String? = nil
  ) -> DatabaseError {
    let name = String(describing: type)
    let found =
      switch value {
      case .null:
        "\(column) is NULL, which \(name) cannot hold: read \(name)?, or declare the column NOT NULL"
      case .integer where type is any FixedWidthInteger.Type:
        "\(column) holds an integer out of the range of \(name): read a wider type"
      case .integer: "\(column) holds an integer that does not fit \(name)"
      case .real: "\(column) holds a real number that does not fit \(name)"
      case .text: "\(column) holds text that does not fit \(name)"
      case .blob: "\(column) holds a BLOB that does not fit \(name)"
      case .date: "\(column) holds a date that does not fit \(name)"
      }
    return DatabaseError(code: .mismatch, message: found, sql: sql)
  }

  /// The error for a column name that a row doesn't have.
  static func noColumn(_ name: String, of columns: [String], sql: String? = nil) -> DatabaseError {
    DatabaseError(
      code: .range,
      message: "there is no column \(name); there are \(columns.joined(separator: ", "))", sql: sql)
  }

  /// The error for a column position that a row doesn't have.
  package static func noColumn(_ index: Int, of count: Int, sql: String? = nil) -> DatabaseError {
    DatabaseError(
      code: .range, message: "there is no column \(index); the row has \(count), counted from 0",
      sql: sql)
  }
}
