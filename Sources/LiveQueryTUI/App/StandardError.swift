import Dashboard
import Glibc

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
