import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// Where statements end, against `sqlite3_complete` at each semicolon.
@Suite struct StatementSplitterTests {
  private static func oracle(_ text: String) -> [String] {
    var statements: [String] = []
    var current = ""
    for character in text {
      current.append(character)
      if character == ";", SQLText.isComplete(current) {
        statements.append(current.trimmedOfWhitespace)
        current = ""
      }
    }
    if !current.trimmedOfWhitespace.isEmpty { statements.append(current.trimmedOfWhitespace) }
    return statements
  }

  private static let pieces = [
    ";", ";", ";", " ", "\n", "\t", "create", "CREATE ", "temp ", "temporary ", "trigger ",
    "TRIGGER",
    "end", "END;", " END ;", "explain ", "query plan ", "select 1", "begin ", "'", "''", "\"", "`",
    "[",
    "]", "--", "-", "/*", "*/", "/", "*", "é", "日", "x", "$", "_end", "end1", "\u{b}", "\u{c}",
    "\r", "1",
    "create trigger t begin select 1; end;", "\u{0}",
  ]

  @Test func `random text is cut as sqlite3_complete has it`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<4_000 {
      let count = Int.random(in: 0...24, using: &random)
      // A NUL ends everything: seldom.
      let known = random.onceIn(20) ? Self.pieces : Self.pieces.dropLast()
      let text = (0..<count).map { _ in known.randomElement(using: &random) ?? "" }.joined()
      #expect(
        StatementSplitter.statements(of: text) == Self.oracle(text),
        "seed \(seed): \(text.debugDescription)")
    }
  }

  @Test func `a megabyte of semicolons in a string is one statement`() {
    let text = "SELECT '" + String(repeating: ";", count: 1 << 20) + "'; SELECT 2;"
    #expect(StatementSplitter.statements(of: text).map(\.utf8.count) == [(1 << 20) + 10, 9])
  }

  private func text(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  @Test(arguments: [
    ("SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]),
    ("SELECT ';', ';;' ;", ["SELECT ';', ';;'"]),
    ("SELECT 'it''s; one';x", ["SELECT 'it''s; one'", "x"]),
    ("SELECT \";\", [;], `;`, \"a\"\";\" ;", ["SELECT \";\", [;], `;`, \"a\"\";\""]),
    ("SELECT [a''b`;];[\"];", ["SELECT [a''b`;]", "[\"]"]),
    ("SELECT [a]]; b", ["SELECT [a]]", "b"]),
    ("SELECT 1 -- ; no\n + 2; x", ["SELECT 1 -- ; no\n + 2", "x"]),
    ("SELECT 1 /* ; ' */ + 2; x", ["SELECT 1 /* ; ' */ + 2", "x"]),
    ("/* ; */ SELECT 1 /* last */ ;", ["SELECT 1"]),
    ("/**/SELECT 1-/***/-2;", ["SELECT 1-/***/-2"]),
    ("SELECT 3/2, 1-1;", ["SELECT 3/2, 1-1"]),
    (" \t\r\n;;\n;", []),
    ("SELECT $a(b;c), x';'; y", ["SELECT $a(b;c), x';'", "y"]),
    ("CREATE TRIGGER t BEGIN SELECT 1; END; b", ["CREATE TRIGGER t BEGIN SELECT 1; END", "b"]),
    ("SELECT '日本;', '\u{1F600}';é", ["SELECT '日本;', '\u{1F600}'", "é"]),
  ])
  func `the tokens of a statement leave out the semicolon and comments around them`(
    _ text: String, _ expected: [String]
  ) {
    let bytes = Array(text.utf8)
    let statements = StatementSplitter(bytes).compactMap { piece -> String? in
      guard case .statement(let range, _, _) = piece, !range.isEmpty else { return nil }
      return self.text(bytes, range)
    }
    #expect(statements == expected)
  }

  @Test func `only comments with a line to themselves are pieces`() {
    let bytes = Array("-- a\n  --b\nSELECT 1 -- c\n-- d\n; -- e\n/* f */ -- g\n-- h".utf8)
    let pieces = StatementSplitter(bytes).map { piece in
      switch piece {
      case .comment(let range): "comment" + text(bytes, range)
      case .statement(let range, _, let comments):
        text(bytes, range) + "|" + comments.map { text(bytes, $0) }.joined(separator: "|")
      default: "\(piece)"
      }
    }
    #expect(pieces == ["comment a", "commentb", "SELECT 1| d", "comment h"])
  }

  @Test func `a dot inside of a statement is no command of the shell`() {
    #expect(
      Array(StatementSplitter(Array("SELECT a\n.b;\n.tables 'x\n.5\nx".utf8))) == [
        .statement(0..<11, end: 12, comments: []), .shellCommand(13..<23), .shellCommand(24..<26),
        .statement(27..<28, end: 28, comments: []),
      ])
  }

  @Test(arguments: [
    ("SELECT 'a", StatementSplitter.Quote.string, 7), ("SELECT \"a", .doubleQuotes, 7),
    ("SELECT `a", .backquotes, 7), ("SELECT [a;", .brackets, 7), ("SELECT x'0", .blob, 7),
    ("SELECT 1 /* a;", .comment, 9),
  ])
  func `a text that ends within a quote says which`(
    _ text: String, _ quote: StatementSplitter.Quote, _ position: Int
  ) {
    let before = position == 9 ? 0..<8 : 0..<6
    #expect(
      Array(StatementSplitter(Array(text.utf8)))
        == [.unclosed(quote, at: position, statement: before)])
  }
}
