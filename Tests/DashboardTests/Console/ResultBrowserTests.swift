import ObservationEngine
import Testing

@testable import Dashboard

/// Looking through a result of the console: what a panel's keys do to it.
@Suite struct ResultBrowserTests {
  /// A result of players is looked through, beside a panel of numbers.
  private func browsing(size: Size = Size(width: 80, height: 24)) throws -> DashboardState {
    var state = Sample.state([Sample.panel("p", .table)], size: size)
    state.deliver([0: Sample.numbers(9)])
    try state.press("c")
    let rows = RowSet(
      columns: ["player", "map", "score"],
      rows: [
        ["ada", "arena", 30], ["bob", "cave", 10], ["cyd", "arena", 20], ["dan", "tower", 40],
      ])
    let sql = "select * from scores;"
    _ = reduce(&state, .console(.started(sql: sql, at: Sample.moment())))
    _ = reduce(
      &state, .console(.finished(rows, total: 4, changes: nil, duration: .zero, sql: sql)))
    try state.press("<C-o>")
    return state
  }

  private func players(_ state: DashboardState) -> [String] {
    (state.console.browser?.shownRows?.rows ?? []).compactMap { row in
      if case .text(let name) = row[0] { name } else { nil }
    }
  }

  @Test func `a filter keeps rows while it is typed, and n and N go through them`() throws {
    var state = try browsing()
    try state.press("/are")
    #expect(players(state) == ["ada", "cyd"])
    #expect(state.panels[0].filter == "")
    #expect(state.screen().text.contains("2 select * from scores; /are"))
    try state.press("<Enter>n")
    #expect(state.console.browser?.cursorRow?.first == "cyd")
    try state.press("N")
    #expect(state.console.browser?.cursorRow?.first == "ada")
  }

  @Test func `Escape takes back one thing at a time, and the result last`() throws {
    var state = try browsing()
    try state.press("/are<Enter>ssS z")
    #expect(state.isZoomed)
    try state.press("<Esc>")
    #expect(!state.isZoomed)
    try state.press("<Esc>")
    #expect(state.console.browser?.filter == "")
    #expect(players(state) == ["dan", "bob", "ada", "cyd"])
    try state.press("<Esc>")
    #expect(state.console.browser?.sort == nil)
    try state.press("<Esc>")
    #expect(state.console.browser == nil)
    #expect(state.focus == .console)
  }

  @Test func `Escape while a filter is typed clears it, and the result stays`() throws {
    var state = try browsing()
    try state.press("/are<Esc>")
    #expect(players(state).count == 4)
    #expect(state.console.browser != nil)
    try state.press("/are<C-c>j")
    #expect(players(state).count == 4)
    #expect(state.console.browser?.cursor == 1)
  }

  @Test func `columns are chosen as a panel's are`() throws {
    var state = try browsing()
    try state.press("<lt>")
    #expect(state.screen().text.contains("┫columns of select * from scores;┣"))
    try state.press("j <Esc>")
    #expect(state.console.browser?.columnChoice.visible == [0, 2])
    #expect(state.panels[0].columnChoice.visible == [0])
    #expect(!state.screen().text.contains("arena "))
    try state.press("<lt>0>>k<Enter>")
    #expect(state.console.browser?.columnChoice.order == [1, 2, 0])
  }

  @Test func `Enter looks at the row under the cursor`() throws {
    var state = try browsing()
    try state.press("j<Enter>")
    let text = state.screen().text
    #expect(text.contains("row 2 of 4"))
    #expect(text.contains("cave"))
    // A commit that changes the panels leaves the row where it is.
    state.deliver([0: Sample.numbers(3)], ordinal: 2)
    #expect(state.modes.overlay == .inspect)
  }

  @Test func `rows are copied and exported as they are shown`() throws {
    var state = try browsing()
    guard case .copy(let row) = try state.press("jy").first else {
      Issue.record("nothing was copied")
      return
    }
    #expect(row.text == "bob\tcave\t10")
    try state.press("/are<Enter>sS")
    let effects = try state.press("x<Enter>")
    let shown = RowSet(
      columns: ["player", "map", "score"], rows: [["cyd", "arena", 20], ["ada", "arena", 30]])
    #expect(effects == [.export(.rows(Export(path: "result.csv", format: .csv, rows: shown)))])
  }

