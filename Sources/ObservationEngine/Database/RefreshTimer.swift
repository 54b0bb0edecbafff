package import Dispatch

/// What refreshes keep time by.
package struct RefreshTimer: Sendable {
  /// Takes when to ring next, on the timer's clock, in place of what it was given before.
  package typealias Alarm = @Sendable (UInt64) -> Void

  /// Nanoseconds that never run backwards.
  package let now: @Sendable () -> UInt64
  /// Makes an alarm that calls a closure when it rings, on that queue or another thread; at first it does not
  /// ring.
  package let makeAlarm: @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Alarm

  /// A timer with a clock and alarms of its own.
  package init(
    now: @escaping @Sendable () -> UInt64,
    makeAlarm: @escaping @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Alarm
  ) {
    self.now = now
    self.makeAlarm = makeAlarm
  }

  /// The system's monotonic clock.
  ///
  /// Its alarms are no jobs of a connection's queue: a job that waits there would keep its connection open.
  package static let system = RefreshTimer(now: { SystemClock.monotonic() }) { queue, action in
    let source = SystemAlarm(queue, action)
    return { source.ring(at: $0) }
  }
}

/// Proof of `@unchecked`: a dispatch source may be used from any thread.
private final class SystemAlarm: @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(_ queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler(handler: action)
    source.activate()
  }

  deinit { source.cancel() }

  func ring(at time: UInt64) {
    let delay = time - min(time, SystemClock.monotonic())
    source.schedule(deadline: .now() + .nanoseconds(Int(clamping: delay)))
  }
}
