/// When the detector has the pages of tables found, and what it tells of a commit.
///
/// Confined to the detector's thread.
struct TableTracking {
  /// What a commit changed, for the stream.
  struct Change {
    var changeset: Changeset
    var kind = Commit.Kind.data
    var evidence: Commit.Evidence?

    init(allReason: String) { changeset = Changeset(allReason: allReason) }

    init(_ answer: TableTracker.Answer) {
      changeset = Changeset()
      switch answer {
      case .all(let reason):
        changeset.allReason = reason
      case .rewritten(let reason):
        changeset.allReason = reason
        evidence = .pages
      case .schema(let reason):
        changeset.allReason = reason
        kind = .schema
        evidence = .pages
      case .tables(let tables):
        for table in tables where !table.name.hasPrefix("sqlite_") {
          changeset.tables[table] = .bulk(reason: "another process changed it")
        }
        // SQLite's own tables, or none at all: user_version, REINDEX, …
        changeset.touchesInternals = tables.isEmpty || changeset.tables.count < tables.count
      }
    }
  }

  private let tracker: TableTracker
  private var schedule = BuildSchedule()
  /// The map is newer than what was told: it knows nothing of the commits in between.
  private var isAhead = false

  init(_ tracker: TableTracker) { self.tracker = tracker }

  /// The same for another connection, which is at `position`; `nil` when there is nothing to go on from.
  func resumed(_ connection: Connection, at position: CommitWatch.Position) -> TableTracking? {
    guard case .wal(let header) = position, tracker.isReady, !isAhead else { return nil }
    tracker.resume(connection, at: header)
    return self
  }

  /// What the commits up to `position` changed; `nil` when the log does not tell.
  mutating func changed(to position: CommitWatch.Position) -> Change? {
    guard case .wal(let header) = position else { return nil }
    let answer = tracker.advance(to: header)
    guard isAhead else { return Change(answer) }
    isAhead = false
    if case .schema = answer { return Change(answer) }
    return Change(allReason: "it was committed while the tables' pages were looked for")
  }

  /// Nanoseconds until there is something to do.
  func timeToWork(_ now: UInt64) -> UInt64 {
    if !tracker.isReady { return schedule.wait(now) }
    return tracker.wantsScan ? 0 : .max
  }

  /// Makes the map of pages if that is due, or searches a little.
  ///
  /// - Parameter position: Up to which commits were told.
  /// - Returns: What people should know.
  mutating func work(_ now: UInt64, position: CommitWatch.Position) -> String? {
    guard !tracker.isReady else {
      _ = tracker.scanSlice()
      return nil
    }
    guard schedule.isDue(now) else { return nil }
    let start = SystemClock.monotonic()
    do {
      try tracker.build(within: schedule.limit)
      isAhead = tracker.base.map { .wal($0.header) != position } ?? false
      schedule.didBuild(from: start, to: SystemClock.monotonic())
      return nil
    } catch {
      return schedule.didFail(error, from: start, to: SystemClock.monotonic())
    }
  }
}
