internal import CSQLite

// Limits on the resources of a connection's SQL.

extension Connection {
  /// Lowers SQLite's limits to those of the options.
  func lowerLimits() {
    let limits = options.limits
    let pairs: [(Int32, Int?)] = [
      (SQLITE_LIMIT_LENGTH, limits.valueBytes), (SQLITE_LIMIT_SQL_LENGTH, limits.sqlBytes),
      (SQLITE_LIMIT_COLUMN, limits.columns), (SQLITE_LIMIT_EXPR_DEPTH, limits.expressionDepth),
      (SQLITE_LIMIT_COMPOUND_SELECT, limits.compoundTerms),
      (SQLITE_LIMIT_VDBE_OP, limits.instructions),
      (SQLITE_LIMIT_FUNCTION_ARG, limits.functionArguments),
      (SQLITE_LIMIT_ATTACHED, limits.attachments),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, limits.patternBytes),
      (SQLITE_LIMIT_VARIABLE_NUMBER, limits.parameters),
      (SQLITE_LIMIT_TRIGGER_DEPTH, limits.triggerDepth),
      (SQLITE_LIMIT_WORKER_THREADS, limits.workerThreads),
    ]
    for case (let limit, let value?) in pairs {
      // A negative value would only query the limit.
      sqlite3_limit(handle, limit, Int32(clamping: max(0, value)))
    }
  }

  /// Copies the current row of a statement into memory.
  ///
  /// - Throws: `DatabaseError` with code `tooBig`, before anything is copied, when it exceeds the
  ///   limit.
  package func held(_ statement: Statement) throws(DatabaseError) -> [Value] {
    guard let room = fetchState.resultRoom else { return statement.row }
    let size = statement.rowBytes
    guard size <= room else {
      let limit = Self.text(ofBytes: options.limits.resultBytes ?? 0)
      throw DatabaseError(
        code: .tooBig,
        message: "the results hold more than \(limit): select fewer or smaller rows, "
          + "as with LIMIT or substr(); \(options.limitRemedy)", sql: statement.sql)
    }
    fetchState.resultRoom = room - size
    return statement.row
  }

  /// Runs `body` with the options' limit on the memory for rows.
  func limitingResults<Output>(_ body: () throws -> Output) rethrows -> Output {
    // A read within a read shares its limit.
    guard fetchState.resultRoom == nil, let limit = options.limits.resultBytes else {
      return try body()
    }
    fetchState.resultRoom = limit
    defer { fetchState.resultRoom = nil }
    return try body()
  }

  /// A limit for a message: `64 MB`, `1.5 MB`, `500 KB`.
  static func text(ofBytes bytes: Int) -> String {
    guard bytes >= 1_000_000 else { return "\(bytes / 1_000) KB" }
    let (whole, tenths) = (bytes / 1_000_000, bytes % 1_000_000 / 100_000)
    return tenths == 0 ? "\(whole) MB" : "\(whole).\(tenths) MB"
  }

  /// Adds to an error which of our limits the statement may have exceeded.
  func explainLimit(_ error: DatabaseError) -> DatabaseError {
    let reason: String
    switch error.code.primary {
    case .tooBig where options.limits.valueBytes != nil:
      reason = "a value may have \(Self.text(ofBytes: options.limits.valueBytes ?? 0))"
    case .outOfMemory where SQLiteMemory.limit != nil:
      reason = "SQLite may use \(Self.text(ofBytes: Int(SQLiteMemory.limit ?? 0)))"
    default: return error
    }
    return DatabaseError(
      code: error.code, message: "\(error.message): \(reason); \(options.limitRemedy)",
      sql: error.sql, offset: error.offset)
  }
}

extension Statement {
  /// The memory that the current row needs, in bytes.
  var rowBytes: Int {
    (0..<Int32(truncatingIfNeeded: columnNames.count)).reduce(32) { size, column in
      let value = sqlite3_column_value(handle, column)
      let type = sqlite3_value_type(value)
      // It would convert a number to text.
      let isLong = type == SQLITE_TEXT || type == SQLITE_BLOB
      return size + 16 + (isLong ? Int(sqlite3_value_bytes(value)) : 0)
    }
  }
}

/// The memory that SQLite itself may use, for all connections of the process.
package enum SQLiteMemory {
  /// In bytes; `nil` for no limit. A statement that needs more fails with code `outOfMemory`.
  ///
  /// It is for programs: a library must not restrict other users of SQLite in its process.
  package static var limit: Int64? {
    get {
      let limit = sqlite3_hard_heap_limit64(-1)
      return limit > 0 ? limit : nil
    }
    set { sqlite3_hard_heap_limit64(max(0, newValue ?? 0)) }
  }
}
