internal import CSQLite

extension Value {
  /// Copies a value that SQLite lends: from a row, a change or an argument.
  @inline(__always)
  init(_ value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      // The text first: reading it may convert it, which changes the count.
      let bytes = sqlite3_value_text(value)
      let count = Int(sqlite3_value_bytes(value))
      self = .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      self = .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }

  /// The value as it is stored: a date in the format of the database, any other value unchanged.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when the format can't express the date.
  @inline(__always)
  func encoded(dateFormat: DateFormat) throws(DatabaseError) -> Value {
    guard case .date(let date) = self else { return self }
    return try dateFormat.value(of: date)
  }

  /// Sets the result of the SQL function that runs in `context`.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when the database's format can't express the
  ///   date.
  func becomeResult(
    of context: OpaquePointer, dateFormat: DateFormat
  ) throws(DatabaseError) {
    switch try encoded(dateFormat: dateFormat) {
    case .null: sqlite3_result_null(context)
    case .integer(let number): sqlite3_result_int64(context, number)
    case .real(let number): sqlite3_result_double(context, number)
    case .text(var text):
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          lq_result_text(context, $0.baseAddress, UInt64($0.count))
        }
      }
    case .blob(let bytes):
      bytes.withUnsafeBytes { lq_result_blob(context, $0.baseAddress, UInt64($0.count)) }
    case .date: preconditionFailure("a date became a result before it was encoded")
    }
  }
}
