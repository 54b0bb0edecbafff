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
}
