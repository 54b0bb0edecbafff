package import ObservationEngine

/// Which rows of a result that is too long to be held a panel wants to have.
package struct RowRequest: Sendable, Hashable {
  /// Which rows of a result count, and in which order.
  struct Look: Sendable, Hashable {
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

  /// What the observation is told.
  package var window: RowWindow {
    let sort = look.sort.map { RowWindow.Sort(column: $0.column, isDescending: $0.isDescending) }
    guard !look.filter.isEmpty else { return RowWindow(first: first, count: count, sort: sort) }
    let search = TextSearch(look.filter)
    return RowWindow(first: first, count: count, sort: sort) { search.matches($0) }
  }

  /// Whether the rows may be those that were asked for.
  ///
  /// - Complexity: O(rows · columns).
  func fits(_ rows: RowSet, _ part: RowSet.Part) -> Bool {
    guard rows.rows.count == min(count, part.total) else { return false }
    guard !look.filter.isEmpty else { return part.total == part.all }
    let search = TextSearch(look.filter)
    return rows.rows.allSatisfy { search.matches($0) }
  }
}
