import ObservationEngine

/// A number per label as horizontal bars, to the eighth of a cell.
///
///     dust █████████████▌   412  41 %
enum BarView {
  static func draw(
    _ panel: PanelState, _ result: RowSet, in area: Rect, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    guard let value = panel.columns.firstIndex(where: \.isNumeric), area.width >= 10 else {
      // Asked for, but there is nothing to measure.
      TableView.draw(
        panel, result, PanelGeometry(.table, frame: area.inset(by: -1)), context, on: &canvas)
      return
    }
    let label = panel.columns.firstIndex { !$0.isNumeric }
    let summary = panel.columns[value]
    let top = min(panel.top, max(0, panel.order.count - area.height))
    let visible = panel.order[top..<min(top + area.height, panel.order.count)]

    let labelWidth = label.map { min(max(panel.columns[$0].width, 1), area.width / 3) } ?? 0
    let valueWidth = max(summary.width, 3)
    let shareWidth = area.width >= 44 ? 6 : 0
    // " label bar  value share "
    let barWidth = max(0, area.width - labelWidth - valueWidth - shareWidth - 6)
    let barX = area.x + labelWidth + 2

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
      if summary.maximum > 0, number > 0 {
        bar(number / summary.maximum, x: barX, y: y, width: barWidth, on: &canvas)
      }
      var style = Style(values[value] == .null ? .placeholder : .text)
      if let mark, flash > 0 {
        style = Style(mark.change == .inserted ? .inserted : .changed, flash: flash)
        canvas.put(mark.change == .inserted ? "+" : "~", x: area.x, y: y, Style(style.role))
      }
      let text = ValueText(values[value], column: summary)
      canvas.write(
        text.text, x: barX + barWidth + 2, y: y, width: valueWidth, style, alignment: .trailing)
      if shareWidth > 0, summary.total > 0 {
        let share = Int((max(0, number) / summary.total * 100).rounded())
        canvas.write(
          "\(share) %", x: barX + barWidth + 2 + valueWidth, y: y, width: shareWidth,
          Style(.muted), alignment: .trailing)
      }
      if context.isFocused, panel.cursor == visible.startIndex + line {
        canvas.restyle(Rect(x: area.x, y: y, width: area.width, height: 1)) { $0.reverse = true }
      }
    }
  }

  /// Draws `share` (0 to 1) of `width` cells.
  static func bar(_ share: Double, x: Int, y: Int, width: Int, on canvas: inout Canvas) {
    let steps = canvas.symbols.eighths
    let filled = Int((min(max(share, 0), 1) * Double(width * steps.count)).rounded())
    // Something is never nothing.
    let units = max(filled, 1)
    guard width > 0 else { return }
    for cell in 0..<units / steps.count {
      canvas.put(steps[steps.count - 1], x: x + cell, y: y, Style(.bar))
    }
    let rest = units % steps.count
    if rest > 0 { canvas.put(steps[rest - 1], x: x + units / steps.count, y: y, Style(.bar)) }
  }
}
