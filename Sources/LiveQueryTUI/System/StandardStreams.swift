import Dashboard
import Glibc

/// Standard input, output and error.
enum StandardStreams {
  /// Occupies closed streams with a descriptor that refuses to be read or written.
  ///
  /// Otherwise the next file opened, for whatever purpose, would take the place of one and receive
  /// its output.
  static func occupyClosed() {
    for stream in 0...2 as ClosedRange<Int32> where fcntl(stream, F_GETFD) < 0 {
      // The lowest free descriptor is this one. Without /dev/null it stays closed, as it was.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

/// Narration: everything that isn't data goes to standard error, line by line.
enum StandardError {
  /// Writes `livequery: message`; control characters in it become visible symbols.
  static func say(_ message: String) { write("livequery: \(message)") }

  /// Writes lines unchanged, except that each is sanitized.
  static func write(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { DisplayText.sanitize(String($0)) }
    var bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    // If standard error is closed, there is no way to report it.
    _ = Glibc.write(STDERR_FILENO, &bytes, bytes.count)
  }
}
