import ObservationEngine
import Testing

@testable import Dashboard

/// Which commits share a line of the feed, and what a line tells when it is opened.
@Suite struct FeedTests {
  private func feed(_ events: DatabaseEvent..., room: Int = 3) -> [Feed.Entry] {
    feed(events, room: room).entries
  }

  private func feed(_ events: [DatabaseEvent], room: Int) -> Feed {
    var feed = Feed()
    for event in events { feed.append(Refresh(events: [event]), panelCount: 1, room: room) }
    return feed
  }

  @Test func `each commit has a line while there is room`() {
    let burst = (1...3).map { Sample.commit($0, at: Double($0) * 0.01) }
    #expect(feed(burst, room: 3).entries.map(\.event) == burst)
    // Slower commits go on above the others, however many they are.
    let slow = (1...30).map { Sample.commit($0, at: Double($0) * 0.1) }
    #expect(feed(slow, room: 3).entries.map(\.event) == slow)
  }

  @Test func `a burst that has no room for its lines is folded into one`() throws {
    let events = (1...40).map {
      Sample.commit($0, tables: [$0 % 2 == 0 ? "maps" : "scores"], at: Double($0 - 1) * 0.05)
    }
    let entries = feed([Sample.commit(0, at: -5)] + events, room: 3).entries
    try #require(entries.count == 2)
    guard case .commit(let commit) = entries[1].event else {
      Issue.record("no commit")
      return
    }
    #expect(commit.count == 40 && commit.ordinal == 40)
    #expect(entries[1].burst == Feed.Entry.Burst(since: Sample.moment().civil, firstOrdinal: 1))
    let line = FeedLine(entries[1])
    #expect(line.texts[0] == "burst 2.0 s 40x maps scores")
    #expect(line.tables == ["maps", "scores"])
  }

  @Test func `the cursor stays on its line when newer ones become one`() {
    var feed = feed((1...5).map { Sample.commit($0, at: Double($0)) }, room: 3)
    feed.move(by: 1, visible: 3)
    #expect(feed.chosen?.event == Sample.commit(4, at: 4))
    for ordinal in 6...12 {
      let commit = Sample.commit(ordinal, at: 6 + Double(ordinal) * 0.01)
      feed.append(Refresh(events: [commit]), panelCount: 1, room: 3)
      #expect(feed.chosen?.event == Sample.commit(4, at: 4))
    }
    #expect(feed.entries.count == 6)
  }

  private func slow(_ panel: Int) -> [Int: Staleness] {
    [panel: .slow(since: Sample.moment().civil)]
  }

  @Test func `a slow panel stands in the line of the commit that its result was awaited since`() {
    var feed = Feed()
    let rows = Result<RowSet, DatabaseError>.success(Sample.numbers(1))
    feed.append(
      Refresh(
        results: [2: rows], stale: slow(1), events: [Sample.commit(1)], ordinal: 1,
        duration: .milliseconds(4)), panelCount: 3)
    #expect(feed.entries[0].panels == [2])
    feed.append(
      Refresh(stale: slow(1), events: [Sample.commit(2, tables: ["maps"], at: 2)], ordinal: 2),
      panelCount: 3)
    feed.append(
      Refresh(results: [1: rows], recomputed: [1: .milliseconds(972)], ordinal: 2), panelCount: 3)
    #expect(feed.entries.map(\.panels) == [[1, 2], []])
    #expect(feed.entries[0].duration == .milliseconds(976))
    // Time alone changes a result that nobody awaits.
    feed.append(Refresh(results: [1: rows], ordinal: 2), panelCount: 3)
    #expect(feed.entries.map(\.panels) == [[1, 2], []])
  }

  @Test func `a slow panel that follows a steady writer stands in later lines, too`() {
    var feed = Feed()
    let rows = Result<RowSet, DatabaseError>.success(Sample.numbers(1))
    feed.append(
      Refresh(stale: slow(0), events: [Sample.commit(1)], ordinal: 1), panelCount: 1)
    feed.append(
      Refresh(stale: slow(0), events: [Sample.commit(2, at: 2)], ordinal: 2), panelCount: 1)
    // Of the first commit; the second one came too late for it.
    let late = Refresh(
      results: [0: rows], recomputed: [0: .seconds(1)], stale: slow(0), ordinal: 1)
    feed.append(late, panelCount: 1)
    #expect(feed.entries.map(\.panels) == [[0], []])
    feed.append(
      Refresh(results: [0: rows], recomputed: [0: .seconds(1)], ordinal: 2), panelCount: 1)
    #expect(feed.entries.map(\.panels) == [[0], [0]])
  }

