/// How much must be known of the changes of a table, for all who follow it together.
///
/// What nobody asks for is not captured: a write pays for those who watch it.
package struct TableInterest: Sendable, Equatable {
  /// The columns that matter, folded; `nil` for all.
  package var columns: Set<String>? = []
  /// The rowids of the rows that matter; `nil` for all rows.
  package var rowids: Set<Int64>? = []
  /// The columns by whose values somebody looks changed rows up.
  package var keyColumns: Set<RowRestriction.Column> = []
  /// Whether somebody wants the changed rows themselves.
  package var wantsRows = false
  /// Which version of the readers' wishes this is; 0 for what others asked for.
  package var version: UInt64 = 0

  /// No interest but that the table changed.
  package init() {}

  /// Interest in everything that can be known, the rows themselves perhaps excepted.
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
      // Only the rowid is known cheaply enough to pass rows by.
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

  /// Whether changes captured for this interest say whether `part` is concerned.
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
