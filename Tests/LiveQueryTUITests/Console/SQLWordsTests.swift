import Testing

@testable import LiveQueryTUI

@Suite struct SQLWordsTests {
  @Test(
    arguments: [
      ("", []), ("  \n\t", []), ("SELECT a FROM b", ["SELECT", "a", "FROM", "b"]),
      ("a.b", ["a", ".", "b"]), ("a=1;", ["a", "=", "1", ";"]),
      ("'it''s' x", ["x"]), ("\"a \"\"b\" x", ["\"a \"\"b\"", "x"]), ("`a``b` x", ["`a``b`", "x"]),
      ("[a]]b", ["[a]", "]", "b"]), ("a -- b\nc", ["a", "c"]), ("a /* b */ c", ["a", "c"]),
      ("a /* b", ["a"]), ("a 'b", ["a"]), ("a \"b", ["a", "\"b"]), ("a -- b", ["a"]),
      ("a (b (c) d) e", ["a", "e"]), ("a) b", ["a", "b"]), ("(')') x", ["x"]),
      ("f(--)\n) x", ["f", "x"]), ("größe $1 _a", ["größe", "$1", "_a"]), ("a-b", ["a", "-", "b"]),
      ("a/b", ["a", "/", "b"]), ("a/*b*//*c*/d", ["a", "d"]), ("x'00' y", ["y"]),
    ] as [(String, [String])])
  func `words are told from literals, comments and what is in parentheses`(
    _ sql: String, _ words: [String]
  ) {
    #expect(SQLWords(sql).topLevel == words)
  }
}
