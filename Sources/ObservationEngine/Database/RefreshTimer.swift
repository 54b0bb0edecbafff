package import Dispatch

/// The clock and alarms of refreshes.
package struct RefreshTimer: Sendable {
  /// Calls a closure at the time that it is set to.
  ///
  /// An object: a closure that is taken out of a `Mutex` and put back is wrapped once more each time.
  package final class Alarm: Sendable {
    private let set: @Sendable (UInt64) -> Void

    /// An alarm that calls `set` with each time that it is set to.
    package init(_ set: @escaping @Sendable (UInt64) -> Void) { self.set = set }

    /// Sets when to ring next, on the timer's clock, replacing any earlier time.
    package func ring(at time: UInt64) { set(time) }
  }

  /// Monotonic nanoseconds.
  package let now: @Sendable () -> UInt64
  /// Makes an alarm that calls a closure when it rings, on that queue or another thread. It is not
  /// set at first.
  package let makeAlarm: @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Alarm

  /// A timer with a given clock and alarms.
  package init(
    now: @escaping @Sendable () -> UInt64,
    makeAlarm: @escaping @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Alarm
  ) {
    self.now = now
    self.makeAlarm = makeAlarm
  }

  /// The system's monotonic clock.
  ///
  /// Its alarms are not jobs of a connection's queue: a job that waits there would keep its
  /// connection open.
  package static let system = RefreshTimer(now: { SystemClock.monotonic() }) { queue, action in
    let source = SystemAlarm(queue, action)
    return Alarm { source.ring(at: $0) }
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
