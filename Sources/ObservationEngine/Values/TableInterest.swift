/// How much of a table's changes all of its followers together need.
///
/// Nothing else is captured: a write pays only for what is observed.
package struct TableInterest: Sendable, Equatable {
  /// The columns that matter, folded; `nil` for all.
  package var columns: Set<String>? = []
  /// The rowids of the rows that matter; `nil` for all rows.
  package var rowids: Set<Int64>? = []
  /// The columns by whose values followers look up changed rows.
  package var keyColumns: Set<RowRestriction.Column> = []
  /// Whether a follower requests the changed rows themselves.
  package var wantsRows = false
  /// Which version of the readers' requests this is; 0 for requests of other followers.
  package var version: UInt64 = 0

  /// No interest except that the table changed.
  package init() {}

  /// Interest in everything but, unless `wantsRows`, the rows themselves.
  package static func all(wantsRows: Bool) -> TableInterest {
    var interest = TableInterest()
    interest.columns = nil
    interest.rowids = nil
    interest.wantsRows = wantsRows
    return interest
  }

  /// Whether every row and every column matters.
  package var isComplete: Bool { columns == nil && rowids == nil }

  /// Adds the interest of a query that reads `part`.
  package mutating func formUnion(_ part: Region.Part) {
    columns?.formUnion(part.columns)
    guard let restriction = part.restriction else {
      rowids = nil
      return
    }
    keyColumns.insert(restriction.column)
    if case .named(let column) = restriction.column {
      // Only the rowid is known cheaply enough to skip rows by it.
      columns?.insert(column)
      rowids = nil
    } else {
      rowids?.formUnion(restriction.values.compactMap(\.integer))
    }
  }

  /// Adds all of `other`.
  package mutating func formUnion(_ other: TableInterest) {
    columns = other.columns.flatMap { columns?.union($0) }
    rowids = other.rowids.flatMap { rowids?.union($0) }
    keyColumns.formUnion(other.keyColumns)
    wantsRows = wantsRows || other.wantsRows
  }

  /// Whether changes captured for this interest can decide whether they concern `part`.
  func covers(_ part: Region.Part) -> Bool {
    if let columns, !part.columns.isSubset(of: columns) { return false }
    guard let rowids else { return true }
    guard let restriction = part.restriction, restriction.column == .rowid else { return false }
    return restriction.values.allSatisfy { $0.integer.map(rowids.contains) ?? true }
  }
}

extension Value {
  /// The integer, if it is one.
  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
