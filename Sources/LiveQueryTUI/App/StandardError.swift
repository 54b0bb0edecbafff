import Dashboard
import Glibc

/// Narration: everything that is no data goes to standard error, a line at a time.
enum StandardError {
  /// Writes `livequery: message`; control characters in it become visible symbols.
  static func say(_ message: String) { write("livequery: \(message)") }

  /// Writes lines as they are, each made harmless.
  static func write(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { DisplayText.sanitize(String($0)) }
    var bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    // Nobody is left to be told when standard error is closed.
    _ = Glibc.write(STDERR_FILENO, &bytes, bytes.count)
  }
}
