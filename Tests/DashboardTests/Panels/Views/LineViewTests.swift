import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct LineViewTests {
  private let line = Sample.panel("g", .line, "")
  private let games: RowSet = {
    let ramp = (0..<11).map { Double($0 * 6) }
    return Sample.minutes(["ranked": ramp, "casual": ramp.map { $0 / 2 }])
  }()

  @Test func `series run over time, with round ticks and a legend`() {
    let grid = drawn(panel(Sample.panel("games", .line, ""), games), width: 60, height: 12)
    #expect(
      grid.text == """
        ╭─┤1 games  ● ranked  ○ casual├─────────┤braille · 10 min├─╮
        │   │                                                      │
        │ 60┤                                                   ⢀● │
        │   │                                           ⣀⣀⠤⠤⠒⠒⠉⠉⠁  │
        │ 40┤                                  ⢀⣀⡠⠤⠔⠒⠒⠉⠉           │
        │   │                         ⢀⣀⣀⠤⠤⠔⠒⠊⠉⠁               ⣀⣀○ │
        │ 20┤                 ⣀⡠⠤⠔⠒⠊⠉⠉⠁        ⢀⣀⣀⣀⡠⠤⠤⠒⠒⠒⠒⠉⠉⠉⠉⠉    │
        │   │        ⣀⣀⠤⠤⠒⠒⠒⣉⣉⣀⡠⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠉⠉⠉⠉⠉⠁                   │
        │  0┤⣀⣠⣤⠤⠴⠶⠮⠭⠒⠒⠒⠒⠉⠉⠉                                       │
        │   ┼────┬─────────────────────────┬────────────────────── │
        │         11:55                     12:00                  │
        ╰──────────────────────────────────────────────────────────╯
        """)
    // The legend has the colours of the lines, and the lines end in its signs.
    #expect(grid[12, 0].style.role == grid[57, 2].style.role)
    #expect(grid[22, 0].style.role == grid[57, 5].style.role)
    #expect(grid[12, 0].style.role != grid[22, 0].style.role)
  }

  @Test func `ASCII terminals get a sign for each series`() {
    #expect(
      drawn(panel(Sample.panel("games", .line, ""), games), width: 60, height: 12, glyphs: .ascii)
        .text == """
          +-[1 games  * ranked  o casual]-------------------[10 min]-+
          |   |                                                      |
          | 60+                                                  *** |
          |   |                                       ***********    |
          | 40+                             **********               |
          |   |                        *****                oooooooo |
          | 20+             ***********     oooooooooooooooo         |
          |   |   **********oooooooooooooooo                         |
          |  0+***ooooo                                              |
          |   +----+-------------------------+---------------------- |
          |         11:55                     12:00                  |
          +----------------------------------------------------------+
          """)
  }

  @Test func `a small panel has its legend in the plot, and a tiny one no scales`() {
    #expect(
      drawn(panel(Sample.panel("games", .line, ""), games), width: 24, height: 8).text == """
        ╭─┤1 games├────────────╮
        │ ● ranked  ○ casual   │
        │ 60┤           ⣀⡠⠤⠒⠒● │
        │   │      ⣀⡠⠤⠒⠉⣀⣀⣀⠤⠤○ │
        │  0┤⣀⠤⠴⠶⠞⠛⠒⠊⠉⠉⠉       │
        │   ┼─────────┬─────── │
        │              12:00   │
        ╰──────────────────────╯
        """)
    #expect(
      drawn(panel(Sample.panel("games", .line, ""), games), width: 12, height: 4).text == """
        ╭─┤1 gam…├─╮
        │     ⢀⠤⠒⠒●│
        │⣠⡤⠴⠮⠝⠓⠒⠉⠉○│
        ╰─┤● ran…├─╯
        """)
  }

  @Test func `one point stands in the middle`() {
    #expect(
      drawn(panel(line, Sample.minutes(["v": [5]])), width: 40, height: 8).text == """
        ╭─┤1 g├────────────┤braille · 1 point├─╮
        │ 7.5┤                                 │
        │    │                                 │
        │ 5.0┤                ⠛                │
        │ 2.5┤                                 │
        │    ┼───────────────┬──────────────── │
        │                  2026-11-20 11:54:00 │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `a constant is a line in the middle of its scale`() {
    #expect(
      drawn(panel(line, Sample.column([5, 5, 5])), width: 40, height: 8).text == """
        ╭─┤1 g├───────────┤braille · 3 points├─╮
        │ 7.5┤                                 │
        │    │                                 │
        │ 5.0┤⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉ │
        │ 2.5┤                                 │
        │    ┼───────────────┬──────────────┬─ │
        │     1               2              3 │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `the greatest numbers have a scale`() {
    #expect(
      drawn(panel(line, Sample.column([1e308, -1e308, 0])), width: 40, height: 8).text == """
        ╭─┤1 g├───────────┤braille · 3 points├─╮
        │  1.00e+308┤⠑⠢⢄                       │
        │           │   ⠉⠒⢄⡀                   │
        │          0┤      ⠈⠑⠤⣀        ⢀⣀⡠⠤⠒⠒⠉ │
        │ -1.00e+308┤          ⠑⠢⢄⡠⠤⠔⠒⠉⠁       │
        │           ┼───────────┬───────────┬─ │
        │            1           2           3 │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `what is no number is a gap, and a lone point is seen`() {
    let mixed = Sample.column([1, 2, nil, 4, "x", 6, 7])
    #expect(
      drawn(panel(line, mixed), width: 40, height: 8).text == """
        ╭─┤1 g├─────────────┤! 1 not a number├─╮
        │ 8┤                             ⢀⣀⣀⡠⠤ │
        │  │                            ⠉⠁     │
        │ 4┤    ⢀⣀           ⠛                 │
        │ 0┤⠒⠊⠉⠉⠁                              │
        │  ┼──────────┬──────────┬──────────┬─ │
        │   1          3          5          7 │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `infinite numbers are told and not drawn`() {
    #expect(
      drawn(panel(line, Sample.column([.real(.infinity)])), width: 40, height: 8).text == """
        ╭─┤1 g├─────────────────┤! 1 infinite├─╮
        │                                      │
        │                                      │
        │              1 infinite              │
        │                                      │
        │                                      │
        │                                      │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `rows are put in the order of time, and broken dates are told`() {
    let days = RowSet(
      columns: ["day", "v"],
      rows: [["2026-11-01", 1], ["2026-13-01", 9], ["2026-11-03", 3], ["2026-11-02", 2]])
    #expect(
      drawn(panel(line, days), width: 56, height: 8).text == """
        ╭─┤1 g├──────────────────┤! 1 without a readable time├─╮
        │ 3.0┤                               ⢀⣀⣀⣀⣀⠤⠤⠤⠤⠔⠒⠒⠒⠒⠊⠉⠉ │
        │    │            ⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠒⠒⠒⠒⠊⠉⠉⠉⠉⠁                 │
        │ 1.5┤⠤⠤⠔⠒⠒⠒⠒⠊⠉⠉⠉⠉                                     │
        │ 0.0┤                                                 │
        │    ┼───────────┬───────────┬──────────┬───────────┬─ │
        │     11-01       12:00       11-02      12:00   11-03 │
        ╰──────────────────────────────────────────────────────╯
        """)
  }

  @Test func `without numbers there is a table, and the reason below it`() {
    let words = RowSet(columns: ["a", "b"], rows: [["x", "y"]])
    let grid = drawn(panel(line, words), width: 40, height: 8)
    #expect(
      grid.text == """
        ╭─┤1 g├──────────────────────┤no line├─╮
        │   a   b                              │
        │   x   y                              │
        │                                      │
        │                                      │
        │ ! can't draw a line: no numeric      │
        │   column                             │
        ╰──────────────────────────────────────╯
        """)
    #expect(grid[2, 6].style.role == .warning)
  }

  @Test func `no rows are no reason for a table`() {
    #expect(
      drawn(panel(line, RowSet(columns: ["a", "b"], rows: [])), width: 40, height: 6).text == """
        ╭─┤1 g├────────────────────────────────╮
        │                                      │
        │               no rows                │
        │                                      │
        │                                      │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `a column of text tells the series of a row`() {
    let rows = RowSet(
      columns: ["at", "kind", "n"],
      rows: [
        [1_795_176_240, "a", 1], [1_795_176_240, "b", 4], [1_795_176_300, "a", 2],
        [1_795_176_300, "b", 3],
      ])
    #expect(
      drawn(panel(line, rows), width: 50, height: 8).text == """
        ╭─┤1 g  ● a  ○ b├───────────────┤braille · 60 s├─╮
        │ 4┤⠉⠉⠉⠉⠉⠑⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀      │
        │  │                                      ⠈⠉⠉⠉⠉○ │
        │ 2┤⣀⣀⣀⣀⣀⣀⣀⡠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉⠉● │
        │ 0┤                                             │
        │  ┼──────────┬──────────┬─────────┬──────────── │
        │   12:04:00   12:04:15   12:04:30  12:04:45     │
        ╰────────────────────────────────────────────────╯
        """)
  }

  @Test func `a scale that is given stays, and what is beyond runs along its edge`() {
    let fixed = Sample.panel("g", .line, "min=0 max=100")
    #expect(
      drawn(panel(fixed, Sample.column([10, 90, 150])), width: 40, height: 8).text == """
        ╭─┤1 g├───────────┤braille · 3 points├─╮
        │ 100┤             ⣀⡠⠔⠒⠒⠒⠒⠒⠒⠒⠒⠉⠉⠉⠉⠉⠉⠉⠉ │
        │    │        ⣀⡠⠔⠒⠉                    │
        │  50┤   ⢀⡠⠤⠒⠉                         │
        │   0┤⠤⠒⠉⠁                             │
        │    ┼───────────────┬──────────────┬─ │
        │     1               2              3 │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test(arguments: [3, 4])
  func `numbers are spread evenly from the lowest dot to the topmost`(_ height: Int) {
    let ramp = Sample.column((0...100).map { .integer($0) })
    let grid = drawn(panel(line, ramp), width: 106 + 8, height: height + 4)
    let rows = (1...height).map { y in
      (0..<grid.size.width).filter { ("\u{2801}"..."\u{28ff}").contains(grid[$0, y].character) }
    }
    // Each row of cells has its share of the line, to a dot.
    let widths = rows.map(\.count)
    #expect((widths.max() ?? 0) - (widths.min() ?? 0) <= 104 / (height * 4) + 2, "\(grid.text)")
    #expect(rows[0].last == rows.joined().max())
    #expect(rows[height - 1].first == rows.joined().min())
    // The scale says so where they are.
    let text = grid.text.split(separator: "\n")
    #expect(text[1].contains("100┤"), "\(grid.text)")
    #expect(text[height].contains(" 0┤"), "\(grid.text)")
  }

  @Test(arguments: [GlyphSet.unicode, .ascii])
  func `a label stands where its number is drawn`(_ glyphs: GlyphSet) {
    for height in 4...30 {
      for value in stride(from: 0.0, through: 100, by: 12.5) {
        let fixed = Sample.panel("g", .line, "min=0 max=100")
        let grid = drawn(
          panel(fixed, Sample.column([.real(value), .real(value)])), width: 30, height: height,
          glyphs: glyphs)
        let lines = grid.text.split(separator: "\n").map(String.init)
        let drawn = lines.firstIndex { line in
          line.contains { ("\u{2801}"..."\u{28ff}").contains($0) || $0 == "*" }
        }
        let text = value == value.rounded() ? "\(Int(value))" : "\(value)"
        let sign = glyphs == .ascii ? "+" : "┤"
        let label = lines.firstIndex {
          $0.contains(" \(text)\(sign)") || $0.contains(" \(text).0\(sign)")
        }
        if let label { #expect(drawn == label, "\(value)\n\(grid.text)") }
        if value == 0 || value == 100, height > 6 { #expect(label != nil, "\(grid.text)") }
      }
    }
  }

  @Test(arguments: [GlyphSet.unicode, .ascii])
  func `a number infinitely far from a fixed scale is drawn, in a single line too`(
    _ glyphs: GlyphSet
  ) {
    let short = Sample.panel("g", .line, "min=0 max=1e-10")
    let far = Sample.column([.real(0), .real(1e308), .real(-1e308)])
    for height in 3...6 {
      let grid = drawn(panel(short, far), width: 16, height: height, glyphs: glyphs)
      #expect(grid.size == Size(width: 16, height: height))
    }
  }

  @Test func `the reason for a table is read in a narrow panel`() {
    let words = RowSet(columns: ["a", "b"], rows: [["x", "y"]])
    let gauge = Sample.panel("g", .gauge, "")
    let text = drawn(panel(gauge, words), width: 27, height: 7).text
    #expect(text.contains("no numeric"), "\(text)")
    #expect(text.contains("x   y"), "\(text)")
    let long = drawn(panel(line, words), width: 30, height: 8).text
    #expect(long.contains("numeric"), "\(long)")
    #expect(!long.contains("…"), "\(long)")
  }
}
