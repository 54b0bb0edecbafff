extension Database {
  /// Copies the WAL of a database into its file.
  ///
  ///     let result = try await database.checkpoint(.truncate)
  ///
  /// SQLite does this by itself after every 1,000 pages. Call it before you copy the file by other
  /// means, or after a large import. Attached databases are left alone.
  ///
  /// - Returns: How many pages the WAL has and how many were copied; zero without a WAL.
  /// - Throws: `DatabaseError` with code `busy` when a reader or writer does not yield within the
  ///   busy timeout (``CheckpointMode/passive`` doesn't wait); with code `readOnly` when the
  ///   database can only be read; with code `misuse` while a transaction is open, and after
  ///   `close()`.
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode = .passive) async throws -> CheckpointResult {
    try await writer.queue.perform { try $0.checkpoint(mode) }
  }

  /// Rebuilds the database file: smaller, and without gaps.
  ///
  /// Rowids of tables without an INTEGER PRIMARY KEY may change; observations are refreshed.
  ///
  /// - Throws: `DatabaseError` with code `busy` while other connections use the file; with code
  ///   `full` when there is no room for a second copy.
  /// - Complexity: O(size of the database), on the writer: writes wait.
  public func vacuum() async throws {
    try await withoutTransaction { try $0.execute(script: "VACUUM") }
  }

  /// Writes a compact copy of one committed state to a new file.
  ///
  /// In WAL mode writes continue meanwhile; otherwise the writes of other processes wait. Unlike a
  /// `backup`, it leaves out free pages and reports no progress.
  ///
  /// - Parameter path: A file that does not exist, or is empty.
  /// - Throws: `DatabaseError` when the file already has content or can't be written; an
  ///   interrupted statement's error when the task is cancelled. Remove the incomplete file then.
  /// - Complexity: O(size of the database).
  public func vacuum(into path: String) async throws {
    try await withSideConnection { connection in
      do { try connection.vacuum(into: path) } catch let error as DatabaseError {
        guard error.message.includes("already exists") else { throw error }
        throw DatabaseError(
          code: error.code, message: "\(path) exists already; remove it, or choose another name",
          sql: error.sql)
      }
    }
  }

  /// Runs `body` on a separate connection that is not restricted to reading, and closes it; with a
  /// single connection, on that.
  func withSideConnection<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    if isClosed { throw Self.closedError }
    guard readers != nil else { return try await writer.queue.perform(body) }
    var options = storage.options(configuration, isReader: false)
    options.journalMode = nil
    // Not one of this database's readers or its writer, which closures join.
    let queue = ConnectionQueue(label: "livequery.side", epoch: FileEpoch()) {
      [storage, options] () throws(DatabaseError) in try storage.open(options)
    }
    return try await queue.perform(isLast: true, body)
  }
}
