import ObservationEngine
import Testing

@testable import Dashboard

/// When a frame is due: at once for the user, later for what few look at.
@Suite struct FrameClockTests {
  private let second: UInt64 = 1_000_000_000

  private func clock(_ urgencies: FrameUrgency..., at now: UInt64) -> FrameClock {
    var clock = FrameClock()
    clock.draw(at: now)
    for urgency in urgencies { clock.request(urgency, at: now) }
    return clock
  }

  @Test func `the first frame is due, and no second one without news`() {
    var clock = FrameClock()
    #expect(clock.isDue(at: 0))
    clock.draw(at: second)
    #expect(clock.dueAt == nil && !clock.isDue(at: .max))
    clock.request(.none, at: second)
    #expect(clock.dueAt == nil)
  }

  @Test func `the feed waits for others, ticks for the pace of refreshes, nothing for the user`() {
    #expect(clock(.soon, at: second).dueAt == second + 200_000_000)
    #expect(clock(.paced, at: second).dueAt == second + 35_000_000)
    #expect(clock(.soon, .paced, at: second).dueAt == second + 35_000_000)
    #expect(clock(.now, .soon, at: second).dueAt == 0)
    #expect(clock(.soon, .now, at: second).dueAt == 0)
  }

  @Test func `a later commit does not put off the frame of an earlier one`() {
    var clock = clock(.soon, at: second)
    clock.request(.soon, at: 2 * second)
    #expect(clock.dueAt == second + 200_000_000)
  }

  @Test func `commits that no panel reads are not urgent, unless a panel waits`() {
    var state = Sample.state([Sample.panel("n")])
    let commit = Refresh(events: [Sample.commit(1)], ordinal: 1)
    #expect(state.urgency(of: .refreshed(commit, at: Sample.moment())) == .paced)
    let own = Refresh(events: [Sample.commit(1, .own)], ordinal: 1)
    #expect(state.urgency(of: .refreshed(own, at: Sample.moment())) == .now)
    let result = Refresh(results: [0: .success(Sample.numbers(1))], ordinal: 1)
    #expect(state.urgency(of: .refreshed(result, at: Sample.moment())) == .now)
    #expect(state.urgency(of: .key(.enter)) == .now)
    #expect(state.urgency(of: .ticked(Sample.moment())) == .paced)
    #expect(state.urgency(of: .drawn(latency: 1, origin: .own)) == .none)
    var info = DatabaseInfo()
    #expect(state.urgency(of: .databaseInfo(info)) == .paced)
    info.journalMode = "wal"
    #expect(state.urgency(of: .databaseInfo(info)) == .now)
    let stale = Staleness(since: Sample.moment().civil, reason: "locked")
    _ = reduce(&state, .refreshed(Refresh(stale: [0: stale], ordinal: 1), at: Sample.moment()))
    #expect(state.urgency(of: .refreshed(commit, at: Sample.moment())) == .now)
  }
}
