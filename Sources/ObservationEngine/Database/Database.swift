internal import Dispatch
internal import Synchronization

/// An SQLite database: one connection that writes, several that read, and their observations.
///
///     let database = try Database(path: "app.db")
///     let count = try await database.read { try $0.count(of: "player") }
///     try await database.write { try $0.execute("INSERT INTO player(name) VALUES (?)", ["ada"]) }
///
/// ## Guarantees
/// - A write is one IMMEDIATE transaction: committed completely, or rolled back when its closure
///   throws.
/// - A read sees one committed state and cannot write.
/// - The writes of one task run in the order in which it requests them.
/// - A closure that uses its own database again joins: what it reads or writes there is part of its
///   transaction. Closures of two databases that would wait for each other get an error.
/// - Cancelling a task interrupts its statement. Its transaction is rolled back, and the connection
///   stays usable.
///
/// ## Limits
/// - A private in-memory database has one connection: reads wait for writes.
/// - The synchronous forms, whose names end in `Waiting`, block the thread. They are for scripts,
///   tests, and your own threads: never call one from a task or an actor, which share few threads.
///
/// Safe to use from any thread and task.
public final class Database: Sendable {
  package let configuration: Configuration
  let storage: Storage
  /// The file; `nil` for an in-memory database.
  package let file: DatabaseFile?
  package let writer: Writer
  /// The connections that read; `nil` when the writer does the reading.
  package let readers: ReaderPool?
  package let ledger = CommitLedger()
  package let commits = CommitStream()
  let transactionObservers = TransactionObservers()
  package let epoch = FileEpoch()
  /// The runtime of this database's observations.
  private let runtime = Mutex(Runtime.absent)

  private enum Runtime {
    case absent
    /// A thread is making it, and leaves the group when done.
    case making(DispatchGroup)
    case made(any ObservationRuntime)
  }

  private let isClosedFlag = Atomic(false)
  private let peer: MemoryPeer?

