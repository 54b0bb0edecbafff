internal import Glibc

extension Database {
  /// Copies one committed state of the database to a file.
  ///
  ///     try await database.backup(to: "/backup/app.db") { progress in
  ///       print("\(Int(progress.fractionCompleted * 100)) %")
  ///     }
  ///
  /// A database that stands there is replaced as a whole; whoever has it open sees one commit. A
  /// file that is no database is left alone.
  ///
  /// ## Guarantees
  /// - The copy is one committed state. When an error is thrown, or the task is cancelled, the file
  ///   is what it was, or is not there.
  /// - In WAL mode writes go on meanwhile. With a rollback journal they go on between steps; each
  ///   makes the copy begin anew. A database in memory, or with a single connection, is written to
  ///   afterwards.
  ///
  /// - Parameters:
  ///   - path: Of the file to write.
  ///   - pagesPerStep: How many pages to copy before progress is told and cancellation is noticed.
  ///   - progress: Called on a thread of the engine after each step.
  /// - Throws: `DatabaseError` with code `misuse` when it is this database's own file, with code
  ///   `busy` when a lock cannot be had within the busy timeout; `CancellationError`.
  /// - Complexity: O(size of the database).
  public func backup(
    to path: String, pagesPerStep: Int = 1_000,
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws {
    let own = file.flatMap { DatabaseFile.identity(of: $0.realPath) }
    try await withSideConnection { source in
      if source.isInTransaction {
        throw DatabaseError(
          code: .misuse, message: "a transaction is open; end it before a backup")
      }
      let existing = DatabaseFile.identity(of: path)
      guard existing == nil || existing != own else { throw Self.copyOntoItself }
      do {
        try Self.write(source, to: path, pagesPerStep, progress)
      } catch {
        // What was made for the copy goes with it; nobody has had time to put something into it.
        if existing == nil { for name in [path, path + "-journal"] { unlink(name) } }
        throw error
      }
    }
  }

  private static func write(
    _ source: Connection, to path: String, _ pagesPerStep: Int, _ progress: (BackupProgress) -> Void
  ) throws {
    var options = Connection.Options()
    options.busyTimeout = source.options.busyTimeout
    let destination = try DatabaseFile(path: path, configuration: Configuration()).open(options)
    defer { destination.close() }
    // In WAL mode a snapshot is in nobody's way, and the copy need not begin anew when others
    // commit.
    let holdsSnapshot = try source.journalMode == "wal"
    if holdsSnapshot {
      try source.run(.begin)
      _ = try source.renewIfSchemaChanged()
    }
    defer { source.endReading() }
    try destination.copyAll(from: source, pagesPerStep: pagesPerStep, progress: progress)
  }

  /// Copies one committed state of the database over another one, as the other one's `restore`
  /// does.
  ///
  /// - Throws: The errors of restoring.
  public func backup(
    to other: Database, pagesPerStep: Int = 1_000,
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws {
    try await other.restore(from: self, pagesPerStep: pagesPerStep, progress: progress)
  }

  /// Replaces all content of this database by that of a file.
  ///
  ///     try await database.restore(from: "/backup/app.db")
  ///
  /// ## Guarantees
  /// - All or nothing, as one commit: when an error is thrown, or the task is cancelled, this
  ///   database is what it was.
  /// - Observations are refreshed, as by a change of the schema.
  ///
  /// - Parameters:
  ///   - path: Of a database file, which is only read.
  ///   - pagesPerStep: How many pages to copy before progress is told and cancellation is noticed.
  ///   - progress: Called on the writer's thread after each step.
  /// - Throws: `DatabaseError` with code `misuse` when it is this database's own file, or a
  ///   transaction is open, with code `readOnly` when this one is in WAL mode and its pages have
  ///   another size; with code `busy` when a lock cannot be had within the busy timeout;
  ///   `CancellationError`.
  /// - Complexity: O(size of the file), on the writer: writes wait.
  public func restore(
    from path: String, pagesPerStep: Int = 1_000,
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws {
    try await writer.queue.perform { [self] connection in
      var configuration = Configuration()
      configuration.createsFile = false
      let source = try DatabaseFile(path: path, configuration: configuration)
      if let file, source.firstIdentity == DatabaseFile.identity(of: file.realPath) {
        throw Self.copyOntoItself
      }
      var options = Connection.Options()
      options.isReader = true
      options.busyTimeout = configuration.busyTimeout
      let opened = try source.open(options)
      defer { opened.close() }
      try Self.snapshot(opened) { try replaceAll(of: connection, from: $0, pagesPerStep, progress) }
    }
  }

  /// Replaces all content of this database by one committed state of another one.
  ///
  /// It gives the guarantees of restoring from a file. Unless the other one is in WAL mode, its
  /// writes wait.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when both are the same database; the errors of
  ///   restoring from a file.
  public func restore(
    from other: Database, pagesPerStep: Int = 1_000,
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws {
    guard !isSame(as: other) else { throw Self.copyOntoItself }
    try await writer.queue.perform { [self] connection in
      try other.readWaiting {
        try replaceAll(of: connection, from: $0, pagesPerStep, progress)
      }
    }
  }

  private func isSame(as other: Database) -> Bool {
    if self === other { return true }
    switch (storage, other.storage) {
    case (.file(let own), .file(let theirs)):
      return DatabaseFile.identity(of: own.realPath) == DatabaseFile.identity(of: theirs.realPath)
    case (.sharedMemory(let own), .sharedMemory(let theirs)): return own == theirs
    default: return false
    }
  }

  private static var copyOntoItself: DatabaseError {
    DatabaseError(
      code: .misuse, message: "a database cannot be copied onto itself; give another file")
  }

  /// Copies `source` over the writer's database, and tells of it as one commit.
  ///
  /// SQLite calls no hook for it, so the ledger is kept here as ``CommitAccountant`` keeps it.
  private func replaceAll(
    of connection: Connection, from source: Connection, _ pagesPerStep: Int,
    _ progress: (BackupProgress) -> Void
  ) throws {
    guard !connection.hasOpenTransaction else {
      throw DatabaseError(code: .misuse, message: "a transaction is open; end it before restoring")
    }
    var before: UInt32?
    var wasWAL = false
    do {
      try connection.copyAll(from: source, pagesPerStep: pagesPerStep) { [ledger] in
        // The write lock is held: nobody else moves the position from here on.
        before = connection.wal.changePosition()
        wasWAL = connection.wal.isOn
        ledger.willCommit()
      } progress: {
        progress($0)
      }
    } catch {
      ledger.didEndCommit(steps: 0)
      throw error
    }
    // The look at the schema first: the copy may have made this a WAL database, and SQLite opens
    // the log when it next reads.
    let renewal = Result { try connection.renewIfSchemaChanged() }
    let after = connection.wal.changePosition()
    let changeset = Changeset(everything: "all content was replaced by a copy")
    let (commit, actions) = commits.record(origin: .own, kind: .schema, changeset: changeset)
    // Whoever commits now makes a further step, which may be part of what was read: refreshing
    // everything covers it. In another journal mode the detector begins to count anew.
    let moved =
      wasWAL == connection.wal.isOn ? before.flatMap { old in after.map { $0 &- old } } : 0
    ledger.didEndCommit(steps: moved ?? 1)
    for action in actions { action(connection) }
    transactionObservers.didCommit(connection, commit)
    _ = try renewal.get()
  }
}
