import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct LogViewTests {
  private let before = RowSet(
    columns: ["at", "level", "message"],
    rows: [
      ["2026-11-20 12:04:33", "error", "disk full"], ["2026-11-20 12:04:31", "info", "started"],
    ])
  private var after: RowSet {
    RowSet(
      columns: before.columns, rows: [["2026-11-20 12:04:35", "info", "it goes on"]] + before.rows)
  }

  @Test func `the newest row flows in at the bottom, whatever the order of the query`() {
    let grid = drawn(panel(Sample.panel("l", .log, ""), before, after), width: 40, height: 6)
    #expect(
      grid.text == """
        ╭─┤1 l├───────────────────────┤3 rows├─╮
        │   12:04:31  info   started           │
        │   12:04:33  error  disk full         │
        │ + 12:04:35  info   it goes on        │
        │                                      │
        ╰──────────────────────────────────────╯
        """)
    #expect(grid[15, 2].style.role == .error)
    #expect(grid[15, 3].style.flash == 3)
    let turned = RowSet(columns: after.columns, rows: after.rows.reversed())
    let ascending = drawn(panel(Sample.panel("l", .log, ""), turned), width: 40, height: 6)
    #expect(ascending.text == grid.text.replacing("+", with: " "))
  }

  @Test func `or at the top, where the panel says so`() {
    let top = Sample.panel("l", .log, "newest=top")
    #expect(
      drawn(panel(top, before, after), width: 40, height: 6).text == """
        ╭─┤1 l├───────────────────────┤3 rows├─╮
        │ + 12:04:35  info   it goes on        │
        │   12:04:33  error  disk full         │
        │   12:04:31  info   started           │
        │                                      │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `rows of other days have their date, and line ends stay in their line`() {
    let rows = RowSet(
      columns: before.columns, rows: before.rows + [["2026-11-19 08:00:00", "warn", "a\nb"]])
    #expect(
      drawn(panel(Sample.panel("l", .log, ""), rows), width: 40, height: 6).text == """
        ╭─┤1 l├───────────────────────┤3 rows├─╮
        │   11-19 08:00  warn   a⏎b            │
        │   11-20 12:04  info   started        │
        │   11-20 12:04  error  disk full      │
        │                                      │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `what comes late is as wide as it needs`() {
    let rows = RowSet(
      columns: ["state", "size", "n"],
      rows: (1...999).map { ["done", .integer($0), 1] } + [["running", 12345, 1]])
    var state = Sample.state(
      [Sample.panel("l", .log, "")], console: false, size: Size(width: 40, height: 6))
    state.deliver([0: rows])
    #expect(state.screen().text.contains("running  12 345  1"), "\(state.screen().text)")
  }

  @Test func `columns on the right come into view`() throws {
    let columns = ["at", "first", "second", "last"]
    let rows = RowSet(
      columns: columns,
      rows: [["2026-11-20 12:04:31", "it is long enough", "so that not all of it", "fits"]])
    var state = Sample.state(
      [Sample.panel("l", .log, "")], console: false, size: Size(width: 40, height: 6))
    state.deliver([0: rows])
    func shows(_ text: String) -> Bool { state.screen().text.contains(text) }
    #expect(shows("it is long") && !shows("fits"))
    try state.press("ll")
    #expect(!shows("it is long") && shows("so that not all of it  fits"))
    try state.press("h")
    #expect(shows("it is long"))
  }

  @Test func `the end stays in view until somebody looks at another row`() throws {
    var state = Sample.state(
      [Sample.panel("l", .log, "")], console: false, size: Size(width: 40, height: 12))
    func rows(_ count: Int64) -> RowSet {
      RowSet(columns: ["id"], rows: (1...count).map { [.integer($0)] })
    }
    state.deliver([0: rows(50)])
    #expect(state.panels[0].top == 50 - state.layout.visibleRows(of: 0))
    state.deliver([0: rows(60)], ordinal: 2)
    #expect(state.panels[0].top == 60 - state.layout.visibleRows(of: 0))
    try state.press("kk")
    #expect(state.panels[0].chosenRow == [59])
    try state.press("g")
    state.deliver([0: rows(70)], ordinal: 3)
    #expect(state.panels[0].chosenRow == [1])
    #expect(state.panels[0].top == 0)
    try state.press("<Esc>")
    #expect(state.panels[0].top == 70 - state.layout.visibleRows(of: 0))
  }
}
