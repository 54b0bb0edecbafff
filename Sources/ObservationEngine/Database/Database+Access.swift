extension Database {
  /// Reads one committed state.
  ///
  /// - Parameter body: Receives a connection, valid for the call alone; writing through it throws.
  /// - Throws: What `body` throws; `CancellationError` or an interrupted statement's error when the
  ///   task is cancelled; `DatabaseError` with code `misuse` after `close()`.
  public func read<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    guard let readers else {
      return try await writer.queue.perform { try Self.snapshot($0, body) }
    }
    let lease = readers.lease()
    return try await lease.queue.perform(as: lease.job) { try Self.snapshot($0, body) }
  }

  /// Reads one committed state and blocks the calling thread meanwhile; for scripts, never for
  /// tasks.
  ///
  /// Within a closure of this database it reads there: in a write, what that has done so far.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `busy` when two closures would wait
  ///   for each other, with code `misuse` after `close()`.
  public func readWaiting<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    if let job = enclosingJob { return try Self.snapshot(job.connection, body) }
    guard let readers else {
      return try writer.queue.performAndWait { try Self.snapshot($0, body) }
    }
    let lease = readers.lease()
    return try lease.queue.performAndWait(as: lease.job) { try Self.snapshot($0, body) }
  }

  /// Changes the database in one IMMEDIATE transaction.
  ///
  /// A task that is cancelled before COMMIT begins has its transaction rolled back as soon as a
  /// statement runs in it.
  ///
  /// - Throws: What `body` throws, after rolling back; `CancellationError` or an interrupted
  ///   statement's error when the task is cancelled; `DatabaseError` with code `misuse` after
  ///   `close()`.
  @discardableResult
  public func write<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    try await writer.queue.perform { try $0.transaction(body) }
  }

  /// Changes the database in one IMMEDIATE transaction and blocks the calling thread meanwhile; for
  /// scripts, never for tasks.
  ///
  /// Within a write of this database it joins that: an error undoes what `body` did, and the rest
  /// is committed or rolled back with the outer write.
  ///
  /// - Throws: What `body` throws, after rolling back; `DatabaseError` with code `misuse` within a
  ///   read of this database and after `close()`, with code `busy` when two closures would wait
  ///   for each other.
  @discardableResult
  public func writeWaiting<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    guard let job = enclosingJob else {
      return try writer.queue.performAndWait { try $0.transaction(body) }
    }
    let connection = job.connection
    guard !connection.isReadingOnly else {
      throw DatabaseError(
        code: .misuse,
        message: "a write cannot be part of a read, which sees one unchanging state: "
          + "write after the read has ended, or do both in one write")
    }
    return try connection.inTransaction { try body(connection) }
  }

  /// Runs `body` on the connection that writes, without a transaction: for what SQLite refuses
  /// within one, such as `PRAGMA journal_mode` and `PRAGMA foreign_keys`.
  ///
  /// Each statement that writes is a transaction by itself, unless `body` says BEGIN and COMMIT, or
  /// uses ``Connection/inTransaction(_:)``. No other write comes between.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `misuse` when it leaves a transaction
  ///   open, which is rolled back.
  @discardableResult
  public func withoutTransaction<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    try await writer.queue.perform { try Self.bare($0, body) }
  }

  /// Runs `body` on the connection that writes, as ``withoutTransaction(_:)`` does, and blocks the
  /// calling thread meanwhile; for scripts, never for tasks.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `misuse` within a closure of this
  ///   database.
  @discardableResult
  public func withoutTransactionWaiting<Output>(
    _ body: (Connection) throws -> Output
  ) throws -> Output {
    guard enclosingJob == nil else {
      throw DatabaseError(
        code: .misuse, message: "this closure of the database has a transaction; leave it first")
    }
    return try writer.queue.performAndWait { try Self.bare($0, body) }
  }

  /// Runs `body` on the connection that writes, in the transaction that an earlier call left open if one did;
  /// what `body` leaves open stays open.
  ///
  /// For a console, whose transactions a person begins and ends. Until they end, every other write of this
  /// `Database` is a part of them.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `misuse` after ``close()``.
  package func keepingTransaction<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    try await writer.queue.perform(mayLeaveTransaction: true) { connection in
      if !connection.hasOpenTransaction { _ = try connection.renewIfSchemaChanged() }
      defer { connection.delegate?.settle() }
      do { return try body(connection) } catch { throw connection.reported(error) }
    }
  }

  /// The journal mode, as `PRAGMA journal_mode` says it.
  package func journalMode() async throws -> String {
    try await read { try $0.journalMode }
  }

  /// Whether the database can only be read: asked for, or all that the file permits.
  package func isReadOnly() async throws -> Bool {
    if configuration.isReadOnly { return true }
    return try await read { $0.isReadOnly }
  }

  private static func bare<Output>(
    _ connection: Connection, _ body: (Connection) throws -> Output
  ) throws -> Output {
    let wasOpen = connection.hasOpenTransaction
    if !wasOpen { _ = try connection.renewIfSchemaChanged() }
    let result = Result { try body(connection) }
    if !wasOpen, connection.hasOpenTransaction {
      try connection.rollBack()
      connection.transactionDidEnd()
      connection.delegate?.settle()
      if case .success = result {
        throw DatabaseError(
          code: .misuse, message: "the closure left a transaction open; it is rolled back")
      }
    }
    do { return try result.get() } catch { throw connection.reported(error) }
  }

  /// The job of this database within which the current thread runs.
  var enclosingJob: RunningJob? {
    RunningJob.current?.first { $0.queue.serves(generations) }
  }

  /// Runs `body` in one read transaction, or as a part of the transaction that is open.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `readOnly` when it wrote, which an SQL
  ///   function that a virtual table brings can do unseen, after rolling back.
  package static func snapshot<Output>(
    _ connection: Connection, _ body: (Connection) throws -> Output
  ) throws -> Output {
    try connection.readingOnly {
      guard !connection.hasOpenTransaction else {
        assert(connection.transactionState.isKnown, "a transaction is open that no job began")
        _ = try connection.renewIfSchemaChanged()
        return try body(connection)
      }
      return try connection.readTransaction {
        let result = Result {
          try connection.limitingResults {
            _ = try connection.renewIfSchemaChanged()
            return try body(connection)
          }
        }
        if connection.hasOpenTransaction, connection.isWriting {
          try connection.rollBack()
          throw DatabaseError(
            code: .readOnly, message: "a query wrote to the database, which is undone: use write")
        }
        return try result.get()
      }
    }
  }
}
