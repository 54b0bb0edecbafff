import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct MouseTests {
  /// Three panels in a layout, at 80x24: fame 55x12 at 0,1; two beside it; console and feed below.
  private func arena(
    layout: [[String]] = [["fame", "fame", "players"], ["fame", "fame", "maps"]]
  )
    -> DashboardState
  {
    var state = Sample.state(
      [
        Sample.panel("fame", .table, key: ["id"]), Sample.panel("players", .table),
        Sample.panel("maps", .table),
      ], layout: layout)
    state.deliver([0: Sample.numbers(40), 1: Sample.numbers(40), 2: Sample.numbers(2)])
    return state
  }

  private func frame(_ state: DashboardState, _ panel: Int) -> Rect? {
    state.layout.panels.first { $0.index == panel }?.frame
  }

  @Test func `a click gives the focus and chooses the row; another one opens it`() throws {
    var state = arena()
    // Line 8 is y 7: the frame, the header, then row 1 in line 4.
    try state.press("<click 60,5>")
    #expect(state.focus == .panel(1))
    #expect(state.panels[1].cursor == 1)
    try state.press("<click 60,5>")
    #expect(state.modes.overlay == .inspect)
    try state.press("<click 2,2>")
    #expect(state.modes.overlay == nil)
  }

  @Test func `a click on a header sorts by the column, turns that round, and takes it back`() throws
  {
    var state = Sample.state([Sample.panel("fame", .table), Sample.panel("other", .table)])
    let names = ["n", "name"]
    let rows = [2, 3, 1].map { [Value.integer($0), .text("row \($0)")] }
    state.deliver([
      0: RowSet(columns: names, rows: rows), 1: RowSet(columns: names, rows: rows),
    ])
    let header = state.screen().text.split(separator: "\n", omittingEmptySubsequences: false)[2]
    let place = try #require(header.ranges(of: "name").last)
    let x = header.distance(from: header.startIndex, to: place.lowerBound) + 1
    func order() -> [Int] { state.panels[1].order.map { [2, 3, 1][$0] } }
    try state.press("<click \(x),3>")
    #expect(state.focus == .panel(1))
    #expect(order() == [1, 2, 3])
    #expect(state.screen().text.contains("name▲"))
    try state.press("<click \(x + 3),3>")
    #expect(order() == [3, 2, 1])
    try state.press("<click \(x),3>")
    #expect(order() == [2, 3, 1])
    // Another column begins from the start, and what is no name sorts nothing.
    let number = try #require(header[..<place.lowerBound].lastIndex(of: "n"))
    let other = header.distance(from: header.startIndex, to: number) + 1
    try state.press("<click \(x),3><click \(other),3>")
    #expect(state.panels[1].sort?.column == 0)
    try state.press("<click 2,3>")
    #expect(state.panels[0].sort == nil)
    #expect(state.panels[1].cursor == nil)
  }

  @Test func `a click below the last row, or on a border, only focuses`() throws {
    var state = arena()
    try state.press("<click 60,12>")
    #expect(state.focus == .panel(2))
    #expect(state.panels[2].cursor == nil)
  }

  @Test func `console and feed take the focus`() throws {
    var state = arena()
    try state.press("<click 5,16>")
    #expect(state.focus == .console)
    try state.press("<click 70,16>")
    #expect(state.focus == .feed)
  }

  @Test func `a click on a line of the feed chooses it, and another one opens it`() throws {
    var state = arena()
    for ordinal in 2...5 {
      _ = reduce(
        &state,
        .refreshed(
          Refresh(events: [Sample.commit(ordinal, .own)], ordinal: ordinal),
          at: Sample.moment(Double(ordinal))))
    }
    try state.press("<click 70,15>")
    #expect(state.focus == .feed)
    #expect(state.feed.cursor == 1)
    try state.press("<click 70,15>")
    #expect(state.modes.overlay != nil)
  }

  @Test func `a click on a line of the schema chooses it`() throws {
    var state = arena()
    _ = reduce(&state, .resized(Size(width: 160, height: 48)))
    let frame = try #require(state.layout.schema)
    try state.press("<click \(frame.x + 3),\(frame.y + 2)>")
    #expect(state.focus == .schema)
  }

  @Test func `the wheel scrolls what is under it, without the focus`() throws {
    var state = arena()
    try state.press("<wheel-down 60,5>")
    #expect(state.focus == .panel(0))
    #expect(state.panels[1].top == 3)
    #expect(state.panels[1].cursor == nil)
    try state.press("<wheel-up 60,5><wheel-up 60,5>")
    #expect(state.panels[1].top == 0)
    for _ in 0..<40 { try state.press("<wheel-down 60,5>") }
    #expect(state.panels[1].top == 40 - state.layout.visibleRows(of: 1))
  }

  @Test func `the cursor stays in view when the wheel turns`() throws {
    var state = arena()
    try state.press("jj<wheel-down 5,5><wheel-down 5,5>")
    #expect(state.panels[0].cursor == 6)
    #expect(state.panels[0].top == 6)
  }

  @Test func `a click on a hint presses its key`() throws {
    var state = arena()
    let hints = state.screen().text.split(separator: "\n").last ?? ""
    let zoom = hints.distance(
      from: hints.startIndex, to: hints.firstRange(of: "z zoom")?.lowerBound ?? hints.endIndex)
    try state.press("<click \(zoom + 4),24>")
    #expect(state.isZoomed)
    #expect(try state.press("<click 200,24>") == [])
    let others = state.screen().text.split(separator: "\n").last ?? ""
    let quit = others.distance(
      from: others.startIndex, to: others.firstRange(of: "  q")?.lowerBound ?? others.endIndex)
    #expect(try state.press("<click \(quit + 3),24>") == [.quit])
  }

  @Test func `a question is answered by its hints, and nothing else is done meanwhile`() throws {
    var state = arena()
    try state.press("c")
    _ = reduce(&state, .console(.needsConfirmation(question: "sure?", sql: "DROP TABLE x")))
    try state.press("<click 60,5><wheel-down 60,5>")
    #expect(state.modes.question != nil)
    #expect(state.focus == .console)
    #expect(try state.press("<click 2,24>") == [.console(.run(sql: "DROP TABLE x"))])
  }

  @Test func `a click chooses a preset by its name in the header`() throws {
    var state = DashboardState(
      definition: DashboardDefinition(
        panels: [Sample.panel("a", .table), Sample.panel("b", .table)],
        presets: [
          PresetDefinition(name: "all", panels: ["a", "b"]),
          PresetDefinition(name: "ops", panels: ["b"]),
        ]), databaseName: "x.db", now: Sample.moment())
    let header = state.screen().text.prefix { $0 != "\n" }
    let place = header.firstRange(of: "ops").map {
      header.distance(from: header.startIndex, to: $0.lowerBound)
    }
    try state.press("<click \((place ?? 0) + 1),1>")
    #expect(state.presets.chosen.name == "ops")
    #expect(state.focus == .panel(1))
  }

  @Test func `a click takes an offer of the command line, and beside it leaves`() throws {
    var state = arena()
    try state.press(":zoom")
    let lines = state.screen().text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = (lines.firstIndex { $0.contains("show the pane alone") } ?? 0) + 1
    try state.press("<click 5,\(line)>")
    #expect(state.isZoomed)
    try state.press(":zoom<click 79,3>")
    #expect(state.modes.command == nil)
    #expect(state.isZoomed)
  }

  // MARK: Dividers

  @Test func `the line between two panes follows the mouse`() throws {
    var state = arena()
    #expect(frame(state, 0)?.width == 55)
    try state.press("<click 55,5><drag 45,5><release 45,5>")
    #expect(frame(state, 0)?.width == 45)
    // The left line of what stands to the right is the same one.
    #expect(frame(state, 1)?.x == 44)
    try state.press("<click 45,9><drag 60,9><release 60,9>")
    #expect(frame(state, 0)?.width == 60)
    try state.press("<drag 30,9>")
    #expect(frame(state, 0)?.width == 60)
  }

  @Test func `a border between rows moves up and down`() throws {
    var state = arena()
    #expect(frame(state, 1)?.height == 7)
    try state.press("<click 60,8><drag 60,7><release 60,7>")
    #expect(frame(state, 1)?.height == 6)
    #expect(frame(state, 2)?.height == 7)
    // The panel that spans both rows has no border there.
    #expect(state.layout.divider(x: 10, y: 6) == nil)
  }

  @Test func `what stands below the panels grows and is divided`() throws {
    var state = arena()
    let plan = state.layout
    #expect(plan.console == Rect(x: 0, y: 12, width: 51, height: 9))
    try state.press("<click 10,13><drag 10,15><release 10,15>")
    #expect(state.layout.console?.y == 14)
    try state.press("<click 51,16><drag 41,16><release 41,16>")
    #expect(state.layout.console?.width == 41)
    #expect(state.layout.feed?.x == 40)
  }

  @Test func `no movement makes a pane useless, and even undoes them all`() throws {
    var state = arena()
    for end in ["1,5", "80,5", "500,5", "0,0"] {
      let x = (frame(state, 0)?.width ?? 0)
      try state.press("<click \(x),5><drag \(end)><release \(end)>")
      let plan = state.layout
      #expect(plan.panels.count == 3)
      #expect(plan.panels.allSatisfy { $0.frame.width >= 20 && $0.frame.height >= 4 })
    }
    try state.press(":even<Enter>")
    #expect(frame(state, 0)?.width == 55)
  }

  @Test func `a divider that is dragged too far stops where the panes need their room`() throws {
    var state = arena()
    try state.press("<click 55,5><drag 79,5>")
    #expect(frame(state, 0)?.width == 61)
    #expect(frame(state, 1)?.width == 20)
    try state.press("<drag 500,5><release 500,5>")
    #expect(frame(state, 1)?.width == 20)
    try state.press("<click 61,5><drag 1,5><release 1,5>")
    #expect(frame(state, 0)?.width == 29)
    // Of two rows, each keeps its lines.
    try state.press("<click 60,8><drag 60,2>")
    #expect(frame(state, 1)?.height == 5)
    try state.press("<drag 60,20><release 60,20>")
    #expect(frame(state, 2)?.height == 5)
  }

  @Test func `panels that are arranged to fit can be moved as well`() throws {
    var state = Sample.state([
      Sample.panel("a", .table), Sample.panel("b", .number), Sample.panel("c", .bar),
    ])
    try state.press("<click 51,5><drag 41,5><release 41,5>")
    #expect(frame(state, 0)?.width == 41)
    let border = (frame(state, 2)?.y ?? 0) + 1
    try state.press("<click 60,\(border)><drag 60,\(border - 1)><release 60,\(border - 1)>")
    #expect(frame(state, 2)?.y == border - 2)
  }

  @Test func `a moved border keeps its part of the screen when the size changes`() throws {
    var state = arena()
    try state.press("<click 55,5><drag 41,5><release 41,5>")
    _ = reduce(&state, .resized(Size(width: 160, height: 48)))
    #expect(frame(state, 0)?.width == 81)
  }

  @Test(arguments: [(1, 1), (5, 200), (500, 3), (29, 40), (80, 24)])
  func `outside of the screen, and on screens of any shape, nothing happens`(
    _ width: Int, _ height: Int
  ) throws {
    var state = arena()
    _ = reduce(&state, .resized(Size(width: width, height: height)))
    for x in [-1, 0, width - 1, width, 100_000] {
      for y in [-1, 0, height - 1, height, 100_000] {
        for kind in [MouseEvent.Kind.press, .drag, .release, .wheelUp, .wheelDown, .wheelLeft] {
          _ = reduce(&state, .key(.mouse(MouseEvent(kind, x: x, y: y))))
          #expect(state.screen().size == state.size)
        }
      }
    }
  }
}
