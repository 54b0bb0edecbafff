import ObservationEngine

/// The scales of a chart, and the area that they leave for the plot.
///
///     60┤
///       │          plot
///     30┤
///       │
///      0┤
///       ┼─────────┬─────────┬──────
///        11:54     11:56     11:58
struct ChartFrame {
  /// How a number is drawn in the plot.
  enum Grain {
    /// The end of a bar, which grows from the axis.
    case bars
    /// One of several dots per row: the low end of the scale is the lowest dot, the high end the
    /// topmost.
    case dots(perRow: Int)
  }

  /// A label along the horizontal axis and the cell of its tick, from the left end of the plot.
  struct Label {
    var x: Int
    var text: String
  }

  let plot: Rect
  let axis: NumberAxis
  private let grain: Grain
  /// Rows between the ticks of the vertical scale, when numbers are ends of bars.
  private let spacing: Int
  private let labels: [String]
  private let labelWidth: Int
  /// Cells to the right of the plot.
  private let margin: Int
  /// Whether there is room for scales.
  private let hasScales: Bool

  /// - Parameter text: The label of a number on the scale, with this many decimals.
  init(
    in area: Rect, _ grain: Grain, range: ClosedRange<Double>, fixedLow: Double?,
    fixedHigh: Double?, text: (Double, _ decimals: Int) -> String
  ) {
    self.grain = grain
    hasScales = area.width >= 18 && area.height >= 4
    // The lowest rows are the axis and its labels.
    let height = hasScales ? area.height - 2 : area.height
    spacing = max(2, (height + 5) / 6)
    // Neighbouring ticks are the same number of rows apart, so that equal steps look equal.
    func axis(_ intervals: Double) -> NumberAxis {
      NumberAxis(range, intervals: intervals, fixedLow: fixedLow, fixedHigh: fixedHigh)
    }
    switch grain {
    case .bars: self.axis = axis(Double(height) / Double(spacing))
    case .dots where height < 5:
      // So few rows have labels at both ends, and at most one between them.
      let most = max(1, height / spacing)
      // Between fixed ends, not every number of steps has round ones.
      let counts = fixedHigh == nil ? most...most : 1...most
      self.axis =
        counts.reversed().lazy.map { axis(Double($0)) }.first { $0.isRound(1) }
        ?? axis(fixedHigh == nil ? Double(most) : 1)
    case .dots(let perRow) where fixedHigh == nil:
      // The lowest tick is at the lowest dot; the others are whole rows above it.
      let dots = Double(max(1, height * perRow) - 1)
      self.axis = axis(max(1, dots / Double(spacing * perRow)))
    case .dots:
      // Both ends are ticks: between them are as many as divide the rows evenly at round numbers.
      let rows = max(1, height - 1)
      let most = max(1, rows / spacing)
      self.axis =
        (1...most).reversed().lazy.filter { rows % $0 == 0 }.map { axis(Double($0)) }
        .first { $0.isRound(1) } ?? axis(1)
    }
    guard hasScales else {
      labels = []
      labelWidth = 0
      margin = 0
      plot = area
      return
    }
    let decimals = self.axis.decimals
    labels = self.axis.ticks.map { $0.isFinite ? text($0, decimals) : "" }
    labelWidth = min(labels.map { DisplayText.width($0) }.max() ?? 0, area.width / 3)
    let left = 1 + labelWidth + 1
    margin = area.width >= 60 ? 4 : 1
    plot = Rect(x: area.x + left, y: area.y, width: area.width - left - margin, height: height)
  }

  func draw(on canvas: inout Canvas) {
    guard hasScales else { return }
    let style = Style(.muted)
    let x = plot.x - 1
    let bottom = plot.y + plot.height
    let symbols = canvas.symbols.axis
    for y in plot.y..<bottom { canvas.put(symbols.vertical, x: x, y: y, style) }
    for column in 0..<plot.width {
      canvas.put(symbols.horizontal, x: plot.x + column, y: bottom, style)
    }
    canvas.put(symbols.origin, x: x, y: bottom, style)
    for (index, label) in labels.enumerated() {
      let y = row(ofTick: index)
      guard y >= plot.y else { break }
      if y < bottom { canvas.put(symbols.left, x: x, y: y, style) }
      canvas.write(
        label, x: x - labelWidth, y: y, width: labelWidth, style, alignment: .trailing)
    }
  }

  private func row(ofTick index: Int) -> Int {
    switch grain {
    case .bars: plot.y + plot.height - index * spacing
    case .dots(let perRow): plot.y + dot(axis.tick(index)) / perRow
    }
  }

  /// Draws ticks with labels to their right, as many as fit.
  func draw(_ labels: [Label], on canvas: inout Canvas) {
    guard hasScales else { return }
    let style = Style(.muted)
    let bottom = plot.y + plot.height
    let end = plot.x + plot.width + margin - 1
    var free = plot.x - 1
    for label in labels where label.x >= 0 && label.x <= plot.width {
      let width = min(DisplayText.width(label.text, glyphs: canvas.glyphs), plot.width)
      // The last label may be to the left of its tick, rather than missing.
      let x = min(plot.x + label.x, end - width)
      guard x >= free, x >= plot.x else { continue }
      if label.x > 0 {
        canvas.put(canvas.symbols.axis.below, x: plot.x + label.x - 1, y: bottom, style)
      }
      canvas.write(label.text, x: x, y: bottom + 1, width: width, style)
      free = x + width + 2
    }
  }

  /// The dot of a number, counted from the top of the plot; numbers beyond the scale are at its
  /// edge.
  func dot(_ number: Double) -> Int {
    guard case .dots(let perRow) = grain else { return Int(row(number)) }
    let lowest = Double(max(1, plot.height * perRow) - 1)
    // On a short scale a great number is infinitely far away: that times no dots is NaN.
    let position = min(max(axis.position(number), 0), 1)
    return Int(((1 - position) * lowest).rounded())
  }

  /// Where a bar ends, in rows from the top of the plot, from 0 to its height.
  func row(_ number: Double) -> Double { (1 - axis.position(number)) * Double(plot.height) }
}

/// Numbers on the scale of a chart.
enum ScaleText {
  /// The label of a number, in the column's format if that suits a scale.
  static func text(_ number: Double, decimals: Int, column: ColumnSummary?) -> String {
    if let column, let format = column.format, !format.isTime,
      format.bar != .share || format.hasText,
      let text = FormattedText.text(number, format, column: column)
    {
      return text
    }
    if number.magnitude >= 1e6 { return NumberText.compact(number) }
    return NumberText.real(number, decimals: decimals)
  }
}
