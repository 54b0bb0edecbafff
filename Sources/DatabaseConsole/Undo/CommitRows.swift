package import ObservationEngine

/// The rows that one commit changed, as far as they are known, to be shown to the user.
package struct CommitRows: Sendable, Equatable {
  /// The changed rows of one table.
  package struct Table: Sendable, Equatable {
    /// The name, prefixed with the schema unless that is `main`.
    package let name: String
    /// The declared names.
    package let columns: [String]
    /// The rows with the smallest keys that differ, ordered by key.
    package let rows: [RowDifference.Entry]
    /// The counts of all rows that differ; `nil` if unknown.
    package let counts: Commit.RowCounts?
    /// Why rows are unknown; `nil` when all are known.
    package let missing: String?

    package init(
      name: String, columns: [String], rows: [RowDifference.Entry], counts: Commit.RowCounts?,
      missing: String? = nil
    ) {
      self.name = name
      self.columns = columns
      self.rows = rows
      self.counts = counts
      self.missing = missing
    }
  }

  /// The maximum rows kept per table.
  package static let rowLimit = 200

  package let ordinal: Int
  /// Ordered by name.
  package let tables: [Table]
  /// Why more tables may have changed, or rows may be another process's; `nil` when this is
  /// complete.
  package let remark: String?

  package init(ordinal: Int, tables: [Table], remark: String? = nil) {
    self.ordinal = ordinal
    self.tables = tables
    self.remark = remark
  }

  /// - Complexity: O(rows · log(``rowLimit``)).
  init(_ commit: Commit, _ changeset: Changeset) {
    ordinal = commit.ordinal
    if let renumbered = changeset.renumbered {
      tables = []
      // Users don't know the rows of SQLite's own tables by their numbers.
      let isTold = renumbered.contains { !$0.name.hasPrefix("sqlite_") }
      remark =
        "VACUUM changed no rows"
        + (isTold ? "; those of tables without an INTEGER PRIMARY KEY may have other numbers" : "")
      return
    }
    tables = changeset.tables.sorted { $0.key < $1.key }.map { Table($0, $1) }
    remark =
      changeset.mayHoldOthersRows
      ? "another program committed right behind it; its rows may be among these"
      : changeset.everythingReason
  }

  /// The approximate memory that its rows take, in bytes.
  var estimatedBytes: Int {
    tables.reduce(0) { sum, table in
      table.rows.reduce(sum) { $0 + Self.bytes($1.old) + Self.bytes($1.new) }
    }
  }

  private static func bytes(_ row: [Value]?) -> Int {
    (row ?? []).reduce(0) { $0 + $1.byteCount }
  }
}

extension CommitRows.Table {
  fileprivate init(_ id: TableID, _ change: TableChange) {
    name = id.description
    switch change {
    case .bulk(let reason):
      (columns, rows, counts, missing) = ([], [], nil, reason)
    case .rows(let difference):
      let interest = difference.interest
      let isKept = interest.isComplete && interest.wantsRows
      columns = difference.columns
      rows = isKept ? difference.firstEntries(CommitRows.rowLimit) : []
      counts = interest.isComplete ? difference.counts : nil
      missing =
        isKept
        ? nil
        : difference.entries.isEmpty
          ? "some are older than a column's default" : "its computed columns aren't known"
    }
  }
}

extension RowDifference {
  /// The entries with the smallest keys, ordered by key.
  fileprivate func firstEntries(_ count: Int) -> [Entry] {
    var first: [Entry] = []
    for entry in entries {
      if first.count == count, let last = first.last, !entry.key.precedes(last.key) { continue }
      var (low, high) = (0, first.count)
      while low < high {
        let middle = (low + high) / 2
        if first[middle].key.precedes(entry.key) { low = middle + 1 } else { high = middle }
      }
      first.insert(entry, at: low)
      if first.count > count { first.removeLast() }
    }
    return first
  }
}

extension RowChange.Key {
  /// SQLite's order: NULL, numbers, texts and BLOBs by their bytes.
  fileprivate func precedes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.rowid(let left), .rowid(let right)): return left < right
    case (.primaryKey(let left), .primaryKey(let right)):
      for (left, right) in zip(left, right) where left != right {
        return left.precedes(right)
      }
      return left.count < right.count
    case (.rowid, .primaryKey): return true
    case (.primaryKey, .rowid): return false
    }
  }
}

/// The changed rows of the newest commits.
///
/// ## Limits
/// - At most ``commitLimit`` commits and about ``byteLimit`` bytes of rows: the oldest go first.
///   For each table ``CommitRows/rowLimit`` rows are kept, and all are counted.
struct CommitRowsLog: Sendable {
  static let commitLimit = 200
  static let byteLimit = 8 << 20

  /// In ascending order of their ordinals.
  private var commits: [CommitRows] = []
  private var bytes = 0

  /// Adds the rows of a commit; two threads that publish commits may come here in another order.
  mutating func insert(_ rows: CommitRows) {
    let place = commits.lastIndex { $0.ordinal < rows.ordinal }.map { $0 + 1 } ?? 0
    commits.insert(rows, at: place)
    bytes += rows.estimatedBytes
    while commits.count > Self.commitLimit || bytes > Self.byteLimit, !commits.isEmpty {
      bytes -= commits.removeFirst().estimatedBytes
    }
  }

  /// - Complexity: O(log n).
  subscript(ordinal: Int) -> CommitRows? {
    var low = 0
    var high = commits.count
    while low < high {
      let middle = (low + high) / 2
      if commits[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
    }
    return low < commits.count && commits[low].ordinal == ordinal ? commits[low] : nil
  }
}
