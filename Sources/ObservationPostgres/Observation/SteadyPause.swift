/// How long refreshes pause while each finds several commits: a steady writer gets most of the time.
///
///     one commit each ─▶ no pause      several ─▶ twice as long each time, up to what no user notices
struct SteadyPause {
  /// In nanoseconds.
  private(set) var length: UInt64 = 0

  private static let least: UInt64 = 1_000_000
  private static let longest: UInt64 = 50_000_000

  /// Takes note of a refresh.
  ///
  /// - Parameter commits: How many it shows, as far as that is known; 0 for one that nothing was committed for.
  mutating func note(commits: Int) {
    if commits > 1 {
      length = min(Self.longest, max(Self.least, 2 * length))
    } else if commits == 1 {
      length = 0
    }
  }
}
