import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

/// Random keys and commits against what a panel with all rows would show at its place.
@Suite struct LongResultRandomTests {
  private static let keys = [
    "j", "k", "<PgDn>", "<PgUp>", "<C-d>", "<C-u>", "g", "G", "s", "S", "<Esc>", "<Esc>",
    "/a<Enter>", "/1<Enter>", "/<BS><Enter>", "/log<Enter>", "/7<Enter>", "/zzz<Enter>",
    "/<BS><BS><BS>9<Enter>",
    "<wheel-down 10,10>", "<wheel-up 10,10>", "<click 10,9>", ",", ".", "0",
  ]

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `each place shows the rows that the whole result has there`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var result = LongResult(count: [1_400, 1_600, 4_000][Int(seed % 3)])
    var state = DashboardState.showing(&result, seed % 4 == 0 ? .log : .table)
    var nextID = Int64(result.rows.count)
    for step in 0..<120 {
      let seconds = Double(step) * 4
      switch Int.random(in: 0..<10, using: &random) {
      case 0: result.fetch()
      case 1: _ = result.deliver(to: &state, at: seconds)
      case 2, 3:
        result.commit { Self.change(&$0, &nextID, &random) }
      default:
        let key = Self.keys.randomElement(using: &random)!
        result.perform(try state.press(key))
      }
      if random.next() % 3 == 0 {
        result.settle(&state, at: seconds)
        try check(state, result, "seed \(seed), step \(step)")
      }
    }
    result.perform(try state.press("0"))
    result.settle(&state, at: 1_000)
    try check(state, result, "seed \(seed), at the end")
  }

  /// Adds rows anywhere, takes some away, changes one; now and then so many that the result becomes long or
  /// short.
  private static func change(
    _ rows: inout [[Value]], _ nextID: inout Int64, _ random: inout SeededRandom
  ) {
    let many = random.next() % 12 == 0 ? 900 : 3
    switch random.next() % 4 {
    case 0, 1:
      for _ in 0..<Int.random(in: 1...many, using: &random) {
        nextID += 1
        let place = random.next() % 2 == 0 ? 0 : Int.random(in: 0...rows.count, using: &random)
        rows.insert([.integer(nextID), "view", .integer(nextID % 50)], at: place)
      }
    case 2:
      for _ in 0..<Int.random(in: 1...many, using: &random) where !rows.isEmpty {
        rows.remove(at: Int.random(in: 0..<rows.count, using: &random))
      }
    default:
      guard let place = rows.indices.randomElement(using: &random) else { return }
      rows[place][2] = .integer(Int64.random(in: 0..<60, using: &random))
    }
  }

  private func check(_ state: DashboardState, _ result: LongResult, _ place: String) throws {
    // What the past has, it has.
    guard !state.isPaused else { return }
    let panel = state.panels[0]
    let comment = Comment(rawValue: place)
    #expect(!state.isWaitingForRows, comment)
    #expect(!panel.isLookPending, comment)
    let whole = RowSet(columns: result.columns, rows: result.rows)
    var order = RowOrder.rows(of: whole, filter: panel.filter, sort: panel.sort)
    if panel.kind == .log, panel.sort == nil { order.reverse() }
    try #require(panel.rowCount == order.count, comment)
    #expect(panel.allRowCount == result.rows.count, comment)
    let visible = state.layout.visibleRows(of: 0)
    #expect(panel.top == max(0, min(panel.top, order.count - visible)), comment)
    let wanted = order.dropFirst(panel.top).prefix(visible).map { result.rows[$0] }
    #expect(state.inView == wanted, comment)
    if let cursor = panel.cursor {
      #expect((panel.top..<panel.top + max(1, visible)).contains(cursor), comment)
      #expect(cursor < order.count, comment)
    }
  }
}
