/// When the next refresh may start: at once after a rest, less often under a writer that does not
/// wait for it. Pure; times are nanoseconds of the monotonic clock.
///
///     commits   |      |        | | | | | | | | | | | | | | | | | | | | |       |
///     refreshes ■      ■        ■ ·■ · ·■ · · · ·■ · · · · · · · ·■      ■       ■
///                      at once  pauses double while each refresh finds several commits
///
/// A refresh that finds one commit has kept up, and the next one is not delayed. So a program that
/// commits, waits for the value, and commits again is never slowed down.
struct RefreshPace {
  /// The bounds of a pause: from less than a refresh takes to what no person notices.
  private static let pauses: ClosedRange<UInt64> = 100_000...50_000_000
  /// However long refreshes take, they start this often.
  private static let longest: UInt64 = 500_000_000
  /// A refresh on the writer's own thread leaves it alone for so many times what it took, so that a
  /// program which writes without a break keeps nearly all of its writer's time.
  private static let rest: UInt64 = 8

  /// The least time between two starts, as configured.
  private let least: UInt64
  private var lastStart: UInt64?
  private var lastDuration: UInt64 = 0
  /// Commits since the last start.
  private var commits = 0
  private var writerRestsUntil: UInt64 = 0

  /// How long refreshes pause now because each found several commits, in nanoseconds; 0 when they
  /// keep up.
  private(set) var pause: UInt64 = 0
  var isPausing: Bool { pause > 0 }

  init(least: Duration) { self.least = UInt64(max(0, least.nanoseconds)) }

  mutating func noteCommits(_ count: Int) { commits += count }

  /// Takes that a refresh is to start.
  ///
  /// - Returns: How long it must wait.
  mutating func start(now: UInt64) -> UInt64 {
    if commits > 1 {
      let longest = max(Self.pauses.upperBound, min(4 * lastDuration, Self.longest))
      pause = min(max(2 * pause, Self.pauses.lowerBound), longest)
    } else {
      pause = 0
    }
    commits = 0
    guard let last = lastStart else {
      lastStart = now
      return 0
    }
    let due = max(last + interval, pause > 0 ? last + lastDuration + pause : 0)
    let wait = due > now ? due - now : 0
    lastStart = now + wait
    return wait
  }

  /// Takes that a refresh is to start on the writer's own thread, right after its commit.
  ///
  /// - Returns: Whether it may; otherwise nothing has changed.
  mutating func startOnWriter(now: UInt64) -> Bool {
    guard now >= writerRestsUntil, commits <= 1, now >= (lastStart.map { $0 + interval } ?? 0)
    else { return false }
    pause = 0
    commits = 0
    lastStart = now
    return true
  }

  /// Takes that a refresh has ended.
  mutating func end(now: UInt64) { lastDuration = now - min(now, lastStart ?? now) }

  /// Takes that a refresh on the writer's thread has ended.
  mutating func endOnWriter(now: UInt64) {
    end(now: now)
    writerRestsUntil = now + Self.rest * lastDuration
  }

  /// The least time from one start to the next: where one is configured, refreshes that take long
  /// start at most every fourfold of that time.
  private var interval: UInt64 {
    least > 0 ? max(least, min(4 * lastDuration, Self.longest)) : 0
  }
}
