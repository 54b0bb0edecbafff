import ObservationEngine
import Testing

@testable import Dashboard

/// `-- on-enter:`: panels that rows open.
@Suite struct DrillTests {
  private let file = """
    -- name: customers
    -- key: CustomerID
    -- on-enter: orders customer=:CustomerID
    SELECT CustomerID, City FROM Customers;

    -- name: orders
    -- title: Orders
    -- on-enter: lines order=:OrderID by=:Customer
    SELECT OrderID, :customer AS Customer FROM Orders WHERE CustomerID = :customer AND Year > :year;

    -- name: lines
    SELECT * FROM OrderDetails WHERE OrderID = $order AND :by <> ':by';
    """

  private func diagnostics(_ line: String) -> [String] {
    DashboardParser.parse(
      "-- name: a\n-- on-enter: \(line)\nSELECT 1 AS x;\n-- name: b\nSELECT :p;"
    ).diagnostics.map { "\($0.line):\($0.column) \($0.message)" }
  }

  @Test func `a panel that another one opens is a detail`() {
    let (definition, diagnostics) = DashboardParser.parse(file)
    #expect(diagnostics == [])
    #expect(definition.panels.map(\.name) == ["customers"])
    #expect(definition.details.map(\.name) == ["orders", "lines"])
    #expect(
      definition.panels[0].drill?.assignments
        == [Drill.Assignment(parameter: "customer", column: "CustomerID")])
  }

  @Test func `what can't be opened is said where it is written`() {
    #expect(diagnostics("b p=:x") == [])
    let unknown = "2:14 \"on-enter:\" names \"c\", but no panel is called so"
    #expect(diagnostics("c p=:x").first?.hasPrefix(unknown) == true)
    #expect(diagnostics("b q=:x").first?.hasPrefix("2:14 \"b\" has no parameter :q") == true)
    for line in ["b p=x", "b p", "b =:x", "b p=:"] {
      #expect(
        diagnostics(line).first?.contains("expected a parameter and the column for it") == true,
        "\(line)")
    }
    #expect(diagnostics("b p=:x p=:x").first?.contains("given twice") == true)
    let placed = DashboardParser.parse(
      "-- layout: a b\n\n-- name: a\n-- on-enter: b p=:x\nSELECT 1 AS x;\n-- name: b\nSELECT :p;")
    #expect(placed.diagnostics.first?.message.contains("has no place of its own") == true)
    let circle = DashboardParser.parse("-- name: a\n-- on-enter: a\nSELECT 1;").diagnostics
    #expect(circle.contains { $0.message.contains("none is left to show") })
  }

  @Test func `a parameter of a server's query may have a type`() {
    let file = "-- name: a\n-- on-enter: b p=:x\nSELECT 1 AS x;\n-- name: b\nSELECT :p::int;"
    #expect(
      DashboardParser.parse(file, views: ViewKind.allCases, dialect: .postgres).diagnostics == [])
    #expect(DashboardParser.parse(file).diagnostics.count == 1)
    let sql = "SELECT :p::int, :q, :r, :s, :t"
    let values: [String: Value] = [
      "p": 1, "q": 2.5, "r": .null, "s": "o'x", "t": .real(-.infinity),
    ]
    #expect(
      SQLParameters(sql, dialect: .postgres).filled(named: values)
        == "SELECT '1'::int, '2.5', NULL, 'o''x', '-Infinity'")
  }

  // MARK: On the screen

  private func state() -> DashboardState {
    var state = DashboardState(
      definition: DashboardParser.parse(file).definition, databaseName: "app.db",
      now: Sample.moment())
    _ = reduce(&state, .resized(Size(width: 100, height: 30)))
    state.deliver([
      0: RowSet(
        columns: ["CustomerID", "City"],
        rows: [[.text("ALFKI"), .text("Berlin")], [.text("O'Neill"), .text("Cork")]])
    ])
    return state
  }

  /// What the session does with an effect.
  private func perform(_ effects: [Effect], _ state: inout DashboardState) -> PanelDefinition? {
    var shown: PanelDefinition?
    for effect in effects {
      var definition = DashboardDefinition(panels: state.panels.map(\.definition))
      definition.details = state.details.definitions
      switch effect {
      case .showPanel(let panel):
        shown = panel
        definition.append(panel)
        _ = reduce(&state, .panelsReplaced(definition))
        _ = reduce(&state, .focusPanel(named: panel.name))
      case .closePanel(let name):
        definition.remove(panel: name)
        _ = reduce(&state, .panelsReplaced(definition))
      default: break
      }
    }
    return shown
  }

  @Test func `Enter opens the detail of the row, and Escape leads back`() throws {
    var state = state()
    let first = perform(try state.press("jj<Enter>"), &state)
    let orders = try #require(first)
    #expect(orders.title == "customers > O'Neill > Orders")
    #expect(
      orders.sql
        == "SELECT OrderID, 'O''Neill' AS Customer FROM Orders "
        + "WHERE CustomerID = 'O''Neill' AND Year > :year")
    #expect(state.focus == .panel(1) && state.isZoomed)
    #expect(state.screen().text.contains("customers > O'Neill > Orders"))
    state.deliver([1: RowSet(columns: ["OrderID", "Customer"], rows: [[.integer(7), .null]])])
    let second = perform(try state.press("<Enter>"), &state)
    let lines = try #require(second)
    #expect(lines.sql == "SELECT * FROM OrderDetails WHERE OrderID = 7 AND NULL <> ':by'")
    #expect(lines.title == "customers > O'Neill > Orders > 7 NULL > lines")
    _ = perform(try state.press("<Esc>"), &state)
    #expect(state.focus == .panel(1) && state.isZoomed && state.panels.count == 2)
    _ = perform(try state.press("/x<Enter><Esc>"), &state)
    #expect(state.panels.count == 2)
    _ = perform(try state.press("<Esc>"), &state)
    #expect(state.panels.count == 1 && !state.isZoomed && state.panels[0].cursor == 1)
    #expect(state.details.path == [])
  }

  @Test func `closing it leads back as well, and the row itself is shown by name`() throws {
    var state = state()
    _ = perform(try state.press("<Enter>"), &state)
    _ = perform(try state.press(":close<Enter>"), &state)
    #expect(state.panels.count == 1 && state.details.path == [])
    #expect(try state.press(":inspect<Enter>") == [])
    #expect(state.modes.overlay == .inspect)
  }

  @Test func `a detail that is open is returned to, and what it opened ends`() throws {
    var state = state()
    _ = perform(try state.press("<Enter>"), &state)
    state.deliver([1: RowSet(columns: ["OrderID", "Customer"], rows: [[.integer(7), .null]])])
    _ = perform(try state.press("<Enter>"), &state)
    #expect(state.panels.count == 3 && state.focus == .panel(2))
    try state.press(":focus customers<Enter>z")
    #expect(perform(try state.press("<Enter>"), &state) == nil)
    #expect(state.panels.count == 2 && state.focus == .panel(1) && state.isZoomed)
    _ = perform(try state.press("<Esc>"), &state)
    #expect(state.focus == .panel(0) && state.details.path == [])
  }

  @Test func `what a closed detail had opened leads back to the row before it`() throws {
    var state = state()
    let orders = try #require(perform(try state.press("<Enter>"), &state)?.name)
    state.deliver([1: RowSet(columns: ["OrderID", "Customer"], rows: [[.integer(7), .null]])])
    _ = perform(try state.press("<Enter>"), &state)
    _ = perform(try state.press(":hide \(orders)<Enter>"), &state)
    #expect(state.panels.count == 2 && state.details.path.map(\.origin) == ["customers"])
    _ = perform(try state.press(":focus 2<Enter><Esc>"), &state)
    #expect(state.focus == .panel(0) && state.panels.count == 1)
  }

  @Test func `the way to a detail is cut at its beginning`() throws {
    var state = state()
    _ = reduce(&state, .resized(Size(width: 40, height: 24)))
    _ = perform(try state.press("jj<Enter>"), &state)
    state.deliver([1: RowSet(columns: ["OrderID", "Customer"], rows: [[.integer(7), .null]])])
    _ = perform(try state.press("<Enter>"), &state)
    #expect(state.screen().text.contains("3 … > Orders > 7 NULL > lines"))
  }

  @Test func `details of two rows are two panels`() throws {
    var state = state()
    let first = perform(try state.press("j<Enter>"), &state)?.name
    _ = perform(try state.press("<Esc>"), &state)
    let second = perform(try state.press("j<Enter>"), &state)?.name
    #expect(first == "orders 'ALFKI'" && second == "orders 'O''Neill'")
  }
}
