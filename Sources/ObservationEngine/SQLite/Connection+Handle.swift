internal import CSQLite

extension Connection {
  /// Lends SQLite's own handle to `body`, for what this library does not offer.
  ///
  ///     try await database.write { connection in
  ///       connection.withUnsafeHandle { sqlite3_exec($0, "DELETE FROM player", nil, nil, nil) }
  ///     }
  ///
  /// Any module that declares SQLite's functions can provide them.
  ///
  /// ## Guarantees
  /// - Changes made through it refresh observations, at the latest when the closure that received
  ///   the connection has returned.
  ///
  /// ## Limits
  /// - Observations don't see what you read through it: declare it, or read with this library.
  /// - The handle is valid only within `body`, on its thread. Finalize statements prepared on it
  ///   there. Don't change the journal mode with it. Hooks, the authorizer, the busy handler and
  ///   the progress handler belong to the engine, and so does the transaction of a `write`.
  public func withUnsafeHandle<Output>(_ body: (OpaquePointer) throws -> Output) rethrows -> Output
  {
    requireUse()
    wal.keepsMode = false
    transactionState.mayHaveWrittenMore = true
    defer {
      // It may have changed the schema, or a setting under which statements were prepared.
      schemaMayHaveChanged()
      noteTransaction()
      delegate?.settle()
    }
    return try body(handle)
  }
}
