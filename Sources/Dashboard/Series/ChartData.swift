import ObservationEngine

/// A chart's data, computed when the result arrives: drawing a million rows takes no longer than
/// drawing a few thousand.
enum ChartData: Sendable, Equatable {
  case series(SeriesSet)
  case bins(Bins, column: Int)
  /// A bar for each row, in order: the label's column, and the number's.
  case categories(label: Int?, value: Int)

  /// The data of a view that draws a chart; nil for other views, and when there is nothing to draw.
  ///
  /// - Parameter rows: The rows to draw, by index, in the order of the result.
  /// - Complexity: O(rows · columns).
  init?(
    _ kind: ViewKind, _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int],
    options: ViewOptions
  ) {
    switch kind {
    case .line, .sparkline:
      self = .series(SeriesSet(result, summaries, rows: rows, options: options))
    case .histogram:
      let wanted = options.y.compactMap { RowKey.index(ofColumn: $0, in: result.columns) }.first
      let numbers = summaries.indices.filter { summaries[$0].isNumeric }
      let label = summaries.indices.first { !summaries[$0].isNumeric }
      // A label and its number, or a bucket and its count, already are bars.
      if wanted == nil, summaries.count == 2, let value = numbers.last {
        self = .categories(label: label ?? 0, value: value)
        return
      }
      guard let column = wanted ?? numbers.first ?? summaries.firstIndex(where: \.hasNumbers),
        let bins = Bins(rows.map { result.rows[$0][column] }, wanted: options.bins)
      else { return nil }
      self = .bins(bins, column: column)
    case .table, .number, .bar, .gauge, .log: return nil
    }
  }
}
