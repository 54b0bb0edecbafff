import ObservationEngine
import Testing

@testable import Dashboard

/// Console, feed and schema in a layout.
@Suite struct LayoutPaneTests {
  private let file = """
    -- layout: fame fame players
    -- layout: maps slow transactions

    -- name: fame
    SELECT 1;
    -- name: players
    SELECT 2;
    -- name: maps
    SELECT 3;
    -- name: slow
    SELECT 4;
    """

  private func state(_ size: Size) throws -> DashboardState {
    let (definition, diagnostics) = DashboardParser.parse(file)
    #expect(diagnostics == [])
    var state = DashboardState(
      definition: definition, databaseName: "app.db", choices: Sample.allPanes)
    _ = reduce(&state, .resized(size))
    return state
  }

  @Test func `the feed stands among the panels, and is numbered before the console`() throws {
    let plan = try state(Size(width: 160, height: 48)).layout
    let maps = try #require(plan.panels.first { $0.index == 2 }?.frame)
    let feed = try #require(plan.feed)
    #expect(feed.y == maps.y && feed.height == maps.height)
    #expect(feed.x + feed.width == 160)
    let console = try #require(plan.console)
    // Both have the line between them.
    #expect(console.y == feed.y + feed.height - 1)
    let schema = try #require(plan.schema)
    #expect(schema.y == console.y && console.width > schema.width)
    let state = try state(Size(width: 160, height: 48))
    #expect(state.layout.otherPanes == [.feed, .console, .schema])
    #expect(state.layout.number(of: .console) == 6)
  }

  @Test func `on a small screen it stands below, and its neighbour has the cell`() throws {
    let size = Size(width: 80, height: 24)
    let state = try state(size)
    let plan = state.layout(for: size)
    let slow = try #require(plan.panels.first { $0.index == 3 }?.frame)
    #expect(slow.x + slow.width == 80)
    #expect(plan.feed?.y == plan.console?.y)
    #expect(state.layout.otherPanes == [.console, .feed])
  }

  @Test func `what a layout has no room for stands below`() throws {
    let names = (0..<8).map { "p\($0)" }
    let file =
      "-- layout: \(names.joined(separator: " ")) transactions\n\n"
      + names.map { "-- name: \($0)\nSELECT 1;\n" }.joined()
    var state = DashboardState(
      definition: DashboardParser.parse(file).definition, databaseName: "app.db",
      choices: Sample.allPanes)
    _ = reduce(&state, .resized(Size(width: 120, height: 48)))
    let plan = state.layout
    #expect(plan.feed != nil && plan.console != nil)
  }

  @Test func `a panel of that name is meant before the pane`() throws {
    let (definition, diagnostics) = DashboardParser.parse(
      "-- layout: schema other\n\n-- name: schema\nSELECT 1;\n-- name: other\nSELECT 2;")
    #expect(diagnostics == [])
    #expect(Presets(definition).chosen.layout == [[.panel(0), .panel(1)]])
  }
}
