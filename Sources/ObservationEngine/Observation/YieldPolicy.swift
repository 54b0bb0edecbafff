/// When a refresh may begin to read a database with a rollback journal while another process writes to
/// it, and to whom it gives way. Pure; times are nanoseconds of the monotonic clock.
///
/// With a rollback journal a writer needs the file for itself to commit. One that waits for locks
/// loses a few milliseconds to a reader; one that does not (`busy_timeout` 0) loses its commit.
/// So a refresh reads where no commit is near:
///
///     writer that pauses         C           C         C              C = commit
///                                 ■           ■         ■              ■ = refresh: right after it
///     writer in long batches     ████C███████████C████████████C       █ = transaction (RESERVED)
///                                     ■           ■                    at the start of the next one
///     one long transaction       C████████████████████████████
///                                     ■                                once it has lasted for a while
///     writer without a pause     CCCCCCCCCCCCCCCCCCCCCCCCC     C
///                                                          ■   ■       in its first pause
///
/// A writer that never pauses leaves no such place. Whether it waits for locks is seen only when it
/// meets one: the policy tries that once for each process, after ``unknownLimit``. A writer that waits is
/// then made to wait, for a thirtieth of its time at most. One that does not wait is left alone for good.
struct YieldPolicy {
  enum Decision: Equatable {
    case read(SnapshotWatch.Yielding)
    /// Ask again after so many nanoseconds. `isOverdue`, once, when what is shown is out of date by now.
    case wait(UInt64, isOverdue: Bool)
  }

  /// How long no commit may be near before a refresh takes the writer for pausing.
  static let pause: UInt64 = 10_000_000
  /// The same for a writer that has committed without a pause: a busy machine stops it for as long as
  /// that, wherever it is in its transaction.
  static let stormPause: UInt64 = 40_000_000
  /// So long nothing may change for a refresh to begin right after a commit. A writer without a pause
  /// is in its next transaction by then.
  static let settling: UInt64 = 200_000
  /// How often a refresh looks for the moment between two transactions.
  static let glance: UInt64 = 10_000
  /// How long a transaction must have lasted for a refresh to read during it.
  static let hold: UInt64 = 5_000_000
  /// The same after commits without a pause.
  static let stormHold: UInt64 = 100_000_000
  /// How long before a transaction is likely to need the file a refresh must have ended.
  static let margin: UInt64 = 500_000
  /// How long a process may keep readers out before a refresh tries all the same, and reports that it
  /// is locked.
  static let lockLimit: UInt64 = 100_000_000
  /// After so long without a refresh its result is reported as out of date.
  static let overdue: UInt64 = 1_000_000_000
  /// After this time, a refresh reads during transactions of a process that is not known to wait
  /// for locks.
  static let unknownLimit: UInt64 = 12_000_000_000
  /// The least time between two refreshes that a writer must wait for.
  static let forcedInterval: UInt64 = 50_000_000
  /// A refresh that a writer must wait for comes after so many times what it costs the writer.
  private static let share: UInt64 = 30
  /// What the writer loses besides the refresh itself: it sleeps for a millisecond at first.
  private static let sleep: UInt64 = 1_000_000
  /// After so long without a commit the writer's habits are forgotten.
  private static let memory: UInt64 = 5_000_000_000
  private static let remembered = 8

  /// Times between commits of other processes, the last few.
  private var intervals: [UInt64] = []
  private var lastCommit: UInt64?
  /// Which processes wait for locks.
  private var waiting: [Int32: Bool] = [:]
  private var writer: Int32?

  /// What the locks said since when, at which change counter.
  private var seen: (contention: RollbackLocks.Contention, counter: UInt32?, since: UInt64)?
  /// When the locks were last asked for.
  private var lastAsked: UInt64 = 0
  /// How long the last transactions, when seen from their start, changed rows before they needed
  /// the file.
  private var preparations: [UInt64] = []
  /// How often in a row a writer was met in one transaction after the other.
  private var meetings = 0
  /// In how many of a hundred of those it had not touched the file yet: in nearly all of them if it takes
  /// its time, and in nearly none if it does little else than sync.
  private var preparedShare = 50
  /// Whether it was reported that the result is out of date.
  private var hasReported = false
  /// Whether what waits to begin has found a writer at work.
  private var hasMetWriter = false
  private var waitsSince: UInt64?
  private var lastEnd: UInt64 = 0
  /// What a refresh takes.
  private var usual: UInt64 = 1_000_000
  private var isForced = false

  /// Takes note of commits by another process.
  mutating func noteCommits(_ count: Int, now: UInt64) {
    defer { lastCommit = now }
    guard let last = lastCommit, now - last < Self.memory else {
      intervals = []
      preparations = []
      return
    }
    intervals.append((now - last) / UInt64(max(1, count)))
    if intervals.count > Self.remembered { intervals.removeFirst() }
  }

