extension ObservedFetch {
  /// Fetches on the calling thread, for an observation that is to begin with this value.
  func first(_ database: Database) -> FirstFetch {
    // From here on commits of other processes are noticed: the stream has what the snapshot lacks.
    _ = database.coordinator
    let ordinal = database.commits.ordinal
    let start = SystemClock.monotonic()
    let fetched = Result {
      try Self.snapshotWaiting(database) { connection in
        connection.recordingRegion { try run(connection) }
      }
    }
    let duration = Duration.nanoseconds(Int64(SystemClock.monotonic() - start))
    let result = fetched.flatMap { $0.0 }
    // What failed may have read less than it would have: only everything is safe to watch.
    var member = FirstFetch.Member(
      result: result, region: .full(reason: "the first fetch failed"), duration: duration)
    switch (fetched, result) {
    case (.success(let (_, region)), .success): member.region = region
    case (.success, .failure(let error)): member.isCurrent = !error.isTransient
    // There was no snapshot to fetch from.
    case (.failure, _): member.isCurrent = false
    }
    return FirstFetch(members: [member], ordinal: ordinal)
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
        // There is one connection: its uncommitted changes would be seen.
        throw Database.openTransactionError
      }
      return try connection.snapshot(body)
    }
  }
}
