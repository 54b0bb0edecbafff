/// The closures to call when a transaction has ended.
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
  /// For effects outside the database that must only happen if the transaction is committed.
  ///
  /// ## Guarantees
  /// - One of the closures is called, once, on the writer's queue, after the end and before any
  ///   further write. Savepoints that were undone don't matter.
  ///
  /// ## Limits
  /// - No write proceeds while it runs: it must not wait for the database. Its connection is for
  ///   reading.
  /// - If the database closes first, neither is called.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when no writing transaction is open.
  public func afterNextTransaction(
    onCommit: @escaping (Connection) -> Void,
    onRollback: @escaping (Connection) -> Void = { _ in }
  ) throws {
    try checkUse()
    guard hasOpenTransaction, !isReadingOnly else {
      throw DatabaseError(
        code: .misuse, message: "no transaction is open here; call it within write")
    }
    transactionState.endActions.append(
      TransactionEndAction(onCommit: onCommit, onRollback: onRollback))
  }

  /// Calls the closures registered for the end of the transaction.
  func runTransactionEndActions(isCommit: Bool) {
    guard !transactionState.endActions.isEmpty else { return }
    let actions = transactionState.endActions
    transactionState.endActions = []
    // Nothing in this body throws.
    try? readingOnly {
      for action in actions { isCommit ? action.onCommit(self) : action.onRollback(self) }
    }
  }
}
