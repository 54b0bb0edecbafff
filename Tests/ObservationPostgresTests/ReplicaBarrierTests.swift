import TestSupport
import Testing

@testable import ObservationPostgres

@Suite struct ReplicaBarrierTests {
  private func commit(_ xid: UInt32, end: UInt64) -> ReportedTransactions.Ended {
    ReportedTransactions.Ended(xid: xid, isCommit: true, end: end)
  }

  @Test func `what was replayed before the snapshot is in it, and what comes later is not`() {
    var barrier = ReplicaBarrier()
    for number in 1...4 { barrier.take(commit(UInt32(number), end: UInt64(number) * 10)) }
    let view = ReplicaBarrier.View(before: 10, after: 20, received: 30)
    let verdict = barrier.judge(view, streamed: 40)
    #expect(verdict.visible.map(\.end) == [10])
    #expect(verdict.possible.map(\.end) == [20, 30])
    #expect(!verdict.isAhead)
    #expect(barrier.waiting.map(\.end) == [20, 30, 40])
    #expect(barrier.ready.map(\.end) == [20])
  }

  @Test(
    arguments: [
      (ReplicaBarrier.View(before: 10, after: 10, received: 11), 10, true),
      (ReplicaBarrier.View(before: 10, after: 10, received: 10), 10, false),
      // The log comes from an archive: the standby does not know what was received.
      (ReplicaBarrier.View(before: 10, after: 10, received: nil), 20, true),
      (ReplicaBarrier.View(before: 10, after: 12, received: 11), 20, true),
    ] as [(ReplicaBarrier.View, UInt64, Bool)])
  func `a snapshot that may contain what was not reported concerns everything`(
    _ view: ReplicaBarrier.View, _ streamed: UInt64, _ isAhead: Bool
  ) {
    var barrier = ReplicaBarrier()
    #expect(barrier.judge(view, streamed: streamed).isAhead == isAhead)
  }

  @Test func `what a transaction wrote before the stream began is unknown`() {
    var barrier = ReplicaBarrier()
    barrier.take(commit(7, end: 1))
    barrier.takeNext(9)
    barrier.takeNext(20)
    barrier.take(commit(8, end: 2))
    barrier.take(commit(9, end: 3))
    barrier.take(commit(0, end: 4))
    #expect(barrier.waiting.map(\.isComplete) == [false, false, true, true])
  }

  /// The truth: a standby receives the log and replays it, and a commit is visible before its record counts as
  /// replayed.
  @Test(arguments: [UInt64](1...8))
  func `no query misses a commit, however far the standby is`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var barrier = ReplicaBarrier()
    // Commit n ends at position n.
    var (received, streamed, replayed, visible): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    // The visible commits that the query of their table hasn't seen.
    var unseen: Set<UInt64> = []
    var toldUpTo: UInt64 = 0
    func advance() {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: received += 1
      case 1 where streamed < received:
        streamed += 1
        barrier.take(commit(UInt32(streamed), end: streamed))
      case 2 where visible < received && visible == replayed: visible += 1
      case 3 where replayed < visible: replayed += 1
      default: break
      }
    }
    for _ in 0..<3_000 {
      for _ in 0..<Int.random(in: 0...3, using: &random) { advance() }
      let before = replayed
      if random.onceIn(2) { advance() }
      let shown = visible
      if random.onceIn(2) { advance() }
      let view = ReplicaBarrier.View(before: before, after: replayed, received: received)
      let verdict = barrier.judge(view, streamed: streamed)
      #expect(verdict.visible.allSatisfy { $0.end <= shown }, "seed \(seed): not visible yet")
      while toldUpTo < shown {
        toldUpTo += 1
        unseen.insert(toldUpTo)
      }
      if verdict.isAhead { unseen = [] }
      unseen.subtract((verdict.visible + verdict.possible).map(\.end))
      #expect(unseen.isEmpty, "seed \(seed): a query missed a commit")
    }
  }
}
