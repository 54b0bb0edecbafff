import ObservationEngine

/// The words of an SQL statement outside of parentheses: keywords, names (with their quotes),
/// punctuation; without literals and comments.
struct SQLWords {
  private(set) var topLevel: [String] = []

  /// - Complexity: O(length).
  init(_ sql: String) {
    let bytes = Array(sql.utf8)
    var depth = 0
    for token in SQLTokenizer.tokens(of: sql) {
      switch token.kind {
      case .string, .blob: continue
      // An unclosed string is one too.
      case .invalid where bytes[token.range.lowerBound] == UInt8(ascii: "'"): continue
      case _ where token.isSymbol("("): depth += 1
      case _ where token.isSymbol(")"): depth = max(0, depth - 1)
      default:
        guard depth == 0 else { continue }
        topLevel.append(String(decoding: bytes[token.range], as: UTF8.self))
      }
    }
  }
}
