internal import Glibc

extension Database {
  /// Copies one committed state of the database to a file.
  ///
  ///     try await database.backup(to: "/backup/app.db") { progress in
  ///       print("\(Int(progress.fractionCompleted * 100)) %")
  ///     }
  ///
  /// It replaces an existing database as a whole; any program that has that open sees one commit. A
  /// file that isn't a database is left alone.
  ///
  /// ## Guarantees
  /// - The copy is one committed state. If an error is thrown or the task is cancelled, the file is
  ///   unchanged, or not created.
  /// - In WAL mode writes continue meanwhile. With a rollback journal they continue between steps,
  ///   and each one restarts the copy. With an in-memory database or a single connection, writes
  ///   wait.
  ///
  /// - Parameters:
  ///   - path: The file to write.
  ///   - pagesPerStep: How many pages to copy between calls of `progress` and checks for
  ///     cancellation.
  ///   - progress: Called on a thread of the engine after each step.
  /// - Throws: `DatabaseError` with code `misuse` when it is this database's own file; with code
  ///   `busy` when it can't get a lock within the busy timeout; `CancellationError`.
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
      let made = DatabaseFile.makeEmpty(at: path)
      guard made != nil || DatabaseFile.identity(of: path) != own else { throw Self.copyOntoItself }
      do {
        try Self.write(source, to: path, pagesPerStep, progress)
      } catch {
        // The files made for the copy go with it, but for those of another program that came in their place.
        if let made, DatabaseFile.identity(of: path) == made {
          for name in [path, path + "-journal"] { unlink(name) }
        }
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
    // In WAL mode a snapshot blocks no other connection, and the copy need not restart when another
    // process commits.
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

  /// Replaces all content of this database with that of a file.
  ///
  ///     try await database.restore(from: "/backup/app.db")
  ///
  /// ## Guarantees
  /// - All or nothing, as one commit: if an error is thrown or the task is cancelled, this database
  ///   is unchanged.
  /// - Observations are refreshed, as after a change of the schema.
  ///
  /// - Parameters:
  ///   - path: A database file, which is only read.
  ///   - pagesPerStep: How many pages to copy between calls of `progress` and checks for
  ///     cancellation.
  ///   - progress: Called on the writer's thread after each step.
  /// - Throws: `DatabaseError` with code `misuse` when it is this database's own file, or a
  ///   transaction is open; with code `readOnly` when this database is in WAL mode and its page
  ///   size differs; with code `busy` when it can't get a lock within the busy timeout;
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
      try opened.snapshot { try replaceAll(of: connection, from: $0, pagesPerStep, progress) }
    }
  }

  /// Replaces all content of this database with one committed state of another one.
  ///
  /// It gives the guarantees of restoring from a file. Unless the other database is in WAL mode,
  /// its writes wait.
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

  /// Copies `source` over the writer's database and reports it as one commit.
  ///
  /// SQLite calls no hook for it, so this updates the ledger as ``CommitAccountant`` does.
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
        // We hold the write lock: from here on, no other connection moves the position.
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
    // Read the schema first: the copy may have made this a WAL database, and SQLite opens the WAL
    // when it next reads.
    let renewal = Result { try connection.renewIfSchemaChanged() }
    let after = connection.wal.changePosition()
    let changeset = Changeset(everything: "all content was replaced by a copy")
    let (commit, actions) = commits.record(origin: .own, kind: .schema, changeset: changeset)
    // Another process may commit now and add a step, which may be part of what was read: refreshing
    // everything covers it. In another journal mode the detector starts counting from zero.
    let moved =
      wasWAL == connection.wal.isOn ? before.flatMap { old in after.map { $0 &- old } } : 0
    ledger.didEndCommit(steps: moved ?? 1)
    for action in actions { action(connection) }
    transactionObservers.didCommit(connection, commit)
    _ = try renewal.get()
  }
}
