/// What to do when a transaction has ended.
struct TransactionEndAction {
  let onCommit: (Connection) -> Void
  let onRollback: (Connection) -> Void
}

extension Connection {
  /// Calls one of two closures when the open transaction ends.
  ///
  ///     try await database.write { connection in
  ///       try connection.execute("DELETE FROM photo WHERE id = ?", [id])
  ///       try connection.afterNextTransaction { _ in deleteFile(id) }
  ///     }
  ///
  /// For effects outside of the database that must not happen unless the transaction is committed.
  ///
  /// ## Guarantees
  /// - One of the closures is called, once, on the writer's queue, after the end and before any further
  ///   write. What a savepoint undid does not matter.
  ///
  /// ## Limits
  /// - No write goes on while it runs: it must not wait for the database. Its connection is for
  ///   reading.
  /// - When the database closes before the end, neither is called.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when no transaction is open that writes.
  public func afterNextTransaction(
    onCommit: @escaping (Connection) -> Void,
    onRollback: @escaping (Connection) -> Void = { _ in }
  ) throws {
    try checkUse()
    guard hasOpenTransaction, !isReadingOnly else {
      throw DatabaseError(
        code: .misuse, message: "there is no transaction here whose end could be told; use write")
    }
    transactionState.endActions.append(
      TransactionEndAction(onCommit: onCommit, onRollback: onRollback))
  }

  /// Does what was asked to be done at the end of the transaction.
  func runTransactionEndActions(isCommit: Bool) {
    guard !transactionState.endActions.isEmpty else { return }
    let actions = transactionState.endActions
    transactionState.endActions = []
    // Nothing in it throws.
    try? readingOnly {
      for action in actions { isCommit ? action.onCommit(self) : action.onRollback(self) }
    }
  }
}
