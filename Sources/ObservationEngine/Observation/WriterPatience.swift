/// When a slow query may begin to read in WAL mode while another process writes without a break. Pure;
/// times are nanoseconds of the monotonic clock. With a rollback journal ``YieldPolicy`` decides.
///
///     commits    |       |        | | | | | | | | | | | | | | | | | | | | | |        |
///     refreshes   ■       ■        ×                        ■            ■      ■     ■
///                 right after      gives way                all the same        it pauses
///
/// A refresh right after a commit meets nobody, unless the writer goes on at once. Where it does, the
/// refresh gives way, and waits until the writer pauses; but not for ever.
struct WriterPatience {
  /// How long nobody may have committed for a writer to be taken as pausing: longer than the detector
  /// looks away in a burst.
  static let pause: UInt64 = 10_000_000
  /// How long a refresh waits for a pause.
  static let limit: UInt64 = 500_000_000

  private var waitsSince: UInt64?
  private var lastCommit: UInt64 = 0

  /// Takes note of a commit.
  mutating func noteCommit(now: UInt64) {
    // After a rest of the writer nothing is left of what it was like before.
    if now > lastCommit + Self.limit { waitsSince = nil }
    lastCommit = now
  }

  /// Whether somebody has committed a moment ago.
  func isSteady(now: UInt64) -> Bool { now < lastCommit + Self.pause }

  /// Asks whether a refresh may begin.
  ///
  /// - Parameter isContended: Whether a writer is at work at this moment.
  /// - Returns: In how many nanoseconds to ask again; 0 when it may begin.
  mutating func wait(now: UInt64, isContended: Bool) -> UInt64 {
    if waitsSince == nil, isContended { waitsSince = now }
    guard let since = waitsSince, !isOver(now) else { return 0 }
    let quiet = isContended ? now + Self.pause : lastCommit + Self.pause
    return quiet > now ? min(quiet, since + Self.limit) - now : 0
  }

  /// Whether a refresh has waited for as long as it may: it gives way no more.
  func isOver(_ now: UInt64) -> Bool { waitsSince.map { now >= $0 + Self.limit } ?? false }

  /// Takes that a refresh was done: in a pause of the writer, or else because it had waited for long
  /// enough, and the next one waits as well.
  mutating func didRefresh(now: UInt64) { waitsSince = isOver(now) ? now : nil }
}
