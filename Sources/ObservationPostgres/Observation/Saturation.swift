/// Whether commits come so fast that polling a server is as good as reading its log: all queries run without a pause.
struct Saturation {
  /// From when on each refresh ran all queries right after the pause of the one before, and how many commits that were.
  private var run: (since: UInt64, commits: Int)?

  /// In nanoseconds: what comes within this time after a pause was waited for.
  private static let margin: UInt64 = 5_000_000
  private static let duration: UInt64 = 1_000_000_000
  private static let commits = 200

  /// Takes note of a refresh.
  ///
  /// - Parameters:
  ///   - began: When it began, in nanoseconds.
  ///   - pauseEnded: Until when the refresh before it kept it from beginning.
  ///   - commits: How many it shows.
  /// - Returns: Whether it has been so for a second now, and for many commits.
  mutating func note(began: UInt64, pauseEnded: UInt64, ranAll: Bool, commits: Int) -> Bool {
    guard ranAll, began < pauseEnded + Self.margin else {
      run = nil
      return false
    }
    run = (run?.since ?? began, (run?.commits ?? 0) + commits)
    return run.map { began - $0.since > Self.duration && $0.commits > Self.commits } ?? false
  }
}
