import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct SQLParametersTests {
  @Test(
    arguments: [
      ("SELECT 1", []), ("SELECT :a, :b, :a", [":a", ":b"]), ("SELECT ?, ?", ["?1", "?2"]),
      ("SELECT @x, $x", ["@x", "$x"]), ("SELECT ?3, ?", ["?3", "?4"]),
      ("SELECT :a, :b, ?2, :b", [":a", ":b"]),
      ("SELECT ?, ?1, :a, ?2, :a, ?", ["?1", ":a", "?3"]),
      ("SELECT ':a', \"?\" -- ?", []), ("SELECT ?1, ?1, :n", ["?1", ":n"]),
    ] as [(String, [String])])
  func `parameters are numbered as SQLite numbers them`(_ sql: String, _ names: [String]) {
    #expect(SQLParameters(sql).names == names)
  }

  @Test func `a number that is not used is NULL`() {
    let parameters = SQLParameters("SELECT ?3, :a")
    #expect(parameters.arguments([7, "x"]).positional == [nil, nil, 7, "x"])
  }

  @Test func `values stand in the place of parameters, and what follows moves along`() {
    let sql = "SELECT :a, ? FROM nope WHERE v = :a"
    let parameters = SQLParameters(sql)
    let filled = parameters.filled(["it's", .blob([0, 255])])
    #expect(filled == "SELECT 'it''s', x'00ff' FROM nope WHERE v = 'it''s'")
    let offset = parameters.filledOffset(18, ["it's", .blob([0, 255])])
    #expect(String(filled.utf8.dropFirst(offset))?.hasPrefix("nope") == true)
  }

  @Test(
    arguments: [
      ("SELECT 10-? x", -3, "SELECT 10- -3 x"), ("SELECT 10-? x", 3, "SELECT 10-3 x"),
      ("SELECT(?)x", -3, "SELECT(-3)x"), ("SELECT:a x", 5, "SELECT 5 x"),
      ("SELECT ?1AS x", "a", "SELECT 'a' AS x"), ("SELECT ?'y', x", "a", "SELECT 'a' 'y', x"),
      ("SELECT ?é, x", nil, "SELECT NULL é, x"),
    ] as [(String, Value, String)])
  func `a value does not grow together with what is beside it`(
    _ sql: String, _ value: Value, _ filled: String
  ) {
    let parameters = SQLParameters(sql)
    #expect(parameters.filled([value]) == filled)
    #expect(parameters.filledOffset(sql.utf8.count - 1, [value]) == filled.utf8.count - 1)
    let start = sql.utf8.firstIndex { [UInt8(ascii: "?"), UInt8(ascii: ":")].contains($0) }
    let offset = start.map { sql.utf8.distance(from: sql.startIndex, to: $0) } ?? 0
    let literal = String(filled.utf8.dropFirst(parameters.filledOffset(offset, [value])))
    #expect(literal?.hasPrefix(SQLLiteral.text(value)) == true)
  }

  @Test(
    arguments: [
      ("", .text("")), ("42", 42), ("-1", -1), ("1.5", 1.5), ("1e3", .real(1000)), ("007", "007"),
      ("0", 0), ("null", nil), ("NULL", nil), ("'null'", "null"), ("'it''s'", "it's"),
      ("x'00ff'", .blob([0, 255])), ("a b", "a b"), ("-", "-"), ("1e999", "1e999"),
      ("9223372036854775808", .real(9_223_372_036_854_775_808)), ("12 ", "12 "), ("0x10", "0x10"),
    ] as [(String, Value)])
  func `what is typed is a value`(_ text: String, _ value: Value) {
    #expect(SQLLiteral.value(typed: text) == value)
  }

  @Test(arguments: [nil, 42, -0.5, "it's\n", "x'\u{301}'", .blob([1, 2])] as [Value])
  func `a literal is read as the value that it was`(_ value: Value) {
    #expect(SQLLiteral.value(typed: SQLLiteral.text(value)) == value)
  }

  /// To Swift, a quote that an accent follows is another character than a quote.
  @Test func `a text can't leave its quotes`() {
    #expect(SQLLiteral.text("x'\u{301} OR '\u{301}") == "'x''\u{301} OR ''\u{301}'")
    #expect("a\"\u{301}".quotedIdentifier == "\"a\"\"\u{301}\"")
    #expect("a`\u{301}".quoted(by: "`") == "`a``\u{301}`")
    let tokens = SQLTokenizer.tokens(of: SQLLiteral.text("'\u{301}; DROP TABLE t; --'\u{301}"))
    #expect(tokens.count == 1 && tokens.first?.kind == .string)
  }
}
