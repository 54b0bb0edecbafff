import ObservationEngine

/// The column with the number of a panel that shows a single one.
enum NumberColumn {
  /// The column whose number a view shows and whose history is recorded; nil for the first number
  /// of the row, in any column.
  ///
  /// A column that is empty now stays the one: its number may return.
  ///
  /// - Parameter former: The column for the last result, if that had the same columns.
  /// - Complexity: O(1); O(rows) while the column is empty.
  static func index(
    of kind: ViewKind, _ result: RowSet, _ summaries: [ColumnSummary], options: ViewOptions,
    former: Int?
  ) -> Int? {
    if kind != .number, let former, result.rows.allSatisfy({ $0[former] == .null }) {
      return former
    }
    switch kind {
    case .number: return nil
    case .gauge: return summaries.firstIndex(where: \.isNumeric) ?? former
    case .sparkline:
      // Several rows already are a time series.
      guard result.rows.count == 1 else { return former }
      let roles = ColumnRoles(result, summaries, rows: [0], options: options, isCourse: true)
      return roles.values.first ?? former
    case .table, .bar, .line, .histogram, .log:
      return options.y.first.flatMap { RowKey.index(ofColumn: $0, in: result.columns) }
    }
  }
}
