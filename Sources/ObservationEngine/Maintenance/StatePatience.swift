/// How often a query runs before its state is read.
///
/// A state that has saved at least the time that it took to read is worth the same again: when it is lost, for whatever
/// reason, the next run is followed by another one. One that gave less is waited for as the first one is, and one that
/// gave nothing twice as long each time.
struct StatePatience: Sendable {
  /// A query runs so often at most before its state is read again.
  static let most = 1_024
  /// As long as maintaining it took longer than running it, its state is read again only so often.
  private static let ofCheap = 512
  /// A query that takes little time runs so often before its first state is read: a program that waits
  /// for one commit, as `--until` may, should not open a connection for it.
  private static let ofSmall = 2

  /// How often it ran since there was a state.
  private var runs = 0
  /// How often it must run before there is one again; `nil` for as often as before the first one.
  private var needed: Int?
  /// How many results the state gave.
  private(set) var given = 0
  /// What reading the state took, and what its results have saved, in nanoseconds.
  private var cost: UInt64 = 0
  private var saved: UInt64 = 0

  /// Takes a run of the query.
  mutating func noteRun() { runs += 1 }

  /// Whether its state is to be read now.
  ///
  /// - Parameter isSmall: Whether it takes little time to run it.
  func isOver(isSmall: Bool) -> Bool { runs > needed ?? (isSmall ? Self.ofSmall : 1) }

  /// Takes what it took to read the state, in nanoseconds.
  mutating func noteState(cost: UInt64) { (given, self.cost, saved) = (0, cost, 0) }

  /// Takes how much less time, in nanoseconds, a result of the state took than running the query.
  mutating func noteResult(saving: UInt64) {
    given += 1
    saved += saving
  }

  /// Notes that the state is gone, or could not be read.
  mutating func noteLoss() {
    if given == 0 {
      self = StatePatience(needed: min(max(1, 2 * (needed ?? 1)), Self.most))
    } else {
      self = StatePatience(needed: saved >= cost ? 0 : nil)
    }
  }

  /// Notes that the state is gone because it didn't pay, even where little changes.
  mutating func noteCheapness() { self = StatePatience(needed: Self.ofCheap) }

  /// Has the state read after the next run.
  mutating func endAfterNextRun() { runs = needed ?? Self.ofSmall }

  /// Forgets all states: those of another schema say nothing.
  mutating func reset() { self = StatePatience() }

  init() {}

  private init(needed: Int?) { self.needed = needed }
}
