/// Decides which commits a snapshot contains, where the log and the snapshot disagree for a moment.
///
/// Both happen: a commit is reported before it is visible, because the log is flushed before the transaction leaves the
/// list of the running ones; and it is visible before it is reported. So:
/// - A reported commit stays pending until a snapshot contains it.
/// - A snapshot with a transaction that was not reported concerns all queries.
struct CommitBarrier {
  /// What a snapshot means for the queries.
  struct Verdict: Equatable {
    /// The reported commits that it contains and no earlier one did, oldest first.
    var visible: [ReportedTransactions.Ended] = []
    /// The transactions in it which the log has not reported yet: what they wrote is unknown.
    var unreported: [UInt32] = []
    /// Whether reported commits are missing from it yet, so that another one is needed.
    var isPending = false
  }

  private var pending: [ReportedTransactions.Ended] = []
  /// The transactions that were reported to have ended, with their subtransactions, which a later snapshot may be the
  /// first to contain.
  private var reported: Set<UInt32> = []
  private var last: ServerSnapshot?
  /// Transactions that wrote before the stream began: what they wrote is unknown.
  private var unknown: Set<UInt32>
  private let reportsVisible: Bool

  /// Where nothing is observed no snapshot is taken. With more than these, anything may have changed.
  private static let mostReported = 100_000

  /// - Parameters:
  ///   - running: The transactions that were running when the stream had begun.
  ///   - reportsVisible: Whether only commits are reported that are visible by then, as the server notifies of them.
  init(running: Set<UInt32>, reportsVisible: Bool = false) {
    unknown = running
    self.reportsVisible = reportsVisible
  }

  /// Notes what the log reported.
  mutating func take(_ ended: ReportedTransactions.Ended) {
    if max(pending.count, reported.count) >= Self.mostReported {
      // Those that no snapshot contained yet count as unreported then.
      (pending, reported) = ([.anything], [])
    }
    var ended = ended
    let numbers = [ended.xid] + ended.subtransactions
    if ended.xid != 0 { reported.formUnion(numbers) }
    if !unknown.isDisjoint(with: numbers) {
      ended.isComplete = false
      unknown.subtract(numbers)
    }
    if ended.isCommit { pending.append(ended) }
  }

  /// The commits that were reported and that no snapshot contained yet.
  var waiting: [ReportedTransactions.Ended] { pending }

  /// Judges a snapshot that was taken after everything that ``take(_:)`` was given.
  ///
  /// - Complexity: O(pending + reported + numbers given out since the last snapshot).
  mutating func judge(_ snapshot: ServerSnapshot) -> Verdict {
    var verdict = Verdict()
    // Every snapshot contains the movement of a sequence.
    func contains(_ ended: ReportedTransactions.Ended) -> Bool {
      ended.xid == 0 || snapshot.contains(ended.xid)
    }
    if reportsVisible {
      // Anybody may notify of any number. One of a transaction that has not committed must not hide its commit later.
      let foreign = pending.filter { !contains($0) }
      if !foreign.isEmpty {
        reported.subtract(foreign.map(\.xid))
        pending = pending.filter(contains) + [.anything]
      }
    }
    verdict.visible = pending.filter(contains)
    pending.removeAll(where: contains)
    verdict.isPending = !pending.isEmpty
    if let last {
      verdict.unreported = snapshot.ended(since: last).map { UInt32(truncatingIfNeeded: $0) }
        .filter { !reported.contains($0) }
    }
    last = snapshot
    // Later snapshots contain those of this one already: they can't be unreported any more.
    reported = reported.filter { !snapshot.contains($0) }
    return verdict
  }
}
