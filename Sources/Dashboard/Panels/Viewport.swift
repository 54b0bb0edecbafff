import ObservationEngine

/// The user's view of a panel's rows: which ones, in which order, and where among them.
struct Viewport: Sendable, Equatable {
  /// The chosen row, as a position among those that can be scrolled through, nil until the user
  /// moves; and the position of the first row in view.
  var list = ScrollingList()
  /// The column under the cursor, by index in the result; nil until the user moves sideways.
  var cell: Int?
  /// How many columns are scrolled out of view to the left; see ``PanelState/movableColumns``.
  var leftColumn = 0
  var filter = ""
  /// The order that the user chose.
  var sort: RowSort?
  /// Which columns are shown, and in which order.
  var columnChoice = ColumnChoice()
  /// Which rows of the result are shown, by index, in the order shown; see ``PanelState/row(at:)``.
  var order: [Int] = []

  /// Which rows the user requests, and in which order.
  var look: RowRequest.Look { RowRequest.Look(filter: filter, sort: sort) }

  /// Other columns: what the user chose among the former ones has no meaning.
  mutating func forgetColumns(_ columns: [ColumnSummary]) {
    sort = nil
    cell = nil
    leftColumn = 0
    columnChoice = ColumnChoice(columns)
  }

  /// Keeps the chosen row on its line, wherever the row is now.
  ///
  /// - Parameters:
  ///   - place: Its position; nil if it is gone, or if another row is chosen.
  ///   - count: How many rows can be scrolled through.
  mutating func follow(_ place: Int?, of count: Int) {
    guard let cursor = list.cursor else {
      list.top = min(list.top, max(0, count - 1))
      return
    }
    guard count > 0 else {
      list = ScrollingList()
      return
    }
    // If the row is gone, the cursor stays where it was.
    let position = place ?? min(cursor, count - 1)
    list = ScrollingList(
      cursor: position, top: min(max(0, list.top + position - cursor), position))
  }
}

/// Which rows of a result a panel shows, and in which order.
enum RowOrder {
  /// The indexes of the rows that pass `filter`, sorted if requested, otherwise in SQLite's
  /// order.
  static func rows(of result: RowSet, filter: String, sort: RowSort?) -> [Int] {
    var order = Array(result.rows.indices)
    if !filter.isEmpty {
      let filter = RowFilter(filter, columns: result.columns)
      order.removeAll { !filter.matches(result.rows[$0]) }
    }
    if let sort, sort.column < result.columns.count {
      // Swift's sort is stable, so equal rows keep the query's order in both directions.
      order.sort { left, right in
        let left = result.rows[left][sort.column]
        let right = result.rows[right][sort.column]
        return sort.isDescending ? right.isSorted(before: left) : left.isSorted(before: right)
      }
    }
    return order
  }
}
