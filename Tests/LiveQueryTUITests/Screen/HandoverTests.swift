import Dashboard
import DatabaseConsole
import ObservationEngine
import Testing

@testable import LiveQueryTUI

/// What former observations of a session still report after its panels were replaced.
@Suite struct HandoverTests {
  /// Ends when it is cancelled.
  private let follower = Task<Void, Never> {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
  }

  private func results(
    _ handover: inout Handover, _ ordinal: Int, of generation: Int
  ) -> Handover.Progress {
    var refresh = Refresh(ordinal: ordinal)
    return handover.receive(&refresh, of: generation)
  }

  /// Reports commits.
  ///
  /// - Returns: Those of them that nothing reported before.
  private func commits(
    _ handover: inout Handover, _ ordinals: Int..., generation: Int
  ) -> (new: [Int], progress: Handover.Progress) {
    let events = ordinals.map { ordinal in
      DatabaseEvent.commit(
        Commit(
          ordinal: ordinal, origin: .external, tables: .named(["t"]),
          time: Timestamp(microseconds: 0)))
    }
    var refresh = Refresh(events: events, ordinal: ordinals.max()!)
    let progress = handover.receive(&refresh, of: generation)
    let new = refresh.events.compactMap { event in
      if case .commit(let commit) = event { commit.ordinal } else { nil }
    }
    return (new, progress)
  }

  @Test func `a commit that the former one reported first is taken once`() {
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 4)
    #expect(commits(&handover, 5, 6, 7, generation: 0) == ([5, 6, 7], .underWay))
    // It was ahead of what the new one begins with.
    #expect(commits(&handover, 6, generation: 1) == ([], .underWay))
    #expect(follower.isCancelled)
    #expect(commits(&handover, 7, 8, generation: 1) == ([8], .ended))
  }

  @Test func `a former observation goes on until it has reported what the new one begins with`()
    async
  {
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 4)
    #expect(results(&handover, 4, of: 0) == .underWay)
    // Commit 6 is in the first results of the new one; nothing has reported it.
    #expect(results(&handover, 6, of: 1) == .underWay)
    #expect(!follower.isCancelled)
    #expect(results(&handover, 5, of: 0) == .underWay)
    #expect(results(&handover, 7, of: 1) == .underWay)
    #expect(!follower.isCancelled)
    #expect(results(&handover, 6, of: 0) == .ended)
    await follower.value
  }

  @Test func `a former observation that has reported all ends with the first results`() async {
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 4)
    #expect(results(&handover, 4, of: 1) == .ended)
    await follower.value
  }

  @Test func `a set that is replaced before its first results reports them too`() async {
    let second = Task<Void, Never> { while !Task.isCancelled { await Task.yield() } }
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 1)
    handover.begin(after: second, of: 1, at: 1)
    #expect(results(&handover, 2, of: 1) == .underWay)
    #expect(results(&handover, 2, of: 2) == .underWay)
    await second.value
    #expect(!follower.isCancelled)
    #expect(results(&handover, 3, of: 0) == .ended)
    await follower.value
  }

  @Test func `all ends with the session`() async {
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 1)
    handover.end()
    await follower.value
  }
}
