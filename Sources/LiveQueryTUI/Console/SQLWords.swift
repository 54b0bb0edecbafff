import ObservationEngine

/// The words of an SQL statement outside of parentheses: keywords, names (with their quotes),
/// punctuation; without literals and comments.
struct SQLWords {
  private(set) var topLevel: [String] = []
  /// The words within the first parentheses, where these follow the first word.
  private(set) var options: [String] = []

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
        let word = String(decoding: bytes[token.range], as: UTF8.self)
        if depth == 0 { topLevel.append(word) } else if topLevel.count == 1 { options.append(word) }
      }
    }
  }
}
