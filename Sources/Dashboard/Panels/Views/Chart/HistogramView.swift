import ObservationEngine

/// How often numbers occur, or a number for each label, as vertical bars.
///
///     40┤      ███
///     20┤   ██████▄▄▄
///      0┼──┬──┬──┬──┬──
///        0  10 20 30 40
enum HistogramView {
  private struct Bar {
    var number: Double
    var isMarked = false
  }

  /// The labels below the bars, by the bar where they start; after the last one at its end.
  private typealias Labels = (_ cells: Double) -> [(bar: Int, text: String)]

  /// - Complexity: O(cells).
  static func draw(
    _ panel: PanelState, _ result: RowSet, in area: Rect, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    guard area.width > 2, area.height > 0, let chart = panel.chart else {
      if !panel.order.isEmpty { PanelView.note("no numbers", in: area, on: &canvas) }
      return
    }
    switch chart {
    case .series, .other: break
    case .bins(let bins, let column): draw(bins, panel.columns[column], in: area, on: &canvas)
    case .categories(let label, let value):
      drawCategories(panel, result, label: label, value: value, in: area, context, on: &canvas)
    }
  }

  private static func draw(
    _ bins: Bins, _ column: ColumnSummary, in area: Rect, on canvas: inout Canvas
  ) {
    // The width of the scale depends on its bars: assume six digits, and repeat if it is wider,
    // because higher bars may have a wider scale.
    var merged = bins.merged(into: max(1, area.width - 9))
    for _ in 0..<3 {
      let room = frame(0...Double(merged.counts.max() ?? 1), column: nil, in: area).plot.width
      guard merged.counts.count > room else { break }
      merged = bins.merged(into: room)
    }
    draw(
      merged.counts.map { Bar(number: Double($0)) }, range: 0...Double(merged.counts.max() ?? 1),
      column: nil, in: area, on: &canvas
    ) { cells in
      bins.labels(merged, cells: cells) {
        ScaleText.text(bins.axis.tick($0), decimals: $1, column: column)
      }.map { (bar: $0.edge, text: $0.text) }
    }
  }

  private static func drawCategories(
    _ panel: PanelState, _ result: RowSet, label: Int?, value: Int, in area: Rect,
    _ context: PanelContext, on canvas: inout Canvas
  ) {
    // Users can scroll to the rest.
    let room = max(1, area.width - 9)
    let top = min(panel.top, max(0, panel.order.count - room))
    let rows = panel.order.dropFirst(top).prefix(room)
    let bars = rows.map { row in
      let mark = panel.marks.byRow[row]
      let flash = mark.map { RowMarks.level(since: $0.start, at: context.moment.monotonic) } ?? 0
      return Bar(
        number: ColumnSummary.number(result.rows[row][value]) ?? .nan, isMarked: flash > 0)
    }
    let column = panel.columns[value]
    let glyphs = canvas.glyphs
    draw(
      bars, range: min(0, column.minimum)...max(0, column.maximum), column: column, in: area,
      on: &canvas
    ) { cells in
      guard let label else { return [] }
      let texts = rows.map {
        DisplayText.cut(
          ValueText(result.rows[$0][label], column: panel.columns[label]).text,
          width: max(8, Int(cells) - 2), glyphs: glyphs)
      }
      let widest = texts.map { DisplayText.width($0, glyphs: glyphs) }.max() ?? 0
      // At equal distances, which shows the bars without a label.
      let step = max(1, Int((Double(widest + 2) / cells).rounded(.up)))
      return stride(from: 0, to: texts.count, by: step).map { (bar: $0, text: texts[$0]) }
    }
  }

  private static func frame(
    _ range: ClosedRange<Double>, column: ColumnSummary?, in area: Rect
  ) -> ChartFrame {
    ChartFrame(
      in: area, .bars, range: range, fixedLow: range.lowerBound == 0 ? 0 : nil, fixedHigh: nil
    ) { ScaleText.text($0, decimals: $1, column: column) }
  }

  private static func draw(
    _ bars: [Bar], range: ClosedRange<Double>, column: ColumnSummary?, in area: Rect,
    on canvas: inout Canvas, labels: Labels
  ) {
    guard !bars.isEmpty else { return }
    let frame = frame(range, column: column, in: area)
    frame.draw(on: &canvas)
    let plot = frame.plot
    let shown = bars.prefix(max(1, plot.width))
    // The whole width is used: if it can't be divided evenly, some bars are a cell wider.
    func start(_ bar: Int) -> Int { bar * plot.width / shown.count }
    frame.draw(
      labels(Double(plot.width) / Double(shown.count))
        .map { ChartFrame.Label(x: start($0.bar), text: $0.text) }, on: &canvas)
    let gap = plot.width / shown.count > 3 ? 1 : 0
    for (index, bar) in shown.enumerated() where bar.number.isFinite {
      draw(
        bar, frame, x: plot.x + start(index), width: start(index + 1) - start(index) - gap,
        on: &canvas)
    }
  }

  private static func draw(
    _ bar: Bar, _ frame: ChartFrame, x: Int, width: Int, on canvas: inout Canvas
  ) {
    let levels = canvas.symbols.levels
    let bottom = frame.plot.height
    let zero = min(max(frame.row(0), 0), Double(bottom))
    let end = min(max(frame.row(bar.number), 0), Double(bottom))
    let full = levels[levels.count - 1]
    if bar.number < 0 {
      // There are no characters for a partial cell from its top.
      let first = Int(zero.rounded())
      let last = max(first + 1, Int(end.rounded()))
      fill(full, frame, first..<min(last, bottom), x: x, width: width, .falling, on: &canvas)
      return
    }
    guard bar.number > 0 else { return }
    let role: Style.Role = bar.isMarked ? .changed : .bar
    let ground = Int(zero.rounded())
    let units = max(1, Int(((Double(ground) - end) * Double(levels.count)).rounded()))
    let whole = units / levels.count
    fill(full, frame, ground - whole..<ground, x: x, width: width, role, on: &canvas)
    let rest = units % levels.count
    if rest > 0 {
      let row = ground - whole - 1
      fill(levels[rest - 1], frame, row..<row + 1, x: x, width: width, role, on: &canvas)
    }
  }

  private static func fill(
    _ character: Character, _ frame: ChartFrame, _ rows: Range<Int>, x: Int, width: Int,
    _ role: Style.Role, on canvas: inout Canvas
  ) {
    for row in rows where row >= 0 && row < frame.plot.height {
      var style = Style(role)
      if role == .bar { style.tint = Tint(.glow, row: row, of: frame.plot.height) }
      for cell in x..<min(x + width, frame.plot.x + frame.plot.width) {
        canvas.put(character, x: cell, y: frame.plot.y + row, style)
      }
    }
  }
}
