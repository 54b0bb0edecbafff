import CLinux
import CProcess
import Glibc
import ObservationEngine
import Synchronization

/// Ends the process in time, whatever SQLite is doing.
///
/// One step of SQLite can take minutes without a check for interruption: building a long text, or
/// preparing a query over views of views. Closing the database waits for such a step, and a thread
/// that runs one reads no signals. So a separate thread watches the clock:
///
///     a limit passes  ───────────────┐
///     the loop has ended, 1 s ago  ──┼─▶ restore the terminal, remove what is half written, _exit
///     a signal waits, since 1 s    ──┘
///
/// An orderly end that takes less time is left alone. Cutting it off loses no commit: to SQLite the
/// program has crashed, so the next program that opens the database rolls an open transaction back
/// and checkpoints the remaining WAL.
enum Ending {
  /// How long an orderly end may take, in nanoseconds; with the rest, a little less than a second.
  private static let grace: UInt64 = 800_000_000

  private struct Plan {
    var time: UInt64
    let status: Int32
    let message: String?
  }

  private struct State {
    /// nil until the watching thread runs.
    var wake: Int32?
    var plan: Plan?
    var hasBegun = false
  }

  private static let state = Mutex(State())
  /// Another program has the terminal, and keys that send signals are meant for it.
  ///
  /// Not a part of ``State``: with another `Bool` there, optimized code of Swift 6.3.1 begins with
  /// a plan of zeros.
  private static let hasLentTerminal = Atomic(false)

  /// Starts watching; call it once, when the process will no longer split.
  ///
  /// - Parameter signals: The descriptor that signals are read from.
  static func watch(signals: Int32) {
    let wake = lq_eventfd()
    guard wake >= 0 else { return }
    state.withLock { $0.wake = wake }
    // When the signals that are now pending were first seen.
    let thread: @Sendable () -> Void = {
      var waiting: UInt64?
      while true {
        let now = MonotonicClock.now
        let plan = state.withLock { $0.plan }
        let hasLentTerminal = hasLentTerminal.load(ordering: .acquiring)
        if let plan, now >= plan.time { finish(plan.status, plan.message) }
        if let since = waiting {
          let signal = lq_signal_waiting(hasLentTerminal ? 0 : 1)
          if signal == 0 {
            // A signal that waits for the other program's end keeps the descriptor readable.
            waiting = hasLentTerminal ? now : nil
          } else if now >= since + grace {
            finish(128 + signal, nil)
          }
        }
        var ready = [
          pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
          // Once one is pending, only time can show whether it is read.
          pollfd(fd: waiting == nil ? signals : -1, events: Int16(POLLIN), revents: 0),
        ]
        let left = plan.map { ($0.time - min(now, $0.time) + 999_999) / 1_000_000 }
        poll(&ready, 2, waiting != nil ? 50 : left.map { Int32(clamping: $0) } ?? -1)
        if ready[0].revents != 0 { lq_eventfd_drain(wake) }
        if ready[1].revents != 0 { waiting = MonotonicClock.now }
      }
    }
    DetachedThread.start(thread)
  }

  /// Ends the process at a time, unless it has started to end by then.
  static func expect(by time: UInt64, status: Int32, message: String) {
    plan(Plan(time: time, status: status, message: message), begins: false)
  }

  /// Removes the time limit on the work.
  static func expectNothing() { plan(nil, begins: false) }

  /// Notes that the work is done, and that only orderly closing follows.
  static func begin(status: Int32) {
    plan(Plan(time: MonotonicClock.now + grace, status: status, message: nil), begins: true)
  }

  private static func plan(_ plan: Plan?, begins: Bool) {
    let wake = state.withLock { state -> Int32? in
      guard !state.hasBegun else { return nil }
      (state.plan, state.hasBegun) = (plan, begins)
      return state.wake
    }
    if let wake { lq_eventfd_signal(wake) }
  }

  /// Runs `body` while another program has the terminal and the signals that keys send.
  static func lendingTerminal<Output>(_ body: () -> Output) -> Output {
    hasLentTerminal.store(true, ordering: .releasing)
    defer { hasLentTerminal.store(false, ordering: .releasing) }
    return body()
  }

  /// Ends all work, and closes the database if that is quick.
  static func close(status: Int32, _ shutDown: () -> Void) {
    // An export may be running on another thread.
    PartialFiles.end()
    // So may a hook, which may ignore its end. By now the user has the terminal back.
    RunningChildren.endAll()
    begin(status: status)
    shutDown()
  }

  /// Ends the process now, from any thread.
  static func finish(_ status: Int32, _ message: String?) -> Never {
    Terminal.restore()
    if let message { StandardError.say(message) }
    PartialFiles.end()
    RunningChildren.endAll()
    MainLoop.endFront(status: status)
    _exit(status)
  }
}
