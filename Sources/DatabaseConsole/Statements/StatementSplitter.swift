package import ObservationEngine

/// Cuts SQL text into statements, where `sqlite3_complete` ends them, and into what is between them.
///
///     start ─ CREATE [TEMP] TRIGGER ─▶ trigger ─ ; ─▶ semicolon ─ END ─▶ end ─ ; ─▶ a statement
///       └──── anything else ─▶ normal ─ ; ─▶ a statement
///
/// A semicolon in a string, a name or a comment ends nothing: the tokens come from ``SQLTokenizer``.
/// PostgreSQL's triggers have no statements in them, so every semicolon outside ends one.
/// After a NUL no statement ends, because SQLite's text ends there. Only SQLite decides whether a
/// statement is valid.
///
/// - Complexity: O(length) for all pieces.
package struct StatementSplitter: Sequence, IteratorProtocol {
  /// A part of the text; ranges are in bytes.
  package enum Piece: Sendable, Equatable {
    /// A `--` comment on its own line between statements: the text after the dashes.
    case comment(Range<Int>)
    /// A statement from its first token to its last, without the semicolon, after which it ends; the
    /// tokens of an empty statement are an empty range. With the text of the comments on their own
    /// lines in it.
    case statement(Range<Int>, end: Int, comments: [Range<Int>])
    /// A line such as `.mode csv` or `\d` between statements, which only the `sqlite3` shell or `psql`
    /// understands.
    case shellCommand(Range<Int>)
    /// The text ends inside what starts here, and inside the statement with these tokens before it.
    case unclosed(Quote, at: Int, statement: Range<Int>?)
  }

  /// What needs an end.
  package enum Quote: String, Sendable {
    case string
    case blob = "BLOB"
    case doubleQuotes = "name in double quotes"
    case backquotes = "name in backquotes"
    case brackets = "name in brackets"
    case comment
  }

  private enum Place { case start, normal, explain, create, trigger, semicolon, end }

  private static let keywords = ["explain", "create", "temp", "temporary", "trigger", "end"]

  private let bytes: [UInt8]
  private let dialect: SQLDialect
  /// Where the text ends for SQLite.
  private let end: Int
  private var tokenizer: SQLTokenizer
  private var place = Place.start
  /// The tokens of the current statement so far.
  private var tokens: Range<Int>?
  private var innerComments: [Range<Int>] = []

  /// - Parameter bytes: UTF-8.
  package init(_ bytes: [UInt8], dialect: SQLDialect = .sqlite) {
    self.bytes = bytes
    self.dialect = dialect
    end = bytes.firstIndex(of: 0) ?? bytes.count
    tokenizer = SQLTokenizer(bytes, dialect: dialect)
  }

  /// The statements of `text`, each with its semicolon and the comments above it. Blank text after
  /// the last one is dropped.
  ///
  /// - Complexity: O(length).
  package static func statements(of text: String, dialect: SQLDialect = .sqlite) -> [String] {
    let bytes = Array(text.utf8)
    var statements: [String] = []
    var start = 0
    func add(_ range: Range<Int>) {
      let statement = String(decoding: bytes[range], as: UTF8.self).trimmedOfWhitespace
      if !statement.isEmpty { statements.append(statement) }
    }
    for case .statement(_, let end, _) in StatementSplitter(bytes, dialect: dialect) {
      add(start..<end)
      start = end
    }
    add(start..<bytes.count)
    return statements
  }

  /// The next piece; nil at the end.
  package mutating func next() -> Piece? {
    while let token = tokenizer.next() {
      let start = token.range.lowerBound
      switch token.kind {
      case .comment where bytes[start] == UInt8(ascii: "/"):
        if token.isOpen { return unclosed(.comment, at: start) }
      case .comment:
        guard isAtLineStart(start) else { continue }
        let text = start + 2..<token.range.upperBound
        if tokens == nil { return .comment(text) }
        innerComments.append(text)
      case _ where token.isOpen:
        return unclosed(Self.quote(bytes[start]), at: start)
      case _ where bytes[start] == shellMark && tokens == nil && isAtLineStart(start):
        return .shellCommand(start..<tokenizer.skipLine())
      case _ where token.isSymbol(";") && start < end && endsStatement():
        return statement(tokens ?? start..<start, end: token.range.upperBound)
      default:
        tokens = (tokens?.lowerBound ?? start)..<token.range.upperBound
        if !token.isSymbol(";") { step(over: token) }
      }
    }
    guard let tokens else { return nil }
    return statement(tokens, end: bytes.count)
  }

  /// What a line of the database's own shell begins with.
  private var shellMark: UInt8 {
    dialect == .sqlite ? UInt8(ascii: ".") : UInt8(ascii: "\\")
  }

  private mutating func statement(_ range: Range<Int>, end: Int) -> Piece {
    defer { (tokens, innerComments) = (nil, []) }
    return .statement(range, end: end, comments: innerComments)
  }

  private mutating func unclosed(_ quote: Quote, at start: Int) -> Piece {
    defer { tokens = nil }
    return .unclosed(quote, at: start, statement: tokens)
  }

  private static func quote(_ byte: UInt8) -> Quote {
    switch byte {
    case UInt8(ascii: "\""): .doubleQuotes
    case UInt8(ascii: "`"): .backquotes
    case UInt8(ascii: "["): .brackets
    case UInt8(ascii: "'"), UInt8(ascii: "$"), UInt8(ascii: "e"), UInt8(ascii: "E"): .string
    default: .blob
    }
  }

  /// Whether only blanks precede a byte on its line.
  private func isAtLineStart(_ position: Int) -> Bool {
    let before = bytes[..<position].last { byte in
      ![UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0C].contains(byte)
    }
    return before == nil || before == UInt8(ascii: "\n")
  }

  /// Notes a semicolon; false for one in the body of a trigger.
  private mutating func endsStatement() -> Bool {
    if place == .trigger || place == .semicolon {
      place = .semicolon
      return false
    }
    place = .start
    return true
  }

  private mutating func step(over token: SQLToken) {
    guard dialect == .sqlite else { return }
    switch place {
    case .start where token.isWord("explain"): place = .explain
    case .start where token.isWord("create"), .explain where token.isWord("create"):
      place = .create
    // EXPLAIN QUERY PLAN.
    case .explain where !Self.keywords.contains(where: token.isWord): break
    case .create where token.isWord("temp") || token.isWord("temporary"): break
    case .create where token.isWord("trigger"): place = .trigger
    case .semicolon where token.isWord("end"): place = .end
    case .trigger, .semicolon, .end: place = .trigger
    case .start, .normal, .explain, .create: place = .normal
    }
  }
}
