extension Database {
  /// Copies the log of a WAL database into its file.
  ///
  ///     let result = try await database.checkpoint(.truncate)
  ///
  /// SQLite does so by itself after every 1,000 pages; before the file is copied by other means, or
  /// after a large import, one may want it now. Attached databases are left alone.
  ///
  /// - Returns: How much there is and how much was copied; without a log, nothing.
  /// - Throws: `DatabaseError` with code `busy` when a reader or writer does not give way within
  ///   the busy timeout, which ``CheckpointMode/passive`` does not wait for; with code `misuse`
  ///   while a transaction is open, and after `close()`.
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode = .passive) async throws -> CheckpointResult {
    try await writer.queue.perform { try $0.checkpoint(mode) }
  }

  /// Builds the database file anew: smaller, and without gaps.
  ///
  /// Rowids of tables without an INTEGER PRIMARY KEY may change; observations are refreshed.
  ///
  /// - Throws: `DatabaseError` with code `busy` while others use the file, with code `full` when
  ///   there is no room for a second copy.
  /// - Complexity: O(size of the database), on the writer: writes wait.
  public func vacuum() async throws {
    try await withoutTransaction { try $0.execute(script: "VACUUM") }
  }

  /// Writes a compact copy of one committed state to a new file.
  ///
  /// In WAL mode writes go on meanwhile; otherwise those of others wait. Unlike a `backup`
  /// it leaves out free pages, and cannot be watched.
  ///
  /// - Parameter path: Of a file that does not exist, or is empty.
  /// - Throws: `DatabaseError` when there is a file already, or it cannot be written; an
  ///   interrupted statement's error when the task is cancelled. A file that was begun is to be
  ///   removed.
  /// - Complexity: O(size of the database).
  public func vacuum(into path: String) async throws {
    try await withSideConnection { connection in
      do { try connection.vacuum(into: path) } catch let error as DatabaseError {
        guard error.message.contains("already exists") else { throw error }
        throw DatabaseError(
          code: error.code, message: "\(path) exists already; remove it, or choose another name",
          sql: error.sql)
      }
    }
  }

  /// Runs `body` on a connection of its own that is not restricted to reading, and closes it; where
  /// the writer has the only connection, on that.
  func withSideConnection<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    if isClosed { throw Self.closedError }
    guard readers != nil else { return try await writer.queue.perform(body) }
    var options = storage.options(configuration, isReader: false)
    options.journalMode = nil
    // No part of this database's readers and writer, which closures join.
    let queue = ConnectionQueue(label: "livequery.side", generations: FileGeneration()) {
      [storage, options] () throws(DatabaseError) in try storage.open(options)
    }
    return try await queue.perform(isLast: true, body)
  }
}