  /// Opens the database file at `path`.
  ///
  /// ## Limits
  /// - It blocks the calling thread: up to the busy timeout while another program locks the file.
  ///   In a task, use ``open(path:configuration:)``.
  ///
  /// - Throws: `DatabaseError` when it cannot be opened, isn't a database, or is locked for longer
  ///   than the busy timeout.
  /// - Complexity: One read of the schema.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(
      .file(try DatabaseFile(path: path, configuration: configuration)), configuration)
  }

  /// Opens the database file at `path` without blocking the task's thread.
  ///
  ///     let database = try await Database.open(path: path)
  ///
  /// - Throws: As ``init(path:configuration:)``; `CancellationError` as soon as the task is cancelled.
  /// - Complexity: One read of the schema, on a thread of its own.
  public static func open(
    path: String, configuration: Configuration = Configuration()
  ) async throws -> Database {
    let waiting = WaitingTask<Database>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.wait(continuation)
        DispatchQueue(label: "livequery.open").async {
          let result = Result { try Database(path: path, configuration: configuration) }
          // After a cancellation, this is the only reference to the database.
          if !waiting.resume(with: result) { try? result.get().close() }
        }
      }
    } onCancel: {
      waiting.resume(with: .failure(CancellationError()))
    }
  }

  /// Opens a new, private in-memory database: one connection, whose writes delay reads.
  ///
  /// - Throws: `DatabaseError` when the configuration cannot be met.
  public convenience init(inMemory configuration: Configuration = Configuration()) throws {
    try self.init(.privateMemory, configuration)
  }

  /// Opens a new, private database in a temporary file, which has no name and is deleted with the connection:
  /// for more data than memory should hold.
  ///
  /// - Throws: `DatabaseError` when the configuration cannot be met.
  package convenience init(temporary configuration: Configuration) throws {
    try self.init(.privateFile, configuration)
  }

  /// Opens the in-memory database of this name, which every `Database` of this process with that
  /// name shares. The first one creates it; it is gone when the last one is closed.
  ///
  ///     let database = try Database(sharedMemoryNamed: "scores")
  ///     let other = try Database(sharedMemoryNamed: "scores")   // sees what `database` commits
  ///
  /// Reads have their own connections; but as with a rollback journal, reads and writes wait for
  /// each other, up to the busy timeout.
  ///
  /// ## Guarantees
  /// - Commits of every such `Database` refresh the observations of all of them.
  ///
  /// ## Limits
  /// - Other users of SQLite in this process can reach it as `file:/livequery-NAME?vfs=memdb`;
  ///   their commits are not detected.
  ///
  /// - Throws: `DatabaseError` when the configuration cannot be met.
  public convenience init(
    sharedMemoryNamed name: String, configuration: Configuration = Configuration()
  ) throws {
    try self.init(.sharedMemory(name: name), configuration)
  }

  /// Why the file is only read, whatever the configuration says: another program keeps records of its content.
  package var ownerNotice: String? { file?.owner?.notice }

  private init(_ storage: Storage, _ configuration: Configuration) throws {
    try storage.check(configuration)
    var configuration = configuration
    // Closing the only connection would drop its temporary tables.
    if configuration.usesSingleConnection { configuration.keepsConnectionsOpen = true }
    if case .file(let file) = storage, file.owner != nil { configuration.isReadOnly = true }
    self.configuration = configuration
    self.storage = storage
    file = if case .file(let file) = storage { file } else { nil }
    writer = Writer(
      storage: storage, configuration: configuration, epoch: epoch, ledger: ledger,
      commits: commits, observers: transactionObservers)
    readers =
      storage.hasOneConnection(configuration)
      ? nil
      : ReaderPool(storage: storage, configuration: configuration, epoch: epoch)
    peer = if case .sharedMemory(let name) = storage { MemoryPeer(name, commits) } else { nil }
    // The writer gives the file its journal mode, and keeps an in-memory database alive.
    if file == nil || (configuration.journalMode != nil && !configuration.isReadOnly) {
      try writer.queue.performAndWait { _ in }
    }
    if let file, file.isNew, configuration.createsFile, configuration.journalMode == nil,
      !configuration.isReadOnly
    {
      try writer.queue.performAndWait { try $0.preferWAL() }
    }
    // Reports a bad file here rather than at the first query.
    try readWaiting { _ in }
  }

  /// Whether the database is closed.
  package internal(set) var isClosed: Bool {
    get { isClosedFlag.load(ordering: .acquiring) }
    set { isClosedFlag.store(newValue, ordering: .releasing) }
  }

  /// The runtime of its observations; `nil` until the first use.
  var observationRuntime: (any ObservationRuntime)? {
    runtime.withLock { if case .made(let made) = $0 { made } else { nil } }
  }

  /// Removes the runtime of its observations, for closing it.
  func takeObservationRuntime() -> (any ObservationRuntime)? {
    runtime.withLock { runtime in
      guard case .made(let made) = runtime else { return nil }
      runtime = .absent
      return made
    }
  }

  /// The runtime of its observations, created by `make` on first use.
  ///
  /// Making it opens a connection, which can take the whole busy timeout. No lock is held
  /// meanwhile: only other callers of this method wait; ``interrupt()`` and `close()` don't.
  func observationRuntime(_ make: () -> any ObservationRuntime) -> any ObservationRuntime {
    enum Turn {
      case use(any ObservationRuntime)
      case wait(DispatchGroup)
      case make(DispatchGroup)
    }
    while true {
      let turn = runtime.withLock { runtime -> Turn in
        switch runtime {
        case .made(let made): return .use(made)
        case .making(let group): return .wait(group)
        case .absent:
          let group = DispatchGroup()
          group.enter()
          runtime = .making(group)
          return .make(group)
        }
      }
      switch turn {
      case .use(let made): return made
      case .wait(let group): group.wait()
      case .make(let group):
        let made = make()
        runtime.withLock { $0 = .made(made) }
        group.leave()
        // A concurrent close found nothing to close.
        if isClosed { takeObservationRuntime()?.close() }
        return made
      }
    }
  }
}

/// Observes a database and uses its connections.
protocol ObservationRuntime: Sendable {
  /// All that it runs queries on; the writer's may be among them.
  var queues: [ConnectionQueue] { get }
  /// Cancels running jobs, stops, and closes its connections for good.
  func shutDown()
  /// Stops, and closes its own connections.
  func close()
}
