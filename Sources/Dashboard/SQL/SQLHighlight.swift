import ObservationEngine

/// The role of each byte of SQL text: keywords, strings, numbers, comments, and the rest.
///
///     let sql = "select 'a' -- b"
///     SQLHighlight(sql).runs(of: 0..<6, in: sql)
///
/// Never by colour alone: without colours keywords are bold and comments are dim, and the text is
/// complete without either.
struct SQLHighlight {
  /// Text of one role.
  struct Run: Equatable {
    var text: String
    var role: Style.Role
  }

  /// Longer texts, which were pasted, are shown plain: tokenizing them for each frame would be
  /// noticeable.
  static let limit = 64 * 1024

  /// The text by ranges of bytes, in order, without gaps.
  private let parts: [(range: Range<Int>, role: Style.Role)]

  init(_ sql: String) {
    let length = sql.utf8.count
    guard length <= Self.limit else {
      parts = [(0..<length, .text)]
      return
    }
    let bytes = Array(sql.utf8)
    var parts: [(range: Range<Int>, role: Style.Role)] = []
    var position = 0
    for token in SQLTokenizer.tokensAndComments(of: sql) {
      let blanks = position..<token.range.lowerBound
      if !blanks.isEmpty { parts.append((blanks, .text)) }
      parts.append((token.range, Self.role(of: token, bytes)))
      position = token.range.upperBound
    }
    if position < length { parts.append((position..<length, .text)) }
    self.parts = parts
  }

  /// The runs of a piece of the text.
  ///
  /// - Parameter range: In bytes; its bounds must not split a character.
  /// - Complexity: O(length of the range + log(tokens)).
  func runs(of range: Range<Int>, in sql: String) -> [Run] {
    let text = sql.utf8
    func index(_ offset: Int) -> String.Index { text.index(text.startIndex, offsetBy: offset) }
    var runs: [Run] = []
    // The first part that does not end before it.
    var (low, high) = (0, parts.count)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].range.upperBound <= range.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    for part in parts[low...] {
      guard part.range.lowerBound < range.upperBound else { break }
      guard part.range.overlaps(range) else { continue }
      let shown = part.range.clamped(to: range)
      let piece = String(sql[index(shown.lowerBound)..<index(shown.upperBound)])
      if runs.last?.role == part.role {
        runs[runs.count - 1].text += piece
      } else {
        runs.append(Run(text: piece, role: part.role))
      }
    }
    return runs
  }

  private static func role(of token: SQLToken, _ bytes: [UInt8]) -> Style.Role {
    switch token.kind {
    case .word: SQLKeywords.contains(token.text) ? .keyword : .text
    case .string, .blob: .string
    case .number: .numeral
    case .parameter: .numeral
    case .quotedName, .symbol: .text
    case .comment: .comment
    // An unclosed string, while it is being typed.
    case .invalid: bytes[token.range.lowerBound] == UInt8(ascii: "'") ? .string : .text
    }
  }
}
