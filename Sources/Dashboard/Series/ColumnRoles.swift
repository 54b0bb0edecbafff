import ObservationEngine

/// The roles of a result's columns in a chart: the axis, the drawn values, and the names of the
/// series.
struct ColumnRoles {
  private(set) var axis: SeriesSet.Axis
  private(set) var values: [Int]
  /// The column of text whose values name the series.
  private(set) var group: Int?
  /// The column of text whose values stand along the axis, each once; nil where every row has a
  /// place of its own.
  private(set) var categories: Int?
  /// The column of x values, if its values are positions.
  private var positions: Int?
  private var form: MomentForm?
  /// Why a column isn't a time axis, although some of its values are times.
  struct Untimely: Equatable {
    /// How many values aren't times.
    var count: Int
    var total: Int
  }
  private(set) var untimely: Untimely?

  /// - Parameter isCourse: Whether a single row is one sample of a time series, in which each
  ///   number is a value; otherwise its first number is the x value of the others.
  init(
    _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], options: ViewOptions,
    isCourse: Bool = false
  ) {
    let asked = options.x.flatMap { RowKey.index(ofColumn: $0, in: result.columns) }
    let wanted = options.y.compactMap { RowKey.index(ofColumn: $0, in: result.columns) }
    func form(_ column: Int, isAsked: Bool) -> MomentForm? {
      MomentForm(
        of: rows.lazy.map { result.rows[$0][column] }, column: result.columns[column],
        isAsked: isAsked)
    }
    func numbers(except axis: Int?) -> [Int] {
      if !wanted.isEmpty { return wanted.filter { summaries[$0].hasNumbers } }
      let mixed = summaries.indices.filter { summaries[$0].hasNumbers && $0 != axis }
      // Words with a number among them are labels next to a column of numbers, and next to another
      // such column if they come first.
      let whole = mixed.filter { summaries[$0].isNumeric }
      if !whole.isEmpty { return whole }
      return mixed.first == 0 && mixed.count > 1 ? Array(mixed.dropFirst()) : mixed
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
      Self.isMonotonic(rows.lazy.map { result.rows[$0][first] }, isCourse: isCourse)
    {
      axis = .number
      positions = first
    }
    values = numbers(except: positions)
    let texts = summaries.indices.filter { column in
      !summaries[column].isNumeric && column != positions && !values.contains(column)
    }
    if positions != nil {
      if values.count == 1, texts.count == 1 { group = texts[0] }
    } else {
      axis = .ordinal(label: asked ?? texts.first)
      // As in `month, state, n`.
      if let label = asked ?? texts.first, texts.count == 2, values.count == 1,
        let other = texts.first(where: { $0 != label }), texts.contains(label),
        asked != nil || Set(rows.lazy.map { result.rows[$0][label] }).count < rows.count
      {
        (group, categories) = (other, label)
      }
      guard let column = asked ?? candidates.first, column == asked || column == 0 else { return }
      let counts = MomentForm.count(
        in: rows.lazy.map { result.rows[$0][column] }, column: result.columns[column],
        isAsked: asked != nil)
      if counts.moments > 0 {
        untimely = Untimely(count: counts.others, total: counts.moments + counts.others)
      }
    }
  }

  /// A row's x value; nil when its value there has no meaning.
  func position(of row: [Value], index: Int) -> Double? {
    guard let positions else { return Double(index) }
    if let form { return form.seconds(row[positions]) }
    return ColumnSummary.number(row[positions]).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether numbers only grow or only shrink, as positions do; a value that isn't a number has no
  /// position.
  private static func isMonotonic(_ values: some Collection<Value>, isCourse: Bool) -> Bool {
    let numbers = values.lazy.map { ColumnSummary.number($0) }.filter { $0 != nil }
    // A single number has no direction.
    return Direction(of: numbers) != nil || (!isCourse && numbers.prefix(2).count == 1)
  }
}
