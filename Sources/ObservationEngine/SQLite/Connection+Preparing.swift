internal import CSQLite

extension Connection {
  /// A statement, and the offset of the text after it.
  struct Prepared {
    /// `nil` when the text has only whitespace and comments.
    var statement: Statement?
    /// The byte offset of the text after the statement.
    var end: Int
  }

  /// Prepares the first statement of `sql` at or after the byte offset `start`.
  ///
  /// - Throws: `DatabaseError`, even if only because the transaction of the running `write` is
  ///   gone.
  func prepareNext(_ sql: String, from start: Int = 0) throws(DatabaseError) -> Prepared {
    try checkMayRun(sql)
    try tellLostState()
    try checkTransaction(sql)
    authorizer.begin()
    var text = sql
    var handle: OpaquePointer?
    var end = 0
    let result = text.withUTF8 { bytes -> Int32 in
      let remainder = UnsafeBufferPointer(rebasing: bytes[start...])
      return remainder.withMemoryRebound(to: CChar.self) { characters in
        guard let base = characters.baseAddress else { return SQLITE_OK }
        var tail: UnsafePointer<CChar>?
        let result = sqlite3_prepare_v3(
          self.handle, base, Int32(characters.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle,
          &tail)
        end = start + (tail.map { $0 - base } ?? characters.count)
        return result
      }
    }
    guard result == SQLITE_OK else { throw error(result, sql: sql, baseOffset: start) }
    guard let handle else { return Prepared(statement: nil, end: end) }
    if isReadingOnly, !isRunningEngineSQL, !authorizer.isReadingPragma,
      sqlite3_stmt_readonly(handle) == 0
    {
      sqlite3_finalize(handle)
      throw DatabaseError(
        code: .readOnly, message: "this statement writes; only queries are allowed here", sql: sql,
        offset: start)
    }
    let isWhole = start == 0 && end == text.utf8.count
    let own = isWhole ? sql : String(decoding: Array(text.utf8)[start..<end], as: UTF8.self)
    return Prepared(
      statement: Statement(
        handle: handle, sql: own, region: resolvedRegion(authorizer.reads), connection: self),
      end: end)
  }

  /// Prepares `sql`, which must be exactly one statement.
  package func prepare(_ sql: String) throws(DatabaseError) -> Statement {
    let first = try prepareNext(sql)
    guard let statement = first.statement else {
      throw DatabaseError(code: .misuse, message: "there is no statement here", sql: sql)
    }
    var rest = first.end
    while rest < sql.utf8.count {
      let next: Prepared
      do { next = try prepareNext(sql, from: rest) } catch {
        throw DatabaseError(
          code: .misuse, message: "a second statement follows; give one statement at a time",
          sql: sql, offset: rest)
      }
      guard next.statement == nil else {
        throw DatabaseError(
          code: .misuse, message: "a second statement follows; give one statement at a time",
          sql: sql, offset: rest)
      }
      guard next.end > rest else { break }
      rest = next.end
    }
    return statement
  }

  private func resolvedRegion(_ reads: Region) -> Region {
    var region = reads
    for table in reads.parts.keys {
      if let reason = catalog.reasonForFullRegion(reading: table) {
        region.insertEverything(reason: reason)
      }
      // SQLite reports it as it reports that only rows are read.
      if catalog.table(table)?.columns.contains(where: \.name.isEmpty) == true {
        region.insert(column: "", of: table)
      }
      for (stored, columns) in catalog.storage(of: table) {
        region.insert(rowsOf: stored)
        for column in columns { region.insert(column: column, of: stored) }
      }
    }
    return region
  }

  /// Lends a cached statement to `body`.
  ///
  /// - Parameter arguments: The values that `body` binds, for recording the region.
  package func withCachedStatement<Result>(
    _ sql: String, _ arguments: QueryArguments = [], _ body: (Statement) throws -> Result
  ) throws -> Result {
    let statement = try lend(sql, arguments)
    defer { takeBack(statement) }
    return try body(statement)
  }

  /// Lends a cached statement until ``takeBack(_:)``, and records its region.
  func lend(_ sql: String, _ arguments: QueryArguments) throws(DatabaseError) -> Statement {
    try checkUse()
    try checkTransaction(sql)
    let kind = cacheKind
    let statement: Statement
    if let cached = statements.caches[kind].take(sql) {
      statement = cached
    } else {
      statement = try prepare(sql)
      statements.caches[kind].adopt(statement)
      statement.cacheKind = kind
    }
    if fetchState.recorded != nil {
      fetchState.recorded!.formUnion(statement.visitedRegion(with: arguments))
    }
    return statement
  }

  /// Takes a lent statement back, whether or not it ran to its end.
  func takeBack(_ statement: Statement) {
    if statement.isRunning {
      statement.reset()
      // It took full effect even though not every row was fetched: INSERT … RETURNING.
      statementDidFinish(statement)
    }
    // Whether a statement that ends a transaction is allowed depends on the caller, so it isn't
    // cached. Nor is one that changes the schema: what it does is learned while it is prepared.
    if !statement.controlsTransaction, !statement.changesSchema {
      statements.caches[statement.cacheKind].put(statement)
    }
  }

  /// Called by a statement that ran to its end, or failed.
  func statementDidFinish(_ statement: Statement) {
    if statement.changesSchema { schemaMayHaveChanged() }
    if statement.controlsTransaction || statement.controlsSavepoint { noteTransaction() }
    if statement.controlsTransaction, !hasOpenTransaction { transactionDidEnd() }
    if !isRunningEngineSQL { delegate?.settle() }
  }
}
