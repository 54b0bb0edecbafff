import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct LegendTests {
  private func ramps(_ names: [String]) -> RowSet {
    RowSet(
      columns: ["n"] + names,
      rows: (0..<11).map { row in
        [.integer(Int64(row))]
          + names.indices.map { .integer(Int64(($0 % 2 == 0 ? row : 10 - row) * ($0 + 1))) }
      })
  }

  private func drawn(_ rows: RowSet, width: Int, height: Int, glyphs: GlyphSet = .unicode) -> Grid {
    DashboardTests.drawn(
      panel(Sample.panel("games", .line, ""), rows), width: width, height: height, glyphs: glyphs)
  }

  @Test func `a legend beside a narrow title hides nothing of the plot`() {
    let bare = Sample.panel("games", .line, "y=ranked")
    let two = ramps(["ranked", "casual"])
    for height in 3...12 {
      for width in 12...40 {
        let grid = drawn(two, width: width, height: height)
        // Each line ends in its sign, and as a part of the legend it stands once more.
        let dots = grid.text.filter { ("\u{2801}"..."\u{28ff}").contains($0) }.count
        let one = DashboardTests.drawn(panel(bare, two), width: width, height: height)
        let least = one.text.filter { ("\u{2801}"..."\u{28ff}").contains($0) }.count
        #expect(dots + 4 >= least, "\(width)x\(height)\n\(grid.text)\n\(one.text)")
      }
    }
  }

  @Test func `where the panel is high the legend has a row of its own`() {
    let lines = drawn(ramps(["ranked", "casual"]), width: 24, height: 9).text
      .split(separator: "\n")
    #expect(lines[1] == "│ ● ranked  ○ casual   │")
  }

  @Test func `where it is not the legend stands in the frame`() {
    let lines = drawn(ramps(["a", "b", "c"]), width: 22, height: 4).text.split(separator: "\n")
    #expect(lines[3] == "╰─┤● a  ○ b  ◆ c├────╯", "\(lines)")
  }

  @Test func `names give way before series do`() {
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    let lines = drawn(ramps(names), width: 42, height: 12).text.split(separator: "\n")
    #expect(lines[1].contains("● mo"))
    for sign in ["●", "○", "◆", "◇", "▲", "△"] { #expect(lines[1].contains(sign), "\(lines[1])") }
  }

  @Test(arguments: [30, 34, 44, 50, 60, 80])
  func `what is not drawn is told before what is`(_ width: Int) {
    let text = drawn(ramps(["a", "b", "c", "d", "e", "f", "g"]), width: width, height: 12).text
    #expect(text.contains("! 1 series more"), "\(text)")
  }
}
