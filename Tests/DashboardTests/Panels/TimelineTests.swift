import ObservationEngine
import Testing

@testable import Dashboard

/// Stepping back through what was shown, and coming back.
@Suite struct TimelineTests {
  /// Two panels after three refreshes: 1, 2 and 3 in the first, 10 in the second.
  private func state() -> DashboardState {
    var state = Sample.state([Sample.panel("n", .number), Sample.panel("m", .number)])
    state.deliver([0: Sample.value(.integer(1)), 1: Sample.value(.integer(10))], ordinal: 0)
    state.deliver([0: Sample.value(.integer(2))], ordinal: 1, at: 1)
    state.deliver([0: Sample.value(.integer(3))], ordinal: 2, at: 2)
    return state
  }

  private func numbers(_ state: DashboardState) -> [Value?] {
    state.panels.map { $0.result?.rows.first?.first }
  }

  @Test func `all panels step back together, and forward to what is live`() throws {
    var state = state()
    try state.press(",")
    #expect(numbers(state) == [.integer(2), .integer(10)])
    #expect(state.isPaused)
    try state.press(",")
    #expect(numbers(state) == [.integer(1), .integer(10)])
    try state.press(",")
    #expect(numbers(state) == [.integer(1), .integer(10)], "there is nothing older")
    try state.press("..")
    #expect(numbers(state) == [.integer(3), .integer(10)])
    #expect(state.isPaused, "the newest frame is shown, and stays")
    try state.press(".")
    #expect(!state.isPaused)
  }

  @Test(arguments: ["0", " "])
  func `one key leads from any frame to what is live`(_ key: String) throws {
    var state = state()
    try state.press(",,")
    state.deliver([0: Sample.value(.integer(4))], ordinal: 3, at: 3)
    #expect(numbers(state) == [.integer(1), .integer(10)], "the past stands still")
    #expect(state.timeline.newerCount == 3)
    try state.press(key)
    #expect(numbers(state) == [.integer(4), .integer(10)])
    #expect(!state.isPaused)
  }

  @Test func `what arrives while the past is shown is kept as frames of its own`() throws {
    var state = state()
    try state.press(" ")
    state.deliver([0: Sample.value(.integer(4))], ordinal: 3, at: 3)
    state.deliver([1: Sample.value(.integer(11))], ordinal: 4, at: 4)
    #expect(numbers(state) == [.integer(3), .integer(10)])
    try state.press(".")
    #expect(numbers(state) == [.integer(4), .integer(10)])
    try state.press(".")
    #expect(numbers(state) == [.integer(4), .integer(11)])
  }

  @Test func `a refresh that changed no panel makes no frame`() {
    var state = state()
    #expect(state.timeline.count == 3)
    state.deliver([:], ordinal: 3)
    #expect(state.timeline.count == 3)
  }

  @Test func `header and message line tell which frame is shown`() throws {
    var state = state()
    try state.press(",")
    let lines = state.screen(at: 5).text.split(separator: "\n")
    #expect(lines[0].contains("‖ PAUSED  −1"))
    #expect(lines[0].contains("tx 1  12:04:32"))
    #expect(
      lines.contains {
        $0.hasPrefix(" ‖ frame 2 of 3 · tx 1 at 12:04:32 · 1 newer · , back  . forward  0 live")
      })
  }

  @Test func `a frame of the past looks as it did, and wakes nobody`() throws {
    var state = Sample.state([Sample.panel("p", .table, key: ["player"])])
    state.deliver([0: Sample.scores(["ada": 1])], ordinal: 0)
    state.deliver([0: Sample.scores(["ada": 2])], ordinal: 1, at: 1)
    try state.press(" ")
    #expect(state.changesAt == nil)
    let frame = state.screen(at: 60)
    #expect(frame.text.contains("~ ada"), "the change is marked as when it was new")
  }

  @Test func `what is filtered and sorted stays so in every frame`() throws {
    var state = Sample.state([Sample.panel("p", .table, key: ["player"])])
    state.deliver([0: Sample.scores(["ada": 1, "bob": 2])], ordinal: 0)
    state.deliver([0: Sample.scores(["ada": 1, "bob": 3])], ordinal: 1, at: 1)
    try state.press("/bob<Enter>,")
    #expect(state.panels[0].order == [1])
    try state.press("0")
    #expect(state.panels[0].filter == "bob")
  }

  @Test func `more frames than the limit forget the oldest`() {
    var state = state()
    for number in 0..<Timeline.frameLimit + 200 {
      state.deliver([0: Sample.value(.integer(Int64(number)))], ordinal: number + 3)
    }
    #expect(state.timeline.count == Timeline.frameLimit)
    #expect(state.timeline[0].ordinal == 203)
    #expect(state.timeline[Timeline.frameLimit - 1].ordinal == Timeline.frameLimit + 202)
  }

  @Test func `big results are forgotten earlier, and the frame that is shown stays`() throws {
    var state = state()
    try state.press(",")
    state.timeline.byteLimit = 80_000
    let text = String(repeating: "x", count: 20_000)
    for number in 0..<9 {
      state.deliver([1: Sample.value(.text(text + String(number)))], ordinal: number + 3)
    }
    #expect(state.timeline.bytes <= state.timeline.byteLimit)
    #expect(state.timeline.count == 3)
    #expect(numbers(state) == [.integer(2), .integer(10)])
    #expect(state.screen().text.contains("a forgotten frame"))
    try state.press(".")
    #expect(state.timeline.place == 1, "the oldest that is kept")
    try state.press("0")
    #expect(numbers(state)[0] == .integer(3))
  }

  @Test func `what is known of each row counts with the rows`() {
    var state = Sample.state([Sample.panel("t", .table, key: ["id"])])
    let rows = (0..<1_000).map { [Value.integer(Int64($0)), .integer(0)] }
    state.deliver([0: RowSet(columns: ["id", "n"], rows: rows)], ordinal: 0)
    let still = state.timeline.bytes
    // Every row changes, and is marked.
    let changed = RowSet(columns: ["id", "n"], rows: rows.map { [$0[0], 1] })
    state.deliver([0: changed], ordinal: 1, at: 1)
    #expect(state.timeline.bytes - still > still + 1_000 * MemoryLayout<RowMarks.Mark>.stride)
    #expect(still > changed.estimatedBytes + 1_000 * MemoryLayout<Int>.stride)
  }

  @Test func `before anything was shown there is nothing to step to`() throws {
    var state = Sample.state([Sample.panel("n")])
    try state.press(",")
    #expect(!state.isPaused)
    #expect(state.message != nil)
  }
}
