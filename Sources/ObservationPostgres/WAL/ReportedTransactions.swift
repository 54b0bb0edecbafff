/// What the write-ahead log reports of transactions: which files each wrote, until it ends.
struct ReportedTransactions {
  /// The end of a transaction, as the log reports it.
  struct Ended: Equatable {
    var xid: UInt32
    var subtransactions: [UInt32] = []
    var isCommit: Bool
    var files: Set<WALRecord.RelationFile> = []
    /// The same, where something else than the log itself reports it.
    var relations: Set<ReportedRelation> = []
    /// Whether that is all that it wrote: what it wrote before the stream began is unknown.
    var isComplete = true
    /// When it was reported, on this program's monotonic clock.
    var reportedAt: UInt64 = 0
    /// The server's time of the commit, in microseconds since 2000-01-01 UTC.
    var time: Int64 = 0
    /// Where its record ends in the log.
    var end: UInt64 = 0

    /// A change of anything, which every snapshot contains.
    static var anything: Ended {
      Ended(xid: 0, isCommit: true, isComplete: false, end: .max)
    }
  }

  private var open: [UInt32: Set<WALRecord.RelationFile>] = [:]

  /// Takes the next record.
  ///
  /// - Returns: The transaction that ends with it. A sequence that moved is one of its own, whose number is 0.
  /// - Complexity: O(files of the record, or of the transaction that ends).
  mutating func take(_ record: WALRecord) -> Ended? {
    switch record {
    case .rows(let xid, let files):
      open[xid, default: []].formUnion(files)
      return nil
    case .sequence(let file): return Ended(xid: 0, isCommit: true, files: [file])
    case .commit(let commit):
      var ended = Ended(
        xid: commit.xid, subtransactions: commit.subtransactions, isCommit: true, time: commit.time)
      ended.files = Set(commit.dropped)
      for xid in [commit.xid] + commit.subtransactions {
        if let files = open.removeValue(forKey: xid) { ended.files.formUnion(files) }
      }
      return ended
    case .abort(let xids):
      for xid in xids { open[xid] = nil }
      return Ended(xid: xids[0], subtransactions: Array(xids.dropFirst()), isCommit: false)
    case .running, .other: return nil
    }
  }
}

/// A table, as it is reported by another than the log itself.
enum ReportedRelation: Hashable {
  /// Without quotes.
  case named(schema: String, name: String)
  case numbered(UInt32)
}
