internal import Glibc
internal import Synchronization

// One job: one read transaction, which ends when others wait for it.

extension ObservationCoordinator {
  typealias Outcome = ObservationStateMachine.Outcome

  /// Until when a job may do what, on the monotonic clock.
  private struct Limits {
    /// The whole job: what has not begun by then is postponed.
    let job: UInt64
    /// One member.
    let member: Duration?
    /// What is not done by then is postponed.
    let postponing: UInt64
  }

  /// How long a lane must wait before it reads, because of who writes at this moment.
  ///
  /// - Throws: When what it shows is out of date for long, with the reason.
  func waitForWriter(
    _ lane: Lane, _ connection: Result<Connection, DatabaseError>
  ) throws(DatabaseError) -> Duration {
    guard let file, configuration.snapshotBudget != nil, case .success(let connection) = connection
    else { return .zero }
    guard connection.wal.isOn else { return try waitForRollbackWriter(lane, connection, file) }
    let now = SystemClock.monotonic()
    // Soon the WAL begins again, unless the next snapshot is there first.
    guard lane == .slow, case .header(let log) = connection.wal.indexState() else { return .zero }
    let wait = state.withLock {
      let isContended =
        log.lastFrame >= LogGrowth.autocheckpoint
        && $0.patience[lane, default: .init()].isSteady(now: now)
      return $0.patience[lane, default: .init()].wait(now: now, isContended: isContended)
    }
    return .nanoseconds(Int64(wait))
  }

  private func waitForRollbackWriter(
    _ lane: Lane, _ connection: Connection, _ file: DatabaseFile
  ) throws(DatabaseError) -> Duration {
    // A new file has no lock to be asked for as yet.
    guard let locks = RollbackLocks(file) else { return .zero }
    let start = SystemClock.monotonic()
    while true {
      let counter = connection.wal.fileHeader()?.changeCounter
      let contention = locks.contention
      let (decision, now) = state.withLock {
        let now = SystemClock.monotonic()
        let decision = $0.yield[lane, default: .init()]
          .decide(now: now, contention: contention, counter: counter)
        if case .read(let yielding) = decision { $0.yielding[lane] = yielding }
        return (decision, now)
      }
      switch decision {
      case .read: return .zero
      case .wait(let time, isOverdue: false):
        // To come back to this thread takes longer.
        guard time <= YieldPolicy.settling, now - start < 20_000_000 else {
          return .nanoseconds(Int64(max(time, YieldPolicy.settling)))
        }
        usleep(UInt32(time / 1_000))
      case .wait(_, isOverdue: true):
        throw DatabaseError(code: .busy, message: Self.storm)
      }
    }
  }

  /// Fetches in one read transaction, each distinct query once, and closes it.
  ///
  /// - Parameter limit: When what is not fetched yet is postponed, on the monotonic clock.
  /// - Throws: When no snapshot is to be had: then nothing was fetched.
  func fetch(
    _ job: ObservationStateMachine.Job, _ connection: Connection, limit: UInt64?
  ) throws -> [Outcome] {
    if !ownsLanes, connection.hasOpenTransaction {
      // There is one connection: what the console has not committed yet would be seen.
      throw DatabaseError(code: .busy, message: "a transaction is open")
    }
    // The job may be due because another file came to the path after the connection was had: what is told
    // later is told while the job runs.
    guard connection.lease.isOfCurrentFile() else {
      return brokenOff(job, [], isAnybodySlow: false)
    }
    let start = SystemClock.monotonic()
    let watch = SnapshotWatch(
      connection, file: file, yielding: yielding(job.lane),
      looksAhead: job.lane == .slow)
    let outcomes =
      try job.members.contains { $0.fetch.effort != nil }
      ? connection.markingSnapshots { try fetchAll(job, connection, watch, start: start, limit) }
      : fetchAll(job, connection, watch, start: start, limit)
    let end = SystemClock.monotonic()
    state.withLock {
      let gaveWay = watch.hindrance == .writer
      $0.patience[job.lane, default: .init()].didRefresh(now: end)
      $0.yield[job.lane, default: .init()].didEnd(began: start, now: end, gaveWay: gaveWay)
      if let (process, waits) = watch.metWriter {
        for lane in Lane.allCases {
          $0.yield[lane, default: .init()].note(process: process, waits: waits)
        }
      }
    }
    let isWhole = outcomes.count == job.members.count && outcomes.last?.cancellation != .postponed
    return isWhole
      ? outcomes
      : brokenOff(job, outcomes, isAnybodySlow: limit == nil && watch.hindrance != .writer)
  }

