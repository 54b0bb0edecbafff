/// Decides which commits a snapshot of a standby contains.
///
/// There the numbers of transactions say nothing: a standby's snapshot doesn't list those that run. It contains what was
/// replayed, so positions in the log decide:
///
///     ──commit──────────R────commit──────U──────commit──▶ log
///       contained             perhaps            not yet
///
/// `R` was replayed before the snapshot. At `U` ends what may have been replayed when it was taken.
struct ReplicaBarrier {
  /// How far a standby had come around a snapshot.
  struct View: Equatable {
    /// Replayed before the snapshot.
    var before: UInt64
    /// Replayed after the snapshot.
    var after: UInt64
    /// Received after the snapshot; nil when the log doesn't come from a primary.
    var received: UInt64?

    /// Where what the snapshot may contain ends; nil when that is unknown.
    ///
    /// A record that is being replayed counts as not replayed yet, although its commit is visible already. It was
    /// received, though.
    var upper: UInt64? { received.flatMap { $0 >= after ? $0 : nil } }
  }

  /// What a snapshot means for the queries.
  struct Verdict: Equatable {
    /// The commits that it contains and no earlier one was sure to, oldest first.
    var visible: [ReportedTransactions.Ended] = []
    /// The commits that it may contain.
    var possible: [ReportedTransactions.Ended] = []
    /// Whether it may contain commits that the log has not reported yet.
    var isAhead = false
    /// Where what it may contain ends; nil when that is unknown.
    var upper: UInt64?
  }

  /// The commits that were reported and that no snapshot was sure to contain, oldest first.
  private(set) var waiting: [ReportedTransactions.Ended] = []
  /// The first number of a transaction that was given out after the stream had begun; nil while that is unknown.
  private var firstWhole: UInt32?
  /// The newest position that is known to be replayed.
  private var replayed: UInt64 = 0

  /// Notes what the log reported.
  mutating func take(_ ended: ReportedTransactions.Ended) {
    guard ended.isCommit else { return }
    var ended = ended
    // What one wrote before the stream began is unknown. A sequence has no transaction.
    if ended.xid != 0 {
      ended.isComplete = firstWhole.map { Int32(bitPattern: ended.xid &- $0) >= 0 } ?? false
    }
    waiting.append(ended)
  }

  /// Notes the number that the next transaction would have got, where the log names it.
  mutating func takeNext(_ xid: UInt32) { firstWhole = firstWhole ?? xid }

  /// Notes how far the standby has come.
  mutating func takeReplayed(_ position: UInt64) { replayed = max(replayed, position) }

  /// The waiting commits that the next snapshot contains.
  var ready: [ReportedTransactions.Ended] { Array(waiting.prefix { $0.end <= replayed }) }

  /// Judges a snapshot.
  ///
  /// - Parameter streamed: Where what the log reported so far ends.
  /// - Complexity: O(waiting).
  mutating func judge(_ view: View, streamed: UInt64) -> Verdict {
    var verdict = Verdict()
    takeReplayed(view.before)
    verdict.visible = ready
    waiting.removeFirst(verdict.visible.count)
    takeReplayed(view.after)
    verdict.upper = view.upper
    guard let upper = view.upper else {
      (verdict.isAhead, verdict.possible) = (true, waiting)
      return verdict
    }
    verdict.possible = waiting.filter { $0.end <= upper }
    verdict.isAhead = upper > streamed
    return verdict
  }
}
