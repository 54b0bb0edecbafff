import Glibc

/// A file of lines that sessions only append to, in `$XDG_STATE_HOME/livequery`.
///
/// One entry per line, oldest first; newlines and backslashes within an entry are written as `\n`
/// and `\\`. Concurrent sessions keep each other's entries.
struct LineFile {
  /// Entries that are read.
  static let limit = 1_000
  /// Bytes to read from the end of the file, which grows for years and is never rewritten.
  private static let readLimit = 1_000_000

  let path: String
  /// What is lost when it can't be written, for the message.
  private let content: String

  /// - Returns: nil without a home.
  init?(_ name: String, of content: String, environment: Paths.Environment) {
    guard let path = Paths.state(name, environment) else { return nil }
    self.path = path
    self.content = content
  }

  /// The entries; empty when there is no file, or it can't be read.
  func read(limit: Int = Self.limit) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    // A pipe has no size.
    guard size >= 0 else { return [] }
    let start = max(0, size - Self.readLimit)
    var bytes = [UInt8](repeating: 0, count: size - start)
    let count = pread(descriptor, &bytes, bytes.count, off_t(start))
    var lines = bytes[..<max(0, count)].split(separator: 0x0a)
    // The first line may be incomplete.
    if start > 0, !lines.isEmpty { lines.removeFirst() }
    return lines.suffix(limit).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
  }

  /// Adds an entry.
  ///
  /// - Throws: ``Failure`` with the reason; the session continues without.
  func append(_ entry: String) throws(Failure) {
    Paths.makeFolders(above: path)
    let descriptor = openForAppending()
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    // If two sessions both see an unterminated last line, the empty line between means nothing.
    let start = Self.endsWithinLine(descriptor) ? "\n" : ""
    var bytes = Array((start + Self.escaped(entry) + "\n").utf8)
    // One call, so that entries of two sessions never mix.
    let count = write(descriptor, &bytes, bytes.count)
    guard count == bytes.count else { throw failure(count < 0 ? errno : ENOSPC) }
  }

  private func openForAppending() -> Int32 {
    let flags = O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
    let descriptor = open(path, O_RDWR | flags, 0o600)
    // A file that is write-only is written to, although its end can't be read.
    return descriptor < 0 && errno == EACCES ? open(path, O_WRONLY | flags, 0o600) : descriptor
  }

  /// Whether the last line is unterminated: the user edited the file, or a disk was full.
  private static func endsWithinLine(_ descriptor: Int32) -> Bool {
    let size = lseek(descriptor, 0, SEEK_END)
    var last: UInt8 = 0
    return size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != 0x0a
  }

  private func failure(_ number: Int32) -> Failure {
    Failure(
      "\(content) is not kept: \(path): \(String(cString: strerror(number)))",
      status: ExitStatus.cannotOpen)
  }

  // By Unicode scalars: a newline or an n followed by an accent is a single character.
  static func escaped(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": scalars.append(contentsOf: "\\\\".unicodeScalars)
      case "\n":
        if last == "\r" { scalars.removeLast() }
        scalars.append(contentsOf: "\\n".unicodeScalars)
      default: scalars.append(scalar)
      }
      last = scalar
    }
    return String(scalars)
  }

  static func unescaped(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        scalars.append(scalar)
        continue
      }
      scalars.append(next == "n" ? "\n" : next)
    }
    return String(scalars)
  }
}
