import ObservationEngine

/// A number per label as horizontal bars, precise to an eighth of a cell.
///
///     dust ▇▇▇▇▇▇▇▇▇▇▇▇▇▇   412  41 %
enum BarView {
  static func draw(
    _ panel: PanelState, _ result: RowSet, in area: Rect, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    let numbers = panel.columns.firstIndex(where: \.isNumeric)
    guard let value = numbers ?? panel.columns.lastIndex(where: \.isNull), area.width >= 10 else {
      return
    }
    let label = panel.columns.indices.first { !panel.columns[$0].isNumeric && $0 != value }
    let summary = panel.columns[value]
    let top = min(panel.top, max(0, panel.order.count - area.height))
    let visible = panel.order[top..<min(top + area.height, panel.order.count)]

    func widthInView(_ column: Int) -> Int {
      panel.columns[column].width(
        withThoseInView: visible.lazy.map { result.rows[$0][column] })
    }
    let valueWidth = max(widthInView(value), 3)
    let shareWidth = area.width >= 44 ? 6 : 0
    // Whole names, as long as the bars are long enough to be compared.
    let labelRoom = max(area.width / 3, area.width - valueWidth - shareWidth - 6 - 12)
    let labelWidth = label.map { min(max(widthInView($0), 1), labelRoom) } ?? 0
    // " label bar  value share "
    let barWidth = max(0, area.width - labelWidth - valueWidth - shareWidth - 6)
    let barX = area.x + labelWidth + 2
    let scale = Scale(summary, maximum: panel.definition.options.maximum, width: barWidth)

    for (line, row) in visible.enumerated() {
      let y = area.y + line
      let values = result.rows[row]
      let mark = panel.marks.byRow[row]
      let flash = mark.map { RowMarks.level(since: $0.start, at: context.moment.monotonic) } ?? 0
      if let label {
        let text = ValueText(values[label], column: panel.columns[label])
        canvas.write(text.text, x: area.x + 1, y: y, width: labelWidth, Style(text.role))
      }
      let number = ColumnSummary.number(values[value]) ?? 0
      let look = summary.look(of: values[value], in: values)
      scale.draw(
        number, Style(look.role ?? .bar, tint: look.tint), x: barX, y: y, on: &canvas)
      var style = Style(values[value] == .null ? .placeholder : look.role ?? .text)
      if let mark, flash > 0 {
        style = Style(mark.change == .inserted ? .inserted : .changed, flash: flash)
        canvas.put(mark.change == .inserted ? "+" : "~", x: area.x, y: y, Style(style.role))
      }
      let text = ValueText(values[value], column: summary)
      canvas.write(
        text.text, x: barX + barWidth + 2, y: y, width: valueWidth, style, alignment: .trailing)
      if shareWidth > 0, summary.total > 0, summary.total.isFinite, number.isFinite,
        number >= 0, ColumnSummary.number(values[value]) != nil
      {
        let share = Int((number / summary.total * 100).rounded())
        canvas.write(
          "\(share) %", x: barX + barWidth + 2 + valueWidth, y: y, width: shareWidth,
          Style(.muted), alignment: .trailing)
      }
      if context.isFocused, panel.cursor == visible.startIndex + line {
        canvas.highlight(line: y, of: area)
      }
    }
  }

  /// The lengths of bars; if some are negative, bars grow to both sides of zero.
  private struct Scale {
    let low: Double
    let high: Double
    let width: Int
    /// Cells to the left of zero.
    let ground: Int

    init(_ column: ColumnSummary, maximum: Double?, width: Int) {
      low = min(0, column.minimum)
      high = max(0, maximum ?? column.maximum)
      self.width = width
      // Halves, because the sum of the greatest numbers would overflow.
      let share = low < 0 ? (-low / 2) / (high / 2 - low / 2) : 0
      // Half of the smallest number is zero.
      let negative = share.isFinite ? share : 0.5
      ground = low < 0 ? min(max(1, Int((negative * Double(width)).rounded())), width) : 0
    }

    func draw(_ number: Double, _ style: Style, x: Int, y: Int, on canvas: inout Canvas) {
      if low < 0, ground < width, number >= 0 || number < 0 {
        canvas.put(canvas.symbols.axis.mark, x: x + ground, y: y, Style(.barTrack))
      }
      if number > 0, high > 0 {
        // An infinite number fills its bar.
        let share = number.isFinite ? number / high : 1
        var style = style
        if style.role == .bar, style.tint == nil { style.tint = Tint(.glow, share: share) }
        bar(share, x: x + ground, y: y, width: width - ground, style, on: &canvas)
      } else if number < 0, low < 0 {
        // There are no characters for a partial cell from its right.
        let share = number.isFinite ? number / low : 1
        let cells = min(max(1, Int((share * Double(ground)).rounded())), ground)
        for cell in 0..<cells {
          canvas.put(
            canvas.symbols.barCell, x: x + ground - 1 - cell, y: y, Style(.falling))
        }
      }
    }
  }

  /// Draws `share` (0 to 1) of `width` cells.
  ///
  /// - Parameter isAlone: Whether it is as high as the line, because there are no bars next to it.
  static func bar(
    _ share: Double, x: Int, y: Int, width: Int, _ style: Style, isAlone: Bool = false,
    on canvas: inout Canvas
  ) {
    let steps = canvas.symbols.eighths
    guard !share.isNaN else { return }
    let filled = Int((min(max(share, 0), 1) * Double(width * steps.count)).rounded())
    // A non-zero number is always visible.
    let units = max(filled, 1)
    guard width > 0 else { return }
    for cell in 0..<units / steps.count {
      canvas.put(
        isAlone ? steps[steps.count - 1] : canvas.symbols.barCell, x: x + cell, y: y, style)
    }
    let rest = units % steps.count
    guard rest > 0 else { return }
    let end = x + units / steps.count
    // A part of a cell is as high as the line: at the end of a lower bar it would stick out.
    if isAlone || units < steps.count {
      canvas.put(steps[rest - 1], x: end, y: y, style)
    } else if rest * 2 >= steps.count {
      canvas.put(canvas.symbols.barCell, x: end, y: y, style)
    }
  }
}