  /// Fetches the members of a job in one read transaction.
  private func fetchAll(
    _ job: ObservationStateMachine.Job, _ connection: Connection, _ watch: SnapshotWatch,
    start: UInt64, _ limit: UInt64?
  ) throws -> [Outcome] {
    // On the writer's own thread it has committed just now.
    if limit == nil, connection.wal.isOn, state.withLock({ $0.pace.isPausing }) {
      connection.waitForNextCommit()
    }
    let held = state.withLock { $0.machine.heldBytes(without: job.members.map(\.id)) }
    return try Database.snapshot(connection) { connection in
      if let room = connection.fetchState.resultRoom {
        connection.fetchState.resultRoom = max(0, room - held)
      }
      return connection.sharingResults {
        let limits = limits(job.lane, start: start, postponing: limit)
        // What is watched counts from here.
        if limit == nil, configuration.snapshotBudget != nil { _ = watch.mustEnd() }
        var outcomes: [Outcome] = []
        for member in job.members {
          // The first is always tried: something must come of each job.
          guard outcomes.isEmpty || mayGoOn(limits, watch) else { break }
          outcomes.append(fetch(member, lane: job.lane, connection, limits, watch))
          if limit == nil, watch.hindrance != nil { break }
        }
        if limit == nil, state.withLock({ $0.yield[job.lane]?.mustLearn ?? false }) {
          watch.meetWriter()
        }
        return outcomes
      }
    }
  }

