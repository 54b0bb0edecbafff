extension Database {
  /// Commits a transaction, completely or not at all.
  ///
  ///     let ordinal = try await database.commit(.execute("UPDATE player SET score = 0"))
  ///
  /// - Returns: The ordinal of its ``Commit``, as observers receive it; `nil` when nothing was
  ///   written: an empty transaction, or one whose statements found no row. An in-memory database
  ///   can't detect the latter, and numbers it too.
  /// - Throws: What a step throws, after rolling back everything; `CancellationError` or an
  ///   interrupted statement's error when the task is cancelled; `DatabaseError` with code `misuse`
  ///   after `close()`.
  @discardableResult
  public func commit(_ transaction: Transaction) async throws -> Int? {
    guard !transaction.isEmpty else { return nil }
    return try await writer.queue.perform { try Self.commit(transaction, $0) }
  }

  /// Commits a transaction, completely or not at all, and blocks the calling thread meanwhile; for
  /// scripts, never for tasks.
  ///
  /// Within a write of this database it is part of that; then there is no ordinal yet.
  ///
  /// - Throws: As ``commit(_:)``.
  @discardableResult
  public func commitWaiting(_ transaction: Transaction) throws -> Int? {
    guard !transaction.isEmpty else { return nil }
    guard enclosingJob == nil else {
      try writeWaiting { try transaction.run($0) }
      return nil
    }
    return try writer.queue.performAndWait { try Self.commit(transaction, $0) }
  }

  private static func commit(
    _ transaction: Transaction, _ connection: Connection
  ) throws -> Int? {
    var ordinal: Int?
    try connection.transaction(afterCommit: { ordinal = $0 }) { try transaction.run($0) }
    return ordinal
  }
}

extension Connection {
  /// Runs a transaction's steps as part of the open transaction, completely or not at all.
  ///
  ///     try await database.write { connection in
  ///       try connection.apply(.execute("UPDATE player SET score = 0"))
  ///     }
  ///
  /// - Throws: What a step throws, after undoing the steps before it.
  public func apply(_ transaction: Transaction) throws {
    try inTransaction { try transaction.run(self) }
  }
}
