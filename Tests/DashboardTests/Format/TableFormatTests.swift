import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct TableFormatTests {
  private let scores = RowSet(
    columns: ["player", "score", "t"], rows: [["ada", 98410, "a"], ["grace", nil, "b"]])

  @Test func `columns are aligned, numbers to the right`() {
    #expect(
      printed(.table, [("p", scores)]) == """
        player  score  t
        ------  -----  -
        ada     98410  a
        grace          b

        """)
  }

  @Test func `NULL has its text`() {
    #expect(
      printed(.table, [("p", scores)], nullText: "∅") == """
        player  score  t
        ------  -----  -
        ada     98410  a
        grace       ∅  b

        """)
  }

  @Test func `wide characters count as two and combining ones as none`() {
    let result = RowSet(columns: ["n", "m"], rows: [["日本", 1], ["e\u{301}", 22]])
    #expect(
      printed(.table, [("p", result)]) == """
        n      m
        ----  --
        日本   1
        e\u{301}     22

        """)
  }

  @Test func `text with line ends takes several lines`() {
    let result = RowSet(columns: ["n", "m"], rows: [["a\nbcd", 1], ["x", "y\nz"]])
    #expect(
      printed(.table, [("p", result)]) == """
        n    m
        ---  -
        a    1
        bcd
        x    y
             z

        """)
  }

  @Test func `several results have their names`() {
    let result = RowSet(columns: ["n"], rows: [[7]])
    #expect(
      printed(.table, [("p", result), ("q", RowSet(columns: ["x"], rows: []))]) == """
        p:
        n
        -
        7

        q:
        x
        -

        """)
  }

  @Test func `a result without columns is nothing`() {
    #expect(printed(.table, [("p", .empty)]) == "")
  }

  @Test func `nothing acts on a terminal, and a line end is a symbol`() {
    let result = RowSet(columns: ["\u{1B}c"], rows: [["a\nb\u{202E}"]])
    let output = printed(.table, [("p\u{7}", result), ("q", result)], terminal: .ascii)
    #expect(output.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
    #expect(output.utf8.count { $0 == 0x0A } == 9)
  }
}
