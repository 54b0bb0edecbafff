import TestSupport
import Testing

@testable import ObservationPostgres

@Suite struct CommitBarrierTests {
  private func snapshot(_ text: String) throws -> ServerSnapshot {
    try #require(ServerSnapshot(text))
  }

  private func commit(_ xid: UInt32, _ subtransactions: [UInt32] = []) -> ReportedTransactions.Ended
  {
    ReportedTransactions.Ended(xid: xid, subtransactions: subtransactions, isCommit: true)
  }

  @Test(arguments: ["", "1:2", "2:1:", "1:2:x", "a:b:"])
  func `what is no snapshot is refused`(_ text: String) {
    #expect(ServerSnapshot(text) == nil)
  }

  @Test func `a commit that was reported before it is visible stays pending`() throws {
    var barrier = CommitBarrier(running: [])
    _ = barrier.judge(try snapshot("100:100:"))
    barrier.take(commit(100))
    let before = barrier.judge(try snapshot("100:101:100"))
    #expect(before.visible.isEmpty && before.isPending && before.unreported.isEmpty)
    let after = barrier.judge(try snapshot("101:101:"))
    #expect(after.visible.map(\.xid) == [100])
    #expect(!after.isPending && after.unreported.isEmpty)
  }

  @Test func `a commit that is visible before it was reported concerns everything`() throws {
    var barrier = CommitBarrier(running: [])
    _ = barrier.judge(try snapshot("100:101:100"))
    let early = barrier.judge(try snapshot("102:102:"))
    #expect(early.unreported == [100, 101])
    barrier.take(commit(100))
    barrier.take(ReportedTransactions.Ended(xid: 101, isCommit: false))
    let late = barrier.judge(try snapshot("102:102:"))
    #expect(late.visible.map(\.xid) == [100])
    #expect(late.unreported.isEmpty)
  }

  @Test func `a subtransaction is reported with its transaction`() throws {
    var barrier = CommitBarrier(running: [])
    _ = barrier.judge(try snapshot("100:100:"))
    barrier.take(commit(100, [101, 102]))
    #expect(barrier.judge(try snapshot("103:103:")).unreported.isEmpty)
  }

  @Test func `what a transaction wrote before the stream began is unknown`() throws {
    var barrier = CommitBarrier(running: [100, 105])
    barrier.take(commit(100))
    barrier.take(commit(101))
    let verdict = barrier.judge(try snapshot("102:102:"))
    #expect(verdict.visible.map(\.isComplete) == [false, true])
  }

  @Test func `what was notified of and has not committed is a change of anything, once`() throws {
    var barrier = CommitBarrier(running: [], reportsVisible: true)
    _ = barrier.judge(try snapshot("100:100:"))
    // One committed, one is running, and two are none.
    for xid: UInt32 in [100, 101, 108, 4_000_000] { barrier.take(commit(xid)) }
    let verdict = barrier.judge(try snapshot("101:102:101"))
    #expect(verdict.visible == [commit(100), .anything])
    #expect(!verdict.isPending && verdict.unreported.isEmpty && barrier.waiting.isEmpty)
    let next = barrier.judge(try snapshot("101:102:101"))
    #expect(next == CommitBarrier.Verdict())
    // Their commits still count as unreported.
    #expect(barrier.judge(try snapshot("103:103:")).unreported == [101, 102])
    #expect(barrier.judge(try snapshot("109:109:")).unreported.contains(108))
  }

  @Test func `what no snapshot is taken for does not pile up`() throws {
    var barrier = CommitBarrier(running: [])
    _ = barrier.judge(try snapshot("1:1:"))
    for xid: UInt32 in 1...100_001 { barrier.take(commit(xid)) }
    #expect(barrier.waiting == [.anything, commit(100_001)])
    let verdict = barrier.judge(try snapshot("50000:100002:50000"))
    #expect(verdict.visible == [.anything, commit(100_001)] && !verdict.isPending)
    // One that is visible only now was forgotten: it concerns everything again.
    #expect(barrier.judge(try snapshot("100002:100002:")).unreported == [50_000])
  }

  @Test func `numbers are compared beyond the end of 32 bits`() throws {
    let snapshot = try snapshot("8589934590:8589934594:")
    #expect(snapshot.contains(0xFFFF_FFFF) && snapshot.contains(1))
    #expect(!snapshot.contains(2))
    #expect(snapshot.widened(0xFFFF_FFFE) == 0x1_FFFF_FFFE)
  }

  /// The truth: transactions write tables, end, are reported and become visible in any order that a server has.
  @Test(arguments: [UInt64](1...8))
  func `no query misses a commit, whatever comes first`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var barrier = CommitBarrier(running: [])
    var next: UInt32 = 1_000
    var running: [UInt32] = []
    var unreported: [UInt32] = []
    var unseen: Set<UInt32> = []
    // What the queries have been run for.
    var seen: Set<UInt32> = []
    var visible: Set<UInt32> = []
    func mark() -> String {
      let open = running.sorted()
      return "\(open.first ?? next):\(next):\(open.map(String.init).joined(separator: ","))"
    }
    _ = barrier.judge(try snapshot(mark()))
    for _ in 0..<3_000 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        running.append(next)
        unreported.append(next)
        next += 1
      case 1 where !running.isEmpty:
        // It becomes visible, reported or not.
        let xid = running.remove(at: Int.random(in: 0..<running.count, using: &random))
        visible.insert(xid)
        unseen.insert(xid)
      case 2 where !unreported.isEmpty:
        // The log reports of it, visible or not.
        let index = Int.random(in: 0..<min(3, unreported.count), using: &random)
        barrier.take(commit(unreported.remove(at: index)))
      default:
        let verdict = barrier.judge(try snapshot(mark()))
        if !verdict.unreported.isEmpty { seen.formUnion(visible) }
        for ended in verdict.visible where ended.isCommit {
          #expect(visible.contains(ended.xid), "seed \(seed): not visible yet")
          seen.insert(ended.xid)
        }
        #expect(visible.subtracting(seen).isEmpty, "seed \(seed): a query missed a commit")
      }
    }
  }
}
