import Testing

@testable import Dashboard

@Suite struct PaneChoicesTests {
  @Test func `choices are one line of text, and are read from it`() {
    let choices = PaneChoices(
      panes: [.console: true, .feed: false], hiddenPanels: ["fame", "Order_Details"])
    #expect(choices.text == "+console -feed -panel:Order_Details -panel:fame")
    #expect(PaneChoices(text: choices.text) == choices)
    #expect(PaneChoices(text: "") == PaneChoices())
    #expect(PaneChoices(text: "+nothing feed +feed ~") == PaneChoices(panes: [.feed: true]))
  }

  @Test func `a choice wins over those that it is laid over`() {
    let usual = PaneChoices(panes: [.console: true, .schema: true])
    let chosen = PaneChoices(panes: [.console: false], hiddenPanels: ["a"])
    #expect(
      chosen.over(usual)
        == PaneChoices(panes: [.console: false, .schema: true], hiddenPanels: ["a"]))
  }

  // MARK: On the screen

  private func state(
    layout: [[String]] = [], size: Size = Size(width: 160, height: 48),
    panes: PaneChoices = PaneChoices()
  ) -> DashboardState {
    Sample.state(
      ["a", "b", "c"].map { Sample.panel($0) }, layout: layout, size: size, panes: panes)
  }

  @Test func `the screen is the panels until something else is used`() throws {
    var state = state()
    #expect(state.layout.console == nil && state.layout.feed == nil && state.layout.schema == nil)
    #expect(state.layout.focusOrder == [.panel(0), .panel(1), .panel(2)])
    #expect(state.layout.panels.map { $0.frame.y + $0.frame.height }.max() == 45)
    #expect(
      try state.press("t") == [.rememberPanes(PaneChoices(panes: [.feed: true]))])
    #expect(state.focus == .feed && state.layout.feed != nil)
    // Elsewhere, its key goes there; there, it hides it.
    try state.press("1t")
    #expect(state.focus == .feed)
    #expect(try state.press("t") == [.rememberPanes(PaneChoices(panes: [.feed: false]))])
    #expect(state.focus == .panel(0) && state.layout.feed == nil)
  }

  @Test func `the console stays beside the panels until F4`() throws {
    var state = state()
    try state.press("c")
    #expect(state.focus == .console)
    try state.press("select<Esc>")
    #expect(state.focus == .panel(0) && state.layout.console != nil)
    try state.press("<F4>")
    #expect(state.focus == .console && state.console.editor.text == "select")
    try state.press("<F4>")
    #expect(state.focus == .panel(0) && state.layout.console == nil)
  }

  @Test func `Escape leaves the feed from its newest line`() throws {
    var state = state()
    for ordinal in 1...3 {
      let refresh = Refresh(
        events: [Sample.commit(ordinal, at: Double(ordinal))], ordinal: ordinal)
      _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    }
    try state.press("tj<Esc>")
    #expect(state.focus == .feed && state.feed.cursor == 0)
    try state.press("<Esc>")
    #expect(state.focus == .panel(0))
  }

  @Test func `a layout names panes, and the user hides them`() throws {
    var state = state(layout: [["a", "b"], ["c", "feed"]])
    #expect(state.layout.feed?.x == state.layout.panels[1].frame.x)
    try state.press(":hide feed<Enter>")
    #expect(state.layout.feed == nil)
    #expect(state.layout.panels[2].frame.width == 160)
    try state.press(":show transactions<Enter>")
    #expect(state.layout.feed != nil && state.focus == .feed)
  }

  @Test func `a hidden panel leaves its room to its neighbour, and comes back`() throws {
    var state = state(layout: [["a", "b"], ["c", "b"]])
    try state.press("2:hide<Enter>")
    #expect(state.layout.panels.map(\.index) == [0, 2])
    #expect(state.layout.panels.allSatisfy { $0.frame.width == 160 })
    #expect(state.focus == .panel(2))
    #expect(state.message?.text == "b is hidden; :show b brings it back")
    try state.press("2")
    #expect(state.focus == .panel(2))
    try state.press(":focus b<Enter>")
    #expect(state.focus == .panel(1) && state.layout.panels.count == 3)
    try state.press(":hide a<Enter>:hide c<Enter>:hide b<Enter>")
    #expect(state.message?.text == "this is the last panel on the screen")
  }

  @Test func `what was hidden in an earlier session neither has the focus nor empties the screen`()
    throws
  {
    for layout in [[], [["a", "b"], ["c", "b"]]] {
      var state = state(layout: layout, panes: PaneChoices(hiddenPanels: ["a"]))
      #expect(state.focus == .panel(1) && state.layout.panels.map(\.index) == [1, 2])
      try state.press(":focus 3<Enter>")
      #expect(state.focus == .panel(2))
    }
    let state = state(panes: PaneChoices(hiddenPanels: ["a", "b", "c"]))
    #expect(state.layout.panels.count == 3)
  }

  @Test func `a panel of this session is hidden for this session only`() throws {
    var state = state()
    let console = ConsoleEvent.pinned(Sample.panel("b"))
    try state.press(":hide b<Enter>")
    _ = reduce(&state, .console(console))
    #expect(state.hiddenPanels == [])
    #expect(try state.press(":hide b<Enter>") == [.rememberPanes(PaneChoices())])
    #expect(state.hiddenPanels == [1])
  }

  @Test func `closing ends a panel of this session, and hides one of the dashboard`() throws {
    var state = state()
    #expect(try state.press("2:close<Enter>") == [.closePanel(named: "b")])
    #expect(
      reduce(&state, .panelKept(named: "b"))
        == [.rememberPanes(PaneChoices(hiddenPanels: ["b"]))])
    #expect(state.layout.panels.map(\.index) == [0, 2])
    #expect(try state.press(":unpin<Enter>") == [])
    #expect(state.message?.text.hasPrefix("no panel is pinned") == true)
    try state.press("t:close<Enter>")
    #expect(state.layout.feed == nil)
  }

  @Test func `focus goes to panes by name and by number`() throws {
    var state = state(panes: Sample.allPanes)
    try state.press(":focus transactions<Enter>")
    #expect(state.focus == .feed)
    try state.press(":focus 4<Enter>")
    #expect(state.focus == .console)
    try state.press("<Esc>:focus C<Enter>")
    #expect(state.focus == .panel(2))
  }

  @Test func `a small screen shows a pane alone, as long as it has the focus`() throws {
    var state = state(size: Size(width: 50, height: 14))
    try state.press("t")
    #expect(state.layout.feed == state.layout.body)
    try state.press("<Esc>")
    #expect(state.layout.feed == nil && state.focus == .panel(0))
  }

  @Test func `without the feed, the newest commit has the line of messages`() throws {
    var state = state()
    let refresh = Refresh(
      results: [0: .success(Sample.numbers(2))], events: [Sample.commit(7)], ordinal: 7,
      duration: .milliseconds(4))
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    let line = state.screen(at: 1).text.split(separator: "\n").first { $0.contains(" ext ") }
    #expect(line?.hasPrefix("   12:04:31.204    7 ext  scores  → 1") == true, "\(line ?? "")")
    try state.press("t<Esc>")
    #expect(state.screen(at: 1).text.ranges(of: "scores").count == 1)
  }
}
