import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct HeatmapViewTests {
  private let kind = ViewKind(HeatmapKind.self)
  private let games = RowSet(
    columns: ["map", "player", "games"],
    rows: [
      [.text("dust"), .text("ada"), .integer(10)], [.text("dust"), .text("bob"), .integer(4)],
      [.text("mill"), .text("ada"), .integer(7)], [.text("mill"), .text("eve"), .integer(1)],
      [.text("keep"), .text("bob"), .integer(2)],
    ])

  private func drawn(
    _ result: RowSet, _ options: String = "", width: Int = 30, height: Int = 8,
    glyphs: GlyphSet = .unicode
  ) -> Grid {
    DashboardTests.drawn(
      panel(Sample.panel("h", kind, options), result), width: width, height: height,
      glyphs: glyphs)
  }

  @Test func `two categories and a number are cells, with a scale below`() {
    #expect(
      drawn(games).text == """
        ╭─┤1 h├──────────────┤3 x 3├─╮
        │ dust ████▒▒▒▒              │
        │ mill ▓▓▓▓    ····          │
        │ keep     ░░░░              │
        │      ada bob eve           │
        │      0 ·░▒▓█ 10            │
        │                            │
        ╰────────────────────────────╯
        """)
  }

  @Test(arguments: [
    ([1e308, -1e308], ""), ([1e308, 1.7e308], ""), ([-1e308, -1.7e308], ""),
    ([2e18, 1], "max=1"), ([Double.leastNonzeroMagnitude, 0], ""),
    ([-Double.leastNonzeroMagnitude, 0], ""),
  ])
  func `numbers of any size have a shade`(_ numbers: [Double], _ options: String) {
    for names in [["a", "b"], ["a", "a"]] {
      let rows = zip(names, numbers).map { [Value.text($0), .text("x"), .real($1)] }
      let text = drawn(RowSet(columns: ["y", "x", "n"], rows: rows), options).text
      #expect(text.contains("│ a "))
    }
  }

  @Test func `categories that look the same when they are rounded are several`() {
    let rows: [[Value]] = [
      [.text("r"), .real(0.0006), .integer(1)], [.text("r"), .real(0.0014), .integer(2)],
      [.text("r"), .integer(2), .integer(4)], [.text("r"), .real(2), .integer(4)],
    ]
    #expect(drawn(RowSet(columns: ["y", "x", "n"], rows: rows)).text.contains("3 x 1"))
  }

  @Test func `options turn the directions, and ASCII has its own scale`() {
    #expect(
      drawn(games, "x=map y=player", glyphs: .ascii).text == """
        +-[1 h]--------------[3 x 3]-+
        | ada @@@@@#####             |
        | bob +++++     :::::        |
        | eve      .....             |
        |     dust mill keep         |
        |     0 .:+#@ 10             |
        |                            |
        +----------------------------+
        """)
  }

  @Test func `names as wide as their cells are cut, not left out`() {
    let jobs = RowSet(
      columns: ["queue", "state", "n"],
      rows: ["done", "failed", "running", "waiting"].enumerated().map { place, state in
        ["q", .text(state), .integer(Int64(place) + 1)]
      })
    let grid = drawn(jobs, width: 34)
    #expect(grid.text.contains("done   failed runni… waiting"), "\(grid.text)")
    #expect(drawn(jobs, width: 40).text.contains("done    failed  running waiting"))
  }

  @Test func `names that would be the same when they are cut are left out`() {
    let days = RowSet(
      columns: ["day", "host", "n"],
      rows: (1...4).map { [.text("2026-11-0\($0)"), "a", .integer($0)] })
    let grid = drawn(days, "x=day y=host", width: 38)
    #expect(grid.text.contains("2026-11-01      2026-11-03"), "\(grid.text)")
  }

  @Test func `each step has a character of its own: colour alone says nothing`() {
    for glyphs in [GlyphSet.unicode, .ascii] {
      let numbers = RowSet(
        columns: ["a", "b", "n"], rows: (0...4).map { ["x", .text("c\($0)"), .integer($0 * 10)] })
      let line = drawn(numbers, glyphs: glyphs).text.split(separator: "\n")[1]
      let cells = line.filter { !" x│|".contains($0) }
      #expect(Set(cells).count == 5)
    }
  }

  @Test func `a time is shown by day of the week and hour`() {
    // A Monday, twice in one hour, and a Sunday.
    let times = ["2026-11-23 09:10:00", "2026-11-23 09:50:00", "2026-11-29 23:00:00"]
    let result = RowSet(columns: ["at"], rows: times.map { [.text($0)] })
    #expect(
      drawn(result, width: 40, height: 11).text == """
        ╭─┤1 h├───────────────────────┤24 x 7├─╮
        │ Mon          █                       │
        │ Tue                                  │
        │ Wed                                  │
        │ Thu                                  │
        │ Fri                                  │
        │ Sat                                  │
        │ Sun                        ▒         │
        │     00 03 06 09 12 15 18 21          │
        │     0 ·░▒▓█ 2                        │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `with a number, its sums are shown, before 1970 too`() {
    let result = RowSet(
      columns: ["at", "bytes"],
      rows: [["1969-12-31 23:59:59", 3], ["1969-12-31 23:00:00", 2], ["1970-01-01 00:00:00", 1]])
    let lines = drawn(result, width: 40, height: 11).text.split(separator: "\n")
    #expect(lines[3].hasSuffix("█         │") && lines[3].hasPrefix("│ Wed"))
    #expect(lines[4].hasPrefix("│ Thu ░"))
    #expect(lines[9].contains("0 ·░▒▓█ 5"))
  }

  @Test func `rows of one pair are added, and what is no number is counted`() {
    let result = RowSet(
      columns: ["a", "b", "n"],
      rows: [["x", "y", 1], ["x", "y", 2], ["x", "z", nil], ["x", "z", "many"]])
    let text = drawn(result).text
    #expect(text.contains("┤! 1 row left out├"))
    #expect(text.contains("0 ·░▒▓█ 3"))
  }

  @Test func `columns without room are marked`() {
    let result = RowSet(
      columns: ["a", "b", "n"], rows: (0..<60).map { ["x", .integer($0), .integer($0)] })
    let lines = drawn(result).text.split(separator: "\n")
    #expect(lines[1].hasSuffix("›│"))
  }

  @Test func `columns of numbers stand in order, and rows as the query has them`() {
    let result = RowSet(
      columns: ["place", "year", "n"],
      rows: [
        ["oslo", "2025", 9], ["oslo", "2024", 1], ["bern", "2023", 9], ["bern", "2025", 5],
      ])
    let lines = drawn(result, width: 26, height: 6).text.split(separator: "\n")
    #expect(lines[1] == "│ oslo      ·····█████   │")
    #expect(lines[2] == "│ bern █████     ▒▒▒▒▒   │")
    #expect(lines[3] == "│      2023 2024 2025    │")
  }

  @Test func `rows without room are counted`() {
    let result = RowSet(
      columns: ["place", "b", "n"], rows: (1...9).map { [.text("place \($0)"), "x", .integer($0)] })
    #expect(drawn(result).text.contains("│ 5 more  x"))
  }

  @Test func `a result without categories is a table, with the reason`() {
    let result = RowSet(columns: ["n"], rows: [[1], [2]])
    #expect(
      drawn(result, width: 60).text.contains(
        "! can't draw a heatmap: it needs two columns"))
  }

  @Test func `every size is drawn whole`() {
    for width in 0...40 {
      for height in 0...12 {
        let grid = drawn(games, width: width, height: height, glyphs: .ascii)
        #expect(grid.size == Size(width: width, height: height))
        #expect(grid.text.utf8.allSatisfy { $0 < 0x80 })
      }
    }
  }

  @Test func `a file names it with its options`() {
    let (definition, diagnostics) = DashboardParser.parse(
      "-- name: a\n-- view: heatmap x=hour y=day max=10\nSELECT 1;")
    #expect(diagnostics == [])
    #expect(definition.panels[0].view == kind)
  }
}
