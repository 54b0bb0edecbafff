internal import ObservationEngine

/// What a snapshot contains that no earlier one did.
struct SnapshotVerdict {
  /// A commit, as the feed shows it.
  struct Change {
    var tables: Commit.Tables
    var kind = Commit.Kind.data
    /// The transactions that it may be.
    var xids: [UInt32]
  }

  /// Whether it may have changed any query's result, beyond what was expected.
  var concernsAll = false
  /// Queries that reported commits in it concern.
  var others: [TrackedQuery] = []
  /// The changes to report.
  var changes: [Change] = []
  /// Whether tables may have come, gone or moved.
  var reloadsMap = false
  /// Transactions in it that the log has not reported.
  var unreported: [UInt32] = []
  /// The same on a standby: up to which position it may contain commits whose events are still to come; 0 for none.
  var mayShowUpTo: UInt64 = 0
  /// Whether reported commits are missing from it.
  var isPending = false
  /// Whether the mark alone showed a commit, so that only a different result shows that there was one.
  var isGuess = false
  /// The transactions that ended since the last mark, as far as that is known.
  var ended: [UInt32] = []

  /// That of a server whose log isn't followed.
  ///
  /// - Parameter former: The mark before; empty for the first one.
  static func polled(from former: String, to mark: String) -> SnapshotVerdict {
    var verdict = SnapshotVerdict()
    verdict.isGuess = former != mark && !former.isEmpty
    verdict.concernsAll = verdict.isGuess
    if let former = ServerSnapshot(former), let newest = ServerSnapshot(mark) {
      verdict.ended = newest.ended(since: former).map { UInt32(truncatingIfNeeded: $0) }
    }
    return verdict
  }

  /// Adds what a later snapshot contains.
  mutating func add(_ later: SnapshotVerdict) {
    concernsAll = concernsAll || later.concernsAll
    add(later.others)
    changes += later.changes
    reloadsMap = reloadsMap || later.reloadsMap
    unreported += later.unreported
    mayShowUpTo = max(mayShowUpTo, later.mayShowUpTo)
    isPending = later.isPending
    isGuess = isGuess || later.isGuess
    ended += later.ended
  }

  /// Adds queries that aren't in it yet.
  mutating func add(_ queries: [TrackedQuery]) {
    others += queries.filter { query in !others.contains { $0 === query } }
  }
}
