import ObservationEngine
import Testing

@testable import Dashboard

/// Screens that nobody has, with everything that can stand in front of the panels.
@Suite struct ExtremeScreenTests {
  static let sizes = [
    (0, 0), (1, 1), (1, 200), (5, 200), (500, 1), (500, 3), (29, 6), (30, 5), (30, 6), (500, 6),
    (31, 200), (79, 23), (1000, 10),
  ]
  static let keys = [
    "", "z", "c", "cz", "?", ":", ":focus ", "/x", "<Enter>", "3", "3z", "<F2>", "p", "jjj", " ",
    ",",
  ]

  private func state() throws -> DashboardState {
    var state = DashboardState(
      definition: DashboardDefinition(
        panels: [Sample.panel("a", .table), Sample.panel("b", .number), Sample.panel("c", .bar)],
        presets: [
          PresetDefinition(
            name: "all", panels: ["a", "b", "c"], layout: [["a", "b"], ["c", "."]]),
          PresetDefinition(name: "one", panels: ["b"]),
        ]), databaseName: "x.db", now: Sample.moment())
    state.deliver([
      0: Sample.numbers(300), 1: Sample.value(.integer(42)), 2: Sample.scores(["ada": 3]),
    ])
    return state
  }

  @Test(arguments: sizes)
  func `every view is drawn on a screen of any shape`(_ width: Int, _ height: Int) throws {
    for keys in Self.keys {
      var state = try state()
      try state.press(keys)
      _ = reduce(&state, .resized(Size(width: width, height: height)))
      let screen = state.screen()
      #expect(screen.size == Size(width: width, height: height))
      // And the other way round: what is opened there is there when the screen has grown.
      _ = reduce(&state, .resized(Size(width: 80, height: 24)))
      #expect(state.screen().size == Size(width: 80, height: 24))
      try state.press(keys)
      #expect(state.screen().size == Size(width: 80, height: 24))
    }
  }

  @Test(arguments: sizes)
  func `panes stand within the screen and share at most a line`(_ width: Int, _ height: Int)
    throws
  {
    let size = Size(width: width, height: height)
    var state = try state()
    _ = reduce(&state, .resized(size))
    let plan = state.layout(for: size)
    let frames =
      plan.panels.map(\.frame) + [plan.console, plan.feed, plan.schema].compactMap { $0 }
    let screen = Rect(x: 0, y: 0, width: width, height: height)
    for (index, frame) in frames.enumerated() where !frame.isEmpty {
      #expect(screen.contains(x: frame.x, y: frame.y))
      #expect(screen.contains(x: frame.x + frame.width - 1, y: frame.y + frame.height - 1))
      for other in frames[..<index] {
        #expect(
          frame.columns.clamped(to: other.columns).count <= 1
            || frame.rows.clamped(to: other.rows).count <= 1)
      }
    }
  }

  @Test func `a paste of a megabyte into a panel or a filter does nothing`() throws {
    var state = try state()
    let paste = Key.paste(String(repeating: "x ", count: 1 << 19))
    _ = reduce(&state, .key(paste))
    #expect(state.panels[0].filter.isEmpty)
    try state.press("/")
    _ = reduce(&state, .key(paste))
    #expect(state.panels[0].filter.isEmpty)
    #expect(state.screen().size == state.size)
  }
}
