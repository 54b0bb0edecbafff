package import DatabaseConsole

/// Which rows of a result that is too long to be held a panel wants to have.
package struct RowRequest: Sendable, Hashable {
  /// Which rows of a result count, and in which order.
  package struct Look: Sendable, Hashable {
    /// What a row must contain; empty for every row.
    var filter = ""
    /// nil for the order of the query.
    var sort: PanelState.Sort?

    /// Whether it shows the result as the query has it.
    var isPlain: Bool { filter.isEmpty && sort == nil }
  }

  /// Beyond the end of any result, where its last rows are meant, however many are added.
  static let end = 1 << 40

  var first = 0
  /// What an observation begins with.
  var count = RowWindow().count
  var look = Look()
  /// Tells the rows that come from those of other looks; 0 for what an observation begins with.
  var number = 0

  /// What the observation is told.
  package var window: RowWindow {
    let sort = look.sort.map { RowWindow.Sort(column: $0.column, isDescending: $0.isDescending) }
    guard !look.filter.isEmpty else {
      return RowWindow(first: first, count: count, sort: sort, number: number)
    }
    let search = TextSearch(look.filter)
    return RowWindow(first: first, count: count, sort: sort, number: number) { search.matches($0) }
  }
}
