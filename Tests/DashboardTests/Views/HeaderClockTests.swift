import ObservationEngine
import Testing

@testable import Dashboard

/// The time at the right end of the first line.
@Suite struct HeaderClockTests {
  private func state(_ size: Size = Size(width: 80, height: 24)) -> DashboardState {
    var state = Sample.state([Sample.panel("n", .number)], size: size)
    state.deliver([0: Sample.value(.integer(1))])
    return state
  }

  private func header(_ state: DashboardState, at seconds: Double) -> Substring {
    state.screen(at: seconds).text.prefix { $0 != "\n" }
  }

  @Test func `beside LIVE it is the time of day, and ticks each second`() {
    var state = state()
    #expect(header(state, at: 0).hasSuffix("12:04:31"))
    #expect(state.changesAt == nil)
    // The moment is 204 milliseconds after a full second.
    #expect(state.needsTickAt == Sample.moment(0.796).monotonic)
    _ = reduce(&state, .ticked(Sample.moment(0.796)))
    #expect(header(state, at: 0.796).hasSuffix("12:04:32"))
    #expect(state.needsTickAt == Sample.moment(1.796).monotonic)
    #expect(header(state, at: 3600).hasSuffix("13:04:31"))
  }

  @Test func `beside STALE it says since when`() {
    var state = state()
    let stale = Staleness(since: Sample.moment(2).civil, reason: "locked")
    _ = reduce(&state, .refreshed(Refresh(stale: [0: stale], ordinal: 1), at: Sample.moment(2)))
    #expect(header(state, at: 30).contains("STALE"))
    #expect(header(state, at: 30).hasSuffix("as of 12:04:33"))
  }

  @Test func `beside a writer without a pause it says how often it looks`() {
    var state = state(Size(width: 120, height: 24))
    let commit = Sample.commit(1, tables: ["maps"], at: 0)
    func refresh(_ pause: Duration) -> Action {
      .refreshed(Refresh(events: [commit], ordinal: 1, pause: pause), at: Sample.moment(0))
    }
    _ = reduce(&state, refresh(.milliseconds(20)))
    #expect(!header(state, at: 0).contains("every"))
    _ = reduce(&state, refresh(.milliseconds(50)))
    #expect(header(state, at: 0).contains("LIVE   every 50 ms"))
    #expect(!header(state, at: 3).contains("every"), "the writer has ended")
  }

  @Test func `an older frame has its own time, and nobody is woken for it`() throws {
    var state = state()
    try state.press(" ")
    #expect(header(state, at: 30).hasSuffix("12:04:31"))
    #expect(state.needsTickAt == nil)
  }

  @Test func `nobody is woken where no clock is in view`() {
    #expect(state(Size(width: 30, height: 24)).needsTickAt == nil)
    #expect(state(Size(width: 20, height: 4)).needsTickAt == nil)
  }
}
