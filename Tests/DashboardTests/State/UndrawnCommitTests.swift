import ObservationEngine
import Testing

@testable import Dashboard

/// From when the time is counted until a commit is on the screen.
@Suite struct UndrawnCommitTests {
  private func refresh(
    _ noticed: UInt64, commit: Int? = nil, slow: Set<Int> = [], recomputed: Set<Int> = []
  ) -> Refresh {
    let staleness = Staleness.slow(since: Sample.moment().civil)
    return Refresh(
      recomputed: Dictionary(uniqueKeysWithValues: recomputed.map { ($0, .milliseconds(1)) }),
      stale: Dictionary(uniqueKeysWithValues: slow.map { ($0, staleness) }),
      events: commit.map { [Sample.commit($0)] } ?? [], noticed: noticed)
  }

  private func notice(_ noticed: UInt64) -> UndrawnCommit.Notice {
    UndrawnCommit.Notice(noticed: noticed, origin: .external)
  }

  @Test func `a commit that every panel follows at once counts with the next picture`() {
    var undrawn = UndrawnCommit()
    undrawn.receive(refresh(5, commit: 1))
    undrawn.receive(refresh(9, commit: 2))
    #expect(undrawn.take() == notice(5))
    #expect(undrawn.take() == nil)
  }

  @Test func `a commit that a slow panel follows counts when that is drawn`() {
    var undrawn = UndrawnCommit()
    undrawn.receive(refresh(5, commit: 1, slow: [1, 2], recomputed: [0]))
    #expect(undrawn.take() == nil)
    undrawn.receive(refresh(0, slow: [2], recomputed: [1]))
    #expect(undrawn.take() == nil)
    undrawn.receive(refresh(0, recomputed: [2]))
    #expect(undrawn.take() == notice(5))
  }

  @Test func `under a steady writer each result of a slow panel counts`() {
    var undrawn = UndrawnCommit()
    undrawn.receive(refresh(5, commit: 1, slow: [0]))
    undrawn.receive(refresh(7, commit: 2, slow: [0]))
    undrawn.receive(refresh(0, slow: [0], recomputed: [0]))
    #expect(undrawn.take() == notice(5))
    undrawn.receive(refresh(8, commit: 3, slow: [0]))
    undrawn.receive(refresh(0, recomputed: [0]))
    #expect(undrawn.take() == notice(8))
  }
}
