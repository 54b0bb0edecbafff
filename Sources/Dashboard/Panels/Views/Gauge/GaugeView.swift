import ObservationEngine

/// A number between two ends, with thresholds; one line per row if there are several.
///
///       6.2 %   ▲ 1.4 %            WARN ≥ 5 %
///
///      [██████████▍                         ]
///       0 %            5 %│              10 %
///      ▁▁▁▂▂▁▁▃▃▄▅▆▇
enum GaugeView {
  static func draw(
    _ panel: PanelState, _ result: RowSet, in area: Rect, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    guard let index = column(panel, result), area.width >= 8, area.height > 0 else { return }
    guard result.rows.count == 1 else {
      drawRows(panel, result, column: index, in: area, context, on: &canvas)
      return
    }
    let column = panel.columns[index]
    guard let number = ColumnSummary.number(result.rows[0][index]), number.isFinite else {
      let text = ValueText(result.rows[0][index], column: column)
      canvas.write(text.text, x: area.x + 2, y: area.y, width: area.width - 3, Style(text.role))
      return
    }
    let history = panel.history.values.suffix(PanelHistory.capacity)
    let scale = GaugeScale(panel.definition, column: column, numbers: history + [number])
    let state = state(number, of: result.rows[0], panel, scale, context)
    guard area.height > 1 else {
      let value = self.text(number, column)
      let width = canvas.write(
        value, x: area.x + 1, y: area.y, width: area.width - 2, Style(.text, bold: true))
      let bar = Rect(x: area.x + width + 2, y: area.y, width: area.width - width - 3, height: 1)
      drawBar(number, scale, state, in: bar, on: &canvas)
      return
    }
    drawHead(panel, number, scale, state, column, in: area, context, on: &canvas)
    let first = area.height >= 5 ? area.y + 2 : area.y + 1
    let line = Rect(x: area.x + 1, y: first, width: area.width - 2, height: 1)
    drawBar(number, scale, state, in: line, on: &canvas)
    if area.height >= 3 {
      let below = Rect(x: line.x, y: first + 1, width: line.width, height: 1)
      drawScale(scale, column, in: below, on: &canvas)
    }
    let last = first + 2
    guard last < area.y + area.height, history.count > 1 else { return }
    canvas.write(
      canvas.symbols.course(history.suffix(line.width)), x: line.x, y: last, width: line.width,
      Style(.bar))
  }

  /// The column of numbers, or one that is currently empty.
  private static func column(_ panel: PanelState, _ result: RowSet) -> Int? {
    let wanted = panel.numberColumn ?? panel.columns.lastIndex(where: \.isNull)
    return wanted ?? (result.columns.isEmpty ? nil : 0)
  }

  /// The severity of a number: it stays below the alert's threshold too, until the alert ends.
  private static func state(
    _ number: Double, of row: [Value], _ panel: PanelState, _ scale: GaugeScale,
    _ context: PanelContext
  ) -> GaugeScale.State {
    let columns = panel.columns.map(\.name)
    let isHeld =
      context.alert != nil && panel.definition.alert?.holds(row, columns: columns) == true
    return scale.state(number, isHeld: isHeld)
  }

  private static func text(_ number: Double, _ column: ColumnSummary) -> String {
    ScaleText.text(number, decimals: column.decimals, column: column)
  }

  /// A number on the scale: it may be finer than the numbers of the column.
  private static func scaleText(_ number: Double, _ column: ColumnSummary) -> String {
    var column = column
    column.decimals = max(column.decimals, NumberText.decimals(of: number))
    return text(number, column)
  }

  /// The number, its change, and its severity.
  private static func drawHead(
    _ panel: PanelState, _ number: Double, _ scale: GaugeScale, _ state: GaugeScale.State,
    _ column: ColumnSummary, in area: Rect, _ context: PanelContext, on canvas: inout Canvas
  ) {
    let end = area.x + area.width
    var x = area.x + 2
    x += canvas.write(
      text(number, column), x: x, y: area.y, width: end - x - 1,
      Style(state == .normal ? .accent : state.role, bold: true))
    var right = end
    if let threshold = scale.threshold(state) {
      let text =
        "! \(state.word) \(scale.isFalling ? "<" : ">") \(scaleText(threshold, column))"
      let width = DisplayText.width(text)
      if x + 2 + width < end {
        right = end - width - 1
        canvas.write(text, x: right, y: area.y, width: width, Style(state.role, bold: true))
      } else if x + 2 + state.word.utf8.count + 2 < end {
        right = end - state.word.utf8.count - 3
        canvas.write(
          "! " + state.word, x: right, y: area.y, width: end - right,
          Style(state.role, bold: true))
      }
    }
    guard context.showsDelta, let old = panel.previousNumber.flatMap(ColumnSummary.number),
      old != number, (number - old).isFinite
    else { return }
    let isRising = number > old
    let arrow = isRising ? canvas.symbols.up : canvas.symbols.down
    // The precision of a difference is that of the numbers, or else its first significant digit.
    let difference = (number - old).magnitude
    let decimals = max(column.decimals, NumberText.decimals(of: difference, limit: 1))
    let text =
      "\(arrow) " + ScaleText.text(difference, decimals: decimals, column: column)
    let isVisible = text.contains { $0.isNumber && $0 != "0" }
    if isVisible, x + 3 + DisplayText.width(text) < right {
      canvas.write(
        text, x: x + 3, y: area.y, width: right - x - 3,
        Style(panel.definition.options.role(isRising: isRising)))
    }
  }

