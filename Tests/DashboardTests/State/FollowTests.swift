import DatabaseConsole
import ObservationEngine
import Testing

@testable import Dashboard

/// Following the foreign key of a cell.
@Suite struct FollowTests {
  private func state() -> DashboardState {
    var state = Sample.state([Sample.panel("orders", .table)], panes: PaneChoices())
    state.deliver([
      0: RowSet(
        columns: ["id", "customer"],
        rows: [[.integer(7), .text("O'Neill")], [.integer(8), .null]])
    ])
    return state
  }

  private let reference = RowReference(
    table: "Customers", columns: [.init(name: "Customer ID", source: 1)])

  private func asked(_ keys: String, _ state: inout DashboardState) throws -> FollowedCell? {
    for case .findReference(let cell) in try state.press(keys) { return cell }
    return nil
  }

  @Test func `o asks what the value refers to, and opens its row`() throws {
    var state = state()
    let cell = try #require(try asked("llo", &state))
    #expect(cell.column == 1 && cell.row == [.integer(7), .text("O'Neill")])
    let effects = reduce(&state, .referenceFound(reference, of: cell))
    guard case .showPanel(let panel)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(panel.sql == "SELECT * FROM \"Customers\" WHERE \"Customer ID\" = 'O''Neill'")
    #expect(panel.title == "orders > Customers O'Neill" && panel.key == ["Customer ID"])
    #expect(state.details.path.map(\.origin) == ["orders"])
  }

  @Test func `what refers to nothing says so`() throws {
    var state = state()
    let cell = try #require(try asked("llo", &state))
    #expect(reduce(&state, .referenceFound(nil, of: cell)) == [])
    #expect(state.message?.text == "this column has no foreign key to follow")
    let null = try #require(try asked("jo", &state))
    #expect(reduce(&state, .referenceFound(reference, of: null)) == [])
    #expect(state.message?.text == "NULL refers to no row")
    #expect(try asked("<Esc>o", &state) == nil)
  }

  @Test func `a table that does not exist is named`() throws {
    var state = state()
    let cell = try #require(try asked("llo", &state))
    let missing = "the foreign key is to Gone, but there is no such table"
    #expect(
      reduce(&state, .referenceFound(RowReference(table: "Gone", columns: []), of: cell)) == [])
    #expect(state.message?.text == missing)
  }

  @Test func `the explorer does not step to a table that does not exist`() throws {
    var state = Explored.state()
    try state.press("<Enter>l")
    let panel = try #require(state.panels.first?.definition)
    let cell = FollowedCell(
      panel: panel.name, sql: panel.sql, column: 0, row: [.integer(7)], title: "Orders")
    let path = state.explorer?.path
    let gone = RowReference(table: "Gone", columns: [.init(name: "id", source: 0)])
    #expect(reduce(&state, .referenceFound(gone, of: cell)) == [])
    #expect(state.message?.text == "the foreign key is to Gone, but there is no such table")
    #expect(state.explorer?.path == path)
  }

  @Test(arguments: ["", "<Enter>"])
  func `the explorer names the table that a foreign key leads to, and returns to where it began`(
    _ keys: String
  ) throws {
    var state = Explored.state()
    try state.explore(keys)
    let panel = try #require(state.panels.first?.definition)
    let cell = FollowedCell(
      panel: panel.name, sql: panel.sql, column: 0, row: [.integer(7)], title: "Orders")
    let reference = RowReference(table: "Customers", columns: [.init(name: "id", source: 0)])
    #expect(panel.sql.contains("Orders"))
    state.perform(reduce(&state, .referenceFound(reference, of: cell)))
    let followed = try #require(state.panels.first?.definition)
    #expect(followed.title == "Orders › Customers › id = 7")
    #expect(followed.sql.contains("FROM \"Customers\" WHERE \"id\" IS 7"))
    try state.explore("<Esc>")
    #expect(state.panels.first?.definition.sql == panel.sql)
    // A key to the same table stays in it.
    let same = RowReference(table: "Orders", columns: [.init(name: "id", source: 0)])
    state.perform(reduce(&state, .referenceFound(same, of: cell)))
    #expect(state.panels.first?.definition.title == "Orders › id = 7")
  }

  @Test func `an answer that comes too late opens nothing`() throws {
    var state = Sample.state([Sample.panel("orders", .table), Sample.panel("other", .table)])
    state.deliver([0: RowSet(columns: ["a"], rows: [[.integer(7)]])])
    let cell = try #require(try asked("lo", &state))
    try state.press("2")
    #expect(reduce(&state, .referenceFound(reference, of: cell)) == [])
    #expect(state.details.path == [])
  }
}
