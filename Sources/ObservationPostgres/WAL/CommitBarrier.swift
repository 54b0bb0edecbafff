/// Decides which commits a snapshot contains, where the log and the snapshot disagree for a moment.
///
/// Both happen: a commit is told before it is visible, because the log is flushed before the transaction leaves the
/// list of the running ones; and it is visible before it is told. So:
/// - A told commit stays pending until a snapshot contains it.
/// - A snapshot with a transaction of which nothing was told concerns all queries.
struct CommitBarrier {
  /// What a snapshot means for the queries.
  struct Verdict: Equatable {
    /// The told commits that it contains and no earlier one did, oldest first.
    var visible: [ToldTransactions.Ended] = []
    /// The transactions in it of which the log has told nothing yet: what they wrote is unknown.
    var untold: [UInt32] = []
    /// Whether told commits are not in it yet: ask again soon.
    var isPending = false
  }

  private var pending: [ToldTransactions.Ended] = []
  /// The transactions that were told to have ended, with their subtransactions, which a later snapshot may be the
  /// first to contain.
  private var told: Set<UInt32> = []
  private var last: ServerSnapshot?
  /// Transactions that wrote before the stream began: what they wrote is unknown.
  private var unknown: Set<UInt32>

  /// - Parameter running: The transactions that were running when the stream had begun.
  init(running: Set<UInt32>) { unknown = running }

  /// Notes what the log told.
  mutating func take(_ ended: ToldTransactions.Ended) {
    var ended = ended
    let numbers = [ended.xid] + ended.subtransactions
    if ended.xid != 0 { told.formUnion(numbers) }
    if !unknown.isDisjoint(with: numbers) {
      ended.isComplete = false
      unknown.subtract(numbers)
    }
    if ended.isCommit { pending.append(ended) }
  }

  /// The commits that were told and that no snapshot contained yet.
  var waiting: [ToldTransactions.Ended] { pending }

  /// Judges a snapshot that was taken after everything that ``take(_:)`` was given.
  ///
  /// - Complexity: O(pending + told + numbers given out since the last snapshot).
  mutating func judge(_ snapshot: ServerSnapshot) -> Verdict {
    var verdict = Verdict()
    // A sequence moves for everyone at once.
    func contains(_ ended: ToldTransactions.Ended) -> Bool {
      ended.xid == 0 || snapshot.contains(ended.xid)
    }
    verdict.visible = pending.filter(contains)
    pending.removeAll(where: contains)
    verdict.isPending = !pending.isEmpty
    if let last {
      verdict.untold = snapshot.ended(since: last).map { UInt32(truncatingIfNeeded: $0) }
        .filter { !told.contains($0) }
    }
    last = snapshot
    // Later snapshots contain all below xmin already: they can't be untold any more.
    told = told.filter { snapshot.widened($0) >= snapshot.xmin }
    return verdict
  }
}
