import ObservationEngine
import Testing

@testable import Dashboard

/// Long results on screens with room for a row or two.
@Suite struct SmallScreenTests {
  /// Below 30x6 there is one value; above, a panel with a row or more.
  private static let sizes = [
    Size(width: 12, height: 1), Size(width: 29, height: 2), Size(width: 12, height: 3),
    Size(width: 30, height: 6), Size(width: 30, height: 7), Size(width: 40, height: 9),
    Size(width: 60, height: 16),
  ]

  private static let keys = [
    "G", "kk", "<PgUp><PgUp>", String(repeating: "<PgUp>", count: 2_000), "g", "jj",
    String(repeating: "<PgDn>", count: 1_500), "/login<Enter>", "j", "G", "<Esc>", "sS", "G",
    "<Esc>",
  ]

  @Test(arguments: sizes, [ViewKind.table, .log])
  func `the selected row is shown`(_ size: Size, _ view: ViewKind) throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result, view)
    result.perform(reduce(&state, .resized(size)))
    result.settle(&state)
    for keys in Self.keys {
      try result.press(keys, &state)
      let panel = state.panels[0]
      let comment = Comment(rawValue: "after \(keys.prefix(20)), at \(panel.cursor ?? -1)")
      #expect(!state.isWaitingForRows, comment)
      let row = try #require(panel.chosenRow, comment)
      let text = state.screen().text.filter { $0 != " " }
      guard case .integer(let id) = row[0] else { continue }
      #expect(text.contains(String(id)), comment)
    }
  }

  @Test func `one value follows the newest row of a log`() throws {
    var result = LongResult(count: 50_000)
    var state = DashboardState.showing(&result, .log)
    result.perform(reduce(&state, .resized(Size(width: 12, height: 2))))
    result.settle(&state)
    #expect(state.screen().text.filter { $0 != " " }.contains("50000"))
    result.commit { $0.insert([50_001, "login", 1], at: 0) }
    result.settle(&state)
    #expect(state.screen().text.filter { $0 != " " }.contains("50001"))
  }

  @Test func `a value that is not at hand is no empty result`() throws {
    var result = LongResult(count: 50_000)
    var state = DashboardState.showing(&result)
    result.perform(reduce(&state, .resized(Size(width: 12, height: 2))))
    let effects = try state.press("G")
    #expect(state.screen().text == "t\n…")
    result.perform(effects)
    result.settle(&state)
    #expect(state.screen().text == "t · id\n1")
    try state.press(" g")
    #expect(state.screen().text == "t\nnot kept")
  }

  @Test func `the row that was selected on a small screen is selected on a large one`() throws {
    var result = LongResult(count: 50_000)
    var state = DashboardState.showing(&result)
    result.perform(reduce(&state, .resized(Size(width: 12, height: 2))))
    try result.press("Gkkk", &state)
    let row = try #require(state.panels[0].chosenRow)
    result.perform(reduce(&state, .resized(Size(width: 80, height: 24))))
    result.settle(&state)
    #expect(state.panels[0].chosenRow == row)
    #expect(state.inView.contains(row))
    #expect(!state.inView.contains(nil))
  }
}
