package import DatabaseConsole

/// An order of rows by one column.
package struct RowSort: Sendable, Hashable {
  var column: Int
  var isDescending = false
}

/// Which rows a panel requests of a result that is too long to load.
package struct RowRequest: Sendable, Hashable {
  /// Which rows of a result count, and in which order.
  package struct Look: Sendable, Hashable {
    /// What a row must contain; empty for every row.
    var filter = ""
    /// nil for the order of the query.
    var sort: RowSort?

    /// Whether it is the result in the query's own form.
    var isPlain: Bool { filter.isEmpty && sort == nil }
  }

  /// A position beyond the end of any result, which means its last rows, however many are added.
  static let end = 1 << 40

  var first = 0
  /// What an observation starts with.
  var count = RowWindow().count
  var look = Look()
  /// The columns of the result, which a filter may name.
  var columns: [String] = []
  /// Distinguishes rows of different looks; 0 for those that an observation starts with.
  var number = 0

  /// The window for the observation.
  package var window: RowWindow {
    let sort = look.sort.map { RowWindow.Sort(column: $0.column, isDescending: $0.isDescending) }
    guard !look.filter.isEmpty else {
      return RowWindow(first: first, count: count, sort: sort, number: number)
    }
    let filter = RowFilter(look.filter, columns: columns)
    return RowWindow(first: first, count: count, sort: sort, number: number) { filter.matches($0) }
  }
}
