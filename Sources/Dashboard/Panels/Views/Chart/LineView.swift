import ObservationEngine

/// Numbers over time, over other numbers, or in sequence, as lines of Braille dots.
enum LineView {
  /// The roles of the series, with very different colours. Each also has its own symbol.
  static let roles: [Style.Role] = [.bar, .changed, .inserted, .removed, .accent, .escaped]

  /// - Parameters:
  ///   - legend: Names the lines, unless the title does.
  ///   - border: The panel's frame, for the legend if the plot has no room for it; nil if the frame
  ///     is in use.
  /// - Complexity: O(cells + points), and a series has at most some thousand points.
  static func draw(
    _ panel: PanelState, _ result: RowSet, in area: Rect, legend: Legend?, border: Legend.Border?,
    now: Timestamp? = nil, on canvas: inout Canvas
  ) {
    guard case .series(let set) = panel.chart, area.width > 2, area.height > 0 else { return }
    guard let range = set.range, let span = set.span else {
      if !panel.order.isEmpty {
        PanelView.note(set.remark ?? "no numbers", in: area, on: &canvas)
      }
      return
    }
    let options = panel.definition.options
    let column = set.columns.first.map { panel.columns[$0] }
    var area = area
    let line = legend?.takeLine(of: &area)
    let perRow = canvas.glyphs == .ascii ? 1 : BrailleCanvas.dotsPerRow
    let frame = ChartFrame(
      in: area, .dots(perRow: perRow), range: range, fixedLow: options.minimum,
      fixedHigh: options.maximum
    ) { ScaleText.text($0, decimals: $1, column: column) }
    frame.draw(on: &canvas)
    frame.draw(
      labels(set, panel, result, span, width: frame.plot.width, now: now), on: &canvas)
    let plot = Plot(frame: frame, span: span)
    if canvas.glyphs == .ascii {
      plot.drawSigns(set.series, on: &canvas)
    } else {
      plot.drawDots(set.series, on: &canvas)
    }
    if let line {
      legend?.draw(in: line, on: &canvas)
    } else {
      legend?.draw(beside: frame.plot, border, on: &canvas)
    }
  }

  private static func labels(
    _ set: SeriesSet, _ panel: PanelState, _ result: RowSet, _ span: ClosedRange<Double>,
    width: Int, now: Timestamp?
  ) -> [ChartFrame.Label] {
    let length = span.upperBound - span.lowerBound
    func cell(_ x: Double) -> Int {
      guard length > 0, length.isFinite else { return width / 2 }
      return Int(((x - span.lowerBound) / length * Double(width - 1)).rounded())
    }
    switch set.axis {
    case .time:
      return TimeTicks(span, limit: max(1, width / 11), now: now).ticks.map {
        ChartFrame.Label(x: cell($0.seconds), text: $0.label)
      }
    case .number:
      guard length > 0 else {
        return [ChartFrame.Label(x: width / 2, text: NumberText.compact(span.lowerBound))]
      }
      let axis = NumberAxis(span, intervals: Double(max(1, width / 11)), beginsAtZero: false)
      return axis.ticks.filter { span.contains($0) }.map {
        let text = ScaleText.text($0, decimals: axis.decimals, column: nil)
        return ChartFrame.Label(x: cell($0), text: text)
      }
    case .ordinal(let label):
      guard !set.rows.isEmpty else { return [] }
      let widest = label.map { min(panel.columns[$0].width, 16) } ?? 6
      let fitting = max(1, width / (widest + 2))
      let step = max(1, (set.rows.count + fitting - 1) / fitting)
      return stride(from: 0, to: set.rows.count, by: step).map { index in
        let text = label.map {
          DisplayText.cut(
            ValueText(result.rows[set.rows[index]][$0], column: panel.columns[$0]).text, width: 16)
        }
        return ChartFrame.Label(x: cell(Double(index)), text: text ?? "\(index + 1)")
      }
    }
  }
}

/// Puts points on a plot.
private struct Plot {
  let frame: ChartFrame
  let span: ClosedRange<Double>

  /// From 0 at the left end to 1 at the right one; a single point is in the middle.
  private func position(_ x: Double) -> Double {
    let length = span.upperBound / 2 - span.lowerBound / 2
    guard length > 0 else { return 0.5 }
    return min(max((x / 2 - span.lowerBound / 2) / length, 0), 1)
  }

  func drawDots(_ series: [Series], on canvas: inout Canvas) {
    var dots = BrailleCanvas(frame.plot.size)
    let right = Double(dots.dotWidth - 1)
    // The first series is drawn last, and so on top.
    for (index, line) in series.enumerated().reversed() {
      var previous: (x: Int, y: Int)?
      for (place, point) in line.points.enumerated() {
        guard !point.y.isNaN else {
          previous = nil
          continue
        }
        let next = (x: Int((position(point.x) * right).rounded()), y: frame.dot(point.y))
        dots.line(from: previous ?? next, to: next, series: index)
        if previous == nil, place + 1 == line.points.count || line.points[place + 1].y.isNaN {
          // A point without neighbours would be overlooked too easily.
          for (dx, dy) in [(1, 0), (0, 1), (1, 1)] {
            dots.dot(x: next.x ^ dx, y: next.y ^ dy, series: index)
          }
        }
        previous = next
      }
    }
    dots.draw(
      x: frame.plot.x, y: frame.plot.y, roles: LineView.roles, glows: series.count == 1,
      on: &canvas)
    guard series.count > 1 else { return }
    for (index, line) in series.enumerated().reversed() {
      // The symbol at the end of a line identifies it.
      guard let last = line.points.last(where: { !$0.y.isNaN }) else { continue }
      put(last, series: index, on: &canvas)
    }
  }

  func drawSigns(_ series: [Series], on canvas: inout Canvas) {
    let right = Double(frame.plot.width - 1)
    for (index, line) in series.enumerated().reversed() {
      let style = Style(LineView.roles[index % LineView.roles.count])
      let sign = canvas.symbols.series[index % canvas.symbols.series.count]
      var previous: (x: Int, y: Int)?
      for point in line.points {
        guard !point.y.isNaN else {
          previous = nil
          continue
        }
        let next = (
          x: frame.plot.x + Int((position(point.x) * right).rounded()),
          y: frame.plot.y + frame.dot(point.y)
        )
        forEachPoint(from: previous ?? next, to: next) { canvas.put(sign, x: $0, y: $1, style) }
        previous = next
      }
    }
  }

  private func put(_ point: Series.Point, series: Int, on canvas: inout Canvas) {
    let y = frame.dot(point.y) / BrailleCanvas.dotsPerRow
    let x = Int((position(point.x) * Double(frame.plot.width * 2 - 1)).rounded()) / 2
    canvas.put(
      canvas.symbols.series[series % canvas.symbols.series.count], x: frame.plot.x + x,
      y: frame.plot.y + y, Style(LineView.roles[series % LineView.roles.count], bold: true))
  }
}
