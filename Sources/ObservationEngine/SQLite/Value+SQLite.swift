internal import CSQLite

extension Value {
  /// Copies a value that SQLite lends to a callback.
  init(_ value: OpaquePointer) {
    self =
      switch sqlite3_value_type(value) {
      case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
      case SQLITE_FLOAT: .real(sqlite3_value_double(value))
      case SQLITE_TEXT:
        {
          // The text first: it may convert, and then the count changes.
          let bytes = sqlite3_value_text(value)
          let count = Int(sqlite3_value_bytes(value))
          return .text(
            String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        }()
      case SQLITE_BLOB:
        {
          let bytes = sqlite3_value_blob(value)
          let count = Int(sqlite3_value_bytes(value))
          return .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
        }()
      default: .null
      }
  }

  /// Makes this the result of the SQL function that runs in `context`.
  func becomeResult(of context: OpaquePointer) {
    switch self {
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
    }
  }
}
