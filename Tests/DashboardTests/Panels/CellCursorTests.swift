import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct CellCursorTests {
  /// Ten columns of 20 cells: about three are in view at once.
  private func state(width: Int = 80, key: [String] = []) -> DashboardState {
    var state = Sample.state(
      [Sample.panel("t", .table, key: key)], size: Size(width: width, height: 24),
      panes: PaneChoices())
    let rows = (1...5).map { row in
      (0..<10).map {
        Value.text("\($0 == 1 ? row % 2 : row)-\($0)" + String(repeating: "x", count: 17))
      }
    }
    state.deliver([0: RowSet(columns: (0..<10).map { "c\($0)" }, rows: rows)])
    return state
  }

  private func reversed(_ state: DashboardState) -> [String] {
    let grid = state.screen()
    return (0..<grid.size.height).compactMap { y in
      let cells = (0..<grid.size.width).filter { grid[$0, y].style.reverse }
      return cells.isEmpty ? nil : String(cells.map { grid[$0, y].character }.prefix(3))
    }
  }

  @Test func `the first step shows the cell, and others go on from it`() throws {
    var state = state()
    #expect(reversed(state) == [])
    try state.press("l")
    #expect(state.panels[0].cellColumn == 0 && state.panels[0].cursor == 0)
    try state.press("lj")
    #expect(reversed(state) == ["0-1"])
    try state.press("<Left><Left><Left>")
    #expect(reversed(state) == ["2-0"])
    try state.press("<Esc>")
    #expect(reversed(state) == [] && state.panels[0].cellColumn == nil)
  }

  @Test(arguments: [30, 45, 80, 200])
  func `the cell is in view wherever it goes`(_ width: Int) throws {
    // Next to a key, which stays, the narrowest table has no room for a second column.
    for key in width == 30 ? [[]] : [[], ["c0"], ["c3"]] {
      var state = state(width: width, key: key)
      try state.press("l")
      for step in 1..<10 {
        try state.press("l")
        #expect(reversed(state) == ["1-\(step)"], "key \(key)")
      }
      try state.press("l")
      for step in (0..<9).reversed() {
        try state.press("h")
        #expect(reversed(state) == ["1-\(step)"], "key \(key)")
      }
    }
  }

  @Test func `its column is sorted up, down, and as the query does`() throws {
    var state = state()
    try state.press("lls")
    #expect(state.panels[0].sort == RowSort(column: 1))
    try state.press("s")
    #expect(state.panels[0].sort == RowSort(column: 1, isDescending: true))
    try state.press("s")
    #expect(state.panels[0].sort == nil)
  }

  @Test func `its value is copied, and filters the rows`() throws {
    var state = state()
    try state.press("llj")
    let effects = try state.press("v")
    guard case .copy(let text)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(text.text == "0-1" + String(repeating: "x", count: 17))
    try state.press("=")
    #expect(state.panels[0].filter == "c1:=" + text.text)
    #expect(state.panels[0].order == [1, 3])
    try state.press("<Esc>")
    #expect(state.panels[0].order.count == 5)
  }

  @Test func `its column is hidden, until the last one`() throws {
    var state = state()
    try state.press("ll-")
    #expect(state.panels[0].columnChoice.visible == [0] + Array(2..<10))
    #expect(state.panels[0].cellColumn == 2)
    try state.press("---------")
    #expect(state.panels[0].columnChoice.visible.count == 1)
    #expect(state.message?.text == "a table needs a visible column")
  }

  @Test func `a click chooses another cell of the row, and a second one opens it`() throws {
    var state = state()
    try state.press("l")
    let y = state.screen().text.split(separator: "\n", omittingEmptySubsequences: false)
      .firstIndex { $0.contains("1-1x") }
    let line = try #require(y) + 1
    try state.press("<click 25,\(line)>")
    #expect(state.panels[0].cellColumn == 1 && state.modes.overlay == nil)
    try state.press("<click 25,\(line)>")
    #expect(state.modes.overlay == .inspect)
  }

  @Test func `without a cell its keys say how to choose one`() throws {
    var state = state()
    for key in ["v", "=", "-"] {
      #expect(try state.press(key) == [])
      #expect(state.message?.text == "no cell is chosen: h and l choose one")
    }
  }
}
