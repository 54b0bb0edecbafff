internal import Dispatch

/// Calls back once, after a while.
package struct RefreshTimer: Sendable {
  /// Calls the closure after that time, on some thread.
  package typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  let schedule: Schedule

  /// A timer that keeps time by `schedule`.
  package init(_ schedule: @escaping Schedule) { self.schedule = schedule }

  /// The system's clock.
  ///
  /// Not a queue of the observer's: a job that waits there would keep its connection from resting.
  package static let system = RefreshTimer { delay, action in
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .nanoseconds(Int(delay.nanoseconds)), execute: action)
  }
}
