internal import Glibc

extension TemporaryFolder {
  /// Writes a file.
  ///
  /// - Returns: Its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes a file of any bytes.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let path = path(name)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Unexpected("\(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw Unexpected("\(path): \(String(cString: strerror(errno)))")
    }
    return path
  }

  /// Writes a shell script that can be run at once.
  ///
  /// Another process writes it, and has ended: a file that this one has written may still be open in a
  /// child that another test forked a moment ago, and the system runs no file that is open for writing.
  ///
  /// - Returns: Its path.
  @discardableResult
  package func writeScript(_ lines: String, to name: String) throws -> String {
    let path = path(name)
    let words = [
      "sh", "-c", "printf '%s' \"$2\" >\"$1\" && chmod 755 \"$1\"", "sh", path,
      "#!/bin/sh\n\(lines)\n",
    ]
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    var status: Int32 = 0
    guard posix_spawn(&child, "/bin/sh", nil, nil, arguments, environ) == 0,
      waitpid(child, &status, 0) == child, status == 0
    else { throw Unexpected("\(path) cannot be written") }
    return path
  }

  /// The bytes of a file.
  package func bytes(_ name: String) throws -> [UInt8] {
    let file = open(path(name), O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Unexpected("\(path(name)): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: max(0, Int(lseek(file, 0, SEEK_END))))
    guard pread(file, &bytes, bytes.count, 0) == bytes.count else {
      throw Unexpected("\(path(name)): \(String(cString: strerror(errno)))")
    }
    return bytes
  }

  /// The text of a file.
  package func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }
}
