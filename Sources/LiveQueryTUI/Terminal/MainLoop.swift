import CProcess
import Glibc

/// The program's single thread for the screen: waits for keys, signals, a deadline and the jobs of
/// ``ScreenActor``, and handles them.
///
///     let loop = MainLoop()                       // the first statement of the program
///     let status = loop.run { loop in
///       loop.onSignal = { signal in … }
///       Task { … loop.stop(status: 0) }
///     }
///     exit(status)
///
/// ## Guarantees
/// - Signals are read, never delivered: they arrive between other events, not within them.
/// - Jobs, input, signals and the deadline all get their turn, however many of one kind there are.
/// - A loop with nothing to do sleeps without limit.
///
/// It needs no terminal: without ``onInput`` it waits for everything else.
@ScreenActor
final class MainLoop {
  /// Called when ``Input/descriptor`` is readable.
  struct Input {
    let descriptor: Int32
    let handler: @ScreenActor () -> Void
  }

  /// The terminal's input; nil without a terminal.
  var onInput: Input?
  /// Other descriptors to read from: see ``add(_:)``.
  private var otherInputs: [Input] = []
  /// Called once when the reader of standard output has closed it; nil not to wait for that.
  var onOutputClosed: (@ScreenActor () -> Void)?
  /// Called for each signal; without it, ``performDefault(_:)`` is.
  var onSignal: (@ScreenActor (Signal) -> Void)?
  /// When to call ``onDeadline``, on ``MonotonicClock``; nil for never. It is reset to nil before
  /// the call, which may set the next one.
  var deadline: UInt64?
  var onDeadline: (@ScreenActor () -> Void)?
  /// Called once after each turn that ran something, before the loop sleeps: the place to draw once
  /// for everything that arrived together.
  var onTurnEnd: (@ScreenActor () -> Void)?

  private var status: Int32?
  private let executor: MainThreadExecutor
  /// The descriptor that signals are read from.
  nonisolated let signals: Int32

  /// Blocks the signals that the loop reads.
  ///
  /// Call it before the program starts a thread: threads inherit the mask, and a thread with a
  /// different one would be interrupted.
  nonisolated init() {
    executor = ScreenActor.executor
    signals = lq_signalfd_open()
    precondition(signals >= 0, "signalfd failed: no descriptors are left")
  }

  /// Continues in a process behind this one, which ends as soon as ``endFront(status:)`` is called
  /// there.
  ///
  /// The end of a process that has watched files takes 6 to 9 ms: the kernel waits until no thread
  /// uses the watches any more (`fsnotify_put_group`). The parent process need not wait for that.
  ///
  /// Call it before the program starts a thread. If no process can be created, everything continues
  /// here.
  nonisolated func moveBehindFront() { _ = lq_worker_start(signals) }

  /// Ends the process in front, if there is one; nothing can be written afterwards.
  nonisolated static func endFront(status: Int32) { lq_worker_report(status) }

  deinit {
    close(signals)
  }

  /// Runs `start` and then the loop, on this thread, until ``stop(status:)``.
  ///
  /// - Returns: The status to exit with.
  nonisolated func run(_ start: @ScreenActor (MainLoop) -> Void) -> Int32 {
    ScreenActor.executor.claim()
    defer { ScreenActor.executor.release() }
    return ScreenActor.assumeIsolated {
      // A status from an earlier run must not end this one.
      status = nil
      start(self)
      return turnUntilStopped()
    }
  }

  /// Calls a handler whenever a descriptor is readable, until ``remove(descriptor:)``.
  func add(_ input: Input) { otherInputs.append(input) }

  /// Stops waiting for this descriptor; call it before closing it.
  func remove(descriptor: Int32) { otherInputs.removeAll { $0.descriptor == descriptor } }

  /// Ends the loop after the current work; the first status counts.
  func stop(status: Int32) {
    if self.status == nil { self.status = status }
  }

  /// The default action of a signal: ends the loop, or stops the process.
  func performDefault(_ signal: Signal) {
    if let exitStatus = signal.exitStatus { stop(status: exitStatus) }
    if signal == .stop { Signal.stopProcess() }
  }

  private func turnUntilStopped() -> Int32 {
    var hasRun = true
    while true {
      if status == nil, hasRun { onTurnEnd?() }
      if let status { return status }
      hasRun = turn()
    }
  }

  /// Waits, and handles what arrived. Returns whether anything did.
  private func turn() -> Bool {
    // poll ignores a negative descriptor.
    var waiting = [
      pollfd(fd: executor.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
      pollfd(fd: onInput?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      // Without requested events, poll only reports errors.
      pollfd(fd: onOutputClosed == nil ? -1 : STDOUT_FILENO, events: 0, revents: 0),
    ]
    let others = otherInputs
    waiting += others.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let ready = wait(for: &waiting)
    var hasRun = false
    if ready > 0, waiting[1].revents != 0 { hasRun = readSignals() || hasRun }
    if ready > 0, waiting[2].revents != 0, status == nil {
      readInput(waiting[2].revents)
      hasRun = true
    }
    if ready > 0, waiting[3].revents != 0, status == nil {
      onOutputClosed?()
      onOutputClosed = nil
      hasRun = true
    }
    if ready > 0, waiting[0].revents != 0, status == nil {
      hasRun = executor.runWaitingJobs() || hasRun
    }
    if ready > 0 {
      for (input, event) in zip(others, waiting.dropFirst(4)) where event.revents != 0 {
        guard status == nil else { break }
        input.handler()
        hasRun = true
      }
    }
    if status == nil, let deadline, MonotonicClock.now >= deadline {
      self.deadline = nil
      onDeadline?()
      hasRun = true
    }
    return hasRun
  }

  private func wait(for descriptors: inout [pollfd]) -> Int32 {
    var milliseconds: Int32 = -1
    if let deadline {
      let now = MonotonicClock.now
      let left = deadline > now ? deadline - now : 0
      // Rounded up: waking early would only mean waiting again, without sleep.
      milliseconds = Int32(clamping: (left + 999_999) / 1_000_000)
    }
    return poll(&descriptors, nfds_t(descriptors.count), milliseconds)
  }

  private func readSignals() -> Bool {
    var hasRun = false
    while status == nil, let signal = Signal(number: lq_signalfd_next(signals)) {
      hasRun = true
      handle(signal)
    }
    return hasRun
  }

  private func readInput(_ events: Int16) {
    guard let input = onInput else { return }
    if events & Int16(POLLIN) != 0 { input.handler() }
    guard status == nil, events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 else { return }
    // The terminal is gone, and poll would report that forever: also that it can be read.
    onInput = nil
    handle(.end(SIGHUP))
  }

  private func handle(_ signal: Signal) {
    if let onSignal { onSignal(signal) } else { performDefault(signal) }
  }
}
