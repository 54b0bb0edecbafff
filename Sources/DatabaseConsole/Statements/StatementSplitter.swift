internal import ObservationEngine

/// Finds where statements end, byte by byte, by the rules of `sqlite3_complete`. Calling that for
/// each byte would start over each time, so a megabyte of semicolons in a string would take hours.
///
///     start ─ CREATE [TEMP] TRIGGER ─▶ trigger ─ ; ─▶ semicolon ─ END ─▶ end ─ ; ─▶ a statement
///       └──── anything else ─▶ normal ─ ; ─▶ a statement
///
/// A semicolon in a string, a quoted or bracketed name, or a comment does not count. After a NUL no
/// statement ends: SQLite's text ends there.
package struct StatementSplitter {
  private enum Place { case start, normal, explain, create, trigger, semicolon, end }
  private enum Token { case other, explain, create, temporary, trigger, end }

  private enum Lexeme: Equatable {
    case none, dash, slash, lineComment, ended
    case blockComment(hasStar: Bool)
    case quoted(until: UInt8)
    case word
  }

  /// Longer than any relevant keyword.
  private static let longestWord = 10

  private var place = Place.start
  private var lexeme = Lexeme.none
  private var word: [UInt8] = []

  package init() {}

  /// The statements of `text`, each with its semicolon. Blank text after the last one is dropped.
  ///
  /// A trigger's body counts as part of its statement.
  ///
  /// - Complexity: O(length).
  package static func statements(of text: String) -> [String] {
    var statements: [String] = []
    var splitter = Self()
    var start = text.startIndex
    for index in text.utf8.indices where splitter.take(text.utf8[index]) {
      let end = text.utf8.index(after: index)
      statements.append(String(text[start..<end]).trimmedOfWhitespace)
      start = end
    }
    let rest = String(text[start...]).trimmedOfWhitespace
    if !rest.isEmpty { statements.append(rest) }
    return statements
  }

  /// Takes the next byte of UTF-8. Returns whether a statement ends with it; the next one then
  /// starts.
  ///
  /// - Complexity: O(1).
  package mutating func take(_ byte: UInt8) -> Bool {
    if byte == 0 { lexeme = .ended }
    switch lexeme {
    case .none: return begin(byte)
    case .ended: return false
    case .lineComment:
      if byte == UInt8(ascii: "\n") { lexeme = .none }
    case .blockComment(let hasStar):
      lexeme =
        hasStar && byte == UInt8(ascii: "/")
        ? .none : .blockComment(hasStar: byte == UInt8(ascii: "*"))
    case .quoted(let end):
      if byte == end { lexeme = .none }
    case .dash where byte == UInt8(ascii: "-"): lexeme = .lineComment
    case .slash where byte == UInt8(ascii: "*"): lexeme = .blockComment(hasStar: false)
    case .dash, .slash:
      step(.other)
      return begin(byte)
    case .word where Self.isOfWord(byte):
      if word.count < Self.longestWord { word.append(byte | 0x20) }
    case .word:
      step(Self.token(word))
      return begin(byte)
    }
    return false
  }

  private mutating func begin(_ byte: UInt8) -> Bool {
    lexeme = .none
    switch byte {
    case UInt8(ascii: ";"): return endStatement()
    case 0x20, 0x09, 0x0a, 0x0c, 0x0d: break
    case UInt8(ascii: "-"): lexeme = .dash
    case UInt8(ascii: "/"): lexeme = .slash
    case UInt8(ascii: "["): quote(until: UInt8(ascii: "]"))
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): quote(until: byte)
    case _ where Self.isOfWord(byte):
      lexeme = .word
      word = [byte | 0x20]
    default: step(.other)
    }
    return false
  }

  private mutating func quote(until end: UInt8) {
    lexeme = .quoted(until: end)
    step(.other)
  }

  private mutating func endStatement() -> Bool {
    if place == .trigger || place == .semicolon {
      place = .semicolon
      return false
    }
    place = .start
    return true
  }

  private mutating func step(_ token: Token) {
    switch (place, token) {
    case (.start, .explain): place = .explain
    case (.start, .create), (.explain, .create): place = .create
    // EXPLAIN QUERY PLAN.
    case (.explain, .other): break
    case (.create, .temporary): break
    case (.create, .trigger): place = .trigger
    case (.semicolon, .end): place = .end
    case (.trigger, _), (.semicolon, _), (.end, _): place = .trigger
    case (.start, _), (.normal, _), (.explain, _), (.create, _): place = .normal
    }
  }

  private static func token(_ word: [UInt8]) -> Token {
    switch String(decoding: word, as: UTF8.self) {
    case "create": .create
    case "temp", "temporary": .temporary
    case "trigger": .trigger
    case "end": .end
    case "explain": .explain
    default: .other
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
