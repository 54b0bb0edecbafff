internal import CSQLite

/// A statement of the engine that every transaction runs, prepared once per connection.
enum FixedStatement: Int, CaseIterable {
  case begin
  case beginImmediate
  case commit
  case rollback
  case schemaVersion
  case autocheckpoint
  /// Reads something, and has one row in any database (see ``Connection/pinSnapshot()``).
  case pin

  fileprivate var sql: String {
    switch self {
    case .begin: "BEGIN"
    case .beginImmediate: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .schemaVersion: "PRAGMA main.schema_version"
    case .autocheckpoint: "PRAGMA wal_autocheckpoint"
    case .pin: "SELECT (SELECT 1 FROM main.sqlite_schema LIMIT 1)"
    }
  }
}

extension Connection {
  /// Runs a statement of the engine; region recording and commit accounting ignore it.
  ///
  /// ``commit(afterwards:)``, ``rollBack()`` and ``endReading()`` run those that end a transaction.
  func run(_ statement: FixedStatement) throws(DatabaseError) {
    defer { noteTransaction() }
    _ = try integer(of: statement)
  }

  /// Runs a statement of the engine.
  ///
  /// - Returns: The integer in its row; 0 without a row.
  func integer(of statement: FixedStatement) throws(DatabaseError) -> Int64 {
    try checkMayRun(statement.sql)
    // SQLite may prepare it again in the middle of a step, under the rules in force then.
    let wasRunning = isRunningEngineSQL
    isRunningEngineSQL = true
    defer { isRunningEngineSQL = wasRunning }
    let handle = try prepared(statement)
    let result = sqlite3_step(handle)
    let value = result == SQLITE_ROW ? sqlite3_column_int64(handle, 0) : 0
    // The message belongs to the step: read it before the reset, which may replace it.
    let failure =
      result == SQLITE_ROW || result == SQLITE_DONE ? nil : error(result, sql: statement.sql)
    _ = sqlite3_reset(handle)
    if let failure { throw failure }
    return value
  }

  /// Keeps the state that the connection reads now readable on it, even after a COMMIT, until
  /// ``unpinSnapshot()``.
  ///
  /// A statement that has a row and was not reset keeps the read transaction open. SQLite still
  /// allows COMMIT (only statements that write prevent it), releases the write lock, and goes on
  /// reading what was committed, whatever other connections commit next.
  func pinSnapshot() throws(DatabaseError) {
    let wasRunning = isRunningEngineSQL
    isRunningEngineSQL = true
    defer { isRunningEngineSQL = wasRunning }
    let statement = try prepared(.pin)
    let result = sqlite3_step(statement)
    guard result == SQLITE_ROW else { throw error(result, sql: FixedStatement.pin.sql) }
  }

  func unpinSnapshot() {
    if let statement = statements.fixed[FixedStatement.pin.rawValue] {
      _ = sqlite3_reset(statement)
    }
  }

  private func prepared(_ statement: FixedStatement) throws(DatabaseError) -> OpaquePointer {
    if let known = statements.fixed[statement.rawValue] { return known }
    // Prepares the end of a transaction before it begins: later there may be no memory left for it.
    if statement == .begin || statement == .beginImmediate {
      _ = try prepared(.commit)
      _ = try prepared(.rollback)
    }
    var made: OpaquePointer?
    let result = sqlite3_prepare_v3(
      handle, statement.sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard result == SQLITE_OK, let made else { throw error(result, sql: statement.sql) }
    statements.fixed[statement.rawValue] = made
    return made
  }

  func finalizeFixedStatements() {
    for index in statements.fixed.indices {
      sqlite3_finalize(statements.fixed[index])
      statements.fixed[index] = nil
    }
  }
}
