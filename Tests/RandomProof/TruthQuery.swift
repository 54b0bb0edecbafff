internal import CSQLite
internal import Glibc
internal import ObservationEngine
internal import TestSupport

/// A query that SQLite alone answers, prepared once.
final class TruthQuery {
  private let connection: PlainConnection
  private let sql: String
  private let arguments: [Value]
  private var statement: OpaquePointer?

  init(_ connection: PlainConnection, _ sql: String, _ arguments: [Value]) {
    self.connection = connection
    self.sql = sql
    self.arguments = arguments
  }

  deinit { sqlite3_finalize(statement) }

  /// Whether the result is this one now, bit by bit and in this order; of `nil` whether SQLite refuses the query.
  ///
  /// Compares where SQLite has the values: most comparisons find no difference.
  func isNow(_ value: RowSet?) -> Bool {
    guard prepare() else { return value == nil }
    defer { sqlite3_reset(statement) }
    var place = 0
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        // It can fail after some rows.
        guard let value else { continue }
        guard place < value.rows.count,
          value.rows[place].count == sqlite3_column_count(statement),
          value.rows[place].indices.allSatisfy({ isEqual(value.rows[place][$0], Int32($0)) })
        else { return false }
        place += 1
      case SQLITE_DONE:
        guard let value, place == value.rows.count,
          value.columns.count == sqlite3_column_count(statement)
        else { return false }
        return value.columns.indices.allSatisfy {
          strcmp(value.columns[$0], sqlite3_column_name(statement, Int32($0))) == 0
        }
      default: return value == nil
      }
    }
  }

  private func isEqual(_ value: Value, _ column: Int32) -> Bool {
    switch (value, sqlite3_column_type(statement, column)) {
    case (.null, SQLITE_NULL): return true
    case (.integer(let number), SQLITE_INTEGER):
      return number == sqlite3_column_int64(statement, column)
    case (.real(let number), SQLITE_FLOAT):
      return number.bitPattern == sqlite3_column_double(statement, column).bitPattern
    case (.text(var text), SQLITE_TEXT):
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      if text.withUTF8({
        $0.count == count && (count == 0 || memcmp($0.baseAddress!, start!, count) == 0)
      }) {
        return true
      }
      // Bytes that aren't UTF-8 are read as another character.
      return value == self.value(column)
    case (.blob, SQLITE_BLOB): return value == self.value(column)
    default: return false
    }
  }

  /// The result as it is now; `nil` when SQLite refuses the query.
  func result() -> RowSet? {
    guard prepare() else { return nil }
    defer { sqlite3_reset(statement) }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { value($0) })
      case SQLITE_DONE:
        // After a change of the schema there can be others.
        let names = (0..<sqlite3_column_count(statement)).map {
          String(cString: sqlite3_column_name(statement, $0))
        }
        return RowSet(columns: names, rows: rows)
      default: return nil
      }
    }
  }

  private func prepare() -> Bool {
    if statement != nil { return true }
    guard sqlite3_prepare_v2(connection.handle, sql, -1, &statement, nil) == SQLITE_OK else {
      return false
    }
    for (index, argument) in arguments.enumerated() {
      let place = Int32(index + 1)
      switch argument {
      case .integer(let number): sqlite3_bind_int64(statement, place, number)
      case .real(let number): sqlite3_bind_double(statement, place, number)
      case .text(let text): _ = lq_bind_text(statement, place, text, UInt64(text.utf8.count))
      case .blob(let bytes): _ = lq_bind_blob(statement, place, bytes, UInt64(bytes.count))
      case .null, .date: sqlite3_bind_null(statement, place)
      }
    }
    return true
  }

  private func value(_ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .text(
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .blob([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }
}
