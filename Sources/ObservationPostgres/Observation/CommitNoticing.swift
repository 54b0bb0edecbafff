internal import ObservationEngine

/// How commits to a server are noticed over one connection: by the best means that the server admits.
///
///     the log ─▶ the log as the server decodes it ─▶ triggers of the user's ─▶ polling the snapshot ─▶ a timer
///
/// Where the log ends or can't be had the server is polled, and the log tried again later.
final class CommitNoticing {
  private enum Means {
    case following(LogFollower)
    /// The mark of the newest snapshot, and when to ask for the next one.
    case polling(mark: String, at: UInt64)
    /// The server has no marks: when to run all queries again.
    case timer(at: UInt64)
  }

  /// What a check found.
  struct Noticed {
    /// Whether all queries are due.
    var concernsAll = false
    /// Whether the log is followed from now on: what queries read must be learned.
    var beginsToFollow = false
    /// When a commit was noticed, on the monotonic clock; nil for none.
    var commitAt: UInt64?
    /// Transactions that ended without a change.
    var rolledBack: [UInt32] = []
    /// A notice for the user.
    var notice: String?
    /// Whether a standby has become the primary.
    var isPromoted = false
  }

  private let address: ServerAddress
  private let connection: ServerConnection
  private let probe: ServerProbe
  private let version: String
  private var means: Means
  private var pace: PollPace
  /// Why no better means is used; nil for the best.
  private var refusal: String?
  /// When to try to follow the log.
  private var followAt: UInt64 = .max
  /// Whether the log was ever followed.
  private(set) var hasFollowed: Bool
  /// Whether the last notice was that a stream has ended.
  private var hasSaidEnd = false
  /// A slot that the server makes; meanwhile it is polled.
  private var slot: SlotStream?
  private var saturation = Saturation()

  private static let clockInterval: UInt64 = 1_000_000_000
  private static let usualReplay: UInt64 = 1_000_000_000
  /// When the log is tried again which has ended, and which was refused; in nanoseconds.
  private static let retryOfEnded: UInt64 = 10_000_000_000
  private static let retryOfRefused: UInt64 = 60_000_000_000

  /// - Parameter hasFollowed: Whether the log was followed over an earlier connection.
  init(
    _ address: ServerAddress, _ connection: ServerConnection, _ probe: ServerProbe,
    _ settings: ServerSettings, hasFollowed: Bool
  ) {
    (self.address, self.connection, self.probe) = (address, connection, probe)
    self.hasFollowed = hasFollowed
    version = "\(probe.version / 10_000).\(probe.version % 10_000)"
    let now = SystemClock.monotonic()
    pace = PollPace(fixed: settings.pollInterval.map { UInt64($0.nanoseconds) }, now: now)
    guard probe.hasSnapshots else {
      means = .timer(at: now)
      refusal = "the server has no pg_current_snapshot()"
      return
    }
    means = .polling(mark: "", at: now)
    refusal = probe.refusalOfStream
    if settings.pollInterval != nil {
      refusal = ServerFacts.isAskedFor
    } else if refusal == nil || probe.mayDecode && probe.refusalOfSlot == nil || probe.mayListen {
      followAt = now
    }
  }

  // MARK: - What it is

  /// What the server is, and how its commits are noticed now.
  var facts: ServerFacts {
    ServerFacts(
      databaseName: connection.databaseName, version: version, isReplica: probe.isReplica,
      means: named, reason: refusal)
  }

  private var named: NoticingMeans {
    switch means {
    case .following(let follower):
      switch follower.stream.reporter {
      case .log:
        return .wal(
          lag: follower.pollsBesides ? .microseconds(follower.stream.lag) : nil,
          isReplica: probe.isReplica)
      case .decoder: return .decoding
      case .triggers:
        let tables = follower.map.userTables
        return .notifications(tables: tables.count - tables.unreported, of: tables.count)
      }
    case .polling:
      let interval = pace.interval(at: SystemClock.monotonic())
      return .polling(every: .nanoseconds(Int64(interval)), isReplica: probe.isReplica)
    case .timer: return .timer(every: .nanoseconds(Int64(Self.clockInterval)))
    }
  }

