extension Database {
  /// Reads one committed state.
  ///
  /// - Parameter body: Receives a connection, valid only during the call; writing through it
  ///   throws.
  /// - Throws: What `body` throws; `CancellationError` or an interrupted statement's error when the
  ///   task is cancelled; `DatabaseError` with code `misuse` after `close()`.
  public func read<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    guard let readers else {
      return try await writer.queue.perform { try $0.snapshot(body) }
    }
    let lease = readers.lease()
    return try await lease.queue.perform(as: lease.job) { try $0.snapshot(body) }
  }

  /// Reads one committed state and blocks the calling thread meanwhile; for scripts, never for
  /// tasks.
  ///
  /// Within a closure of this database it reads there: in a write, it sees that write's changes so
  /// far.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `busy` when two closures would wait
  ///   for each other; with code `misuse` after `close()`.
  public func readWaiting<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    if let job = enclosingJob { return try job.connection.snapshot(body) }
    guard let readers else {
      return try writer.queue.performAndWait { try $0.snapshot(body) }
    }
    let lease = readers.lease()
    return try lease.queue.performAndWait(as: lease.job) { try $0.snapshot(body) }
  }

  /// Changes the database in one IMMEDIATE transaction.
  ///
  /// If the task is cancelled before COMMIT begins, no further statement runs, and the transaction is rolled
  /// back, whatever `body` does with the errors of its statements.
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
  ///   read of this database and after `close()`; with code `busy` when two closures would wait for
  ///   each other.
  @discardableResult
  public func writeWaiting<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    guard let job = enclosingJob else {
      return try writer.queue.performAndWait { try $0.transaction(body) }
    }
    let connection = job.connection
    guard !connection.isReadingOnly else {
      throw DatabaseError(
        code: .misuse,
        message: connection.hasOpenTransaction
          ? "a write cannot be part of a read, which sees one unchanging state: "
            + "write after the read has ended, or do both in one write"
          : "a handler of an observation cannot write on the thread of the refresh, which the other "
            + "observations wait for: write in a task, or use writeOnChange")
    }
    return try connection.inTransaction { try body(connection) }
  }

  /// Runs `body` on the writer's connection without a transaction: for statements that SQLite
  /// refuses within one, such as `PRAGMA journal_mode` and `PRAGMA foreign_keys`.
  ///
  /// Each statement that writes is its own transaction, unless `body` runs BEGIN and COMMIT or uses
  /// ``Connection/inTransaction(_:)``. No other write intervenes.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `misuse` when it leaves a transaction
  ///   open, which is rolled back.
  @discardableResult
  public func withoutTransaction<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    try await writer.queue.perform { try Self.bare($0, body) }
  }

  /// Runs `body` on the writer's connection, as ``withoutTransaction(_:)`` does, and blocks the
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

  /// Runs `body` on the writer's connection, in the transaction that an earlier call left open if
  /// there is one; a transaction that `body` leaves open stays open.
  ///
  /// For a console, whose user begins and ends transactions. Until they end, every other write of
  /// this `Database` is part of them.
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

  /// The journal mode of the file. `PRAGMA journal_mode` reports another one where SQLite reads a file in WAL mode
  /// without its -wal, because it may not write next to it.
  package func journalMode() async throws -> String {
    try await read { $0.wal.fileHeader()?.isWAL == true ? "wal" : try $0.journalMode }
  }

  /// Whether the database can only be read, by configuration or because of the file.
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

  /// The job of this database in which the current thread runs.
  var enclosingJob: RunningJob? {
    RunningJob.current?.first { $0.queue.serves(epoch) }
  }
}