  /// Decides whether a refresh may begin.
  ///
  /// - Parameters:
  ///   - contention: What another process does at this moment.
  ///   - counter: The change counter of the file.
  mutating func decide(
    now: UInt64, contention: RollbackLocks.Contention, counter: UInt32?
  ) -> Decision {
    if contention != .none, let seen, seen.counter != counter {
      // Whenever it is asked the writer is at work, each time on another transaction.
      meetings = min(meetings + 1, Self.remembered)
      let isPrepared = if case .prepared = contention { true } else { false }
      preparedShare = (7 * preparedShare + (isPrepared ? 100 : 0)) / 8
    }
    if seen?.contention != contention || seen?.counter != counter {
      notePreparation(now)
      seen = (contention, counter, now)
    }
    lastAsked = now
    let lasted = now - (seen?.since ?? now)
    isForced = false
    switch contention {
    case .none:
      var needed = isStorm(now) ? Self.stormPause : settling(now)
      if hasMetWriter { needed = max(needed, min(Self.pause, 2 * usual)) }
      if isCommitFar(now) { needed = 0 }
      guard lasted >= needed else { return wait(now, needed - lasted) }
      meetings = 0
      return .read(isCommitFar(now) ? .toCommit : .toAnyWriter)
    case .prepared(let process):
      (writer, hasMetWriter) = (process, true)
      let needed = isCommitFar(now) || isPreparationLong(after: lasted) ? 0 : hold(now)
      guard lasted < needed else { return .read(.toCommit) }
      // How long it lasts is seen only by asking often.
      return wait(now, lasted < Self.hold ? min(needed - lasted, Self.settling) : needed - lasted)
    case .exclusive(let process):
      (writer, hasMetWriter) = (process, true)
      if lasted >= Self.lockLimit { return .read(.toAnyWriter) }
      return wait(now, isStorm(now) ? Self.pause : Self.sleep)
    }
  }

  /// Records that a refresh has ended.
  ///
  /// - Parameter gaveWay: Whether it broke off for a writer.
  mutating func didEnd(began: UInt64, now: UInt64, gaveWay: Bool) {
    isForced = false
    if gaveWay {
      waitsSince = waitsSince ?? now
      hasMetWriter = true
      seen = nil
    } else {
      usual = (3 * usual + now - began) / 4
      hasReported = false
      lastEnd = now
      hasMetWriter = false
      waitsSince = nil
    }
  }

  /// Takes what a refresh found that the writer met.
  mutating func note(process: Int32, waits: Bool) {
    if waiting.count > 64 { waiting = [:] }
    waiting[process] = waits
  }

  /// Whether the refresh that runs shall find out whether the writer waits.
  var mustLearn: Bool { isForced && writer.map { waiting[$0] == nil } ?? false }

  private mutating func wait(_ now: UInt64, _ time: UInt64) -> Decision {
    let since = waitsSince ?? now
    waitsSince = since
    var due = UInt64.max
    switch writer.flatMap({ waiting[$0] }) {
    case nil: due = since + Self.unknownLimit
    case true?: due = lastEnd + max(Self.forcedInterval, Self.share * (usual + Self.sleep))
    case false?: break
    }
    if now >= due {
      isForced = true
      if case .exclusive? = seen?.contention {
        // Between two transactions it lets go for less time than a thread needs to be woken.
        return .wait(Self.glance, isOverdue: false)
      }
      return .read(.never)
    }
    let isOverdue = now >= since + Self.overdue && !hasReported
    hasReported = hasReported || isOverdue
    return .wait(max(min(time, due - now), Self.settling), isOverdue: isOverdue)
  }

  /// The mean time between the last commits; `nil` when there were none of late.
  private func interval(_ now: UInt64) -> UInt64? {
    guard let last = lastCommit, now - last < Self.memory / 10,
      intervals.count >= Self.remembered / 2
    else { return nil }
    return intervals.reduce(0, +) / UInt64(intervals.count)
  }

  /// Whether another process commits so often that a refresh has no place in between.
  private func isStorm(_ now: UInt64) -> Bool {
    guard let interval = interval(now) else { return false }
    return interval < 2_000_000 + 4 * min(usual, 500_000)
      || interval < Self.stormHold / 2 && meetings > 2 && preparedShare < 40
        && !isPreparationLong()
  }

  /// Takes note of how long a transaction changed rows before it needed the file, if the end of that was
  /// seen.
  private mutating func notePreparation(_ now: UInt64) {
    guard let seen, case .prepared = seen.contention, now - lastAsked <= 2 * Self.settling else {
      return
    }
    preparations.append(lastAsked - seen.since)
    if preparations.count > Self.remembered { preparations.removeFirst() }
  }

  /// How long the writer's transactions change rows before they need the file; `nil` while unknown.
  private var preparation: UInt64? {
    guard preparations.count >= Self.remembered / 2 else { return nil }
    // Most are longer.
    return preparations.sorted()[preparations.count / 4]
  }

  /// Whether a refresh that begins now ends long before a transaction that has lasted for a while needs
  /// the file.
  private func isPreparationLong(after lasted: UInt64 = 0) -> Bool {
    preparation.map { lasted + 2 * usual + Self.margin < $0 } ?? false
  }

  private func settling(_ now: UInt64) -> UInt64 {
    guard let last = lastCommit, now - last < Self.hold else { return 0 }
    return interval(now).map { min(max($0 / 4, Self.settling), 1_000_000) } ?? Self.settling
  }

  private func hold(_ now: UInt64) -> UInt64 {
    if isStorm(now) { return Self.stormHold }
    let longest = interval(now).map { max(Self.hold, $0 / 4) } ?? Self.stormHold
    return min(max(Self.hold, 4 * usual), longest)
  }

  /// Whether, by the writer's habits, the next commit comes long after a refresh that begins now.
  private func isCommitFar(_ now: UInt64) -> Bool {
    guard let last = lastCommit, intervals.count >= Self.remembered / 2,
      // Commits that come faster are noticed with a delay (``CommitBurst``): when is not known.
      let shortest = intervals.min(), shortest >= 4_000_000
    else { return false }
    // Nor is it when a writer that does little else than sync asks for the file.
    return !isStorm(now) && now - last + 2 * usual < shortest / 2
  }
}
