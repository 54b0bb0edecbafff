import ObservationEngine

/// Searches values for a text, ignoring case.
struct TextSearch {
  /// Lowercase ASCII bytes; nil for a pattern with others, which needs the slow search.
  private let bytes: [UInt8]?
  private let pattern: String

  init(_ pattern: String) {
    self.pattern = pattern.lowercased()
    bytes = pattern.utf8.allSatisfy { $0 < 0x80 } ? Array(self.pattern.utf8) : nil
  }

  func matches(_ row: [Value]) -> Bool {
    row.contains { value in Self.text(of: value).map(matches) ?? false }
  }

  /// The text in which a value is searched; nil for a BLOB.
  static func text(of value: Value) -> String? {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): number.sqliteText
    case .text(let text): text
    case .blob: nil
    case .date(let date): "\(date)"
    }
  }

  /// - Complexity: O(length · pattern), without allocation for an ASCII pattern.
  func matches(_ text: String) -> Bool {
    guard let bytes else { return text.lowercased().includes(pattern) }
    guard let first = bytes.first else { return true }
    var text = text
    return text.withUTF8 { text in
      guard text.count >= bytes.count else { return false }
      for start in 0...(text.count - bytes.count) where lower(text[start]) == first {
        if bytes.indices.allSatisfy({ lower(text[start + $0]) == bytes[$0] }) { return true }
      }
      return false
    }
  }

  private func lower(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
  }
}
