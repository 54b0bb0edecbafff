import CLinux
import CProcess
import Dashboard
import Dispatch
import Glibc
import ObservationEngine
import Synchronization

/// A command that runs next to the program: it reads its input, its output is kept up to a limit,
/// and its time is limited.
///
/// ## Guarantees
/// - It runs in its own session, without the terminal and without descriptors of this process.
/// - After its time, or when stopped, its whole process group gets SIGTERM, and SIGKILL half a
///   second later.
/// - None outlives this process, however this process ends: see ``endAll()``.
/// - It never waits for us: output beyond the limit is read and dropped.
///
/// ## Limits
/// - Background processes of the command continue when it ends by itself.
final class ChildProcess: Sendable {
  /// How it ended, and what it wrote.
  struct Outcome: Sendable, Equatable {
    var status: HookStatus
    /// The first part of its standard output and standard error, combined.
    var output: [UInt8] = []
    /// How many bytes it wrote in total.
    var written = 0
  }

  /// How many bytes of output to keep.
  static let outputLimit = 64 * 1024
  /// The time between SIGTERM and SIGKILL, in nanoseconds.
  private static let grace: UInt64 = 500_000_000

  private let words: [String]
  private let folder: String?
  private let input: [UInt8]
  private let limit: Duration
  /// The process while it can be signalled; it is removed here before it is reaped.
  private let process = Mutex<Phase>(.waiting)

  private enum Phase {
    case waiting
    /// `stop` is a counter that wakes the thread which attends to it, to end it.
    case running(pid_t, stop: Int32)
    case ended
    /// It must not start any more.
    case stopped
  }

  /// - Parameters:
  ///   - words: The program, and its arguments.
  ///   - folder: Where it runs; nil for here.
  ///   - input: What it reads.
  ///   - limit: How long it may run.
  init(words: [String], folder: String?, input: [UInt8], limit: Duration) {
    self.words = words
    self.folder = folder
    self.input = input
    self.limit = limit
  }

  /// Ends it early, in the same way as after its time, on the thread that runs it.
  func stop() {
    process.withLock { process in
      switch process {
      case .waiting: process = .stopped
      case .running(_, let stop): lq_eventfd_signal(stop)
      case .ended, .stopped: break
      }
    }
  }

  /// Runs it to completion, on this thread.
  ///
  /// - Precondition: It has not been run before.
  func run() -> Outcome {
    guard RunningChildren.add(self) else { return Self.failed(ECANCELED) }
    defer { RunningChildren.remove(self) }
    let stop = lq_eventfd()
    guard stop >= 0 else { return Self.failed(errno) }
    defer { close(stop) }
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard lq_pipe(&toChild, 1) == 0 else { return Self.failed(errno) }
    guard lq_pipe(&fromChild, 0) == 0 else {
      let number = errno
      for end in toChild { close(end) }
      return Self.failed(number)
    }
    var child: pid_t = 0
    // Under the lock: a stop comes either before the start, or finds the process.
    let number = process.withLock { process -> Int32 in
      guard case .waiting = process else { return ECANCELED }
      let number = start(toChild[0], fromChild[1], &child)
      if number == 0 { process = .running(child, stop: stop) }
      return number
    }
    close(toChild[0])
    close(fromChild[1])
    guard number == 0 else {
      close(toChild[1])
      close(fromChild[0])
      return Self.failed(number)
    }
    var exchange = ChildExchange(
      child: child, input: input, inputEnd: toChild[1], outputEnd: fromChild[0])
    return attend(child, stop, &exchange)
  }

  private func start(_ input: Int32, _ output: Int32, _ child: inout pid_t) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for word in arguments { free(word) } }
    return lq_spawn(&arguments, folder, input, output, &child)
  }

  /// Feeds it and reads from it until it ends, its time is over, or it must stop.
  private func attend(
    _ child: pid_t, _ stop: Int32, _ exchange: inout ChildExchange
  ) -> Outcome {
    let deadline = MonotonicClock.now + UInt64(max(0, limit.nanoseconds))
    let end = exchange.wait(until: deadline, orStop: stop)
    if end != .ended {
      signal(SIGTERM)
      // A stopped process handles signals only after it continues.
      signal(SIGCONT)
      if exchange.wait(until: MonotonicClock.now + Self.grace) != .ended { signal(SIGKILL) }
      _ = exchange.wait(until: .max)
      // What remains of the group must end as well.
      signal(SIGKILL)
    }
    exchange.finish()
    process.withLock { $0 = .ended }
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0, errno == EINTR {}
    let status: HookStatus
    if end == .timeIsOver {
      status = .timedOut(limit)
    } else if raw & 0x7f == 0 {
      status = .exited(raw >> 8 & 0xff, complaint: raw == 0 ? "" : exchange.firstLine)
    } else {
      status = .killed(signal: raw & 0x7f)
    }
    return Outcome(status: status, output: exchange.output, written: exchange.written)
  }

  /// Sends a signal to all of its process group, while it runs.
  fileprivate func signal(_ number: Int32) {
    process.withLock { process in
      // The group has the number of its first process, which is not reaped yet.
      if case .running(let child, _) = process { _ = kill(-child, number) }
    }
  }

  private static func failed(_ number: Int32) -> Outcome {
    let remedy =
      switch number {
      case ENOEXEC: "; does it begin with #!/bin/sh?"
      case EACCES: "; is it executable?"
      default: ""
      }
    return Outcome(status: .failed(String(cString: strerror(number)) + remedy))
  }
}

/// The running commands: they end when the program does.
enum RunningChildren {
  /// nil when the program ends, and no further one may start.
  private static let children = Mutex<[ObjectIdentifier: ChildProcess]?>([:])
  /// Entered by each of them.
  private static let underWay = DispatchGroup()

  /// - Returns: Whether it may start.
  static func add(_ child: ChildProcess) -> Bool {
    children.withLock { children in
      guard children != nil else { return false }
      children?[ObjectIdentifier(child)] = child
      underWay.enter()
      return true
    }
  }

  static func remove(_ child: ChildProcess) {
    children.withLock { children in _ = children?.removeValue(forKey: ObjectIdentifier(child)) }
    underWay.leave()
  }

  /// Ends all of them, with everything they started, and returns when they have ended: the program
  /// ends.
  static func endAll() {
    let last = children.withLock { children in
      defer { children = nil }
      return children.map { Array($0.values) } ?? []
    }
    for child in last { child.stop() }
    // More than twice the expected time: a process that hangs in the kernel is not waited for.
    guard underWay.wait(timeout: .now() + .seconds(2)) == .timedOut else { return }
    for child in last { child.signal(SIGKILL) }
  }
}