  /// `[██████████▍          ]`, with the thresholds that the bar has not reached.
  private static func drawBar(
    _ number: Double, _ scale: GaugeScale, _ state: GaugeScale.State, in line: Rect,
    on canvas: inout Canvas
  ) {
    guard line.width >= 4 else { return }
    let width = line.width - 2
    let end = line.x + line.width - 1
    canvas.put("[", x: line.x, y: line.y, Style(.muted))
    canvas.put("]", x: end, y: line.y, Style(.muted))
    for threshold in [scale.warning, scale.critical].compactMap({ $0 }) {
      canvas.put(
        canvas.symbols.axis.mark, x: line.x + 1 + cell(scale.share(threshold), width), y: line.y,
        Style(.muted))
    }
    let role = state.role
    if number > scale.low {
      BarView.bar(
        scale.share(number), x: line.x + 1, y: line.y, width: width, Style(role), isAlone: true,
        on: &canvas)
      paint(scale, state, Rect(x: line.x + 1, y: line.y, width: width, height: 1), on: &canvas)
    }
    // A number beyond the ends is more than a full bar, or less than an empty one.
    if number > scale.high {
      canvas.put(canvas.symbols.more, x: end, y: line.y, Style(role, bold: true))
    } else if number < scale.low {
      canvas.put(canvas.symbols.less, x: line.x, y: line.y, Style(role, bold: true))
    }
  }

  /// Colours a bar by the numbers that its cells stand for: with thresholds by theirs, until the
  /// number itself is beyond one.
  private static func paint(
    _ scale: GaugeScale, _ state: GaugeScale.State, _ bar: Rect, on canvas: inout Canvas
  ) {
    guard state == .normal else { return }
    let isJudged = scale.warning != nil || scale.critical != nil
    for x in bar.columns {
      canvas.restyle(Rect(x: x, y: bar.y, width: 1, height: 1)) { style in
        guard style.role == .bar else { return }
        let share = Double(x - bar.x) / Double(max(1, bar.width - 1))
        style.tint =
          isJudged
          ? Tint(.heat, share: scale.isFalling ? 1 - share : share) : Tint(.glow, share: share)
      }
    }
  }

  /// The ends, and the thresholds, each to the left of its mark.
  private static func drawScale(
    _ scale: GaugeScale, _ column: ColumnSummary, in line: Rect, on canvas: inout Canvas
  ) {
    let style = Style(.muted)
    let low = scaleText(scale.low, column)
    let high = scaleText(scale.high, column)
    var free = line.x + canvas.write(low, x: line.x, y: line.y, width: line.width, style) + 1
    let highWidth = DisplayText.width(high)
    let highX = line.x + line.width - highWidth
    guard free <= highX else { return }
    canvas.write(high, x: highX, y: line.y, width: highWidth, style)
    for threshold in [scale.warning, scale.critical].compactMap({ $0 }).sorted() {
      let mark = line.x + 1 + cell(scale.share(threshold), line.width - 2)
      guard mark >= free, mark < highX - 1 else { continue }
      canvas.put(canvas.symbols.axis.mark, x: mark, y: line.y, style)
      let label = scaleText(threshold, column)
      let width = DisplayText.width(label)
      if mark - width >= free {
        canvas.write(label, x: mark - width, y: line.y, width: width, style)
      }
      free = mark + 2
    }
  }

  private static func cell(_ share: Double, _ width: Int) -> Int {
    min(Int((share * Double(width)).rounded(.down)), width - 1)
  }

  private static func drawRows(
    _ panel: PanelState, _ result: RowSet, column index: Int, in area: Rect,
    _ context: PanelContext, on canvas: inout Canvas
  ) {
    let column = panel.columns[index]
    let label = panel.columns.indices.first { !panel.columns[$0].isNumeric && $0 != index }
    let scale = GaugeScale(
      panel.definition, column: column, numbers: [column.minimum, column.maximum])
    let labelWidth = label.map { min(max(panel.columns[$0].width, 1), area.width / 3) } ?? 0
    let valueWidth = max(column.width, 3)
    let barX = area.x + 1 + labelWidth + (label == nil ? 0 : 1)
    let barWidth = area.x + area.width - barX - valueWidth - 2
    let top = min(panel.top, max(0, panel.order.count - area.height))
    for (line, row) in panel.order.dropFirst(top).prefix(area.height).enumerated() {
      let y = area.y + line
      let values = result.rows[row]
      if let label {
        let text = ValueText(values[label], column: panel.columns[label])
        canvas.write(text.text, x: area.x + 1, y: y, width: labelWidth, Style(text.role))
      }
      let text = ValueText(values[index], column: column)
      var style = Style(text.role)
      if let number = ColumnSummary.number(values[index]), number.isFinite {
        let state = state(number, of: values, panel, scale, context)
        drawBar(
          number, scale, state, in: Rect(x: barX, y: y, width: barWidth, height: 1), on: &canvas)
        if state != .normal {
          style = Style(state.role, bold: true)
          canvas.put("!", x: area.x, y: y, style)
        }
      }
      canvas.write(
        text.text, x: barX + max(0, barWidth) + 1, y: y, width: valueWidth, style,
        alignment: .trailing)
      if context.isFocused, panel.cursor == top + line {
        canvas.highlight(line: y, of: area)
      }
    }
  }
}
