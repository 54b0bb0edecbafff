import ObservationEngine
import Testing

@testable import Dashboard

/// Long results in a recording, beside the session that was recorded.
@Suite struct RecordedWindowTests {
  private static let size = Size(width: 80, height: 24)

  private func player(_ view: ViewKind = .table) -> DashboardState {
    var state = DashboardState(
      definition: DashboardDefinition(
        panels: [Sample.panel("t", view, key: ["id"], rank: "n")]), databaseName: "a",
      source: .recording(ReplayProgress(played: 0, count: 1)), choices: Sample.allPanes,
      now: Sample.moment())
    _ = reduce(&state, .resized(Self.size))
    return state
  }

  /// Plays what was recorded since the last call, as a file has it.
  private func play(
    _ result: LongResult, from first: inout Int, on state: inout DashboardState, at seconds: Double
  ) throws {
    let writer = RecordingWriter(start: 0)
    let header = RecordingFormat.Header(
      program: "p", started: Sample.moment().civil, utcOffsetSeconds: 0, databaseName: "a",
      isReadOnly: true, definition: DashboardDefinition(panels: [Sample.panel("t")]))
    let lines = result.recording[first...].map { writer.line($0, at: 0) }
    first = result.recording.count
    var reader = try RecordingReader(Array((writer.line(header) + lines.joined()).utf8))
    while case .refresh(let refresh, let looks)? = try reader.next()?.entry {
      #expect(reduce(&state, .refreshed(refresh, looks: looks, at: Sample.moment(seconds))) == [])
    }
  }

  private func picture(_ state: DashboardState, at seconds: Double) -> Grid {
    drawn(state.panels[0], width: 80, height: 20, at: seconds)
  }

  @Test(arguments: [ViewKind.table, .log])
  func `filters, orders, ranks and marks are those of the session`(_ view: ViewKind) throws {
    var result = LongResult(count: 5_000)
    var live = DashboardState.showing(&result, view, rank: "n")
    var replay = player(view)
    var played = 0
    try play(result, from: &played, on: &replay, at: 0)
    #expect(picture(replay, at: 0) == picture(live, at: 0))
    let steps = [
      "", "/login<Enter>", "", "ss", "", "S", "", "/view<Enter>", "", "<Esc>", "<Esc>", "",
    ]
    for (step, keys) in steps.enumerated() {
      let seconds = Double(step) * 0.5
      if keys.isEmpty {
        result.commit { rows in
          rows.insert([.integer(Int64(6_000 + step)), "login", 200], at: 0)
          rows[1_000][2] = .integer(Int64(300 + step))
          rows.removeLast()
        }
        result.settle(&live, at: seconds)
      } else {
        try result.press(keys, &live, at: seconds)
      }
      try play(result, from: &played, on: &replay, at: seconds)
      let comment = Comment(rawValue: "step \(step)")
      #expect(picture(replay, at: seconds).text == picture(live, at: seconds).text, comment)
      #expect(picture(replay, at: seconds) == picture(live, at: seconds), comment)
    }
  }

  @Test func `rows that nobody wanted any more are not recorded`() throws {
    var result = LongResult(count: 5_000)
    var live = DashboardState.showing(&result)
    result.perform(try live.press("/login<Enter>"))
    result.fetch()
    // They come when the filter is another one.
    let wanted = try live.press("/<C-u>view<Enter>")
    _ = result.deliver(to: &live)
    result.perform(wanted)
    result.settle(&live)
    let filters = result.recording.compactMap { entry -> String? in
      guard case .refresh(_, let looks) = entry else { return nil }
      return looks[0]?.filter
    }
    #expect(filters == ["", "view"])
  }

  @Test func `the view goes where the person looked`() throws {
    var result = LongResult(count: 50_000)
    var live = DashboardState.showing(&result)
    var replay = player()
    var played = 0
    for keys in ["", "G", "<C-u><C-u>g", String(repeating: "<PgDn>", count: 300)] {
      try result.press(keys, &live)
      try play(result, from: &played, on: &replay, at: 1)
      #expect(!replay.idsInView.contains(nil), "\(keys)")
      #expect(replay.panels[0].heldPositions.contains(live.panels[0].top))
    }
    #expect(replay.panels[0].top > 1_000)
  }

  @Test func `a filter and an order are answered among the recorded rows`() throws {
    var result = LongResult(count: 50_000)
    var live = DashboardState.showing(&result, rank: "n")
    try result.press("G", &live)
    var replay = player()
    var played = 0
    try play(result, from: &played, on: &replay, at: 0)
    let before = replay.idsInView
    #expect(try replay.press("/login<Enter>") == [])
    #expect(!replay.isWaitingForRows)
    #expect(replay.inView.allSatisfy { $0?[1] == "login" })
    #expect(replay.screen().text.contains("top 9 of 341/1 024 recorded"))
    // Where a row stands in the query's result is known all the same.
    let panel = replay.panels[0]
    #expect(panel.row(at: 0).flatMap { panel.rank(ofRow: $0) } == 48_978)
    #expect(try replay.press("sS") == [])
    #expect(replay.idsInView.first == 1_023)
    #expect(try replay.press("Y") == [])
    #expect(replay.message?.text == "not all rows are here: some were not recorded")
    try replay.press("/<C-u>zz<Enter>")
    #expect(replay.screen().text.contains("no recorded row contains \u{201c}zz\u{201d}"))
    try replay.press("<Esc><Esc>")
    #expect(replay.idsInView == before)
    #expect(!replay.screen().text.contains("recorded"))
  }

  @Test func `a filter typed on a whole result goes on when a part follows`() throws {
    var result = LongResult(count: 1_400)
    var live = DashboardState.showing(&result)
    var replay = player()
    var played = 0
    try play(result, from: &played, on: &replay, at: 0)
    try replay.press("/login<Enter>")
    #expect(replay.panels[0].rowCount == 466)
    result.commit { $0 = LongResult(count: 5_000).rows }
    result.settle(&live)
    try play(result, from: &played, on: &replay, at: 1)
    #expect(replay.panels[0].isPart)
    #expect(!replay.panels[0].isLookPending)
    #expect(replay.inView.allSatisfy { $0?[1] == "login" })
    #expect(replay.screen().text.contains("recorded"))
  }

  @Test func `frames of the past are filtered as the newest one`() throws {
    var result = LongResult(count: 5_000)
    var live = DashboardState.showing(&result)
    result.commit { $0.removeFirst() }
    result.settle(&live)
    var replay = player()
    var played = 0
    try play(result, from: &played, on: &replay, at: 0)
    #expect(try replay.press("/view<Enter>,") == [])
    #expect(replay.isPaused)
    #expect(replay.inView.allSatisfy { $0?[1] == "view" })
    #expect(try replay.press("/<C-u>buy<Enter>0") == [])
    #expect(replay.inView.allSatisfy { $0?[1] == "buy" })
  }
}
