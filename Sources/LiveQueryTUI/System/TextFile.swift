import Glibc

/// Small text files, read and written in one piece.
enum TextFile {
  /// The longest text that is read: no dashboard has that size.
  static let limit = 16 * 1024 * 1024

  /// How many bytes are read at a time.
  private static let chunk = 64 * 1024

  /// The text of a file, or of standard input for `-`. Waits for the other end of a pipe.
  ///
  /// For what the command line names, before there is a screen.
  ///
  /// - Throws: ``Failure`` with status `usage`.
  static func read(_ path: String) throws(Failure) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { if path != "-" { close(descriptor) } }
    return try text(of: path, hint: "; is it a dashboard?") { buffer, _ in
      Glibc.read(descriptor, buffer, chunk)
    }
  }

  /// The text of a regular file, read without ever blocking; see ``openRegular(_:_:)``.
  ///
  /// - Throws: ``Failure`` with status `usage`.
  static func readRegular(_ path: String) throws(Failure) -> String {
    let descriptor = try openRegular(path, O_RDONLY)
    defer { close(descriptor) }
    return try read(descriptor, named: path)
  }

  /// Opens a regular file without ever blocking: `-` and a pipe are refused.
  ///
  /// For files that the user names while the screen is shown: standard input is the keyboard then,
  /// and opening a pipe waits for its other end.
  ///
  /// - Parameter flags: How to open it; the caller closes it.
  /// - Throws: ``Failure`` with status `usage`.
  static func openRegular(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
    guard path != "-" else {
      throw Failure(
        "- is standard input, which is the keyboard here; a file of that name is ./-",
        status: ExitStatus.usage)
    }
    let descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o644)
    guard descriptor >= 0 else {
      if errno == ELOOP, flags & O_NOFOLLOW != 0 {
        throw Failure(
          "\(path): it is a symbolic link; name the file itself", status: ExitStatus.usage)
      }
      throw failure(path, errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Failure.notRegular(path)
    }
    return descriptor
  }

  /// The text of an open regular file, from its start, whatever the current position.
  ///
  /// - Throws: ``Failure`` with status `usage`.
  static func read(_ descriptor: Int32, named path: String) throws(Failure) -> String {
    try text(of: path) { buffer, offset in pread(descriptor, buffer, chunk, offset) }
  }

  /// Reads everything.
  ///
  /// - Parameters:
  ///   - hint: What may be wrong with a text that is too long.
  ///   - read: Reads up to `chunk` bytes at a given offset.
  private static func text(
    of path: String, hint: String = "", _ read: (UnsafeMutableRawPointer?, Int) -> Int
  ) throws(Failure) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: chunk)
    while true {
      let count = buffer.withUnsafeMutableBytes { read($0.baseAddress, bytes.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      if count == 0 { break }
      bytes += buffer[..<count]
      if bytes.count > limit {
        throw Failure(
          "\(name(path)): longer than \(limit / 1024 / 1024) MB\(hint)",
          status: ExitStatus.usage)
      }
    }
    guard !bytes.starts(with: "SQLite format 3\0".utf8) else {
      throw Failure(
        "\(name(path)): a database, where a text file is expected; the database is named first",
        status: ExitStatus.usage)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("\(name(path)): not valid UTF-8", status: ExitStatus.usage)
    }
    // SQLite would take it for the end.
    if let place = bytes.firstIndex(of: 0) {
      let line = bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1
      throw Failure("\(name(path)):\(line): a NUL byte; is it a text?", status: ExitStatus.usage)
    }
    return text
  }

  /// Writes bytes to a file, all of them unless an error occurs.
  ///
  /// - Returns: 0, or the number of the error.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
    }
    return 0
  }

  /// Writes a text to a new file that only this user can read.
  ///
  /// - Returns: Its path, in `$TMPDIR`.
  static func makeTemporary(_ text: String, suffix: String) throws(Failure) -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/livequery-XXXXXX\(suffix)".utf8CString)
    let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
    let path = template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    // No program starts between these two calls: only the screen's thread starts programs.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let number = write(Array(text.utf8), to: descriptor)
    guard number == 0 else { throw failure(path, number) }
    return path
  }

  /// The name of a file in messages.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private static func failure(_ path: String, _ number: Int32) -> Failure {
    Failure(name(path), errno: number, status: ExitStatus.usage)
  }
}
