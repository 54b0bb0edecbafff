import Glibc

/// What is said while it is measured, on standard error; the table alone goes to standard output.
enum Narration {
  static func say(_ text: String) {
    var bytes = Array((text + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, &bytes, bytes.count)
  }
}
