import ObservationEngine

/// Which rows of a result a panel shows, and in which order.
enum RowOrder {
  /// The indexes of the rows that contain `filter`, sorted if requested, otherwise in SQLite's
  /// order.
  static func rows(of result: RowSet, filter: String, sort: RowSort?) -> [Int] {
    var order = Array(result.rows.indices)
    if !filter.isEmpty {
      let search = TextSearch(filter)
      order.removeAll { !search.matches(result.rows[$0]) }
    }
    if let sort, sort.column < result.columns.count {
      // Swift's sort is stable, so equal rows keep the query's order in both directions.
      order.sort { left, right in
        let left = result.rows[left][sort.column]
        let right = result.rows[right][sort.column]
        return sort.isDescending ? right.precedes(left) : left.precedes(right)
      }
    }
    return order
  }
}
