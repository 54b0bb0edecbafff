import ObservationEngine
import Testing

@testable import Dashboard

/// Earlier frames: the bar that stands for them, and the way to one from the feed.
@Suite struct ScrubberTests {
  /// Twenty frames, of the commits 1 to 20, a second apart.
  private func state() -> DashboardState {
    var state = Sample.state(
      [Sample.panel("n", .table)], size: Size(width: 80, height: 24),
      panes: PaneChoices(panes: [.feed: true]))
    for ordinal in 1...20 {
      let refresh = Refresh(
        results: [0: .success(Sample.numbers(ordinal))],
        events: [Sample.commit(ordinal, at: Double(ordinal))], ordinal: ordinal,
        duration: .milliseconds(4))
      _ = reduce(&state, .refreshed(refresh, at: Sample.moment(Double(ordinal))))
    }
    return state
  }

  private func rowCount(_ state: DashboardState) -> Int? { state.panels[0].result?.rows.count }

  @Test func `the bar shows which of the frames is on the screen`() throws {
    var state = state()
    #expect(state.layout.scrubber(state) == nil)
    try state.press(",")
    let line = state.screen(at: 20).text.split(separator: "\n").first { $0.contains("12:04:32 ━") }
    let bar = try #require(line)
    #expect(bar.contains("●──── 12:04:51"), "\(bar)")
    try state.press("[")
    #expect(state.timeline.place == 9)
    try state.press("[")
    #expect(state.timeline.place == 1)
    try state.press("]]")
    #expect(state.timeline.place == 20 && state.isPaused)
    try state.press("]")
    #expect(!state.isPaused)
  }

  @Test func `each frame has a cell, and each cell a frame`() throws {
    var state = state()
    try state.press(",")
    let scrubber = try #require(state.layout.scrubber(state))
    for place in 1...20 {
      #expect(scrubber.frame(atColumn: scrubber.column(ofFrame: place)) == place)
    }
    #expect(scrubber.frame(atColumn: 0) == 1 && scrubber.frame(atColumn: 79) == 20)
    #expect(scrubber.column(ofFrame: 20) == scrubber.track.x + scrubber.track.width - 1)
  }

  @Test func `a click on the bar shows the frame there, and a drag those along it`() throws {
    var state = state()
    try state.press(",")
    let scrubber = try #require(state.layout.scrubber(state))
    let y = scrubber.line.y + 1
    try state.press("<click \(scrubber.column(ofFrame: 5) + 1),\(y)>")
    #expect(state.timeline.place == 5 && rowCount(state) == 5)
    try state.press("<drag \(scrubber.column(ofFrame: 12) + 1),\(y)>")
    #expect(rowCount(state) == 12)
  }

  @Test func `a commit leads to the panels as they were after it`() throws {
    var state = state()
    try state.press("tjj<Enter>")
    #expect(state.screen(at: 20).text.contains("f frame as it was"))
    try state.press("f")
    #expect(state.modes.overlay == nil && rowCount(state) == 18)
    // From the line itself, too.
    try state.press("jjf")
    #expect(rowCount(state) == 16)
    try state.press("0")
    #expect(rowCount(state) == 20)
  }

  @Test func `after a commit that changed no panel, they were as before it`() throws {
    var state = state()
    let quiet = Refresh(events: [Sample.commit(21, at: 21)], ordinal: 21)
    _ = reduce(&state, .refreshed(quiet, at: Sample.moment(21)))
    state.deliver([0: Sample.numbers(22)], ordinal: 22, at: 22)
    try state.press("tf")
    #expect(state.timeline.place == 20 && rowCount(state) == 20)
  }

  @Test func `a frame that is not kept any more is said to be gone`() throws {
    var state = state()
    state.timeline.byteLimit = 1
    state.deliver([0: Sample.numbers(21)], ordinal: 21, at: 21)
    try state.press("tjjjf")
    #expect(state.message?.text == "what the panels showed after tx 17 is not kept any more")
    #expect(!state.isPaused)
  }
}
