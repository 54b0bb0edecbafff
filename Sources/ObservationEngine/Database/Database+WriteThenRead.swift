extension Database {
  /// Changes the database in one IMMEDIATE transaction, then reads exactly the state that it left
  /// behind.
  ///
  ///     let rank = try await database.write { db in
  ///       try db.insert(into: "player", ["name": "eve", "score": 2])
  ///     } thenRead: { db, id in
  ///       try db.count(
  ///         of: "player", where: "score >= (SELECT score FROM player WHERE id = \(id))")
  ///     }
  ///
  /// ## Guarantees
  /// - `read` sees what `updates` committed and no later commit, neither by this `Database` nor by
  ///   another process that commits at the same time.
  /// - In WAL mode other writes continue while `read` runs.
  /// - When `updates` throws, it is rolled back and nothing is read. When `read` throws, the
  ///   updates stay committed.
  ///
  /// ## Limits
  /// - With a rollback journal, in memory, and with a single connection, writes wait for `read`. In
  ///   WAL mode they also do in the rare case that another process commits between COMMIT and the
  ///   reader's snapshot, some microseconds later.
  /// - It may open a reader beyond ``Configuration/maximumReaders``.
  ///
  /// - Parameters:
  ///   - updates: Writes; see ``write(_:)``.
  ///   - read: Reads, on another connection where it can, and gets what `updates` returned.
  /// - Throws: What `updates` or `read` throws; the errors of ``write(_:)``.
  public func write<Value: Sendable, Output: Sendable>(
    _ updates: @escaping @Sendable (Connection) throws -> Value,
    thenRead read: @escaping @Sendable (Connection, Value) throws -> Output
  ) async throws -> Output {
    guard let readers else {
      return try await writer.queue.perform { try Self.writeThenRead($0, updates, read) }
    }
    let lease = readers.leaseIdle()
    return try await lease.queue.perform(as: lease.job) { [writer] reader in
      try Self.writeThenRead(on: writer, reader, updates, read)
    }
  }

  /// Changes the database, then reads exactly the state that it left behind, as
  /// `write(_:thenRead:)` does, and blocks the calling thread meanwhile; for scripts, never for
  /// tasks.
  ///
  /// Within a write of this database it joins that, and reads there.
  ///
  /// - Throws: What `updates` or `read` throws; the errors of ``writeWaiting(_:)``.
  public func writeWaiting<Value, Output>(
    _ updates: (Connection) throws -> Value, thenRead read: (Connection, Value) throws -> Output
  ) throws -> Output {
    if let job = enclosingJob {
      let value = try writeWaiting(updates)
      return try job.connection.snapshot { try read($0, value) }
    }
    guard let readers else {
      return try writer.queue.performAndWait { try Self.writeThenRead($0, updates, read) }
    }
    let lease = readers.leaseIdle()
    return try lease.queue.performAndWait(as: lease.job) { reader in
      try Self.writeThenRead(on: writer, reader, updates, read)
    }
  }

  /// On the writer alone: the state is pinned before COMMIT, so that no later commit is seen.
  private static func writeThenRead<Value, Output>(
    _ connection: Connection, _ updates: (Connection) throws -> Value,
    _ read: (Connection, Value) throws -> Output
  ) throws -> Output {
    defer { connection.unpinSnapshot() }
    let value = try connection.transaction(
      beforeCommit: { try connection.pinSnapshot() }, updates)
    return try connection.snapshot { try read($0, value) }
  }

  /// Within a job of an idle reader: the writer's job lasts until both connections see the same
  /// state, then the reader continues alone.
  ///
  ///     writer  ─ BEGIN IMMEDIATE ─ updates ─ pin ─ COMMIT ─ … ─ unpin ─ further writes
  ///     reader                                           BEGIN ─ read ─────────── COMMIT
  private static func writeThenRead<Value, Output>(
    on writer: Writer, _ reader: Connection, _ updates: (Connection) throws -> Value,
    _ read: (Connection, Value) throws -> Output
  ) throws -> Output {
    let (value, early) = try writer.queue.performAndWait { connection -> (Value, Output?) in
      var watch = OwnStep(connection)
      defer {
        connection.unpinSnapshot()
        // SQLite's own checkpoint after COMMIT yielded to the pin.
        connection.checkpointIfDue()
      }
      let value = try connection.transaction(
        beforeCommit: {
          watch.willCommit()
          try connection.pinSnapshot()
        }, updates)
      if connection.wal.isOn {
        try reader.run(.begin)
        // The first access to the file takes the snapshot.
        do { _ = try reader.renewIfSchemaChanged() } catch {
          reader.endReading()
          throw error
        }
        if watch.nobodyElseCommitted { return (value, nil) }
        reader.endReading()
      }
      return (value, try connection.snapshot { try read($0, value) })
    }
    if let early { return early }
    // Here `reader` has its transaction open.
    defer { reader.endReading() }
    return try reader.readingOnly { try read(reader, value) }
  }
}

/// Whether our commit is the only one in the WAL since a point at which we held the write lock.
///
/// The header of the wal-index counts commits, and a connection that wrote pages adds one. A
/// greater number includes another connection's commit, or can't be attributed.
private struct OwnStep {
  private let connection: Connection
  private let pagesWritten: Int32
  private var position: UInt32?

  init(_ connection: Connection) {
    self.connection = connection
    pagesWritten = connection.pagesWritten
  }

  /// Records the position while the write lock is held.
  mutating func willCommit() { position = connection.wal.changePosition() }

  var nobodyElseCommitted: Bool {
    guard let before = position, let now = connection.wal.changePosition() else { return false }
    let own: UInt32 = connection.pagesWritten != pagesWritten ? 1 : 0
    return now &- before == own
  }
}
