/// How SQLite compares texts: of its own collations, those whose order the engine knows.
enum Collation: String, Sendable {
  case binary = "BINARY"
  /// An ASCII letter is equal to the same in the other case.
  case nocase = "NOCASE"

  /// - Returns: `nil` for RTRIM, and those of an app.
  init?(named name: String) {
    switch name.asciiLowercased {
    case "binary": self = .binary
    case "nocase": self = .nocase
    default: return nil
    }
  }

  /// A value that BINARY sorts as this collation sorts another one: values that are equal to it become the same.
  ///
  /// - Returns: `nil` for a text with NUL: what is behind that counts for NOCASE by its length alone
  ///   (`sqlite3StrNICmp` and `nocaseCollatingFunc`).
  /// - Complexity: O(bytes).
  func folded(_ value: Value) -> Value? {
    guard self == .nocase, case .text(let text) = value else { return value }
    return text.utf8.contains(0) ? nil : .text(text.asciiLowercased)
  }
}
