import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ReplacingTests {
  private func panel(_ name: String, sql: String = "") -> PanelDefinition {
    PanelDefinition(name: name, sql: sql, view: .table, key: ["player"])
  }

  private func arena() throws -> DashboardState {
    var state = Sample.state([panel("fame"), panel("maps"), panel("slow")])
    let scores = Sample.scores(["ada": 3, "grace": 2, "linus": 1])
    state.deliver([0: scores, 1: scores, 2: scores])
    return state
  }

  @Test func `a panel of the same name keeps rows, cursor, filter, sort and scroll`() throws {
    var state = try arena()
    try state.press("2jj/a<Enter>s")
    let former = state.panels[1]
    state.replacePanels(
      with: DashboardDefinition(panels: [panel("new"), panel("maps", sql: "SELECT 2")]))
    #expect(state.panels[1].definition.sql == "SELECT 2")
    #expect(state.panels[1].result == former.result)
    #expect(state.panels[1].cursor == former.cursor)
    #expect(state.panels[1].filter == "a")
    #expect(state.panels[1].sort == former.sort)
    #expect(state.panels[0].result == nil)
  }

  @Test func `the focus follows its panel, and else goes to a neighbour`() throws {
    var state = try arena()
    try state.press("3")
    state.replacePanels(with: DashboardDefinition(panels: [panel("slow"), panel("fame")]))
    #expect(state.focus == .panel(0))
    state.replacePanels(with: DashboardDefinition(panels: [panel("fame")]))
    #expect(state.focus == .panel(0))
    #expect(state.lastFocusedPanel == 0)
  }

  @Test func `the console keeps the focus, and the panel behind it is a right one`() throws {
    var state = try arena()
    try state.press("3c")
    state.replacePanels(with: DashboardDefinition(panels: [panel("fame")]))
    #expect(state.focus == .console)
    #expect(state.lastFocusedPanel == 0)
  }

  @Test func `the feed names the panels by their new numbers`() throws {
    var state = try arena()
    let refresh = Refresh(
      results: [0: .success(Sample.scores(["ada": 4])), 2: .success(Sample.scores(["ada": 4]))],
      events: [Sample.commit(2)], ordinal: 2)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    #expect(state.feed.entries.last?.panels == [0, 2])
    state.replacePanels(with: DashboardDefinition(panels: [panel("slow"), panel("maps")]))
    #expect(state.feed.entries.last?.panels == [0])
  }

  @Test func `in kept frames panels go on that still are there, as they were`() throws {
    var state = try arena()
    state.deliver([1: Sample.scores(["ada": 9])], ordinal: 2, at: 1)
    let bytes = state.timeline.bytes
    state.replacePanels(
      with: DashboardDefinition(panels: [panel("new"), panel("maps"), panel("fame")]))
    #expect(state.timeline.count == 2)
    #expect(state.timeline.bytes < bytes, "what a panel held that is gone is gone")
    state.deliver([0: Sample.scores(["bob": 1])], ordinal: 3, at: 2)
    try state.press(",,")
    #expect(state.timeline.place == 1)
    #expect(state.panels[1].result?.rows.count == 3, "three rows before the second commit")
    #expect(state.panels[2].result?.rows.count == 3)
    #expect(state.panels[0].result == nil)
    #expect(state.screen().text.contains("not kept"))
    try state.press("0")
    #expect(state.panels[1].result?.rows.count == 1)
  }

  @Test func `a pause ends with the panels that it held`() throws {
    var state = try arena()
    try state.press(" ")
    state.deliver([0: Sample.scores(["new": 1])], ordinal: 2)
    state.replacePanels(
      with: DashboardDefinition(panels: [panel("maps", sql: "SELECT 2"), panel("fame")]))
    #expect(!state.isPaused)
    #expect(state.panels[1].result == Sample.scores(["new": 1]))
  }

  @Test func `a filter being typed ends with its panel`() throws {
    var state = try arena()
    try state.press("2/x")
    state.replacePanels(with: DashboardDefinition(panels: [panel("fame")]))
    #expect(state.modes.filter == nil)
    #expect(state.focus == .panel(0))
  }

  @Test func `a panel with an error forgets it when its query changes`() throws {
    var state = try arena()
    let error = DatabaseError(code: .error, message: "no such table: x")
    _ = reduce(
      &state, .refreshed(Refresh(results: [0: .failure(error)], ordinal: 2), at: Sample.moment()))
    state.replacePanels(with: DashboardDefinition(panels: [panel("fame")]))
    #expect(state.panels[0].error == error)
    state.replacePanels(with: DashboardDefinition(panels: [panel("fame", sql: "SELECT 1")]))
    #expect(state.panels[0].error == nil)
  }

  @Test func `a dashboard without panels leaves the console`() throws {
    var state = try arena()
    state.replacePanels(with: DashboardDefinition(panels: []))
    #expect(state.focus == .console)
    #expect(state.screen().text.contains("SQL"))
  }

  @Test func `an added panel stands below the layout, as wide as it`() {
    var definition = DashboardDefinition(
      panels: [panel("fame"), panel("maps")], layout: [["fame", "maps"]])
    definition.append(panel("pinned"))
    #expect(definition.layout == [["fame", "maps"], ["pinned", "pinned"]])
  }
}
