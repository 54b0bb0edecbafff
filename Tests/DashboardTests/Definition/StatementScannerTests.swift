import Testing

@testable import Dashboard

@Suite struct StatementScannerTests {
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
    ("SELECT '日本;', '\u{1F600}';é", ["SELECT '日本;', '\u{1F600}'", "é"]),
  ])
  func `a semicolon ends a statement only outside of strings, names and comments`(
    _ text: String, _ expected: [String]
  ) {
    let source = SourceText(text)
    let statements = StatementScanner.pieces(of: source.bytes).compactMap { piece in
      if case .statement(let range, _) = piece { source[range] } else { nil }
    }
    #expect(statements == expected)
  }

  @Test func `only comments with a line to themselves are pieces`() {
    let source = SourceText("-- a\n  --b\nSELECT 1 -- c\n-- d\n; -- e\n-- f")
    let pieces = StatementScanner.pieces(of: source.bytes).map { piece in
      switch piece {
      case .comment(let range): "comment" + source[range]
      case .statement(let range, let comments):
        source[range] + "|" + comments.map { source[$0] }.joined(separator: "|")
      default: "\(piece)"
      }
    }
    #expect(pieces == ["comment a", "commentb", "SELECT 1| d", "comment f"])
  }

  @Test func `a dot inside of a statement is no command of the shell`() {
    let source = SourceText("SELECT a\n.b;\n.tables\nx")
    let pieces = StatementScanner.pieces(of: source.bytes)
    #expect(
      pieces == [
        .statement(0..<11, comments: []), .shellCommand(13..<20), .statement(21..<22, comments: []),
      ])
  }
}
