import Dispatch
import Glibc

/// Where data goes: standard output, or the file of `-o`.
///
/// Text is gathered until it is flushed. The first flush opens a file, and empties it unless it
/// appends, so that a run which fails earlier leaves the old one alone.
final class Output {
  /// The reader has closed the pipe: there is nothing left to do, and nothing to report.
  struct ReaderIsGone: Error {}

  private let path: String?
  private let appends: Bool
  private var descriptor: Int32 = -1
  private var gathered: [UInt8] = []

  /// - Parameter appends: Whether the old content of the file stays.
  init(path: String?, appends: Bool = false) {
    self.path = path == "-" ? nil : path
    self.appends = appends
  }

  deinit {
    if path != nil, descriptor >= 0 { close(descriptor) }
  }

  /// Whether the text goes to a terminal, which must not get control characters.
  var isTerminal: Bool { path == nil && isatty(STDOUT_FILENO) == 1 }

  /// Gathers text.
  func write(_ text: String) { gathered += text.utf8 }

  /// Writes all gathered text on a separate thread, so that a slow reader delays no signal or
  /// timeout.
  ///
  /// - Throws: ``ReaderIsGone``, or ``Failure``.
  func flush() async throws {
    guard let (bytes, descriptor) = try take() else { return }
    let number = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Self.write(bytes, to: descriptor))
      }
    }
    try check(number)
  }

  /// Writes all gathered text on this thread: for a few lines.
  ///
  /// - Throws: ``ReaderIsGone``, or ``Failure``.
  func flushWaiting() throws {
    guard let (bytes, descriptor) = try take() else { return }
    try check(Self.write(bytes, to: descriptor))
  }

  /// What to write, and where; nil for nothing. A file is created even for no text.
  private func take() throws -> (bytes: [UInt8], descriptor: Int32)? {
    guard !gathered.isEmpty || path != nil else { return nil }
    try openIfNeeded()
    defer { gathered.removeAll(keepingCapacity: true) }
    return (gathered, descriptor)
  }

  /// - Returns: 0, or the number of the error.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  private func check(_ number: Int32) throws {
    switch number {
    case 0: return
    case EPIPE: throw ReaderIsGone()
    default:
      throw Failure(
        "\(path ?? "standard output"): \(String(cString: strerror(number)))",
        status: ExitStatus.sqlError)
    }
  }

  private func openIfNeeded() throws {
    guard descriptor < 0 else { return }
    guard let path else {
      descriptor = STDOUT_FILENO
      return
    }
    descriptor = open(path, O_WRONLY | O_CREAT | (appends ? O_APPEND : O_TRUNC) | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw Failure(path, errno: errno, status: ExitStatus.cannotOpen)
    }
  }
}