  /// What follows the log; nil while it isn't followed.
  private var follower: LogFollower? {
    if case .following(let follower) = means { follower } else { nil }
  }

  /// Whether commits are reported with the tables that were changed.
  var isFollowing: Bool { follower != nil }
  /// Who reports them; nil while the server is polled.
  var reporter: CommitReporter? { follower?.stream.reporter }

  private var socket: (any ServedSocket)? { follower?.stream ?? slot }

  /// When the server was last heard of, on any connection that panels need.
  var heardAt: UInt64 { max(connection.heardAt, socket?.heardAt ?? 0) }

  /// Whether all commits come by themselves, before any snapshot is asked for.
  var reportsAll: Bool {
    follower.map { $0.stream.reporter.reportsAll && !$0.pollsBesides } ?? false
  }

  /// Whether something was reported that no snapshot contained yet.
  var hasNews: Bool { follower.map { $0.stream.hasNews || $0.isWaiting } ?? false }

  /// When the server was last heard of, if it owes an answer for longer than it takes as a rule.
  ///
  /// - Parameter usual: How long that is, in nanoseconds.
  func silentSince(at now: UInt64, usual: UInt64) -> UInt64? {
    guard let since = socket?.unansweredSince, now >= since + usual else { return nil }
    return heardAt
  }

  /// When the answer that the server owes is late; `.max` when it owes none, or is late already.
  func lateAt(usual: UInt64) -> UInt64 {
    guard let since = socket?.unansweredSince, SystemClock.monotonic() < since + usual else {
      return .max
    }
    return since + usual
  }

  /// Since when a standby has not replayed what it received, if that is longer than it takes as a rule.
  func behindSince(at now: UInt64) -> UInt64? {
    guard let since = follower?.behindSince, now >= since + Self.usualReplay else { return nil }
    return since
  }

  /// What becomes readable when the server has something to say; -1 for none.
  var descriptor: Int32 { socket?.descriptor ?? -1 }

  /// When the server must hear of this program, even if nothing is observed.
  var servedBy: UInt64 { socket?.servedBy ?? .max }

  /// When to check again without being woken.
  ///
  /// - Parameters:
  ///   - refreshAt: When the next refresh may be.
  ///   - isAllDue: Whether it runs all queries.
  func nextCheck(refreshAt: UInt64, isAllDue: Bool) -> UInt64 {
    // One that has failed reports nothing by itself.
    if slot?.failure != nil { return 0 }
    var next = min(servedBy, followAt)
    switch means {
    case .following(let follower): next = min(next, follower.nextCheck(refreshAt: refreshAt))
    // The refresh that is due learns more than a poll.
    case .polling(_, let time), .timer(let time): if !isAllDue { next = min(next, time) }
    }
    return next
  }

  // MARK: - A check

  /// Finds out what was committed.
  ///
  /// - Parameters:
  ///   - isObserved: Whether there are queries.
  ///   - isAllDue: Whether all of them are due anyway, so that there is nothing to be learned.
  ///   - noticed: Receives what was found, even if the check ends in an error.
  func check(
    isObserved: Bool, isAllDue: Bool, into noticed: inout Noticed
  ) throws(ServerFault) {
    if isObserved, SystemClock.monotonic() >= followAt { followLog(&noticed) }
    if let slot { try followSlot(slot, &noticed) }
    let now = SystemClock.monotonic()
    switch means {
    case .following(let follower): try take(from: follower, &noticed, now)
    case .polling(let mark, let time):
      if isObserved, !isAllDue, now >= time { try poll(after: mark, &noticed) }
    case .timer(let time):
      if now >= time {
        noticed.concernsAll = true
        means = .timer(at: now + Self.clockInterval)
      }
    }
  }

  private func poll(after mark: String, _ noticed: inout Noticed) throws(ServerFault) {
    let deadline = SystemClock.monotonic() + 10_000_000_000
    let newest = try connection.run(
      probe.isReplica ? ServerProbe.replicaMark : ServerProbe.primaryMark, deadline: deadline
    ).text(0)
    guard let newest else {
      noticed.isPromoted = true
      return
    }
    let now = SystemClock.monotonic()
    if newest != mark {
      pace.noteChange(at: now)
      (noticed.concernsAll, noticed.commitAt) = (true, now)
    }
    // The mark stays: that of the refresh replaces it.
    means = .polling(mark: mark, at: now + pace.interval(at: now))
  }

