import Testing

@testable import Dashboard

@Suite struct PresetKeysTests {
  private func state(
    _ presets: [PresetDefinition], size: Size = Size(width: 160, height: 48), start: String? = nil
  ) -> DashboardState {
    let definition = DashboardDefinition(
      panels: ["fame", "slow", "errors"].map { Sample.panel($0, .table) }, presets: presets)
    var state = DashboardState(
      definition: definition, databaseName: "arena.sqlite", dashboardName: "arena.sql",
      preset: start, choices: Sample.allPanes, now: Sample.moment())
    _ = reduce(&state, .resized(size))
    state.deliver([0: Sample.numbers(3), 1: Sample.numbers(3), 2: Sample.numbers(3)])
    return state
  }

  private let presets = [
    PresetDefinition(name: "ops", panels: ["slow", "errors"]),
    PresetDefinition(name: "all", panels: ["fame", "slow", "errors"]),
    PresetDefinition(name: "perf", panels: ["fame"]),
  ]

  private func shown(_ state: DashboardState) -> [Int] {
    state.layout.panels.map(\.index)
  }

  private func header(_ state: DashboardState) -> String {
    String(state.screen().text.prefix { $0 != "\n" })
  }

  @Test func `the header names the presets, the chosen one in brackets`() throws {
    var state = state(presets)
    #expect(header(state).contains("  dashboard arena.sql [ops] all  perf  "))
    try state.press("p")
    #expect(header(state).contains("  dashboard arena.sql ops [all] perf  ") == false)
    #expect(header(state).contains("  dashboard arena.sql  ops [all] perf  "))
  }

  @Test func `p and P go round`() throws {
    var state = state(presets)
    #expect(shown(state) == [1, 2])
    try state.press("p")
    #expect(shown(state) == [0, 1, 2])
    try state.press("p")
    #expect(shown(state) == [0])
    try state.press("p")
    #expect(shown(state) == [1, 2])
    try state.press("P")
    #expect(shown(state) == [0])
  }

  @Test func `the focus goes to a panel that is shown, and from one to the next of them`() throws {
    var state = state(presets)
    #expect(state.focus == .panel(1))
    try state.press("<Tab>")
    #expect(state.focus == .panel(2))
    try state.press("<Tab>")
    #expect(state.focus == .console)
    try state.press("<S-Tab>1")
    #expect(state.focus == .panel(2))
    #expect(state.message?.text == "panel 1 is not in the preset ops; p shows others")
    try state.press("P")
    #expect(state.focus == .panel(0))
  }

  @Test func `no panel of another preset comes before the first one or after the last`() throws {
    var state = state(presets)
    try state.press("<S-Tab>")
    if case .panel(let index) = state.focus { Issue.record("panel \(index) is not shown") }
    try state.press("<Tab>")
    #expect(state.focus == .panel(1))
  }

  @Test func `panels keep their numbers, and console and feed theirs behind them`() throws {
    var state = state(presets)
    #expect(state.screen().text.contains("┫2 slow┣"))
    try state.press("5")
    #expect(state.focus == .feed)
  }

  @Test func `the console keeps the focus`() throws {
    var state = state(presets, start: "perf")
    try state.press("c")
    _ = state.choosePreset("ops")
    #expect(state.focus == .console)
    #expect(state.lastFocusedPanel == 1)
  }

  @Test func `a preset by name, and a wrong name`() throws {
    var state = state(presets)
    try state.press(":preset perf<Enter>")
    #expect(shown(state) == [0])
    try state.press(":preset pref<Enter>")
    #expect(state.message?.text == "no preset is called \"pref\", did you mean \"perf\"?")
  }

  @Test func `going to a panel by name shows a preset that has it`() throws {
    var state = state(presets)
    try state.press(":focus fame<Enter>")
    #expect(state.focus == .panel(0))
    #expect(shown(state) == [0, 1, 2])
  }

  @Test func `a reload keeps the preset by its name`() {
    var state = state(presets, start: "perf")
    state.replacePanels(
      with: DashboardDefinition(
        panels: ["slow", "fame"].map { Sample.panel($0, .table) },
        presets: [
          PresetDefinition(name: "all", panels: ["slow", "fame"]),
          PresetDefinition(name: "perf", panels: ["slow"]),
        ]))
    #expect(shown(state) == [0])
    #expect(state.focus == .panel(0))
  }

  @Test func `without presets p turns pages`() throws {
    let panels = (1...30).map { Sample.panel("p\($0)", .table) }
    var state = Sample.state(panels)
    let first = shown(state)
    try state.press("p")
    #expect(shown(state) == first.map { $0 + first.count })
    try state.press("PP")
    #expect(shown(state).last == 29)
  }

  @Test func `with nothing to choose from, p says how to have it`() throws {
    var state = state([])
    try state.press("p")
    #expect(state.message?.text.contains("-- preset: NAME PANEL") == true)
  }

  @Test func `free cells of a layout stay free`() {
    let definition = DashboardDefinition(
      panels: [Sample.panel("a", .table)], layout: [["a", "."]])
    var state = DashboardState(
      definition: definition, databaseName: "x", source: .database(hasConsole: false),
      now: Sample.moment())
    _ = reduce(&state, .resized(Size(width: 60, height: 12)))
    #expect(state.layout.panels[0].frame.width == 30)
  }
}
