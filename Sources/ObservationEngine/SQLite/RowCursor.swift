internal import CSQLite

/// Iterates over the rows of a result without retaining them: rows that a statement returns, or
/// those of a result that was fetched before.
///
/// Confined to its connection's thread of execution.
@usableFromInline
package final class RowCursor {
  // Both are nil when the rows come from a result. Don't use them once the cursor is closed.
  let handle: OpaquePointer?
  private let statement: Statement?
  private var isOpen = true
  /// The connection that lent the statement.
  private let connection: Connection?
  private let result: RowSet
  private var index = -1
  /// What the statement's first step found, if it has been made.
  private let firstStep: Result<Void, DatabaseError>?
  /// The rows after those of the result.
  private var rest: RowCursor?
  package let sql: String?
  package let columns: [String]
  /// How dates are stored.
  package let dateFormat: DateFormat

  /// A cursor over the rows of a bound statement; at the end the statement returns to the cache.
  ///
  /// - Parameter firstStep: What the step to the cursor's first row found, a row or an error, if it
  ///   has been made.
  init(
    _ statement: Statement, of connection: Connection,
    after firstStep: Result<Void, DatabaseError>? = nil
  ) {
    self.statement = statement
    self.firstStep = firstStep
    self.connection = connection
    handle = statement.handle
    result = .empty
    sql = statement.sql
    columns = statement.columnNames
    dateFormat = connection.options.dateFormat
  }

  /// A cursor over a result.
  package convenience init(_ result: RowSet, sql: String?, dateFormat: DateFormat) {
    self.init(result, sql: sql, dateFormat: dateFormat, rest: nil)
  }

  /// A cursor over the first rows of a result, which owns the cursor over the others.
  init(_ result: RowSet, sql: String?, dateFormat: DateFormat, rest: RowCursor?) {
    connection = nil
    statement = nil
    firstStep = nil
    self.rest = rest
    self.dateFormat = dateFormat
    self.result = result
    self.sql = sql
    handle = nil
    columns = result.columns
  }

  deinit { close() }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one.
  @usableFromInline
  package func next() throws(DatabaseError) -> Bool {
    index += 1
    guard let statement else { return index < result.rows.count }
    guard index == 0 else { return try statement.advance() }
    guard let firstStep else { return try statement.step() }
    try firstStep.get()
    return true
  }

  /// Gives the statement back; no row can be read afterwards.
  @usableFromInline
  package func close() {
    guard isOpen else { return }
    isOpen = false
    if let statement { connection?.takeBack(statement) }
    rest?.close()
  }

  /// The cursor over the rows that follow this cursor's; `nil` when there are none.
  ///
  /// The caller closes it.
  @usableFromInline
  package func takeRest() -> RowCursor? { rest.take() }

  // MARK: - Columns of the current row

  // Through sqlite3_value, since each of sqlite3_column_type, _int64, … looks the column up again.
  // SQLite calls such a value unprotected (https://sqlite.org/c3ref/column_blob.html): only one
  // thread at a time may use it, and a connection has only one.

  /// The value of a column.
  package func value(_ index: Int) throws(DatabaseError) -> Value {
    guard columns.indices.contains(index) else {
      throw .noColumn(index, of: columns.count, sql: sql)
    }
    return statement?.value(at: Int32(index)) ?? result.rows[self.index][index]
  }

  @inline(__always)
  package func isNull(_ index: Int) throws(DatabaseError) -> Bool {
    guard let handle else { return try value(index) == .null }
    // Beyond the last column, SQLite reports NULL.
    guard columns.indices.contains(index) else {
      throw .noColumn(index, of: columns.count, sql: sql)
    }
    return sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)) == SQLITE_NULL
  }

  @inline(__always)
  @usableFromInline
  package func integer(_ index: Int, for type: Any.Type) throws(DatabaseError) -> Int64 {
    if let handle {
      let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
      if sqlite3_value_type(value) == SQLITE_INTEGER { return sqlite3_value_int64(value) }
    }
    guard case .integer(let number) = try value(index) else { throw misfit(index, type) }
    return number
  }

  // Inlined into its callers, which know the type: a generic call would cost as much as everything
  // else.
  @inlinable
  package func narrow<Output: FixedWidthInteger>(_ index: Int) throws(DatabaseError) -> Output {
    guard let number = Output(exactly: try integer(index, for: Output.self)) else {
      throw misfit(index, Output.self)
    }
    return number
  }

  package func float(_ index: Int) throws(DatabaseError) -> Float {
    guard let number = Float.fromValue(try value(index)) else { throw misfit(index, Float.self) }
    return number
  }

  @inline(__always)
  package func real(_ index: Int, for type: Any.Type) throws(DatabaseError) -> Double {
    if let handle {
      let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
      if sqlite3_value_type(value) == SQLITE_FLOAT { return sqlite3_value_double(value) }
    }
    guard let number = Double.fromValue(try value(index)) else { throw misfit(index, type) }
    return number
  }

  @inline(__always)
  package func text(_ index: Int, for type: Any.Type) throws(DatabaseError) -> String {
    if let handle {
      let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
      if sqlite3_value_type(value) == SQLITE_TEXT {
        let bytes = sqlite3_value_text(value)
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
      }
    }
    guard case .text(let text) = try value(index) else { throw misfit(index, type) }
    return text
  }

  /// Calls `body` with the bytes of a BLOB, valid only during the call.
  package func withBlob<Output>(
    _ index: Int, for type: Any.Type, _ body: (UnsafeRawBufferPointer) -> Output
  ) throws(DatabaseError) -> Output {
    let column = Int32(truncatingIfNeeded: index)
    if let handle, sqlite3_column_type(handle, column) == SQLITE_BLOB {
      let bytes = sqlite3_column_blob(handle, column)
      let count = Int(sqlite3_column_bytes(handle, column))
      return body(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    guard case .blob(let bytes) = try value(index) else { throw misfit(index, type) }
    return bytes.withUnsafeBytes(body)
  }

  /// The error for a column's value that does not fit `type`.
  @inline(never)
  @usableFromInline
  package func misfit(_ index: Int, _ type: Any.Type) -> DatabaseError {
    do {
      return .misfit(
        try value(index), in: "column \(index) (\(columns[index]))", type: type, sql: sql)
    } catch {
      return error
    }
  }
}
