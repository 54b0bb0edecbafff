import Glibc

/// Where data goes: standard output, or the file of `-o`.
///
/// Text is gathered and written when the gathered part is long, or on ``flush()``. A file is opened,
/// and emptied, by the first write, so that a run which fails before it leaves the old one alone.
final class Output {
  /// Nobody reads the pipe any more: there is nothing left to do, and nothing to complain of.
  struct ReaderIsGone: Error {}

  private let path: String?
  private var descriptor: Int32 = -1
  private var buffer: [UInt8] = []
  /// What went wrong while gathering; reported by the next flush.
  private var failure: (any Error)?

  init(path: String?) { self.path = path == "-" ? nil : path }

  deinit {
    if path != nil, descriptor >= 0 { close(descriptor) }
  }

  /// Whether the text goes to a terminal, which must not get control characters.
  var isTerminal: Bool { path == nil && isatty(STDOUT_FILENO) == 1 }

  /// Gathers text.
  func write(_ text: String) {
    guard failure == nil else { return }
    buffer += text.utf8
    guard buffer.count > 64 * 1024 else { return }
    do { try flush() } catch { failure = error }
  }

  /// Writes all that was gathered.
  ///
  /// - Throws: ``ReaderIsGone``, or ``Failure``.
  func flush() throws {
    if let failure { throw failure }
    guard !buffer.isEmpty || path != nil else { return }
    try openIfNeeded()
    var written = 0
    while written < buffer.count {
      let count = buffer[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        written += count
      } else if errno == EPIPE {
        throw ReaderIsGone()
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw Failure(
          "\(path ?? "standard output"): \(String(cString: strerror(errno)))",
          status: ExitStatus.sqlError)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private func openIfNeeded() throws {
    guard descriptor < 0 else { return }
    guard let path else {
      descriptor = STDOUT_FILENO
      return
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw Failure(
        "\(path): \(String(cString: strerror(errno)))", status: ExitStatus.cannotOpen)
    }
  }
}
