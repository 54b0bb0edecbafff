/// Whether a writer commits so fast that listening for events costs more than occasional checks.
///
/// Each write to a watched file causes an event, in the writer's time: about a tenth of what a
/// small commit takes. With few cores, each wake of this process takes more of it.
struct CommitBurst: Equatable {
  /// How often to check during a burst, in nanoseconds: well within the time of a frame.
  static let pause: UInt64 = 4_000_000
  /// The same with a rollback journal, where refreshes are rarer (``YieldPolicy``).
  static let rollbackPause: UInt64 = 10_000_000

  let pause: UInt64
  private var notices = 0
  private var last: UInt64 = 0

  init(pause: UInt64 = Self.pause) { self.pause = pause }

  /// Notes the commits that one check found.
  mutating func note(_ count: Int, now: UInt64) {
    // More than 500 a second. Measured by the number of commits, so that a late check ends no
    // burst.
    notices = now - last < UInt64(count) * 2_000_000 ? notices + 1 : 0
    last = now
  }

  /// A burst starts after some notices in a row, and ends when three checks find nothing.
  func isOn(_ now: UInt64) -> Bool { notices > 32 && now - last < 3 * pause }
}
