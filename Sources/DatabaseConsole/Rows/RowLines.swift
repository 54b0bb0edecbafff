package import ObservationEngine

/// One changed row, to be written as a line.
package struct RowLine: Sendable {
  /// The number of the commit among those that were printed.
  package let commit: Int
  /// The table's declared name.
  package let table: String
  /// The columns that identify the row, with their values.
  package let key: Row
  /// The row before; `nil` for an inserted row.
  package let old: Row?
  /// The row after; `nil` for a deleted row. If the table was altered, it has other columns than ``old``.
  package let new: Row?

  /// What happened to the row.
  package var kind: RowChange.Kind { old == nil ? .insert : new == nil ? .delete : .update }
}

/// What ends the lines of one commit.
package struct CommitLine: Sendable {
  /// Where the lines come from.
  package enum Source: Sendable, Equatable {
    /// The start: what differs from the rows that an earlier run printed.
    case open
    case commit(Commit.Origin)
  }

  /// The number of the commit among those that were printed, from 0 on.
  package let commit: Int
  /// When it was observed.
  package let time: Timestamp
  package let source: Source
  /// How many row lines belong to it.
  package let rows: Int
  /// The minimum number of commits that it stands for.
  package let count: Int
  /// Why the lines are the difference that a comparison of tables found; `nil` if the rows of the commit itself
  /// are known.
  package let compared: String?
}

/// How a ``RowFeed`` writes lines: each function returns whole lines, with their ends.
package struct RowLines: Sendable {
  package let row: @Sendable (RowLine) -> String
  package let end: @Sendable (CommitLine) -> String

  package init(
    row: @escaping @Sendable (RowLine) -> String, end: @escaping @Sendable (CommitLine) -> String
  ) {
    (self.row, self.end) = (row, end)
  }
}
