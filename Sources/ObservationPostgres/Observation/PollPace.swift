/// When to ask a server next whether something was committed.
///
/// Often while something happens, and seldom when nothing does for a while: an idle dashboard costs next to nothing,
/// here and on the server.
struct PollPace: Equatable {
  /// After how long without a commit, which interval; in nanoseconds.
  static let steps: [(quiet: UInt64, interval: UInt64)] = [
    (0, 10_000_000), (5_000_000_000, 50_000_000), (60_000_000_000, 250_000_000),
  ]

  /// A fixed interval that the user asked for.
  let fixed: UInt64?
  private(set) var changedAt: UInt64

  init(fixed: UInt64?, now: UInt64) {
    self.fixed = fixed
    changedAt = now
  }

  /// Something was committed.
  mutating func noteChange(at now: UInt64) { changedAt = now }

  /// The time between two questions.
  func interval(at now: UInt64) -> UInt64 {
    let quiet = now - min(now, changedAt)
    return fixed ?? Self.steps.last { $0.quiet <= quiet }!.interval
  }
}