  private func take(
    from follower: LogFollower, _ noticed: inout Noticed, _ now: UInt64
  ) throws(ServerFault) {
    let news = follower.take(at: now)
    if news.hasCommits { noticed.commitAt = now }
    noticed.rolledBack = news.rolledBack
    if let failure = follower.failure {
      noticed.notice = "\(follower.stream.reporter.stream) has ended (\(failure)); polling"
      hasSaidEnd = true
      // What it had not delivered is in no mark that polling compares with.
      noticed.concernsAll = true
      stopFollowing(failure)
    } else if follower.wantsReplayed(at: now) {
      let answer = try connection.run(ServerProbe.replicaMark, deadline: now + 10_000_000_000)
      if let position = answer.text(0).flatMap(LogPosition.number) {
        follower.takeReplayed(position, at: SystemClock.monotonic())
      } else {
        noticed.isPromoted = true
      }
    } else if follower.wantsMark(at: now, every: pace.interval(at: now)) {
      let answer = try connection.run(ServerProbe.primaryMark, deadline: now + 10_000_000_000)
      follower.takeMark(answer.text(0))
    }
  }

  /// A statement of this program's console may have committed: asks at the next check.
  func checkAtOnce() {
    if case .polling(let mark, _) = means { means = .polling(mark: mark, at: 0) }
  }

  // MARK: - To follow the log, and to stop

  /// Follows the log itself, or asks for a slot.
  private func followLog(_ noticed: inout Noticed) {
    followAt = .max
    let deadline = SystemClock.monotonic() + 3_000_000_000
    do throws(ServerFault) {
      if let reason = probe.refusalOfStream { throw ServerFault(message: reason) }
      let stream = try WALStream(address, beside: connection, deadline: deadline)
      begin(
        LogFollower(
          stream,
          probe.isReplica
            ? .replica(ReplicaBarrier())
            : .primary(CommitBarrier(running: try running(deadline))),
          try readMap(for: .log, former: nil)), &noticed)
    } catch {
      refusal =
        error.message.includes("pg_hba.conf")
        ? "pg_hba.conf has no replication line for this host" : error.message
      // What refused it once will do so again, unless there was one.
      if hasFollowed { followAt = SystemClock.monotonic() + Self.retryOfRefused }
      askForSlot(deadline, &noticed)
    }
  }

  private func begin(_ follower: LogFollower, _ noticed: inout Noticed) {
    if hasSaidEnd { noticed.notice = "\(follower.stream.reporter.stream) has begun again" }
    hasSaidEnd = false
    means = .following(follower)
    connection.served = follower.stream
    (slot, followAt) = (nil, .max)
    (hasFollowed, saturation) = (true, Saturation())
    // Otherwise it says why the log itself can't be had.
    if follower.stream.reporter == .log { refusal = nil }
    (noticed.concernsAll, noticed.beginsToFollow) = (true, true)
  }

  /// Asks for the next means: the log as the server decodes it.
  private func askForSlot(_ deadline: UInt64, _ noticed: inout Noticed) {
    guard probe.mayDecode else { return listen(&noticed) }
    if let reason = probe.refusalOfSlot { return refuseSlot(reason, &noticed) }
    do throws(ServerFault) {
      slot = try SlotStream(address, beside: connection, deadline: deadline)
      connection.served = slot
    } catch {
      refuseSlot(error.message, &noticed)
    }
  }

  private func refuseSlot(_ reason: String, _ noticed: inout Noticed) {
    slot = nil
    connection.served = nil
    add(refusal: "no slot: \(reason)")
    listen(&noticed)
  }

  /// Adds to why no better means is used.
  private func add(refusal reason: String) {
    refusal = [refusal, reason].compactMap(\.self).joined(separator: "; ")
  }

