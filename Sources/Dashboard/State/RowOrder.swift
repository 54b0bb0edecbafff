import ObservationEngine

/// Which rows of a result a panel shows, and in which order.
enum RowOrder {
  /// The indexes of the rows that contain `filter`, sorted if asked for, else as SQLite gave them.
  static func rows(of result: RowSet, filter: String, sort: PanelState.Sort?) -> [Int] {
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
        return sort.isDescending ? precedes(right, left) : precedes(left, right)
      }
    }
    return order
  }

  /// SQLite's order of values: NULL, numbers, text, BLOBs; text and BLOBs by their bytes.
  static func precedes(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b
    case (.integer(let a), .real(let b)): Double(a) < b
    case (.real(let a), .integer(let b)): a < Double(b)
    case (.real(let a), .real(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
    default: storageClass(left) < storageClass(right)
    }
  }

  private static func storageClass(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}
