internal import CSQLite

/// A prepared statement, confined to its connection's thread of execution.
package final class Statement {
  let handle: OpaquePointer
  /// Not counted, which would cost a loop of small statements 5 %: only its connection uses a statement.
  unowned(unsafe) let connection: Connection
  package let sql: String
  /// What the statement reads, recorded while it was prepared.
  package private(set) var region: Region
  package let columnNames: [String]
  /// Whether its result changes with time.
  private(set) var timeDependence = TimeDependence.none
  /// The schema that it rewrites, if it is a VACUUM.
  private let vacuumedSchema: String?
  /// Whether it opens or ends a transaction.
  let controlsTransaction: Bool
  /// Whether it begins or ends a savepoint.
  let controlsSavepoint: Bool
  /// Whether it changes a schema.
  let changesSchema: Bool
  /// Whether it may write something other than rows.
  private let writesMore: Bool
  /// Whether it may change the journal mode.
  private let changesJournalMode: Bool
  /// Its slot in a ``StatementCache``, which alone writes these.
  var cacheSlot = -1
  var cacheGeneration = -1
  /// Which of the connection's caches it belongs to.
  var cacheKind = 0
  /// The names of its parameters, with their prefix; `nil` for a nameless `?`.
  package private(set) lazy var parameterNames: [String?] = (0..<parameterCount).map {
    sqlite3_bind_parameter_name(handle, $0 + 1).map { String(cString: $0) }
  }
  /// The rows of its only table that it reads; determined on first use.
  private(set) lazy var restriction = connection.restriction(of: self)
  /// The columns by which it visits rows, by table; determined on first use.
  var visitedColumns: [TableID: Set<String>]?
  /// Whether ``StateReader`` has found that it reads the tables that it should, and has the columns.
  var readsWhatItShould = false

  init(handle: OpaquePointer, sql: String, region: Region, connection: Connection) {
    self.handle = handle
    self.sql = sql
    self.region = region
    self.connection = connection
    controlsTransaction = connection.authorizer.controlsTransaction
    controlsSavepoint = connection.authorizer.controlsSavepoint
    changesSchema = connection.authorizer.changesSchema
    changesJournalMode = connection.authorizer.changesJournalMode
    writesMore = connection.authorizer.writesMore && sqlite3_stmt_readonly(handle) == 0
    vacuumedSchema = sqlite3_stmt_readonly(handle) == 0 ? SQLText.vacuumedSchema(sql) : nil
    columnNames = (0..<sqlite3_column_count(handle)).map {
      sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? ""
    }
    let joinsByNames = connection.mayJoinByNames(prepared: sql)
    // Last, because they may prepare statements of their own.
    timeDependence = connection.timeDependence(ofPrepared: sql)
    if joinsByNames { connection.insertJoins(of: sql, into: &self.region) }
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether it cannot write to the database file, according to SQLite.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  private var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

  /// Whether it has been stepped, but neither finished nor was reset.
  var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Binds every parameter.
  ///
  /// - Throws: `DatabaseError` naming a value that can't be bound, a parameter without a value, or surplus
  ///   positional values.
  package func bind(_ arguments: QueryArguments) throws(DatabaseError) {
    try arguments.check(sql)
    let positional = arguments.positional
    if arguments.named.isEmpty, positional.count == Int(parameterCount) {
      for index in positional.indices { try bind(positional[index], at: Int32(index + 1)) }
      return
    }
    let values = try arguments.values(ofParameters: parameterNames, sql: sql)
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  func bind(_ value: Value, at index: Int32) throws(DatabaseError) {
    let result =
      switch try value.encoded(dateFormat: connection.dateFormat) {
      case .null: sqlite3_bind_null(handle, index)
      case .integer(let number): sqlite3_bind_int64(handle, index, number)
      case .real(let number): sqlite3_bind_double(handle, index, number)
      case .text(var text):
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) {
            lq_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
          }
        }
      case .blob(let bytes):
        bytes.withUnsafeBytes {
          lq_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
        }
      case .date: preconditionFailure("a date was bound before it was encoded")
      }
    guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
  }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one; after `false` the statement is reset.
  package func step() throws(DatabaseError) -> Bool {
    try connection.checkMayRun(sql)
    if writesMore { connection.transactionState.mayHaveWrittenMore = true }
    if let vacuumedSchema { connection.delegate?.willVacuum(vacuumedSchema) }
    guard changesJournalMode else { return try advance() }
    connection.wal.isChangingMode = true
    defer {
      connection.wal.isChangingMode = false
      connection.wal.isOn = false
    }
    return try advance()
  }

  /// Moves from one row to the next, after ``step()``.
  ///
  /// - Returns: Whether there is one; after `false` the statement is reset.
  @inline(__always)
  package func advance() throws(DatabaseError) -> Bool {
    let result = sqlite3_step(handle)
    return result == SQLITE_ROW ? true : try finish(result)
  }

  @inline(never)
  private func finish(_ result: Int32) throws(DatabaseError) -> Bool {
    // The message belongs to the step: read it before the reset, which may replace it.
    let failure = result == SQLITE_DONE ? nil : connection.error(result, sql: sql)
    reset()
    if failure != nil, vacuumedSchema != nil { connection.delegate?.didFailToVacuum() }
    connection.statementDidFinish(self)
    if let failure { throw failure }
    return false
  }

  /// Makes the statement ready to run again; its parameters keep their values.
  package func reset() {
    // The result repeats the last step's error, which has been reported already.
    _ = sqlite3_reset(handle)
  }

  /// The values of the current row.
  package var row: [Value] {
    let count = columnNames.count
    return [Value](unsafeUninitializedCapacity: count) { values, initialized in
      for index in 0..<count {
        values.initializeElement(at: index, to: value(at: Int32(truncatingIfNeeded: index)))
      }
      initialized = count
    }
  }

  package func value(at column: Int32) -> Value {
    // See RowCursor for why this doesn't use the column functions.
    Value(sqlite3_column_value(handle, column))
  }
}
