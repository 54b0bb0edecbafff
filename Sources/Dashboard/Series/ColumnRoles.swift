import ObservationEngine

/// Which column of a result is the axis of a chart, which ones are drawn, which one tells series apart.
struct ColumnRoles {
  private(set) var axis: SeriesSet.Axis
  private(set) var values: [Int]
  /// The column of text whose values name the series.
  private(set) var group: Int?
  /// The column along the axis, where its values are positions.
  private var positions: Int?
  private var form: MomentForm?

  init(_ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], options: ViewOptions) {
    let asked = options.x.flatMap { RowKey.index(ofColumn: $0, in: result.columns) }
    let wanted = options.y.compactMap { RowKey.index(ofColumn: $0, in: result.columns) }
    func form(_ column: Int, isAsked: Bool) -> MomentForm? {
      MomentForm(
        of: rows.lazy.map { result.rows[$0][column] }, column: result.columns[column],
        isAsked: isAsked)
    }
    func numbers(except axis: Int?) -> [Int] {
      if !wanted.isEmpty { return wanted.filter { summaries[$0].isNumeric } }
      return summaries.indices.filter { summaries[$0].isNumeric && $0 != axis }
    }
    axis = .ordinal(label: nil)
    let candidates = asked.map { [$0] } ?? summaries.indices.filter { !wanted.contains($0) }
    if let column = candidates.first(where: { form($0, isAsked: asked != nil) != nil }) {
      axis = .time
      positions = column
      self.form = form(column, isAsked: asked != nil)
    } else if let column = asked, summaries[column].isNumeric {
      axis = .number
      positions = column
    } else if asked == nil, let first = numbers(except: nil).first, first == 0,
      numbers(except: first).contains(where: { $0 != first }),
      Self.isMonotonic(rows.lazy.map { result.rows[$0][first] })
    {
      axis = .number
      positions = first
    }
    values = numbers(except: positions)
    let texts = summaries.indices.filter { !summaries[$0].isNumeric && $0 != positions }
    if positions != nil {
      if values.count == 1, texts.count == 1 { group = texts[0] }
    } else {
      axis = .ordinal(label: asked ?? texts.first)
    }
  }

  /// Where a row stands on the axis; nil when its value there means nothing.
  func position(of row: [Value], index: Int) -> Double? {
    guard let positions else { return Double(index) }
    if let form { return form.seconds(row[positions]) }
    return ColumnSummary.number(row[positions]).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether numbers only grow or only shrink, as positions do and measurements seldom do.
  private static func isMonotonic(_ values: some Sequence<Value>) -> Bool {
    var previous: Double?
    var direction: Bool?
    for value in values {
      guard let number = ColumnSummary.number(value) else { return false }
      if let previous {
        guard number != previous else { return false }
        if direction ?? (number > previous) != (number > previous) { return false }
        direction = number > previous
      }
      previous = number
    }
    return direction != nil
  }
}
