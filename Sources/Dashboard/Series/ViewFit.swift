import ObservationEngine

/// Whether a view can show a result.
enum ViewFit {
  /// Why the view cannot show the result; nil when it can.
  ///
  /// A result without rows fits every view, because its content is still unknown. So is that of a
  /// column that is all NULL, such as `max()` over an empty table.
  ///
  /// - Complexity: O(rows).
  static func obstacle(
    _ kind: ViewKind, _ result: RowSet, _ summaries: [ColumnSummary], options: ViewOptions
  ) -> String? {
    guard !result.rows.isEmpty else { return nil }
    switch kind {
    case .table, .log, .number: return nil
    case .bar, .sparkline, .line, .histogram:
      // Views that draw points omit values that aren't numbers; a bar stands for its row.
      let fits = kind == .bar ? mayBeNumeric : mayHaveNumbers
      let text = options.y.first { name in
        RowKey.index(ofColumn: name, in: result.columns).map { !fits(summaries[$0]) } ?? false
      }
      if let text { return "no \(kind.rawValue): \"\(text)\" holds no numbers" }
      guard summaries.contains(where: fits) else {
        return "no \(kind.rawValue): there is no column of numbers"
      }
      guard kind == .line else { return nil }
      return lineObstacle(result, summaries, options)
    case .gauge:
      guard summaries.contains(where: mayBeNumeric) else {
        return "no gauge: there is no number"
      }
      return nil
    }
  }

  private static func mayBeNumeric(_ column: ColumnSummary) -> Bool {
    column.isNumeric || column.isNull
  }

  private static func mayHaveNumbers(_ column: ColumnSummary) -> Bool {
    column.hasNumbers || column.isNull
  }

  private static func lineObstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? {
    let roles = ColumnRoles(result, summaries, rows: Array(result.rows.indices), options: options)
    guard !roles.values.isEmpty || summaries.contains(where: \.isNull) else {
      return "no line: there is no column of numbers other than the axis"
    }
    return nil
  }
}
