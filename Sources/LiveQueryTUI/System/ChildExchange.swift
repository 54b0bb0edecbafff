import CProcess
import Glibc

/// Exchanges data with a child process while waiting for it.
struct ChildExchange {
  /// The first part of its output.
  private(set) var output: [UInt8] = []
  /// How many bytes it wrote in total.
  private(set) var written = 0

  private let child: pid_t
  private var input: ArraySlice<UInt8>
  /// Our ends of the pipes, which do not block; -1 when closed.
  private var inputEnd: Int32
  private var outputEnd: Int32
  /// Readable once the process has ended; -1 if the kernel does not support that.
  private let end: Int32
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  init(child: pid_t, input: [UInt8], inputEnd: Int32, outputEnd: Int32) {
    self.child = child
    self.input = input[...]
    self.inputEnd = inputEnd
    self.outputEnd = outputEnd
    end = lq_pidfd_open(child)
  }

  /// The first non-blank line of the output.
  var firstLine: String {
    let text = String(decoding: output.prefix(4096), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).lazy
    return lines.map(String.init).first { $0.contains { !$0.isWhitespace } } ?? ""
  }

  /// Why a wait ended.
  enum End {
    case ended, timeIsOver, stopped
  }

  /// Continues until the process has ended, the deadline has passed, or a stop is requested.
  ///
  /// - Parameter stop: A descriptor that becomes readable to request a stop; -1 for none.
  mutating func wait(until deadline: UInt64, orStop stop: Int32 = -1) -> End {
    while !hasEnded {
      feed()
      let now = MonotonicClock.now
      guard now < deadline else { return .timeIsOver }
      var milliseconds = Int32(clamping: (deadline - now + 999_999) / 1_000_000)
      // Without a descriptor for its end, check now and then.
      if end < 0 { milliseconds = min(milliseconds, 20) }
      var waiting = [
        pollfd(fd: end, events: Int16(POLLIN), revents: 0),
        pollfd(fd: inputEnd, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: outputEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&waiting, nfds_t(waiting.count), milliseconds)
      if waiting[2].revents != 0 { listen() }
      if waiting[3].revents != 0 { return .stopped }
    }
    return .ended
  }

  /// Reads the rest of the pipe, and closes everything.
  mutating func finish() {
    listen()
    for descriptor in [inputEnd, outputEnd, end] where descriptor >= 0 { close(descriptor) }
    inputEnd = -1
    outputEnd = -1
  }

  /// Whether the process has ended; it is not reaped yet.
  private var hasEnded: Bool {
    var information = siginfo_t()
    guard waitid(P_PID, id_t(child), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
      return true
    }
    return information.si_signo != 0
  }

  private mutating func feed() {
    while inputEnd >= 0 {
      if input.isEmpty {
        close(inputEnd)
        inputEnd = -1
        return
      }
      let count = input.withUnsafeBytes { Glibc.write(inputEnd, $0.baseAddress, $0.count) }
      if count > 0 {
        input = input.dropFirst(count)
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        // It doesn't read its input, which is fine.
        input = []
      }
    }
  }

  private mutating func listen() {
    // A process that writes endlessly must not keep us from checking the clock.
    for _ in 0..<64 where outputEnd >= 0 {
      let count = Glibc.read(outputEnd, &buffer, buffer.count)
      if count > 0 {
        written += count
        output += buffer[..<min(count, max(0, ChildProcess.outputLimit - output.count))]
      } else if count < 0, errno == EAGAIN {
        return
      } else if count == 0 || errno != EINTR {
        close(outputEnd)
        outputEnd = -1
      }
    }
  }
}
