extension ObservedFetch {
  /// Fetches on the calling thread, for an observation that is to begin with this value.
  ///
  /// - Throws: When there is no connection, or no snapshot to be had.
  func first(_ database: Database) throws -> FirstFetch {
    // From here on commits of other processes are noticed: what the snapshot lacks, the stream tells.
    _ = database.coordinator
    let ordinal = database.commits.ordinal
    let start = SystemClock.monotonic()
    let (result, region) = try Self.snapshotWaiting(database) { connection in
      connection.recordingRegion { try run(connection) }
    }
    // What failed may have read less than it would have: only everything is safe to watch.
    let watched: Region =
      if case .failure = result { .full(reason: "the first fetch failed") } else { region }
    let duration = Duration.nanoseconds(Int64(SystemClock.monotonic() - start))
    return FirstFetch(
      members: [.init(result: result, region: watched, duration: duration)], ordinal: ordinal)
  }

  private static func snapshotWaiting<Output>(
    _ database: Database, _ body: (Connection) throws -> Output
  ) throws -> Output {
    guard database.enclosingJob == nil else {
      throw DatabaseError(
        code: .misuse,
        message: "an immediate observation cannot begin within a closure of its database, which may"
          + " see what is never committed; begin it outside, or without .immediate")
    }
    guard database.readers == nil else { return try database.readWaiting(body) }
    return try database.writer.queue.performAndWait { connection in
      guard !connection.hasOpenTransaction else {
        // There is one connection: what nobody has committed yet would be seen.
        throw DatabaseError(
          code: .busy, message: "a transaction is open; commit it, or roll it back")
      }
      return try Database.snapshot(connection, body)
    }
  }
}
