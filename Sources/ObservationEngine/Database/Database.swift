internal import Synchronization

/// An SQLite database: one connection that writes, several that read, and what they observe.
///
///     let database = try Database(path: "app.db")
///     let count: Int = try await database.read { try $0.fetchOne("SELECT count(*) FROM player") }
///     try await database.write { try $0.execute("INSERT INTO player(name) VALUES (?)", ["ada"]) }
///
/// ## Guarantees
/// - A write is one IMMEDIATE transaction: committed whole, or rolled back when its closure throws.
/// - A read sees one committed state and cannot write.
/// - Writes that one task asks for happen in the order of asking.
///
/// ## Limits
/// - An in-memory database has one connection: reads wait for writes.
///
/// Safe to use from any thread and task.
public final class Database: Sendable {
  package let configuration: Configuration
  /// The file; `nil` for a database in memory.
  package let file: DatabaseFile?
  package let writer: Writer
  package let readers: ReaderPool?
  package let ledger = CommitLedger()
  package let feed = CommitFeed()
  package let commitHandlers = CommitHandlers()
  package let generations = FileGeneration()
  /// What observes this database, made when it is first needed (see ``lazily(_:)``).
  private let companion = Mutex<(any DatabaseCompanion)?>(nil)

  /// Opens the database file at `path`.
  ///
  /// - Throws: `DatabaseError` when it cannot be opened, is no database, or is locked for longer than
  ///   the busy timeout.
  /// - Complexity: One read of the schema.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    let file = try DatabaseFile(path: path, configuration: configuration)
    self.configuration = configuration
    self.file = file
    writer = Writer(
      file: file, configuration: configuration, generations: generations, ledger: ledger,
      feed: feed, handlers: commitHandlers)
    readers = ReaderPool(file: file, configuration: configuration, generations: generations)
    // What is wrong with the file shows here rather than at the first query.
    try readWaiting { _ in }
  }

  /// Opens a new, private database in memory.
  public init(inMemory configuration: Configuration = Configuration()) throws {
    self.configuration = configuration
    file = nil
    writer = Writer(
      file: nil, configuration: configuration, generations: generations, ledger: ledger, feed: feed,
      handlers: commitHandlers)
    readers = nil
  }

  /// The object of this kind that accompanies the database, made by `make` the first time.
  package func lazily<Companion: DatabaseCompanion>(_ make: () -> Companion) -> Companion {
    companion.withLock { slot in
      if let existing = slot as? Companion { return existing }
      let made = make()
      slot = made
      return made
    }
  }
}

/// What accompanies a database and uses its connections.
package protocol DatabaseCompanion: Sendable {
  /// Cancels the statements that run on connections of its own.
  func interrupt()
  /// Cancels what runs, stops, and closes its connections for good.
  func shutDown()
  /// Stops, and closes the connections that it has of its own.
  func close()
}

// MARK: - Closing

extension Database {
  /// Cancels the statements that run now, on all connections; those that wait are not affected.
  ///
  /// Whoever asked for them gets an error with code `interrupted`.
  public func interrupt() {
    writer.queue.interruptRunningJob()
    for queue in readers?.all ?? [] { queue.interruptRunningJob() }
    companion.withLock { $0 }?.interrupt()
  }

  /// Cancels what runs, drops what waits, rolls back an open transaction and closes all connections,
  /// for good: for the end of a program, which must not wait for a long query.
  package func shutDown() {
    companion.withLock { $0.take() }?.shutDown()
    writer.queue.shutDown()
    for queue in readers?.all ?? [] { queue.shutDown() }
  }

  /// Closes all connections once they have done what they were asked before; an open transaction is
  /// rolled back, and SQLite removes the files that it made next to the database.
  ///
  /// Observations end: their sequences have no further element. A later access opens the database
  /// again. Blocks the calling thread; never call it from a task.
  public func close() {
    companion.withLock { $0.take() }?.close()
    writer.queue.closeAndWait()
    for queue in readers?.all ?? [] { queue.closeAndWait() }
  }
}

// MARK: - Access

extension Database {
  /// Reads one committed state.
  ///
  /// - Parameter body: Receives a connection, valid for the call alone; writing through it throws.
  /// - Throws: What `body` throws; `CancellationError` or an interrupted statement's error when the
  ///   task is cancelled.
  public func read<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    try await reader.perform { try Self.snapshot($0, body) }
  }

  /// Reads one committed state and blocks the calling thread meanwhile; for scripts, never for tasks.
  ///
  /// - Throws: What `body` throws.
  public func readWaiting<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    try reader.performAndWait { try Self.snapshot($0, body) }
  }

  /// Changes the database in one IMMEDIATE transaction.
  ///
  /// - Throws: What `body` throws, after rolling back.
  @discardableResult
  public func write<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    try await writer.write(body)
  }

  /// Changes the database in one IMMEDIATE transaction and blocks the calling thread meanwhile; for
  /// scripts, never for tasks.
  ///
  /// - Throws: What `body` throws, after rolling back.
  @discardableResult
  public func writeWaiting<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    try writer.writeAndWait(body)
  }

  private var reader: ConnectionQueue { readers?.leastLoaded() ?? writer.queue }

  /// Runs `body` in one read transaction.
  package static func snapshot<Output>(
    _ connection: Connection, _ body: (Connection) throws -> Output
  ) throws -> Output {
    try connection.readingOnly {
      let isOutermost = !connection.isInTransaction
      if isOutermost { try connection.execute(engine: "BEGIN") }
      defer {
        // Only ends what read: there is nothing to lose, and an interrupted statement has ended it.
        if isOutermost, connection.isInTransaction { try? connection.execute(engine: "COMMIT") }
      }
      _ = try connection.renewIfSchemaChanged()
      return try body(connection)
    }
  }
}
