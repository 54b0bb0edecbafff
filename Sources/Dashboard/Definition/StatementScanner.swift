/// Splits SQL text into statements and the comments above them.
///
/// It knows just enough SQL to distinguish a semicolon that ends a statement from one inside a
/// string, an identifier or a comment. SQLite decides whether a statement is valid.
struct StatementScanner {
  enum Piece: Equatable {
    /// A `--` comment on its own line, outside statements: the text after the dashes.
    case comment(Range<Int>)
    /// A statement from its first token to its last, without the semicolon, and the comments on
    /// their own lines inside it.
    case statement(Range<Int>, comments: [Range<Int>])
    /// A line such as `.mode csv`, which only the `sqlite3` shell understands.
    case shellCommand(Range<Int>)
    /// The text ends inside what starts here: nothing after it can be split.
    case unterminated(what: String, at: Int)
  }

  private let bytes: [UInt8]
  private var position = 0
  private var pieces: [Piece] = []
  /// The range of the tokens of the current statement so far.
  private var tokens: Range<Int>?
  private var innerComments: [Range<Int>] = []
  /// Whether only blanks precede `position` on its line.
  private var isAtLineStart = true

  /// The pieces of a text, in order, without empty statements.
  ///
  /// - Complexity: O(length).
  static func pieces(of bytes: [UInt8]) -> [Piece] {
    var scanner = StatementScanner(bytes: bytes)
    while scanner.position < bytes.count {
      guard scanner.scan() else { return scanner.pieces }
    }
    scanner.endStatement()
    return scanner.pieces
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads one token, comment or blank; false when it is unclosed.
  private mutating func scan() -> Bool {
    let start = position
    switch bytes[position] {
    case UInt8(ascii: "\n"):
      isAtLineStart = true
      position += 1
      return true
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0C:
      position += 1
      return true
    case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
      scanLineComment()
    case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
      guard skipBlockComment() else { return fail("comment", at: start) }
    case UInt8(ascii: ";"):
      position += 1
      endStatement()
    case UInt8(ascii: ".") where tokens == nil && isAtLineStart:
      skipLine()
      pieces.append(.shellCommand(start..<position))
    case UInt8(ascii: "'"):
      return scanQuoted("string", closing: UInt8(ascii: "'"), doubles: true)
    case UInt8(ascii: "\""):
      return scanQuoted("name in double quotes", closing: UInt8(ascii: "\""), doubles: true)
    case UInt8(ascii: "`"):
      return scanQuoted("name in backquotes", closing: UInt8(ascii: "`"), doubles: true)
    case UInt8(ascii: "["):
      return scanQuoted("name in brackets", closing: UInt8(ascii: "]"), doubles: false)
    default:
      position += 1
      addToken(from: start)
    }
    isAtLineStart = false
    return true
  }

  private mutating func scanLineComment() {
    let start = position + 2
    let standsAlone = isAtLineStart
    skipLine()
    guard standsAlone else { return }
    if tokens == nil {
      pieces.append(.comment(start..<position))
    } else {
      innerComments.append(start..<position)
    }
  }

  private mutating func scanQuoted(_ what: String, closing: UInt8, doubles: Bool) -> Bool {
    let start = position
    position += 1
    while position < bytes.count {
      let isClosing = bytes[position] == closing
      position += 1
      guard isClosing else { continue }
      if doubles, peek(0) == closing {
        position += 1
        continue
      }
      addToken(from: start)
      isAtLineStart = false
      return true
    }
    return fail(what, at: start)
  }

  private mutating func fail(_ what: String, at start: Int) -> Bool {
    pieces.append(.unterminated(what: what, at: start))
    return false
  }

  private mutating func addToken(from start: Int) {
    tokens = (tokens?.lowerBound ?? start)..<position
  }

  private mutating func endStatement() {
    if let tokens { pieces.append(.statement(tokens, comments: innerComments)) }
    tokens = nil
    innerComments = []
  }

  private func peek(_ distance: Int) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private mutating func skipLine() {
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
  }

  private mutating func skipBlockComment() -> Bool {
    position += 2
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        position += 2
        return true
      }
      position += 1
    }
    return false
  }
}
