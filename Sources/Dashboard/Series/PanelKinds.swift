import ObservationEngine

// The kinds that are suggested for shapes of results, or that other code names.

enum TableKind: PanelKind {
  static let name = "table"
  static let traits: ViewTraits = [.rows, .roomy, .partial, .columns]
}

enum NumberKind: PanelKind {
  static let name = "number"
  static let options: [ViewOptions.Key] = [.good]
  static let traits: ViewTraits = [.picture, .oneNumber]

  static func numberColumn(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions, former: Int?
  ) -> Int? { nil }
}

enum BarKind: PanelKind {
  static let name = "bar"
  static let options: [ViewOptions.Key] = [.max]
  static let traits: ViewTraits = [.rows, .labelled]

  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? {
    // A bar stands for its row, so that every value must be a number.
    summaries.numberObstacle(result.columns, options, \.mayBeNumeric)
  }
}

enum LineKind: PanelKind {
  static let name = "line"
  static let options: [ViewOptions.Key] = [.x, .y, .min, .max]
  static let traits: ViewTraits = [.picture, .roomy, .chart]

  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? {
    if let obstacle = summaries.numberObstacle(result.columns, options, \.mayHaveNumbers) {
      return obstacle
    }
    let roles = ColumnRoles(result, summaries, rows: Array(result.rows.indices), options: options)
    guard !roles.values.isEmpty || summaries.contains(where: \.isNull) else {
      return "there is no column of numbers other than the axis"
    }
    return nil
  }

  static func chart(
    _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], _ options: ViewOptions
  ) -> ChartData? { .series(SeriesSet(result, summaries, rows: rows, options: options)) }
}

enum SparklineKind: PanelKind {
  static let name = "sparkline"
  static let options: [ViewOptions.Key] = [.y, .min, .max]
  static let traits: ViewTraits = [.picture, .chart]

  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? { summaries.numberObstacle(result.columns, options, \.mayHaveNumbers) }

  static func chart(
    _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], _ options: ViewOptions
  ) -> ChartData? { .series(SeriesSet(result, summaries, rows: rows, options: options)) }

  static func numberColumn(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions, former: Int?
  ) -> Int? {
    // Several rows already are a time series.
    guard result.rows.count == 1 else { return former }
    let roles = ColumnRoles(result, summaries, rows: [0], options: options, isCourse: true)
    return roles.values.first ?? former
  }
}

enum GaugeKind: PanelKind {
  static let name = "gauge"
  static let options: [ViewOptions.Key] = [.min, .max, .warn, .crit, .good]
  static let traits: ViewTraits = [.labelled, .oneNumber]

  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? { summaries.contains(where: \.mayBeNumeric) ? nil : "no numeric column" }

  static func numberColumn(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions, former: Int?
  ) -> Int? { summaries.firstIndex(where: \.isNumeric) ?? former }
}

enum HistogramKind: PanelKind {
  static let name = "histogram"
  static let options: [ViewOptions.Key] = [.y, .bins]
  static let traits: ViewTraits = [.picture, .roomy, .labelled, .chart]

  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? { summaries.numberObstacle(result.columns, options, \.mayHaveNumbers) }

  static func chart(
    _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], _ options: ViewOptions
  ) -> ChartData? {
    let wanted = options.y.compactMap { RowKey.index(ofColumn: $0, in: result.columns) }.first
    let numbers = summaries.indices.filter { summaries[$0].isNumeric }
    let label = summaries.indices.first { !summaries[$0].isNumeric }
    // A label and its number, or a bucket and its count, already are bars.
    if wanted == nil, summaries.count == 2, let value = numbers.last {
      return .categories(label: label ?? 0, value: value)
    }
    guard let column = wanted ?? numbers.first ?? summaries.firstIndex(where: \.hasNumbers),
      let bins = Bins(rows.map { result.rows[$0][column] }, wanted: options.bins)
    else { return nil }
    return .bins(bins, column: column)
  }
}

enum LogKind: PanelKind {
  static let name = "log"
  static let options: [ViewOptions.Key] = [.newest]
  static let traits: ViewTraits = [.rows, .roomy, .partial, .columns, .tail]
}
