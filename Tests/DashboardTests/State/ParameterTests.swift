import ObservationEngine
import Testing

@testable import Dashboard

/// `-- param:`: parameters that are chosen from lists.
@Suite struct ParameterTests {
  private func parsed(_ head: String) -> (DashboardDefinition, [String]) {
    let (definition, diagnostics) = DashboardParser.parse(
      head + "\n\n-- name: a\nSELECT :country;")
    return (definition, diagnostics.map { "\($0.line):\($0.column) \($0.message)" })
  }

  @Test func `the head of a dashboard names what is chosen, and from which values`() {
    let (definition, diagnostics) = parsed(
      "-- dashboard: x\n-- param: country from SELECT DISTINCT Country FROM Customers;\n"
        + "-- param: n FROM VALUES (1), (2)")
    #expect(diagnostics == [])
    #expect(definition.parameters.map(\.name) == ["country", "n"])
    #expect(definition.parameters[0].sql == "SELECT DISTINCT Country FROM Customers")
    #expect(definition.parameters[0].source == SourcePosition(line: 2, column: 24))
    #expect(definition.parameters[1].sql == "VALUES (1), (2)")
  }

  @Test func `what can't be a parameter is said where it is written`() {
    for head in ["-- param: country", "-- param: country SELECT 1", "-- param: from SELECT 1"] {
      #expect(
        parsed(head).1.first?.hasPrefix("1:11 expected a name and a query") == true, "\(head)")
    }
    #expect(parsed("-- param: :x from SELECT 1").1.first?.hasPrefix("1:11 \":x\" can't be") == true)
    let twice = parsed("-- param: x from SELECT 1\n-- param: x from SELECT 2").1
    #expect(twice.first == "2:11 the parameter \"x\" is given twice")
  }

  private func state() -> DashboardState {
    var state = Sample.state([Sample.panel("a", .table)], panes: PaneChoices())
    _ = reduce(
      &state,
      .parameters([
        ChosenParameter(
          name: "country", value: .text("Germany"),
          choices: [.text("Germany"), .text("New Zealand"), .integer(7), .null])
      ]))
    return state
  }

  @Test func `a key lists the values, and Enter takes one`() throws {
    var state = state()
    #expect(state.screen().text.contains("country=Germany"))
    #expect(state.screen().text.contains("$ country"))
    #expect(try state.press("$") == [.readChoices])
    #expect(
      state.modes.command?.offers(state).map(\.title)
        == ["country Germany", "country New Zealand", "country 7", "country NULL"])
    #expect(
      try state.press("new<Tab><Enter>")
        == [.setParameter(name: "country", .text("New Zealand"))])
    #expect(
      try state.press("$<Down><Down><Down><Enter>").last
        == .setParameter(name: "country", .integer(7)))
    #expect(
      try state.press(":param country NULL<Enter>") == [.setParameter(name: "country", .null)])
  }

  @Test func `rows of another value are not compared with those of the former one`() {
    var state = Sample.state([
      PanelDefinition(name: "a", sql: "SELECT :country", view: .table),
      PanelDefinition(name: "b", sql: "SELECT 1", view: .table),
    ])
    func choose(_ value: Value) {
      let parameter = ChosenParameter(name: "country", value: value, choices: [])
      _ = reduce(&state, .parameters([parameter]))
    }
    choose(.text("Chile"))
    state.deliver([0: Sample.numbers(2), 1: Sample.numbers(2)])
    choose(.text("Chile"))
    #expect(state.panels.map { $0.result?.rows.count } == [2, 2])
    choose(.text("Peru"))
    #expect(state.panels.map { $0.result?.rows.count } == [nil, 2])
    state.deliver([0: Sample.numbers(3)], ordinal: 2, at: 1)
    #expect(state.panels[0].marks.byRow.isEmpty)
  }

  @Test func `any value can be typed, and an unknown name is refused`() throws {
    var state = state()
    #expect(
      try state.press(":param country Atlantis 2<Enter>")
        == [.setParameter(name: "country", .text("Atlantis 2"))])
    #expect(
      try state.press(":param country 12<Enter>")
        == [.setParameter(name: "country", .integer(12))])
    // As on the command line, and as the list has it.
    #expect(
      try state.press(":param country 2.5<Enter>")
        == [.setParameter(name: "country", .real(2.5))])
    for text in ["ger", "germany"] {
      #expect(
        try state.press(":param country \(text)<Enter>")
          == [.setParameter(name: "country", .text("Germany"))])
    }
    #expect(
      try state.press(":param country ''<Enter>") == [.setParameter(name: "country", .text(""))])
    #expect(try state.press(":param county x<Enter>") == [])
    #expect(state.message?.text.hasPrefix("no parameter is called \"county\"") == true)
  }

  @Test func `without parameters there is no key`() throws {
    var state = Sample.state([Sample.panel("a", .table)])
    #expect(try state.press("$") == [])
    #expect(state.message?.text == "this dashboard has no \"-- param:\" to choose")
    #expect(!state.screen().text.contains("$"))
  }
}
