internal import CSQLite

// How transactions end, so that none is left open: it would hold its lock or its snapshot, and what
// runs next would be a part of it, for ever.

extension Connection {
  /// Commits the transaction of a write, then runs `afterwards`, which is protected from the
  /// cancellation of the task that wrote.
  ///
  /// An interruption that SQLite took note of before ends the COMMIT, and nothing is committed.
  func commit(afterwards: () -> Void) throws(DatabaseError) {
    try ending(.commit)
    let outer = interruptHandle.protect(.fromCancellation)
    defer { _ = interruptHandle.protect(outer) }
    afterwards()
  }

  /// Rolls the open transaction back, whatever still reads in it.
  func rollBack() throws(DatabaseError) {
    // A statement in the middle of its rows keeps an interruption alive, which would end this one.
    resetStatements()
    try ending(.rollback)
  }

  /// Runs `body` in a read transaction, which is over afterwards.
  func readTransaction<Output>(_ body: () throws -> Output) throws -> Output {
    try run(.begin)
    defer { endReading() }
    return try body()
  }

  /// Ends the read transaction that is open, if one is.
  ///
  /// It cannot fail in a way that matters: there is nothing to lose, and what could not be ended is seen
  /// when the job of the connection ends (``comeToRest()``).
  func endReading() {
    guard hasOpenTransaction else { return }
    do { try ending(.commit) } catch { comeToRest() }
  }

  private func ending(_ statement: FixedStatement) throws(DatabaseError) {
    try uninterrupted { () throws(DatabaseError) in try run(statement) }
  }

  private func uninterrupted(
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

  /// Whether no transaction is open: neither one that was begun nor that of a statement which has
  /// rows left.
  ///
  /// - Complexity: O(attached databases), without a look at the file.
  var isAtRest: Bool {
    !hasOpenTransaction && sqlite3_txn_state(handle, nil) == SQLITE_TXN_NONE
  }

  /// Ends whatever transaction is open.
  ///
  /// - Returns: Whether none is any more; otherwise the connection is good for nothing but closing.
  @discardableResult
  func comeToRest() -> Bool {
    if !isAtRest {
      resetStatements()
      if hasOpenTransaction {
        // What went wrong shows in the state, which is what is asked for.
        try? ending(.rollback)
        transactionDidEnd()
      }
    }
    let isAtRest = isAtRest
    if isAtRest { transactionState.isKnown = false }
    return isAtRest
  }

  /// Ends what a job on the connection left open.
  ///
  /// - Parameter mayLeaveTransaction: Whether a transaction may stay open that SQL of the job began.
  /// - Returns: Whether the connection is good for further jobs.
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

  // An interruption can come when the savepoint is gone already: the error would say that it is not.
  func release(_ savepoint: String) throws(DatabaseError) {
    try uninterrupted { () throws(DatabaseError) in try execute(engine: "RELEASE \(savepoint)") }
  }

  /// Undoes all since a savepoint, and the savepoint itself.
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

  /// Takes note of who began, or ended, a transaction just now.
  func noteTransaction() { transactionState.isKnown = hasOpenTransaction }
}
