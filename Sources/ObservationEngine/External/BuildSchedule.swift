/// When to build the map of pages, so that it costs little whatever happens to the database.
struct BuildSchedule: Equatable {
  /// How long one attempt may take, in nanoseconds.
  private(set) var limit: UInt64 = 100_000_000
  /// When the next attempt may start.
  private(set) var next: UInt64 = 0
  private var failures = 0
  /// The last failure that was reported.
  private var told: String?

  /// The longest time for which an attempt may delay the detection of commits.
  private static let longest: UInt64 = 2_000_000_000
  /// The share of time that attempts may take: one part in this many.
  private static let share: UInt64 = 20

  func isDue(_ now: UInt64) -> Bool { now >= next }

  mutating func didBuild(from start: UInt64, to end: UInt64) {
    next = end + (end - start) * Self.share
    failures = 0
    limit = 100_000_000
    told = nil
  }

  /// Notes a failure.
  ///
  /// - Returns: What to report to the user; `nil` when it is reported already, or may pass by
  ///   itself.
  mutating func didFail(_ error: DatabaseError, from start: UInt64, to end: UInt64) -> String? {
    failures += 1
    limit = min(limit * 2, Self.longest)
    // From a twentieth of a second to five minutes.
    let pause = UInt64(50_000_000) << UInt64(min(failures, 12))
    next = end + max((end - start) * Self.share, min(pause, 300_000_000_000))
    let isLasting = error.code.primary == .corrupt || failures >= 6
    guard isLasting, told != error.message else { return nil }
    told = error.message
    return """
      the tables that other processes change can't be determined, so every panel is refreshed: \
      \(error.message)
      """
  }
}
