/// Whether somebody commits so fast that listening costs more than looking now and then.
///
/// Each write to a watched file makes an event, in the writer's time: about a tenth of what a small
/// commit takes. Each wake of this process takes more of it when cores are few.
struct CommitBurst: Equatable {
  /// How often to look meanwhile, in nanoseconds: well within the time of a frame.
  static let pause: UInt64 = 4_000_000
  /// The same with a rollback journal, where refreshes are rarer (``YieldPolicy``).
  static let rollbackPause: UInt64 = 10_000_000

  let pause: UInt64
  private var notices = 0
  private var last: UInt64 = 0

  init(pause: UInt64 = Self.pause) { self.pause = pause }

  /// Takes note of commits found by one look.
  mutating func note(_ count: Int, now: UInt64) {
    // More than 500 a second. By the number of commits, so that a late look ends no burst.
    notices = now - last < UInt64(count) * 2_000_000 ? notices + 1 : 0
    last = now
  }

  /// It has begun after some notices in a row, and is over when three looks find nothing.
  func isOn(_ now: UInt64) -> Bool { notices > 32 && now - last < 3 * pause }
}
