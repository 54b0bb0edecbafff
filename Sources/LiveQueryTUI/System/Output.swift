import CLinux
import Glibc
import ObservationEngine

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
  /// The same named pipe, opened once more so that writing never waits; `nil` until it is asked
  /// for, -1 for none.
  private var twin: Int32?

  /// - Parameter appends: Whether the old content of the file stays.
  init(path: String?, appends: Bool = false) {
    self.path = path == "-" ? nil : path
    self.appends = appends
  }

  deinit {
    if path != nil, descriptor >= 0 { close(descriptor) }
    if let twin, twin >= 0 { close(twin) }
  }

  /// Whether the text goes to a terminal, which must not get control characters.
  var isTerminal: Bool { path == nil && isatty(STDOUT_FILENO) == 1 }

  /// A position in a regular file.
  struct Place: Sendable, Equatable {
    let device: Int64
    let inode: Int64
    var position: Int64

    func advanced(by count: Int) -> Place {
      Place(device: device, inode: inode, position: position + Int64(count))
    }
  }

  /// Gathers text.
  func write(_ text: String) { gathered += text.utf8 }

  /// Gathers text that an earlier process may have written in part before it was killed: only what
  /// the file does not have.
  ///
  /// What the file has is compared, not counted: another program may have appended to it, too.
  ///
  /// - Parameter earlier: Where that process would have written it; nil if none would.
  /// - Returns: Where the text begins; nil unless the output is a regular file.
  func write(_ text: String, perhapsAt earlier: Place?) throws -> Place? {
    precondition(gathered.isEmpty, "its place is known only once all text before it is written")
    let bytes = Array(text.utf8)
    try openIfNeeded()
    let end = Self.end(of: descriptor)
    let present = earlier.map { Self.count(of: bytes, at: $0, before: end, in: descriptor) } ?? 0
    gathered += bytes[present...]
    return present > 0 ? earlier : end
  }

  /// Where a file is written next; nil unless it is a regular one.
  private static func end(of descriptor: Int32) -> Place? {
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
    let appends = fcntl(descriptor, F_GETFL) & O_APPEND != 0
    return Place(
      device: Int64(bitPattern: UInt64(info.st_dev)),
      inode: Int64(bitPattern: UInt64(info.st_ino)),
      position: appends ? Int64(info.st_size) : Int64(lseek(descriptor, 0, SEEK_CUR)))
  }

  /// How many of these bytes a file has at a place: all, or those with which it ends; 0 when
  /// anything else is there.
  private static func count(
    of bytes: [UInt8], at place: Place, before end: Place?, in descriptor: Int32
  ) -> Int {
    guard let end, end.device == place.device, end.inode == place.inode,
      end.position > place.position, place.position >= 0
    else { return 0 }
    // Standard output may be open for writing only.
    let reader = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    guard reader >= 0 else { return 0 }
    defer { close(reader) }
    var found = [UInt8](
      repeating: 0, count: min(bytes.count, Int(end.position - place.position)))
    var read = 0
    while read < found.count {
      let count = found[read...].withUnsafeMutableBytes {
        pread(reader, $0.baseAddress, $0.count, off_t(place.position) + off_t(read))
      }
      guard count > 0 else { return 0 }
      read += count
    }
    guard bytes.starts(with: found) else { return 0 }
    return found.count
  }

  /// Writes all gathered text; a slow reader delays no signal or timeout.
  ///
  /// - Throws: ``ReaderIsGone``, or ``Failure``.
  func flush() async throws {
    guard let (bytes, descriptor) = try take() else { return }
    // Usually there is room; to wait for some is the work of another thread.
    let written = max(0, writeAtOnce(bytes, to: descriptor))
    guard written < bytes.count else { return }
    let number = await onOwnThread { Self.write(bytes[written...], to: descriptor) }
    try check(number)
  }

  /// Writes as much as there is room for, and never waits.
  ///
  /// - Returns: How many bytes that was; negative when it failed, or might have to wait.
  private func writeAtOnce(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    // The kernel has refused to say for this pipe whether it has room.
    if let twin, twin >= 0 { return Glibc.write(twin, bytes, bytes.count) }
    let written = lq_write_at_once(descriptor, bytes, bytes.count)
    guard written < 0, errno == EOPNOTSUPP else { return written }
    // The kernel knows that of the pipes of a shell, but not of those that have a name. A
    // descriptor that doesn't wait must be another one: programs that share this one would not
    // expect it.
    if twin == nil {
      var info = stat()
      let isPipe = fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO
      twin =
        isPipe ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1
    }
    guard let twin, twin >= 0 else { return written }
    return Glibc.write(twin, bytes, bytes.count)
  }

  /// Writes all gathered text on this thread: for a few lines.
  ///
  /// - Throws: ``ReaderIsGone``, or ``Failure``.
  func flushWaiting() throws {
    guard let (bytes, descriptor) = try take() else { return }
    try check(Self.write(bytes[...], to: descriptor))
  }

  /// What to write, and where; nil for nothing. A file is created even for no text.
  private func take() throws -> (bytes: [UInt8], descriptor: Int32)? {
    guard !gathered.isEmpty || path != nil else { return nil }
    try openIfNeeded()
    defer { gathered.removeAll(keepingCapacity: true) }
    return (gathered, descriptor)
  }

  /// - Returns: 0, or the number of the error.
  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int32 {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
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
    // If another program empties the file meanwhile, as logrotate does, the next line is its first.
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
    descriptor = open(path, appends ? flags : flags | O_TRUNC, 0o644)
    guard descriptor >= 0 else {
      throw Failure(path, errno: errno, status: ExitStatus.cannotOpen)
    }
  }
}
