package import ObservationEngine

/// Writes a line for each row that any process's commit changes.
///
///     let feed = RowFeed(database, FollowedTables(nil), replica: state, isDurable: true, lines: lines) { print($0) }
///     try await feed.start()
///     while let portion = try await feed.next() {
///       …  // print its lines, and flush them
///       try await feed.confirm()
///     }
///
/// The rows of a commit are compared with a replica of the tables as they were written last. So a commit that a
/// comparison has seen already isn't written again; and when the rows of a commit are unknown, tables are
/// compared with the replica, in one snapshot.
///
/// ## Guarantees
/// - A program that applies all lines in order has the rows of the tables, bit for bit, once there are no more.
/// - Lines are stored in the replica in the transaction that stores the rows, and removed by ``confirm(through:)``. So
///   with a replica that outlives the process, no line is lost: unconfirmed ones come again, unchanged.
///
/// ## Limits
/// - Lines of a comparison can be the difference of several commits, and can include rows of a commit that follows.
/// - A comparison takes as long as reading the tables, in one read transaction. Between them none is open.
///
/// Has one consumer, which calls the methods one after another.
package actor RowFeed {
  /// Lines to be printed.
  package struct Portion: Sendable {
    /// How many commits end in it, without the start.
    package let commits: Int
    /// The lines; `nil` when they are too many: see ``RowFeed/text(after:)``.
    package let text: String?
    /// Whether an earlier feed has stored the lines, and may have printed some.
    package var isOfEarlierRun = false
  }

  private struct Outcome: Sendable {
    var summary: RowReplica.Summary
    let serial: Int
    let portion: Portion?
    let isStored: Bool
    let hasCompared: Bool
    /// `nil` when the schema was not read.
    let leftOut: [TableID: String]?
  }

  private let database: Database
  private let selection: FollowedTables
  private let replica: Database
  private let isDurable: Bool
  private let lines: RowLines
  private let report: @Sendable (String) -> Void
  private let queue: CommitQueue
  private let debounce: Duration
  private var registration: CommitStream.Registration?

  private var summary = RowReplica.Summary()
  private var isOpen = false
  /// The replica has lines that an earlier run has not confirmed.
  private var hasOldLines = false
  /// Tables whose rows SQLite has in another order than the replica.
  private var sorted: Set<TableID> = []
  /// What was reported of tables that are left out.
  private var reported: [TableID: String] = [:]
  /// The error that keeps the feed from reading, as reported.
  private var trouble: String?
  /// The replica has lines that aren't confirmed.
  private var isStored = true
  /// No comparison begins earlier, so that writers get the time instead.
  private var rest = ContinuousClock.now

  /// - Parameters:
  ///   - database: The database to follow.
  ///   - replica: A database of the feed alone, with one connection: new, or of an earlier feed.
  ///   - isDurable: Whether the replica outlives the process. Then the first lines are all rows; otherwise there are
  ///     none at the start.
  ///   - debounce: How long to wait after a commit for further ones.
  ///   - report: Called on any thread with what the user should know.
  package init(
    _ database: Database, _ selection: FollowedTables, replica: Database, isDurable: Bool,
    debounce: Duration = .zero, lines: RowLines, report: @escaping @Sendable (String) -> Void
  ) {
    (self.database, self.selection, self.replica) = (database, selection, replica)
    (self.isDurable, self.debounce, self.lines, self.report) = (isDurable, debounce, lines, report)
    queue = CommitQueue(selection, report: report)
  }

  /// Makes an empty database a replica.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when it is another program's database; nothing is written then.
  package static func prepare(_ connection: Connection) throws {
    _ = try RowReplica(connection: connection).prepare()
  }

  /// Opens the replica, and starts to follow commits.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when the replica is another program's database.
  package func start() async throws {
    (summary, hasOldLines) = try await replica.write { connection in
      let replica = RowReplica(connection: connection)
      return (try replica.prepare(), try replica.text(after: 0) != nil)
    }
    registration = database.commits.add(queue)
    database.detectForeignCommits()
  }

  /// Waits for changed rows, and brings the replica up to date.
  ///
  /// - Parameter limit: The maximum number of commits.
  /// - Returns: `nil` when the task is cancelled.
  /// - Throws: `DatabaseError` unless it may heal by itself: then it is reported, and the feed tries again.
  package func next(atMost limit: Int = .max) async throws -> Portion? {
    if hasOldLines {
      hasOldLines = false
      return Portion(commits: 0, text: nil, isOfEarlierRun: true)
    }
    // A sleep that is cancelled ends with the loop.
    while !Task.isCancelled {
      if isOpen, queue.entries.isEmpty {
        for await _ in queue.wakes { break }
        if debounce > .zero, !Task.isCancelled { try? await Task.sleep(for: debounce) }
        continue
      }
      if queue.entries.first?.isUnknown == true, ContinuousClock.now < rest {
        try? await Task.sleep(until: rest, clock: .continuous)
        continue
      }
      do {
        if let portion = try await work(atMost: limit) { return portion }
      } catch let error as KeyedRows.OutOfOrder {
        sorted.insert(error.table)
      } catch {
        if Task.isCancelled { return nil }
        guard error.isTransient, let error = error as? DatabaseError else { throw error }
        if error.message != trouble { report("\(error.message); trying again") }
        trouble = error.message
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    return nil
  }

  /// The next piece of a portion's lines.
  ///
  /// - Parameter place: That of the last piece; 0 for the first.
  package func text(after place: Int) async throws -> (place: Int, text: String)? {
    try await replica.write { try RowReplica(connection: $0).text(after: place) }
  }

  /// Notes that the lines of the last portion are printed.
  ///
  /// - Parameter place: That of the last printed piece; `nil` for all of them.
  package func confirm(through place: Int? = nil) async throws {
    if isStored {
      try await replica.write { try RowReplica(connection: $0).emptyOutbox(through: place) }
    }
    if place == nil { isStored = false }
  }

  private func work(atMost limit: Int) async throws -> Portion? {
    let start = ContinuousClock.now
    let outcome = try await replica.write {
      [database, queue, selection, sorted, lines, isDurable, summary, isOpen] connection in
      let replica = RowReplica(connection: connection)
      var work = RowWork(
        replica, database, queue, selection, sorted: sorted,
        outbox: Outbox(lines, isDurable: isDurable), summary: summary)
      if isOpen {
        try work.write(queue.entries, atMost: limit)
      } else {
        work.outbox.isSilent = !isDurable
        try work.open(queue.entries)
      }
      let outbox = work.outbox
      let portion = Portion(commits: isOpen ? outbox.commits : 0, text: outbox.text)
      return Outcome(
        summary: work.summary, serial: work.serial, portion: outbox.commits > 0 ? portion : nil,
        isStored: outbox.isStored, hasCompared: work.hasCompared,
        leftOut: work.hasReadSchema ? work.leftOut : nil)
    }
    (summary, isOpen, trouble) = (outcome.summary, true, nil)
    isStored = isStored || outcome.isStored
    queue.drop(through: outcome.serial)
    if outcome.hasCompared {
      let end = ContinuousClock.now
      rest = end + min((end - start) * 4, .milliseconds(500))
    }
    if let leftOut = outcome.leftOut { note(leftOut) }
    return outcome.portion
  }

  private func note(_ leftOut: [TableID: String]) {
    for (id, reason) in leftOut.sorted(by: { $0.key < $1.key })
    where reported[id] != reason && !reason.isEmpty {
      report("\(id) is left out: \(reason)")
    }
    reported = leftOut
    queue.ignore(Set(leftOut.keys))
  }
}
