import Testing

@testable import Dashboard

@Suite struct PresetTests {
  private static let queries = """

    -- name: fame
    SELECT 1;
    -- name: slow
    SELECT 2;
    -- name: errors
    SELECT 3;

    """

  private func parse(_ head: String) -> (DashboardDefinition, [String]) {
    let parsed = DashboardParser.parse(head + Self.queries)
    return (parsed.definition, parsed.diagnostics.map { $0.rendered(file: "f") })
  }

  @Test func `without presets there is nothing to choose from`() {
    let (definition, diagnostics) = parse("-- layout: fame slow errors\n")
    #expect(definition.presets == [])
    #expect(diagnostics == [])
    #expect(!Presets(definition).areSeveral)
    #expect(Presets(definition).chosen.panels == [0, 1, 2])
  }

  @Test func `presets name panels, and all others are in the one called all`() {
    let (definition, diagnostics) = parse("-- preset: ops slow fame\n-- preset: perf errors\n")
    #expect(diagnostics == [])
    #expect(
      definition.presets == [
        PresetDefinition(name: "all", panels: ["fame", "slow", "errors"]),
        PresetDefinition(name: "ops", panels: ["slow", "fame"]),
        PresetDefinition(name: "perf", panels: ["errors"]),
      ])
  }

  @Test func `all has the place that the file gives it`() {
    let (definition, diagnostics) = parse(
      "-- layout: fame slow errors\n-- preset: ops fame\n-- preset: all\n")
    #expect(diagnostics == [])
    #expect(definition.presets.map(\.name) == ["ops", "all"])
    #expect(definition.presets[1].layout == [["fame", "slow", "errors"]])
  }

  @Test func `layout lines below a preset are its own`() {
    let (definition, diagnostics) = parse(
      "-- preset: ops\n-- layout: fame slow\n-- layout: fame .\n")
    #expect(diagnostics == [])
    #expect(definition.layout == [])
    #expect(definition.presets[1].panels == ["fame", "slow"])
    #expect(definition.presets[1].layout == [["fame", "slow"], ["fame", "."]])
    #expect(
      Presets(definition, chosen: "ops").chosen.layout == [
        [.panel(0), .panel(1)], [.panel(0), nil],
      ])
  }

  @Test(arguments: [
    (
      "-- preset: ops fame slwo\n",
      #"f:1:21: error: the preset "ops" names "slwo", but no panel is called so, did you mean "slow"?"#
    ),
    (
      "-- preset: ops\n",
      #"f:1:12: error: the preset "ops" names no panel; write them behind it, as in "preset: ops fame", or in "layout:" lines below it"#
    ),
    (
      "-- preset: ops fame\n-- preset: ops slow\n",
      #"f:2:12: error: a preset is called "ops" already, on line 1"#
    ),
    (
      "-- preset: ops\n-- layout: fame slow\n-- layout: fame\n",
      "f:3:12: error: this row of the layout has 1 cell, the first one 2"
    ),
    (
      "-- preset: ops fame slow\n-- layout: fame\n",
      #"f:1:21: warning: "slow" is not in the layout of the preset "ops", so it is not shown"#
    ),
    (
      "-- prest: ops fame\n",
      #"f:1:4: warning: "prest:" has no effect, did you mean "preset"?"#
    ),
  ])
  func `what makes no sense is said with its place`(_ head: String, _ expected: String) {
    #expect(parse(head).1 == [expected])
  }

  @Test func `a panel that the layout leaves out is missed unless a preset has it`() {
    #expect(
      parse("-- layout: fame slow\n").1 == [
        #"f:7:10: warning: "errors" is not in the layout, so it is not shown"#
      ])
    #expect(parse("-- layout: fame slow\n-- preset: ops errors\n").1 == [])
  }

  @Test func `a panel can have a row of its own below each layout, and be in each preset`() {
    let head = """
      -- layout: a b
      -- preset: few a
      -- preset: placed
      -- layout: b
      -- name: a
      SELECT 1;
      -- name: b
      SELECT 2;

      """
    let parsed = DashboardParser.parse(head + "-- name: c\n-- place: below\nSELECT 3;")
    #expect(parsed.diagnostics == [])
    #expect(parsed.definition.layout == [["a", "b"], ["c", "c"]])
    #expect(
      parsed.definition.presets.map(\.panels) == [["a", "b", "c"], ["a", "c"], ["b", "c"]])
    #expect(
      parsed.definition.presets.map(\.layout) == [[["a", "b"], ["c", "c"]], [], [["b"], ["c"]]])
    // As if it had been added to the dashboard that is shown.
    var added = DashboardParser.parse(head).definition
    added.append(parsed.definition.panels[2])
    #expect(added.layout == parsed.definition.layout && added.presets == parsed.definition.presets)
    added.remove(panel: "c")
    #expect(added.layout == [["a", "b"]])
    #expect(added.presets.map(\.panels) == [["a", "b"], ["a"], ["b"]])
    let wrong = DashboardParser.parse("-- name: a\n-- place: left\nSELECT 1;").diagnostics
    #expect(wrong.map(\.position.column) == [11] && wrong[0].message.contains("only be \"below\""))
  }

  @Test func `a preset below a query is in the wrong place`() {
    let parsed = DashboardParser.parse("-- name: a\nSELECT 1;\n\n-- preset: x a\n")
    #expect(
      parsed.diagnostics.map { $0.rendered(file: "f") } == [
        #"f:4:4: error: "preset:" belongs at the head of the file, above the first query"#
      ])
  }
}
