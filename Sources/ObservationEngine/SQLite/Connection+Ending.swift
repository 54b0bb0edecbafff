internal import CSQLite

// Ends transactions, so that none is left open: it would keep its lock or its snapshot forever, and
// later statements would become part of it.

extension Connection {
  /// Commits the transaction of a write, then runs `afterwards`, which the cancellation of the
  /// writing task cannot interrupt.
  ///
  /// An interruption that SQLite has already registered ends the COMMIT, and nothing is committed.
  func commit(afterwards: () -> Void) throws(DatabaseError) {
    try ending(.commit)
    let outer = interruptHandle.protect(.fromCancellation)
    defer { _ = interruptHandle.protect(outer) }
    afterwards()
  }

  /// Rolls the open transaction back, even while statements still read in it.
  func rollBack() throws(DatabaseError) {
    // A statement between two of its rows keeps an interruption pending, which would end the
    // ROLLBACK.
    resetStatements()
    try ending(.rollback)
  }

  /// Runs `body` in a read transaction, and ends that.
  func readTransaction<Output>(_ body: () throws -> Output) throws -> Output {
    try run(.begin)
    defer { endReading() }
    return try body()
  }

  /// Ends the open read transaction, if there is one.
  ///
  /// Errors don't matter: there is nothing to lose, and if the transaction can't be ended, the end
  /// of the job finds that out (``comeToRest()``).
  func endReading() {
    guard hasOpenTransaction else { return }
    do { try ending(.commit) } catch { comeToRest() }
  }

  private func ending(_ statement: FixedStatement) throws(DatabaseError) {
    try uninterrupted { () throws(DatabaseError) in try run(statement) }
  }

  /// Runs `body`, which undoes or ends something, even if the job was cancelled.
  func uninterrupted(
    _ body: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let outer = interruptHandle.protect(.fromAll)
    let wasEnding = transactionState.isEnding
    transactionState.isEnding = true
    defer {
      transactionState.isEnding = wasEnding
      _ = interruptHandle.protect(outer)
    }
    try body()
  }

  /// Whether no transaction is open: neither an explicit one nor that of a statement with rows
  /// left.
  ///
  /// - Complexity: O(attached databases), without reading the file.
  var isAtRest: Bool {
    !hasOpenTransaction && sqlite3_txn_state(handle, nil) == SQLITE_TXN_NONE
  }

  /// Ends any open transaction.
  ///
  /// - Returns: Whether it succeeded; otherwise the connection can only be closed.
  @discardableResult
  func comeToRest() -> Bool {
    if !isAtRest {
      resetStatements()
      if hasOpenTransaction {
        // The state shows whether it failed, and the state is what counts.
        try? ending(.rollback)
        transactionDidEnd()
      }
    }
    let isAtRest = isAtRest
    if isAtRest { transactionState.isKnown = false }
    return isAtRest
  }

  /// Ends a transaction that a job on the connection left open.
  ///
  /// - Parameter mayLeaveTransaction: Whether a transaction that the job's SQL began may stay open.
  /// - Returns: Whether the connection can run further jobs.
  func finishJob(mayLeaveTransaction: Bool) -> Bool {
    transactionState.isKept =
      hasOpenTransaction && transactionState.isKnown
      && (mayLeaveTransaction || transactionState.isKept)
    if transactionState.isKept {
      resetStatements()
      return true
    }
    if isAtRest { return comeToRest() }
    defer { delegate?.settle() }
    return comeToRest()
  }

  func beginSavepoint(_ name: String) throws(DatabaseError) {
    try uninterrupted { () throws(DatabaseError) in try execute(engine: "SAVEPOINT \(name)") }
  }

  // An interruption may arrive when the savepoint is already released: an error would claim that it
  // isn't.
  func release(_ savepoint: String) throws(DatabaseError) {
    try uninterrupted { () throws(DatabaseError) in try execute(engine: "RELEASE \(savepoint)") }
  }

  /// Undoes everything since a savepoint, and removes the savepoint.
  func rollBack(to savepoint: String) throws(DatabaseError) {
    try uninterrupted { () throws(DatabaseError) in
      try execute(engine: "ROLLBACK TO \(savepoint)")
      try execute(engine: "RELEASE \(savepoint)")
    }
  }

  /// Resets every statement that has rows left.
  private func resetStatements() {
    var statement = sqlite3_next_stmt(handle, nil)
    while let current = statement {
      if sqlite3_stmt_busy(current) != 0 { _ = sqlite3_reset(current) }
      statement = sqlite3_next_stmt(handle, current)
    }
  }

  /// Notes whether the engine knows of the open transaction.
  func noteTransaction() { transactionState.isKnown = hasOpenTransaction }
}
