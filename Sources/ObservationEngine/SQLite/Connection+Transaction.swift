// MARK: - Transactions

extension Connection {
  /// Runs `body` in a transaction: within the open one, or in its own IMMEDIATE transaction.
  ///
  /// So a function that writes can be called on its own, and by another function that writes:
  ///
  ///     func addPlayer(_ connection: Connection) throws {
  ///       try connection.inTransaction {
  ///         try connection.execute("INSERT INTO player(name) VALUES ('ada')")
  ///         try connection.execute("UPDATE statistics SET players = players + 1")
  ///       }
  ///     }
  ///
  /// and then:
  ///
  ///     try await database.write { connection in
  ///       try addPlayer(connection)
  ///       try addPlayer(connection)
  ///     }
  ///
  /// ## Guarantees
  /// - When `body` throws, exactly its own changes are undone.
  /// - Its changes are committed with the outermost transaction.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `readOnly` on a connection that reads.
  @discardableResult
  public func inTransaction<Output>(_ body: () throws -> Output) throws -> Output {
    try checkCanWrite("inTransaction")
    return hasOpenTransaction ? try savepoint(body) : try transaction { _ in try body() }
  }

  /// Runs `body` so that its changes can be undone without the rest of the transaction.
  ///
  ///     try await database.write { connection in
  ///       try connection.execute("INSERT INTO player(name) VALUES ('ada')")
  ///       do {
  ///         try connection.savepoint {
  ///           try connection.execute("DELETE FROM player")
  ///           throw Changed()
  ///         }
  ///       } catch is Changed {}
  ///     }  // ada is committed
  ///
  /// Savepoints nest. SQL may also use SAVEPOINT, RELEASE and ROLLBACK TO.
  ///
  /// - Throws: What `body` throws, after undoing its changes; `DatabaseError` with code `misuse`
  ///   when no transaction is open; with code `readOnly` on a connection that reads.
  /// - Complexity: Two statements; undoing costs as many pages as were changed.
  @discardableResult
  public func savepoint<Output>(_ body: () throws -> Output) throws -> Output {
    try checkCanWrite("savepoint")
    guard hasOpenTransaction else {
      try checkTransaction()
      throw DatabaseError(
        code: .misuse,
        message: "a savepoint needs an open transaction; call it within write, or use inTransaction"
      )
    }
    transactionState.savepointDepth += 1
    defer { transactionState.savepointDepth -= 1 }
    let name = "livequery_savepoint_\(transactionState.savepointDepth)"
    try beginSavepoint(name)
    do {
      let output = try body()
      // The rollback removed this savepoint, and all before it.
      try checkTransaction()
      try release(name)
      return output
    } catch {
      if hasOpenTransaction {
        do { try rollBack(to: name) } catch let failure {
          throw DatabaseError(
            code: failure.code, message: "rolling back failed: \(failure.message), after: \(error)")
        }
        transactionDidEnd()
      }
      throw error
    }
  }

  private func checkCanWrite(_ name: String) throws(DatabaseError) {
    try checkUse()
    if isReadingOnly {
      throw DatabaseError(
        code: .readOnly, message: "\(name) is for writing; this connection only reads: use write")
    }
  }

  /// Runs `body` in one IMMEDIATE transaction, and commits unless it throws.
  ///
  /// - Parameters:
  ///   - beforeCommit: Called between `body` and COMMIT, with the write lock held.
  ///   - afterCommit: Called with the ordinal of the commit; `nil` when nothing was written.
  func transaction<Output>(
    beforeCommit: () throws -> Void = {}, afterCommit: (Int?) -> Void = { _ in },
    _ body: (Connection) throws -> Output
  ) throws -> Output {
    if hasOpenTransaction {
      throw DatabaseError(
        code: .misuse,
        message: "a transaction is open on this connection; end it first, or join it: inTransaction"
      )
    }
    try run(.beginImmediate)
    delegate?.settle()
    do {
      _ = try renewIfSchemaChanged()
      authorizer.hasSeenSchemaChange = false
      let output = try managingTransaction { try body(self) }
      if !hasOpenTransaction { throw Self.transactionGone() }
      try beforeCommit()
      transactionState.keptSchema =
        !transactionState.hasChangedSchema && !authorizer.hasSeenSchemaChange
      delegate?.transactionWillEnd()
      // The error of a statement that was cancelled may not have left the closure.
      if interruptHandle.endsStatements { throw DatabaseError.cancelled() }
      try commit {
        // It says something of this transaction alone.
        defer { transactionState.keptSchema = false }
        transactionState.hasChangedSchema = false
        afterCommit(delegate?.settle())
      }
      return output
    } catch {
      // A failed COMMIT, or a statement, may already have ended the transaction.
      if hasOpenTransaction {
        do { try rollBack() } catch let failure {
          throw DatabaseError(
            code: failure.code, message: "rolling back failed: \(failure.message), after: \(error)")
        }
      }
      transactionState.keptSchema = false
      transactionDidEnd()
      delegate?.settle()
      throw reported(error)
    }
  }

  private func managingTransaction<Output>(_ body: () throws -> Output) throws -> Output {
    managesTransaction = true
    defer { managesTransaction = false }
    return try body()
  }
}

// MARK: - What transactions and schema changes mean for statements

extension Connection {
  /// Which of ``caches`` to use for the SQL that runs now.
  var cacheKind: Int { isRunningEngineSQL ? 0 : isReadingOnly ? 1 : 2 }

  /// Drops all cached statements.
  func forgetStatements() {
    for kind in statements.caches.indices { statements.caches[kind].removeAll() }
    schemaState.lookups = [:]
    schemaState.rowidColumns = [:]
    schemaState.writingLimits = [:]
    schemaState.computations = [:]
    schemaState.visitedIndexes = [:]
  }

  /// Makes SQLite prepare every statement again before its next use: what it reads, and its column
  /// names, may have changed.
  func schemaMayHaveChanged() {
    transactionState.hasChangedSchema = transactionState.hasChangedSchema || hasOpenTransaction
    forgetStatements()
  }

  /// Called when a transaction has ended, or was rolled back to a savepoint.
  func transactionDidEnd() {
    guard transactionState.hasChangedSchema else { return }
    transactionState.hasChangedSchema = hasOpenTransaction
    forgetStatements()
  }

  /// Whether the running closure has a transaction that the engine commits or rolls back.
  var managesTransaction: Bool {
    get { authorizer.managesTransaction }
    set { authorizer.managesTransaction = newValue }
  }

  /// Throws when the transaction of the running closure is gone: a later statement would be its own
  /// transaction, and would stay committed if the closure throws.
  func checkTransaction(_ sql: String? = nil) throws(DatabaseError) {
    if managesTransaction, !isRunningEngineSQL, !hasOpenTransaction {
      throw Self.transactionGone(sql)
    }
  }

  static func transactionGone(_ sql: String? = nil) -> DatabaseError {
    DatabaseError(
      code: .aborted,
      message: "the transaction was rolled back by an earlier statement (OR ROLLBACK, "
        + "RAISE(ROLLBACK), a full disk or a cancelled statement do that); nothing of it is kept. "
        + "Let its error leave the closure",
      sql: sql)
  }
}
