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

  @Test func `a former observation goes on until it has reported what the new one begins with`()
    async
  {
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 4)
    #expect(handover.receive(4, of: 0) == .underWay)
    // Commit 6 is in the first results of the new one; nothing has reported it.
    #expect(handover.receive(6, of: 1) == .underWay)
    #expect(!follower.isCancelled)
    #expect(handover.receive(5, of: 0) == .underWay)
    #expect(handover.receive(7, of: 1) == .underWay)
    #expect(!follower.isCancelled)
    #expect(handover.receive(6, of: 0) == .ended)
    await follower.value
  }

  @Test func `a former observation that has reported all ends with the first results`() async {
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 4)
    #expect(handover.receive(4, of: 1) == .ended)
    await follower.value
  }

  @Test func `a set that is replaced before its first results reports them too`() async {
    let second = Task<Void, Never> { while !Task.isCancelled { await Task.yield() } }
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 1)
    handover.begin(after: second, of: 1, at: 1)
    #expect(handover.receive(2, of: 1) == .underWay)
    #expect(handover.receive(2, of: 2) == .underWay)
    await second.value
    #expect(!follower.isCancelled)
    #expect(handover.receive(3, of: 0) == .ended)
    await follower.value
  }

  @Test func `all ends with the session`() async {
    var handover = Handover()
    handover.begin(after: follower, of: 0, at: 1)
    handover.end()
    await follower.value
  }
}
