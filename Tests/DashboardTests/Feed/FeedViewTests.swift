import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct FeedViewTests {
  private struct Line {
    var tables: [String]
    var panels: [Int] = [0]
    var count = 1
    /// The milliseconds of a burst, which has a commit each 50 of them.
    var burst = 0
    var milliseconds = 4
  }

  private func state(_ lines: [Line]) -> DashboardState {
    var state = Sample.state(
      (0..<6).map { Sample.panel("p\($0)") }, size: Size(width: 160, height: 48))
    var ordinal = 1480
    for (index, line) in lines.enumerated() {
      func commit(_ count: Int, at seconds: Double) -> DatabaseEvent {
        ordinal += 1
        return .commit(
          Commit(
            ordinal: ordinal, origin: .external, tables: .named(line.tables), count: count,
            time: Sample.moment(seconds).civil))
      }
      let start = Double(index * 10)
      let events =
        line.burst > 0
        ? stride(from: 0, through: line.burst, by: 50)
          .map { commit(1, at: start + Double($0) / 1000) }
        : [commit(line.count, at: start)]
      let refresh = Refresh(
        results: Dictionary(
          uniqueKeysWithValues: line.panels.map { ($0, .success(Sample.numbers(index + 1))) }),
        events: events, ordinal: ordinal, duration: .milliseconds(line.milliseconds))
      _ = reduce(&state, .refreshed(refresh, at: Sample.moment(start)))
    }
    return state
  }

  private func drawn(_ state: DashboardState, width: Int) -> Grid {
    let size = Size(width: width, height: state.feed.entries.count + 2)
    var canvas = Canvas(size: size, glyphs: .unicode)
    FeedView.draw(
      state, number: 3, frame: Rect(x: 0, y: 0, width: width, height: size.height), on: &canvas)
    return canvas.grid
  }

  private func lines(_ lines: [Line], width: Int) -> [String] {
    drawn(state(lines), width: width).text
      .split(separator: "\n").dropFirst().dropLast().map(String.init)
  }

  @Test(arguments: [36, 40, 47, 48, 52, 60])
  func `nothing is cut while there is room`(_ width: Int) {
    let text = lines(
      [Line(tables: ["scores"], panels: [0, 1, 2]), Line(tables: ["players"])], width: width)
    #expect(text[0].contains("players "), "\(text)")
    #expect(text[1].contains("scores "), "\(text)")
    #expect(text[1].contains("→ 1 2 3"), "\(text)")
    #expect(!text.contains { $0.contains("…") }, "\(text)")
  }

  @Test func `a narrow feed names the tables`() {
    #expect(
      lines(
        [Line(tables: ["scores"], panels: [0, 2, 3]), Line(tables: ["maps"], panels: [1])],
        width: 40)
        == [
          "│ 12:04:41 1482 ext maps   → 2         │",
          "│ 12:04:31 1481 ext scores → 1 3 4     │",
        ])
  }

  @Test func `a burst and its tables are read beside the duration`() {
    let text = lines(
      [
        Line(tables: ["scores"], panels: [0, 3], count: 2),
        Line(tables: ["players", "scores"], panels: [0, 1, 3]),
        Line(tables: ["scores"], panels: [0, 3], burst: 800),
      ], width: 52)
    #expect(text[2].contains("2x scores"), "\(text)")
    #expect(text[1].contains("players sc"), "\(text)")
    #expect(text[0].contains("burst 0.8 s") || text[0].contains("17x scores"), "\(text)")
    #expect(!text[0].contains("…"), "\(text)")
    #expect(text.allSatisfy { $0.hasSuffix(" 4 ms │") }, "\(text)")
  }

  @Test func `a line takes what its other parts leave free`() {
    let text = lines(
      [
        Line(tables: ["matches"], panels: [2, 3, 4, 5]), Line(tables: ["scores"], panels: [0]),
        Line(tables: ["matches"], panels: [2, 3], count: 2),
      ], width: 32)
    #expect(
      text == [
        "│ 12:04:51 1483 ext 2x    → 3 4│", "│ 12:04:41 1482 ext scores → 1 │",
        "│ 12:04:31 1481 ext matc… → 3 …│",
      ], "\(text)")
    let wide = lines(
      [
        Line(tables: ["matches"], panels: [2, 3, 4, 5]),
        Line(tables: ["matches"], panels: [2, 3, 4], count: 2, milliseconds: 11),
      ], width: 53)
    #expect(wide[0].contains("2x matches → 3 4 5"), "\(wide)")
    #expect(wide[1].contains("matches    → 3 4 5 6"), "\(wide)")
  }

  @Test func `columns do not move while lines of their kind come`() {
    var former: Int?
    for count in 1...6 {
      let text = lines(
        (0..<count).map { Line(tables: ["scores"], panels: [0, 1], milliseconds: 4 + $0) },
        width: 52)
      let places = Set(text.compactMap { Array($0).firstIndex(of: "→") })
      #expect(places.count == 1, "\(text)")
      #expect(former == nil || former == places.first)
      former = places.first
    }
  }

  @Test func `no width is too small for a feed`() {
    let all = [
      Line(tables: ["scores"], panels: [0, 1, 2, 3, 4], burst: 1200),
      Line(tables: ["a table with a long name", "another"]), Line(tables: []),
    ]
    for width in 0...70 { #expect(lines(all, width: width).allSatisfy { $0.count <= width }) }
  }

  @Test func `what the panels know nothing of, since they show an older frame, is dim`() throws {
    var state = state([Line(tables: ["a"]), Line(tables: ["b"]), Line(tables: ["c"])])
    func dim() -> [Bool] {
      let grid = drawn(state, width: 60)
      return (1...3).map { y in (1..<59).allSatisfy { grid[$0, y].style.role == .placeholder } }
    }
    #expect(dim() == [false, false, false])
    try state.press(",")
    #expect(dim() == [true, false, false])
    try state.press(",")
    #expect(dim() == [true, true, false])
    try state.press("0")
    #expect(dim() == [false, false, false])
  }
}
