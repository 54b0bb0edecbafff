import Glibc

/// The location of the user's own files.
enum HomeFolder {
  /// nil without a home.
  static var path: String? {
    getenv("HOME").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
