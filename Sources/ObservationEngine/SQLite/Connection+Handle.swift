internal import CSQLite

extension Connection {
  /// Lends SQLite's own handle to `body`, for what this library does not offer.
  ///
  ///     try await database.write { connection in
  ///       connection.withUnsafeHandle { sqlite3_exec($0, "DELETE FROM player", nil, nil, nil) }
  ///     }
  ///
  /// SQLite's functions come from any module that declares them.
  ///
  /// ## Guarantees
  /// - Changes made through it refresh observations, at the latest when the closure that received
  ///   the connection has returned.
  ///
  /// ## Limits
  /// - What is read through it is unknown to observations: declare it, or read with this library.
  /// - The handle is good within `body` alone, on its thread. Statements prepared on it must be
  ///   finalized there. The journal mode must not be changed by it. Hooks, the authorizer, the busy
  ///   handler and the progress handler belong to the engine, and so does the transaction of a
  ///   `write`.
  public func withUnsafeHandle<Output>(_ body: (OpaquePointer) throws -> Output) rethrows -> Output
  {
    requireUse()
    wal.keepsMode = false
    transactionState.mayHaveWrittenMore = true
    defer {
      // It may have changed the schema, or a setting that statements were prepared under.
      schemaMayHaveChanged()
      noteTransaction()
      delegate?.settle()
    }
    return try body(handle)
  }
}
