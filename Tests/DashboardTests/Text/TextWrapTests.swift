import Testing

@testable import Dashboard

@Suite struct TextWrapTests {
  @Test func `lines break at blanks`() {
    #expect(
      TextWrap.lines("no such table: scores in main", width: 12) == [
        "no such ", "table: ", "scores in ", "main",
      ])
  }

  @Test func `a word longer than the line is broken`() {
    #expect(TextWrap.lines("abcdefgh", width: 3) == ["abc", "def", "gh"])
    #expect(TextWrap.lines("日本語", width: 3) == ["日", "本", "語"])
  }

  @Test func `line ends are kept and the rest is sanitized`() {
    #expect(TextWrap.lines("a\r\nb\n\nc\u{1b}", width: 9) == ["a", "b", "", "c␛"])
  }

  @Test func `no more lines come than are wanted`() {
    #expect(TextWrap.lines("a b c d e", width: 2, limit: 2).count == 2)
    #expect(TextWrap.lines("abc", width: 0) == [])
    #expect(TextWrap.lines("", width: 5) == [""])
  }

  @Test func `where there is more, the last line says so`() {
    #expect(TextWrap.cut("one two three", width: 5, limit: 2) == ["one ", "two …"])
    #expect(TextWrap.cut("abcdefgh", width: 3, limit: 2) == ["abc", "de…"])
    #expect(TextWrap.cut("abcdefgh", width: 5, limit: 1, glyphs: .ascii) == ["abcd>"])
    #expect(TextWrap.cut("one two", width: 4, limit: 2) == ["one ", "two"])
    #expect(TextWrap.cut("a\nb\nc", width: 9, limit: 2) == ["a", "b…"])
    #expect(TextWrap.cut("a", width: 9, limit: 0) == [])
  }
}
