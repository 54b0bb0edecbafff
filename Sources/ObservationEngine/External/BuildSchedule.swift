/// When the map of pages is made, so that making it costs little whatever happens to the database.
struct BuildSchedule: Equatable {
  /// How long one attempt may take, in nanoseconds.
  private(set) var limit: UInt64 = 100_000_000
  /// When the next one may begin.
  private(set) var next: UInt64 = 0
  private var failures = 0
  /// What was told of the last failure.
  private var told: String?

  /// The longest that noticing of commits is held up by an attempt.
  private static let longest: UInt64 = 2_000_000_000
  /// The share of time that attempts may take: one in so many.
  private static let share: UInt64 = 20

  func isDue(_ now: UInt64) -> Bool { now >= next }

  mutating func didBuild(from start: UInt64, to end: UInt64) {
    next = end + (end - start) * Self.share
    failures = 0
    limit = 100_000_000
    told = nil
  }

  /// Takes note of a failure.
  ///
  /// - Returns: What to tell people; `nil` when they know, or it may pass by itself.
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
      which tables other processes change cannot be told, so every panel is refreshed: \
      \(error.message)
      """
  }
}
