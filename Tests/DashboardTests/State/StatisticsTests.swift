import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct StatisticsTests {
  @Test func `percentiles are those of the last 256 samples`() {
    var ring = LatencyStatistics.Ring()
    for sample in 1...100 { ring.append(UInt64(sample)) }
    #expect(ring.median == 50)
    #expect(ring.percentile99 == 99)
    for _ in 0..<256 { ring.append(7) }
    #expect(ring.median == 7)
    #expect(ring.percentile99 == 7)
    ring.append(8)
    #expect(ring.newest(3) == [7, 7, 8])
  }

  @Test func `own and foreign commits are measured apart`() {
    var state = Sample.state([Sample.panel("p")])
    _ = reduce(&state, .drawn(latency: 4, origin: .own))
    _ = reduce(&state, .drawn(latency: 9, origin: .external))
    #expect(state.vitals.latency.own.median == 4)
    #expect(state.vitals.latency.external.median == 9)
    #expect(state.vitals.latency.latest == .external)
  }

  @Test func `a rate counts ten seconds back and asks for a tick until they are over`() {
    let second: UInt64 = 1_000_000_000
    var rate = CommitHistory.seconds
    #expect(rate.nextChange(after: 0) == nil)
    rate.add(2, at: 100 * second + 5)
    rate.add(1, at: 100 * second + 9)
    rate.add(4, at: 102 * second)
    #expect(rate.counts(at: 102 * second) == [0, 0, 0, 0, 0, 0, 0, 3, 0, 4])
    #expect(rate.counts(at: 110 * second) == [0, 4, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(rate.nextChange(after: 102 * second + 3) == 103 * second)
    #expect(rate.nextChange(after: 111 * second) == 112 * second)
    #expect(rate.nextChange(after: 112 * second) == nil)
  }

  @Test func `the feed forgets the oldest and keeps the place of who reads`() {
    var state = Sample.state([Sample.panel("p")])
    for ordinal in 1...1300 {
      let commit = Sample.commit(ordinal, at: Double(ordinal) * 2)
      let refresh = Refresh(events: [commit], ordinal: ordinal)
      _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    }
    #expect(state.feed.entries.count <= 1128)
    #expect(state.feed.entries.last?.event == Sample.commit(1300, at: 2600))
    #expect(state.feed.externalCommits == 1300)
    state.focus = .feed
    _ = reduce(&state, .key(.down))
    let refresh = Refresh(events: [Sample.commit(1301, at: 2602)], ordinal: 1301)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    #expect(state.feed.cursor == 2)
    #expect(state.feed.chosen?.event == Sample.commit(1299, at: 2598))
  }

  @Test(arguments: ["polling", "inotify"])
  func `a wide screen says how commits of other processes are noticed`(_ watch: String) {
    var state = Sample.state([Sample.panel("p")], size: Size(width: 160, height: 40))
    _ = reduce(&state, .databaseInfo(DatabaseInfo(journalMode: "wal", watch: watch)))
    #expect(state.screen().text.contains("watch \(watch)"))
  }
}
