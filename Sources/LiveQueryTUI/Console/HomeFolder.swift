import Glibc

/// Where the person's own files are.
enum HomeFolder {
  /// nil without a home.
  static var path: String? {
    getenv("HOME").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