  @Test func `own commits, schema changes and rollbacks have lines of their own`() {
    let entries = feed(
      Sample.commit(1), Sample.commit(2, .own), Sample.commit(3), Sample.commit(4, kind: .schema),
      Sample.commit(5), .rollback(Sample.moment().civil), Sample.commit(6), room: 1)
    #expect(entries.count == 7)
  }

  @Test func `the cursor stays on its line, and the view with it`() throws {
    var state = Sample.state([Sample.panel("p")], size: Size(width: 80, height: 24))
    for ordinal in 1...30 {
      let commit = Sample.commit(ordinal, at: Double(ordinal) * 2)
      _ = reduce(
        &state, .refreshed(Refresh(events: [commit], ordinal: ordinal), at: Sample.moment()))
    }
    state.focus = .feed
    let lines = state.layout.visibleFeedLines
    try state.press(String(repeating: "j", count: lines))
    #expect(state.feed.cursor == lines && state.feed.scroll == 1)
    try state.press("k")
    #expect(state.feed.scroll == 1)
    try state.press("G")
    #expect(state.feed.chosen?.event == Sample.commit(1, at: 2))
    try state.press("g")
    #expect(state.feed.cursor == 0 && state.feed.scroll == 0)
  }

  // MARK: A line opened

  private func opened(_ keys: String = "<Enter>") throws -> String {
    var state = Sample.state(
      [Sample.panel("fame", .table, key: ["player"]), Sample.panel("n", .number)],
      size: Size(width: 80, height: 24))
    state.deliver(
      [0: Sample.scores(["ada": 2, "bob": 1]), 1: Sample.value(.integer(2))], ordinal: 0)
    let refresh = Refresh(
      results: [
        0: .success(Sample.scores(["ada": 5, "eve": 1])), 1: .success(Sample.value(.integer(3))),
      ],
      events: [Sample.commit(1)], ordinal: 1, duration: .milliseconds(4))
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    let quiet = Refresh(events: [Sample.commit(2, .own, tables: [])], ordinal: 2)
    _ = reduce(&state, .refreshed(quiet, at: Sample.moment(2)))
    state.focus = .feed
    try state.press(keys)
    return state.screen(at: 2).text
  }

  @Test func `a line tells what the commit changed, panel by panel`() throws {
    let text = try opened("j<Enter>")
    for part in [
      "┫tx 1┣", "by         ext: another process", "source     WAL pages",
      "panel 1 fame", "~ ada  score 2 → 5", "+ player eve  score 1", "- player bob  score 1",
      "panel 2 n", "~ n 2 → 3",
    ] {
      #expect(text.contains(part), "\(part) in\n\(text)")
    }
  }

  @Test func `a commit that changed no panel says so`() throws {
    let text = try opened()
    #expect(text.contains("┫tx 2┣"))
    #expect(text.contains("by         me: this program"))
    #expect(text.contains("no panel changed"))
  }

  @Test func `Escape closes the line`() throws {
    #expect(!(try opened("<Enter><Esc>").contains("┫tx 2┣")))
  }

  private func report(
    from old: RowSet, to new: Result<RowSet, DatabaseError>
  ) throws -> CommitReport {
    var state = Sample.state([Sample.panel("t", .table, key: ["id"])])
    state.deliver([0: old], ordinal: 0)
    let refresh = Refresh(results: [0: new], events: [Sample.commit(1)], ordinal: 1)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    state.focus = .feed
    try state.press("<Enter>")
    guard case .commit(let report) = state.modes.overlay else { throw CancellationError() }
    return report
  }

  @Test func `of many changed rows the first are told, and the others counted`() throws {
    let lines = try report(from: Sample.numbers(0), to: .success(Sample.numbers(1234))).lines
    #expect(lines.count { $0.role == .inserted } == CommitReport.maximumRows)
    #expect(lines.last?.text == "  and 1 034 more")
  }

  @Test func `a panel that fails, stays or turns says which`() throws {
    let rows = Sample.numbers(3)
    let error = DatabaseError(code: .error, message: "no such table: t")
    let failed = try report(from: rows, to: .failure(error)).lines
    #expect(failed.last == .init(text: "  ! no result: no such table: t", role: .error))
    #expect(try report(from: rows, to: .success(rows)).lines.last?.text == "  as it was")
    let turned = RowSet(columns: rows.columns, rows: rows.rows.reversed())
    let last = try report(from: rows, to: .success(turned)).lines.last
    #expect(last?.text == "  the rows stand in another order")
  }
}
