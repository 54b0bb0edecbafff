import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct PanelStateTests {
  /// One panel on a screen without console: 24 lines leave 16 rows for 1 panel with a header.
  private func numbers(_ count: Int) -> DashboardState {
    var state = Sample.state(
      [Sample.panel("n", .table, key: ["id"])], console: false, size: Size(width: 40, height: 12))
    state.deliver([0: Sample.numbers(count)])
    return state
  }

  @Test func `the first movement shows the cursor, the next ones move it`() throws {
    var state = numbers(50)
    #expect(state.panels[0].cursor == nil)
    try state.press("j")
    #expect(state.panels[0].cursor == 0)
    try state.press("jjk")
    #expect(state.panels[0].cursor == 1)
    try state.press("<Esc>")
    #expect(state.panels[0].cursor == nil)
  }

  @Test func `the view follows the cursor to both ends`() throws {
    var state = numbers(50)
    let visible = state.layout.visibleRows(of: 0)
    #expect(visible == 6)
    try state.press("G")
    #expect(state.panels[0].cursor == 49)
    #expect(state.panels[0].top == 44)
    try state.press("<PgUp><PgUp>")
    #expect(state.panels[0].cursor == 39)
    #expect(state.panels[0].top == 39)
    try state.press("<C-d>g")
    #expect(state.panels[0].cursor == 0)
    #expect(state.panels[0].top == 0)
  }

  @Test func `the cursor stays on its row and the row on its line when rows move`() throws {
    var state = numbers(50)
    try state.press("Gkkk")
    #expect(state.panels[0].chosenRow == [47])
    let line = (state.panels[0].cursor ?? 0) - state.panels[0].top
    let rows = [[-2], [-1], [0]] as [[Value]] + Sample.numbers(60).rows
    state.deliver([0: RowSet(columns: ["id"], rows: rows)], ordinal: 2)
    #expect(state.panels[0].chosenRow == [47])
    #expect((state.panels[0].cursor ?? 0) - state.panels[0].top == line)
  }

  @Test func `a result that shrinks under the cursor keeps it on a row`() throws {
    var state = numbers(50)
    try state.press("G")
    state.deliver([0: Sample.numbers(3)], ordinal: 2)
    #expect(state.panels[0].chosenRow == [3])
    #expect(state.panels[0].top == 0)
    state.deliver([0: Sample.numbers(0)], ordinal: 3)
    #expect(state.panels[0].chosenRow == nil)
    try state.press("jGk<Enter>")
    #expect(state.modes.overlay == nil)
  }

  @Test func `a screen that shrinks keeps the cursor in view`() throws {
    var state = numbers(50)
    try state.press("jjjjjj")
    #expect(state.panels[0].cursor == 5)
    _ = reduce(&state, .resized(Size(width: 40, height: 8)))
    let panel = state.panels[0]
    #expect(state.layout.visibleRows(of: 0) == 4)
    #expect((panel.top..<panel.top + 4).contains(5))
  }

  @Test func `a filter finds text in any column without regard to case`() throws {
    var state = Sample.state([Sample.panel("p", .table)])
    let rows: [[Value]] = [["Ada", 1], ["bob", 21], [nil, 3], ["ÄDA", 4]]
    state.deliver([0: RowSet(columns: ["a", "b"], rows: rows)])
    try state.press("/aDa")
    #expect(state.panels[0].order == [0])
    try state.press("<BS><BS><BS>2")
    #expect(state.panels[0].order == [1])
    try state.press("<C-u>äda<Enter>")
    #expect(state.panels[0].order == [3])
    #expect(state.modes.filter == nil)
    try state.press("<Esc>")
    #expect(state.panels[0].order == [0, 1, 2, 3])
    try state.press("/x<Esc>")
    #expect(state.panels[0].filter.isEmpty)
  }

  @Test func `s and S go through the columns that are shown, in their order`() throws {
    var panel = Sample.panel("p", .table)
    panel.formats = [ColumnFormatting(column: "id", format: .hidden)]
    var state = Sample.state([panel])
    state.deliver([0: RowSet(columns: ["id", "a", "b"], rows: [[1, 9, 5], [2, 8, 6]])])
    try state.press("s")
    #expect(state.panels[0].sort == RowSort(column: 1))
    #expect(state.panels[0].order == [1, 0])
    try state.press("s")
    #expect(state.panels[0].sort == RowSort(column: 2))
    try state.press("s")
    #expect(state.panels[0].sort == nil)
    try state.press("S")
    #expect(state.panels[0].sort == RowSort(column: 1, isDescending: true))
  }

  @Test func `rows are sorted as SQLite sorts values`() {
    let rows: [[Value]] = [["b"], [.blob([1])], [2], [nil], ["B"], [1.5], [-3]]
    let result = RowSet(columns: ["x"], rows: rows)
    let sort = RowSort(column: 0)
    #expect(RowOrder.rows(of: result, filter: "", sort: sort) == [3, 6, 5, 2, 4, 0, 1])
    let reverse = RowSort(column: 0, isDescending: true)
    #expect(RowOrder.rows(of: result, filter: "", sort: reverse) == [1, 0, 4, 2, 5, 6, 3])
  }

  @Test func `s goes through the columns and back to the query's order`() throws {
    var state = Sample.state([Sample.panel("p", .table)])
    state.deliver([0: Sample.scores(["bob": 1, "ada": 2])])
    try state.press("s")
    #expect(state.panels[0].order == [1, 0])
    try state.press("s")
    #expect(state.panels[0].order == [0, 1])
    try state.press("S")
    #expect(state.panels[0].order == [1, 0])
    try state.press("s")
    #expect(state.panels[0].sort == nil)
  }

  @Test func `an error takes the place of the rows until there are new ones`() {
    var panel = panel(Sample.panel("p"), Sample.numbers(3))
    panel.receive(DatabaseError(code: .error, message: "no such table: t"))
    #expect(panel.error != nil)
    panel.receive(Sample.numbers(3), ordinal: 2, at: Sample.moment())
    #expect(panel.error == nil)
  }

  @Test func `a panel does not turn into another kind when its rows come and go`() {
    let bars = Sample.scores(["ada": 5, "bob": 3])
    var panel = panel(Sample.panel("p"), bars)
    #expect(panel.kind == .bar)
    panel.receive(
      RowSet(columns: ["player", "score"], rows: []), ordinal: 2, at: Sample.moment())
    #expect(panel.kind == .bar)
    panel.receive(Sample.numbers(1), ordinal: 3, at: Sample.moment())
    #expect(panel.kind == .number)
  }
}
