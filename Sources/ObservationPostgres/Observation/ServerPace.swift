/// When the queries of a server run next.
///
///     a commit is noticed ─▶ debounce, and the pause behind the last refresh ─▶ refresh ─▶ a pause as long as it took
///
/// Where commits keep coming, refreshes that ran queries are as far apart as configured, on average: a few that come
/// right behind each other don't wait for that.
///
/// All times are nanoseconds of the monotonic clock; `.max` is never.
struct ServerPace {
  /// What a refresh did.
  struct Refresh {
    /// Until its results were delivered.
    var duration: UInt64 = 0
    /// Whether a query ran, rather than only a snapshot was taken.
    var ranQueries = false
    /// Whether all of them ran, but for those that run by themselves.
    var ranAll = false
    /// How many commits it shows, as far as that is known.
    var commits = 0
    /// Whether reported commits are missing from its snapshot.
    var isPending = false
    /// Whether there are queries that wait for a lock.
    var hasLocked = false
    /// Whether there are queries over the time; `nil` for none, else whether all of them ran.
    var ranClocks: Bool?
  }

  /// Whether all queries are due.
  private(set) var isAllDue = false
  /// When the oldest commit was noticed that isn't shown yet; 0 for none.
  private(set) var noticedAt: UInt64 = 0
  /// When the next refresh may begin.
  private(set) var nextRefreshAt: UInt64 = 0
  /// When the pause behind the last refresh ends: later commits don't change it, as they do ``nextRefreshAt``.
  private(set) var pauseEndsAt: UInt64 = 0
  private var clockDueAt: UInt64 = .max
  private var lockedDueAt: UInt64 = .max
  /// How long the queries that wait for a lock went before they tried again; 0 while none waits.
  private var lockedPause: UInt64 = 0
  /// When the pause behind the last slow query that ran by itself ends.
  private var alonePauseEndsAt: UInt64 = 0
  private var steadyPause = SteadyPause()

  /// When the next refresh would be, had those so far been as far apart as configured: a bucket that leaks, as in the
  /// generic cell rate algorithm (ITU-T I.371).
  private var nextAtInterval: UInt64 = 0

  private let debounce: UInt64
  private let interval: UInt64

  /// How many refreshes don't wait for the interval.
  private static let atOnce: UInt64 = 4

  private static let clockInterval: UInt64 = 1_000_000_000
  /// How long to wait for a lock again, or after what the server refused.
  private static let refusalPause: UInt64 = 250_000_000
  /// The same for a lock that is held for long: each try is an error in the server's log.
  private static let longestLockedPause: UInt64 = 2_000_000_000
  private static let longestPause: UInt64 = 10_000_000_000
  /// How long others go before a slow query. Where commits never pause, there are always some.
  private static let longestWait: UInt64 = 2_000_000_000

  /// - Parameter interval: From one refresh that ran queries to the next, on average.
  init(debounce: UInt64, interval: UInt64) {
    (self.debounce, self.interval) = (debounce, interval)
  }

  // MARK: - What is due

  /// When something is due that no commit makes due.
  var nextAt: UInt64 {
    isAllDue ? nextRefreshAt : max(min(clockDueAt, lockedDueAt), nextRefreshAt)
  }

  /// When a slow query may run by itself that has waited since then: what others wait for goes before, but not for
  /// ever.
  func aloneAt(awaitedSince: UInt64) -> UInt64 {
    let others = isAllDue || noticedAt != 0 ? nextRefreshAt : 0
    return max(alonePauseEndsAt, min(others, awaitedSince + Self.longestWait))
  }

  /// Whether the queries over the time are due.
  func areClocksDue(at now: UInt64) -> Bool { now >= clockDueAt }

  /// Whether the queries that waited for a lock in vain are due.
  func areLockedDue(at now: UInt64) -> Bool { now >= lockedDueAt }

  // MARK: - What happens

  /// All queries are to run with the next refresh.
  mutating func wantAll() { isAllDue = true }

  /// All queries are to run now.
  mutating func wantAllAtOnce() { (isAllDue, nextRefreshAt) = (true, 0) }

  /// A commit was noticed.
  mutating func noteCommit(at time: UInt64) {
    guard noticedAt == 0 else { return }
    noticedAt = time
    nextRefreshAt = max(nextRefreshAt, time + debounce)
  }

  /// The server refused a refresh.
  mutating func noteRefusal(at now: UInt64) {
    (isAllDue, nextRefreshAt) = (true, now + Self.refusalPause)
    alonePauseEndsAt = max(alonePauseEndsAt, nextRefreshAt)
  }

  /// A slow query has run by itself, and perhaps others that its snapshot concerns.
  mutating func noteAlone(_ refresh: Refresh, at now: UInt64) {
    if !refresh.isPending { noticedAt = 0 }
    if refresh.ranAll { isAllDue = false }
    if refresh.hasLocked { lockedDueAt = min(lockedDueAt, now + Self.refusalPause) }
    if refresh.ranClocks != nil { clockDueAt = min(clockDueAt, now + Self.clockInterval) }
    let pause = max(interval, min(refresh.duration, Self.longestPause))
    alonePauseEndsAt = now + (refresh.hasLocked ? max(pause, Self.refusalPause) : pause)
  }

  /// A refresh has ended.
  mutating func noteRefresh(_ refresh: Refresh, at now: UInt64) {
    isAllDue = false
    if !refresh.isPending { noticedAt = 0 }
    steadyPause.note(commits: refresh.commits)
    if refresh.ranQueries { nextAtInterval = max(nextAtInterval, now) + interval }
    // A program that was stopped within a refresh would pause for as long again.
    let pause = min(refresh.duration, Self.longestPause)
    nextRefreshAt =
      switch (refresh.isPending, refresh.ranQueries) {
      // To look for a commit that is missing yet is a matter of a snapshot.
      case (true, false): now
      // A snapshot for which no query ran does not delay the next commit as a refresh does.
      case (true, true), (false, false): now + pause
      case (false, true):
        max(
          now + max(pause, steadyPause.length),
          nextAtInterval - min(nextAtInterval, Self.atOnce * interval))
      }
    pauseEndsAt = nextRefreshAt
    noteLocks(refresh.hasLocked, at: now)
    // Queries over the time run a second after the last time that all of them ran.
    switch refresh.ranClocks {
    case nil: clockDueAt = .max
    case let ran?: if ran || clockDueAt == .max { clockDueAt = now + Self.clockInterval }
    }
  }

  /// What failed for a lock is tried again, a little later each time.
  private mutating func noteLocks(_ hasLocked: Bool, at now: UInt64) {
    guard hasLocked else {
      (lockedDueAt, lockedPause) = (.max, 0)
      return
    }
    // Other refreshes don't put it off.
    guard lockedDueAt == .max || areLockedDue(at: now) else { return }
    lockedPause = min(Self.longestLockedPause, max(Self.refusalPause, 2 * lockedPause))
    lockedDueAt = now + lockedPause
  }
}