  /// Listens to triggers, if there are any.
  private func listen(_ noticed: inout Noticed) {
    guard probe.mayListen else { return }
    do throws(ServerFault) {
      let stream = try NotificationStream(
        address, beside: connection, deadline: SystemClock.monotonic() + 3_000_000_000)
      // Transactions that are running will notify of all that they wrote.
      let barrier = LogFollower.Barrier.primary(CommitBarrier(running: [], reportsVisible: true))
      begin(
        LogFollower(stream, barrier, try readMap(for: .triggers, former: nil)), &noticed)
    } catch {
      add(refusal: "no notifications: \(error.message)")
    }
  }

  /// Begins to take commits from a slot, once it is there.
  private func followSlot(_ slot: SlotStream, _ noticed: inout Noticed) throws(ServerFault) {
    slot.serve()
    if let failure = slot.failure {
      refuseSlot(failure, &noticed)
    } else if slot.isStreaming {
      // The server waited for what was running: each transaction is reported as a whole.
      let barrier = LogFollower.Barrier.primary(CommitBarrier(running: []))
      begin(LogFollower(slot, barrier, try readMap(for: .decoder, former: nil)), &noticed)
    }
  }

  /// The transactions that are running: what they wrote before the stream began is unknown.
  private func running(_ deadline: UInt64) throws(ServerFault) -> Set<UInt32> {
    let rows = try connection.run(
      """
      SELECT transactionid::text FROM pg_locks WHERE locktype = 'transactionid' \
      AND mode = 'ExclusiveLock' AND granted
      """, deadline: deadline
    ).rows
    return Set(rows.compactMap { if case .text(let text) = $0[0] { UInt32(text) } else { nil } })
  }

  private func readMap(
    for reporter: CommitReporter, former: TableMap?
  ) throws(ServerFault) -> TableMap {
    let deadline = SystemClock.monotonic() + 10_000_000_000
    let rows = try connection.run(TableMap.query(for: reporter), deadline: deadline).rows
    return TableMap(database: probe.databaseNumber, rows: rows, former: former)
  }

  /// Polls for a while.
  private func stopFollowing(_ reason: String) {
    connection.served = nil
    slot = nil
    means = .polling(mark: "", at: 0)
    refusal = reason
    // One that an extension's records ended would end again.
    followAt = SystemClock.monotonic() + Self.retryOfEnded
  }

  // MARK: - Snapshots

  /// The queries that reported commits concern, if a snapshot is worth it; nil if not.
  func due(at now: UInt64, among queries: [TrackedQuery]) -> [TrackedQuery]? {
    follower?.due(at: now, among: queries)
  }

  /// Whether a reported commit changed the schema, or may have.
  var expectsNewSchema: Bool { follower?.expectsNewSchema ?? false }

  /// Judges a snapshot that was taken after the last check.
  func judge(_ taken: PanelReader.Snapshot, among queries: [TrackedQuery]) -> SnapshotVerdict {
    switch means {
    case .following(let follower):
      return follower.judge(taken, at: SystemClock.monotonic(), among: queries)
    case .polling(let former, let time):
      means = .polling(mark: taken.mark, at: time)
      return .polled(from: former, to: taken.mark)
    case .timer:
      var verdict = SnapshotVerdict()
      verdict.isGuess = true
      return verdict
    }
  }

  /// Notes that commits which weren't reported changed a result: they are found by polling alone, which slows down where
  /// it finds nothing, or only what the server did for itself, as by VACUUM.
  func noteUnreportedChange() { pace.noteChange(at: SystemClock.monotonic()) }

  /// Notes that what a snapshot contains beyond what the log had reported was shown to the user.
  func noteShownEarly(_ verdict: SnapshotVerdict) { follower?.noteShownEarly(verdict) }

  /// Reads which tables there are now.
  func reloadMap() throws(ServerFault) {
    guard let follower else { return }
    follower.map = try readMap(for: follower.stream.reporter, former: follower.map)
  }

  /// Stops following the log of a server that is too busy for it to be worth while.
  ///
  /// - Returns: Whether it is polled from now on, so that all queries are due.
  func stopFollowingIfSaturated(began: UInt64, pauseEnded: UInt64, ranAll: Bool, commits: Int)
    -> Bool
  {
    guard isFollowing,
      saturation.note(began: began, pauseEnded: pauseEnded, ranAll: ranAll, commits: commits)
    else { return false }
    stopFollowing(
      "so many commits that all panels run all the time; the log is tried again in 10 s")
    return true
  }
}
