import Glibc

/// Small text files, read and written whole.
enum TextFile {
  /// The longest text that is read: nobody writes a dashboard of that size.
  static let limit = 16 * 1024 * 1024

  /// The text of a file, or of standard input for `-`.
  ///
  /// - Throws: ``Failure`` with status `usage`.
  static func read(_ path: String) throws(Failure) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      if count == 0 { break }
      bytes += buffer[..<count]
      if bytes.count > limit {
        throw Failure(
          "\(name(path)): longer than \(limit / 1024 / 1024) MB; is it a dashboard?",
          status: ExitStatus.usage)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("\(name(path)): not valid UTF-8", status: ExitStatus.usage)
    }
    return text
  }

  /// Writes a text to a new file that only this person can read.
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
    // Nothing is started between these two calls: the screen's thread is the one that starts programs.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw failure(path, errno) }
    return path
  }

  /// What a file is called in messages.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private static func failure(_ path: String, _ number: Int32) -> Failure {
    Failure("\(name(path)): \(String(cString: strerror(number)))", status: ExitStatus.usage)
  }
}