  /// What becomes of a job that ended early: nothing of it is told, for what is left would be of
  /// another snapshot, and panels never disagree.
  ///
  /// - Parameter isAnybodySlow: Whoever took longest must run by itself, so that a job which takes too
  ///   long as a whole becomes shorter each time. Not so when a writer needed the file, or the job was
  ///   on the writer, where there is little time.
  private func brokenOff(
    _ job: ObservationStateMachine.Job, _ outcomes: [Outcome], isAnybodySlow: Bool
  ) -> [Outcome] {
    let longest = isAnybodySlow ? outcomes.max { $0.duration < $1.duration }.map(\.id) : nil
    let durations = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.id, $0.duration) })
    return job.members.map { member in
      Outcome(
        id: member.id, result: .failure(CancellationError()), region: Region(),
        duration: durations[member.id] ?? .zero,
        cancellation: member.id == longest ? .tooSlow : .postponed)
    }
  }

  private func yielding(_ lane: Lane) -> SnapshotWatch.Yielding {
    guard configuration.snapshotBudget != nil else { return .never }
    let yielding = state.withLock { $0.yielding[lane] } ?? .toAnyWriter
    // A slow query holds up no writer for all of its time.
    return lane == .slow && yielding == .never ? .toCommit : yielding
  }

  private func limits(_ lane: Lane, start: UInt64, postponing: UInt64?) -> Limits {
    let whole = configuration.snapshotBudget
    let member =
      lane == .slow
      ? whole : min(configuration.refreshBudget, whole ?? configuration.refreshBudget)
    return Limits(
      job: whole.map { start + UInt64(max(0, $0.nanoseconds)) } ?? .max, member: member,
      postponing: postponing ?? .max)
  }

  private func mayGoOn(_ limits: Limits, _ watch: SnapshotWatch) -> Bool {
    let now = SystemClock.monotonic()
    // On the writer all of it takes less than a look is worth.
    guard limits.postponing == .max, configuration.snapshotBudget != nil else { return true }
    return now < limits.job && !watch.mustEnd()
  }

  private func fetch(
    _ member: (id: ObservationStateMachine.MemberID, fetch: ObservedFetch), lane: Lane,
    _ connection: Connection, _ limits: Limits, _ watch: SnapshotWatch
  ) -> Outcome {
    let start = SystemClock.monotonic()
    let room = connection.fetchState.resultRoom
    let budget = limits.member.map { start + UInt64(max(0, $0.nanoseconds)) } ?? .max
    let limit = min(budget, limits.postponing)
    let watches = configuration.snapshotBudget != nil
    // Nobody waits for a query any more whose observation has ended, or whose window has moved.
    let isOver = { [self] in
      SystemClock.monotonic() > limit || (watches && watch.mustEnd())
        || state.withLock { $0.machine.mustEndFetch(of: member.id) }
    }
    func run() -> (Result<any Sendable, any Error>, Region) {
      connection.withBudget(isOver) {
        connection.recordingRegion { try member.fetch.run(connection) }
      }
    }
    var (result, region) = run()
    // Where others are fetched with it, it is fetched again from their snapshot.
    while lane == .quick, watch.hindrance == nil, SystemClock.monotonic() <= limit,
      state.withLock({ $0.machine.beginAgain(member.id) })
    {
      connection.fetchState.resultRoom = room
      (result, region) = run()
    }
    // What failed holds nothing.
    if case .failure = result { connection.fetchState.resultRoom = room }
    let end = SystemClock.monotonic()
    // What failed may have read less than it would have: only everything is safe to watch.
    var watched = region
    if case .failure = result { watched.insertEverything(reason: "the last fetch failed") }
    var outcome = Outcome(
      id: member.id, result: result, region: watched,
      duration: .nanoseconds(Int64(end - start)))
    if let room, let left = connection.fetchState.resultRoom { outcome.heldBytes = room - left }
    guard case .failure(let error as DatabaseError) = result, error.code.primary == .interrupted
    else { return outcome }
    if let hindrance = watch.hindrance {
      outcome.cancellation = cancellation(of: outcome, lane, hindrance)
    } else if lane == .slow, state.withLock({ $0.machine.mustEndFetch(of: member.id) }) {
      // In a snapshot of its own, whose time is over sooner or later.
      outcome.cancellation = .outdated
    } else if end > limit {
      outcome.cancellation =
        limit != budget
        ? .postponed
        : lane == .quick ? .tooSlow : .givenUp(reason: overBudget, isRepeated: false)
    }
    return outcome
  }

  private func cancellation(
    of outcome: Outcome, _ lane: Lane, _ hindrance: SnapshotWatch.Hindrance
  ) -> ObservationStateMachine.Cancellation {
    lane == .quick
      ? .postponed : .givenUp(reason: reason(hindrance, outcome.duration), isRepeated: true)
  }
}

extension Connection {
  /// Waits until another process has published a commit, for a fifth of a millisecond at most.
  ///
  /// A reader that meets a header of the wal-index which is being written takes the WRITE lock to read it
  /// again (`walIndexReadHdr`), and a writer without a busy timeout can meet that lock. A writer that
  /// commits without a pause publishes a header every few ten microseconds: right after one, the next
  /// is as far away as it can be.
  fileprivate func waitForNextCommit() {
    guard case .header(let first) = wal.indexState() else { return }
    let end = SystemClock.monotonic() + 200_000
    while SystemClock.monotonic() < end {
      if case .header(let header) = wal.indexState(), header != first { return }
    }
  }
}

// MARK: - Reasons

extension ObservationCoordinator {
  private var overBudget: String {
    let budget = Self.text(configuration.snapshotBudget ?? .zero)
    return "cancelled after \(budget), not to hold up writers; "
      + configuration.snapshotBudgetRemedy
  }

  private func reason(_ hindrance: SnapshotWatch.Hindrance, _ duration: Duration) -> String {
    let duration = Self.text(duration)
    return switch hindrance {
    case .log: "cancelled after \(duration), to let the log be reset; tried again"
    case .writer:
      "cancelled after \(duration), to let another process write; tried again, or use WAL mode"
    }
  }

  private static let storm =
    "another process commits without a pause; shown when it pauses, or use WAL mode"

  /// Milliseconds below a second, and tenths of a second above.
  private static func text(_ duration: Duration) -> String {
    let milliseconds = duration.nanoseconds / 1_000_000
    guard milliseconds >= 1_000 else { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}
