package import ObservationEngine

/// A committed transaction of this `Database` that can be undone, or the reason why it can't.
package struct UndoableCommit: Sendable, Equatable {
  /// The rows of one table that it changed.
  package struct Table: Sendable, Equatable {
    /// The name, prefixed with the schema unless that is `main`.
    package let name: String
    package let rows: Commit.RowCounts

    package init(name: String, rows: Commit.RowCounts) {
      self.name = name
      self.rows = rows
    }
  }

  /// Its ordinal as an observed commit.
  package let ordinal: Int
  package let time: Timestamp
  /// The tables whose rows it changed, ordered by name.
  package let tables: [Table]
  /// Why it cannot be undone, as far as that is known without reading the rows; `nil` when
  /// ``UndoJournal/undo(_:)`` may be tried.
  package let refusal: String?

  package init(ordinal: Int, time: Timestamp, tables: [Table], refusal: String? = nil) {
    self.ordinal = ordinal
    self.time = time
    self.tables = tables
    self.refusal = refusal
  }
}

/// A committed transaction with the rows needed to undo it.
struct UndoRecord: Sendable {
  struct Table: Sendable {
    let id: TableID
    let difference: RowDifference
  }

  private(set) var commit: UndoableCommit
  private(set) var tables: [Table]

  private init(_ commit: UndoableCommit, _ tables: [Table]) {
    self.commit = commit
    self.tables = tables
  }

  /// The inverse of undoing it: expects rows as they were before it, and leaves them as it left
  /// them.
  ///
  /// - Complexity: O(rows).
  var reversed: UndoRecord {
    var refusal = commit.refusal
    let tables = self.tables.map { table in
      let reversed = table.difference.reversed
      if reversed.entries.contains(where: Self.isUncertain) {
        refusal = refusal ?? Self.uncertainty(of: table.id)
      }
      return Table(id: table.id, difference: reversed)
    }
    let commit = UndoableCommit(
      ordinal: commit.ordinal, time: commit.time, tables: commit.tables, refusal: refusal)
    return UndoRecord(commit, tables)
  }

  /// Notes that the rows of some tables have been renumbered.
  mutating func lose(_ renumbered: Set<TableID>) {
    guard commit.refusal == nil, let lost = tables.first(where: { renumbered.contains($0.id) })
    else { return }
    commit = UndoableCommit(
      ordinal: commit.ordinal, time: commit.time, tables: commit.tables,
      refusal: "VACUUM has renumbered the rows of \(lost.id) since")
    tables = []
  }

  /// Whether the transaction left every row as it was, as `BEGIN; COMMIT` does.
  var changedNothing: Bool { commit.refusal == nil && tables.isEmpty }

  var rowCount: Int { tables.reduce(0) { $0 + $1.difference.entries.count } }

  init(_ commit: Commit, _ changeset: Changeset) {
    var tables: [Table] = []
    var refusal: String?
    if commit.kind == .schema { refusal = "it changed the schema" }
    if let reason = changeset.everythingReason { refusal = refusal ?? reason }
    if changeset.mayHoldOthersRows {
      refusal =
        refusal ?? "another program committed right behind it, and may have changed its rows"
    }
    for (id, change) in changeset.tables.sorted(by: { $0.key < $1.key }) {
      switch change {
      case .bulk(let reason):
        refusal = refusal ?? "its rows of \(id) were not all kept: \(reason)"
      case .rows(let difference):
        tables.append(Table(id: id, difference: difference))
        // The stored columns of rows are enough, should the others not be known.
        guard difference.interest.isComplete, !difference.entries.isEmpty else {
          refusal =
            refusal ?? "its rows of \(id) were not all kept: some are older than a column's default"
          continue
        }
        if difference.entries.contains(where: Self.isUncertain) {
          refusal = refusal ?? Self.uncertainty(of: id)
        }
      }
    }
    // A transaction that can't be undone needs no rows.
    self.tables = refusal == nil ? tables : []
    self.commit = UndoableCommit(
      ordinal: commit.ordinal, time: commit.time,
      tables: tables.map { .init(name: $0.id.description, rows: $0.difference.counts) },
      refusal: refusal)
  }

  private static func uncertainty(of table: TableID) -> String {
    "a text in \(table) was not valid UTF-8, and its bytes were not kept"
  }

  /// Whether a row may differ from its captured content because bytes that aren't UTF-8 were
  /// replaced. Such a row can neither be restored exactly, nor compared with what the transaction
  /// left.
  private static func isUncertain(_ entry: RowDifference.Entry) -> Bool {
    [entry.old, entry.new].contains { values in
      values?.contains { value in
        guard case .text(let text) = value else { return false }
        return text.unicodeScalars.contains("\u{fffd}")
      } ?? false
    }
  }
}

extension RowDifference {
  /// The difference that leads from the rows after it back to those before it.
  fileprivate var reversed: RowDifference {
    var reversed = RowDifference(
      counts: Commit.RowCounts(
        inserted: counts.deleted, updated: counts.updated, deleted: counts.inserted),
      updatedColumns: updatedColumns, interest: .all(wantsRows: true))
    reversed.keep(
      entries.map { Entry(key: $0.key, old: $0.new, new: $0.old) }, columns: columns)
    return reversed
  }
}
