import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ReducerTests {
  private func state(console: Bool = true) -> DashboardState {
    var state = Sample.state(
      [Sample.panel("fame", key: ["player"]), Sample.panel("n")], console: console)
    state.deliver([0: Sample.scores(["ada": 2, "bob": 1]), 1: Sample.numbers(1)])
    return state
  }

  @Test(
    arguments: [
      ("q", [.quit]), ("<C-c>", [.quit]), ("<C-z>", [.suspend]), ("<C-l>", [.redraw]),
      ("r", [.refreshAll]), ("<F5>", [.refreshAll]),
    ] as [(String, [Effect])])
  func `keys have effects`(_ keys: String, _ effects: [Effect]) throws {
    var state = state()
    #expect(try state.press(keys) == effects)
  }

  @Test func `the focus goes round panels, console and feed`() throws {
    var state = state()
    var seen: [Focus] = []
    for _ in 0..<5 {
      seen.append(state.focus)
      try state.press("<Tab>")
    }
    #expect(seen == [.panel(0), .panel(1), .console, .feed, .panel(0)])
    try state.press("<S-Tab>")
    #expect(state.focus == .panel(0))
    try state.press("4")
    #expect(state.focus == .feed)
    try state.press("9")
    #expect(state.focus == .feed)
    try state.press("i")
    #expect(state.focus == .console)
  }

  @Test func `what is not shown has no focus`() throws {
    var state = state(console: false)
    _ = reduce(&state, .resized(Size(width: 60, height: 20)))
    #expect(state.layout.focusOrder == [.panel(0), .panel(1)])
    try state.press("c")
    #expect(state.focus == .panel(0))
    #expect(state.message != nil)
  }

  @Test func `help is in front of everything and leaves on Escape`() throws {
    var state = state()
    try state.press("?")
    #expect(state.modes.overlay == .help)
    #expect(try state.press("jjq") == [])
    #expect(state.modes.overlay == nil)
    try state.press("<F1><F1>")
    #expect(state.modes.overlay == nil)
  }

  @Test func `while paused the rows stand still and the events go on`() throws {
    var state = state()
    try state.press(" ")
    let refresh = Refresh(
      results: [0: .success(Sample.scores(["eve": 9]))], events: [Sample.commit(2)], ordinal: 2)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    state.deliver([1: Sample.numbers(2)], ordinal: 3, at: 2)
    #expect(state.panels[0].result == Sample.scores(["ada": 2, "bob": 1]))
    #expect(state.feed.entries.count == 1)
    try state.press(" ")
    #expect(state.panels[0].result == Sample.scores(["eve": 9]))
    #expect(state.panels[1].result == Sample.numbers(2))
    #expect(state.lastRefresh?.ordinal == 3)
    #expect(state.feed.entries.count == 1)
  }

  @Test func `a panel is stale until a refresh does not name it`() {
    var state = state()
    let stale = Staleness(since: Sample.moment().civil, reason: "locked")
    _ = reduce(
      &state, .refreshed(Refresh(stale: [1: stale], ordinal: 1), at: Sample.moment(0.25)))
    #expect(state.panels[1].staleness == stale)
    #expect(state.changesAt == Sample.moment(1).monotonic)
    _ = reduce(&state, .refreshed(Refresh(ordinal: 2), at: Sample.moment(2)))
    #expect(state.panels[1].staleness == nil)
    #expect(state.changesAt == nil)
  }

  @Test func `results of panels that do not exist are passed over`() {
    var state = state()
    state.deliver([7: Sample.numbers(1)])
    #expect(state.panels.count == 2)
  }

  @Test func `a message stays until the next key`() throws {
    var state = state()
    _ = reduce(&state, .message("written", .notice))
    #expect(state.message == Message("written"))
    try state.press("j")
    #expect(state.message == nil)
  }

  @Test func `an inspected row that is gone closes the inspection`() throws {
    var state = state()
    try state.press("<Enter>")
    #expect(state.modes.overlay == .inspect)
    state.deliver([0: RowSet(columns: ["player", "score"], rows: [])], ordinal: 2)
    #expect(state.modes.overlay == nil)
  }

  @Test func `a dashboard without panels starts in its console`() throws {
    var state = Sample.state([])
    #expect(state.focus == .console)
    try state.press("<Esc>jk/<Enter>z")
    _ = state.screen()
  }
}