  @Test func `the rows that are exported are the result's, whatever a panel is called`() throws {
    var state = Sample.state([Sample.panel("result", .table)])
    state.deliver([0: Sample.numbers(2)])
    let effects = try state.press("x<Enter>")
    #expect(
      effects == [.export(.rows(Export(path: "result.csv", format: .csv, rows: Sample.numbers(2))))]
    )
  }

  @Test func `the mouse chooses rows, and the wheel scrolls them`() throws {
    var state = try browsing(size: Size(width: 80, height: 24))
    let frame = try #require(state.layout.console)
    let rows = PanelGeometry(.table, frame: frame).rows
    // A click counts cells from 1.
    try state.press("<click \(rows.x + 2),\(rows.y + 3)>")
    #expect(state.console.browser?.cursor == 2)
    try state.press("<click \(rows.x + 2),\(rows.y + 3)>")
    #expect(state.modes.overlay == .inspect)
    try state.press("<Esc>")
    let many = Sample.numbers(300)
    state.console.browser?.receive(many, ordinal: 0, at: Sample.moment())
    try state.press("<wheel-down \(rows.x + 1),\(rows.y + 1)>")
    #expect(state.console.browser?.top == 3)
    #expect(state.console.transcript.scroll == 0)
  }

  @Test func `a colon opens the command line, and Escape leads back to the result as it was`()
    throws
  {
    var state = try browsing()
    try state.press("/are<Enter>sSjz")
    let before = state.screen()
    for keys in ["zoo<Esc>", "<BS>", "<Down><Down><C-c>"] {
      try state.press(":")
      #expect(
        state.modes.command?.offers(state).count
          == Binding.commands.count { $0.isAvailable(state) })
      #expect(state.screen().text.contains("Tab complete  Enter run  Esc leave"))
      try state.press(keys)
      #expect(state.modes.command == nil)
      #expect(state.screen() == before)
    }
    try state.press("<Esc><Esc>")
    #expect(state.console.browser?.filter == "")
  }

  @Test func `commands are about the result that is looked through`() throws {
    var state = try browsing()
    try state.press(":filter are<Enter>")
    #expect(players(state) == ["ada", "cyd"])
    try state.press(":sort score<Enter>")
    #expect(players(state) == ["cyd", "ada"])
    try state.press(":sort score<Enter>")
    #expect(players(state) == ["ada", "cyd"])
    try state.press(":row 2<Enter>")
    #expect(state.console.browser?.cursorRow?.first == "cyd")
    try state.press(":inspect<Enter>")
    #expect(state.modes.overlay == .inspect)
    try state.press("<Esc>:zoom<Enter>")
    #expect(state.isZoomed)
    try state.press(":filter<Enter>")
    #expect(state.modes.filter?.text == "are")
    try state.press("<Esc>:sort<Enter>")
    #expect(state.console.browser?.sort == nil, "behind the last column there is no order")
    #expect(state.panels[0].filter == "" && state.panels[0].sort == nil)
    guard case .copy(let row)? = try state.press(":copy<Enter>").first else {
      Issue.record("nothing was copied")
      return
    }
    #expect(row.text == "cyd\tarena\t20")
  }

  @Test func `commands that concern the program do what they do anywhere`() throws {
    var state = try browsing()
    #expect(try state.press(":refresh<Enter>") == [.refreshAll])
    try state.press(":pause<Enter>")
    #expect(state.isPaused)
    try state.press(":live<Enter>:help<Enter>")
    #expect(!state.isPaused)
    #expect(state.modes.overlay == .help)
    try state.press("<Esc>:edit<Enter>")
    #expect(state.message?.text.hasPrefix("no panel has the focus") == true)
    #expect(try state.press(":undo<Enter>") == [.console(.describeUndo)])
    #expect(state.console.browser != nil)
    #expect(try state.press(":quit<Enter>") == [.quit])
    try state.press(":console<Enter>")
    #expect(state.console.browser == nil)
    #expect(state.focus == .console)
  }

  @Test func `a click outside of the offers closes the command line alone`() throws {
    var state = try browsing()
    try state.press(":<click 70,2>")
    #expect(state.modes.command == nil)
    #expect(state.console.browser != nil)
    #expect(state.focus == .console)
  }

  @Test func `a screen for one value has no command line`() throws {
    var state = try browsing(size: Size(width: 20, height: 4))
    try state.press(":")
    #expect(state.modes.command == nil)
  }

  @Test func `a message line in its place tells which keys there are`() throws {
    let state = try browsing()
    let hints = state.screen().text.split(separator: "\n").last ?? ""
    for hint in ["/ filter", "s sort", "Enter inspect", "Esc close"] {
      #expect(hints.contains(hint), "\(hint) in \(hints)")
    }
  }
}
