import ObservationEngine

/// One value, as large as the panel allows, with its change and its history.
///
///      ▄█  ▀▀█ █▀█ █ █
///       █  █▀▀ █ █ ▀▀█   ▲ +3
///      ▀▀▀ ▀▀▀ ▀▀▀   ▀   last tx
///
///     ▁▁▂▂▂▃▃▄▄▅▅▅▆▆▇▇██  min 1 180
///                         max 1 204
enum NumberView {
  /// The division of the panel into the value and its history.
  private struct Layout {
    let value: Rect
    /// Lines for the history: none, one, or two with its extremes.
    let history: Rect?

    init(_ area: Rect, hasHistory: Bool, glyphs: GlyphSet) {
      // The digits come first; then the history, with a line between if there is a spare one.
      let spare = area.height - (glyphs == .ascii ? BigDigits.Scale.ascii : .half).height
      let lines = !hasHistory || spare < 1 ? 0 : spare < 3 ? 1 : 2
      guard lines > 0 else {
        value = area
        history = nil
        return
      }
      value = Rect(x: area.x, y: area.y, width: area.width, height: area.height - lines)
      history = Rect(
        x: area.x + 2, y: area.y + area.height - lines, width: area.width - 4, height: lines)
    }
  }

  static func draw(
    _ panel: PanelState, in area: Rect, _ context: PanelContext, on canvas: inout Canvas
  ) {
    guard let row = panel.result?.rows.first, let value = PanelData.firstNumber(row) else {
      return
    }
    let index = row.firstIndex { ColumnSummary.number($0) != nil } ?? 0
    let history = panel.history.values.suffix(PanelHistory.capacity).filter(\.isFinite)
    let layout = Layout(
      area, hasHistory: context.showsSparklines && history.count > 1, glyphs: canvas.glyphs)
    let change = changeText(
      from: panel.previousNumber, to: value, panel.columns[index], width: area.width - 6,
      canvas.symbols)
    let isChangeShown = drawValue(
      panel, value, panel.columns[index], change, in: layout.value, context, on: &canvas)
    if let lines = layout.history {
      // There is no room for the change next to the value, so it replaces something less important.
      drawHistory(
        panel, history, panel.columns[index], change: isChangeShown ? nil : change, in: lines,
        on: &canvas)
    }
  }

  private typealias Change = (text: String, isRising: Bool)

  /// - Returns: Whether the change was drawn, if there is one.
  private static func drawValue(
    _ panel: PanelState, _ value: Value, _ column: ColumnSummary, _ change: Change?,
    in area: Rect, _ context: PanelContext, on canvas: inout Canvas
  ) -> Bool {
    let text = ValueText(value, column: column, now: context.moment.civil)
    let mark = panel.marks.byRow.values.first
    let flash = mark.map { RowMarks.level(since: $0.start, at: context.moment.monotonic) } ?? 0
    var style = Style(text.role == .text ? .accent : text.role, bold: true)
    let isNumber = ColumnSummary.number(value) != nil
    let scale = isNumber ? scale(for: text.text, in: area, glyphs: canvas.glyphs) : nil
    let height = scale?.height ?? 1
    let y = area.y + max(0, (area.height - height) / 2)
    var end = area.x + 2
    if let scale, let width = BigDigits.width(text.text, scale: scale) {
      if flash > 0 { style.role = .changed }
      BigDigits.draw(text.text, x: area.x + 2, y: y, scale: scale, style, on: &canvas)
      end += width
    } else {
      style.flash = flash
      end += canvas.write(text.text, x: area.x + 2, y: y, width: area.width - 3, style)
    }
    guard let change, context.showsDelta || height > 1 else { return true }
    let room = area.x + area.width - end - 3
    let changeStyle = Style(change.isRising ? .rising : .falling, bold: flash > 0)
    if room >= DisplayText.width(change.text, glyphs: canvas.glyphs) {
      canvas.write(change.text, x: end + 3, y: y + height / 2, width: room, changeStyle)
      if height >= 3, room >= 7 {
        canvas.write(
          "last tx", x: end + 3, y: y + height / 2 + 1, width: room, Style(.muted))
      }
    } else if y + height < area.y + area.height {
      canvas.write(
        change.text, x: area.x + 2, y: y + height, width: area.width - 3, changeStyle)
    } else {
      return false
    }
    return true
  }

  /// The value over time, and its extremes or, on one line, how many changes it spans.
  private static func drawHistory(
    _ panel: PanelState, _ numbers: [Double], _ column: ColumnSummary, change: Change?,
    in lines: Rect, on canvas: inout Canvas
  ) {
    func text(_ number: Double) -> String {
      ScaleText.text(number, decimals: column.decimals, column: column)
    }
    let least = "min " + text(numbers.min() ?? 0)
    let greatest = "max " + text(numbers.max() ?? 0)
    func facts(_ count: Int) -> [String] {
      if lines.height > 1 { return change.map { [$0.text, greatest] } ?? [least, greatest] }
      if let change { return [change.text] }
      return [panel.history.span(count).map { NumberText.grouped($0) + " tx" } ?? ""]
    }
    let widest = facts(numbers.count).map { DisplayText.width($0) }.max() ?? 0
    let width = min(max(lines.width - widest - 2, 0), 60)
    let shown = numbers.suffix(width)
    // Too few cells to see anything: the words are more useful.
    let courseWidth = width >= 5 ? shown.count : 0
    if courseWidth > 0 {
      canvas.write(
        canvas.symbols.course(Array(shown)), x: lines.x, y: lines.y, width: courseWidth,
        Style(.bar))
    }
    for (line, fact) in facts(shown.count).enumerated() {
      canvas.write(
        fact, x: lines.x + courseWidth + (courseWidth > 0 ? 2 : 0), y: lines.y + line,
        width: lines.width - courseWidth - (courseWidth > 0 ? 2 : 0),
        Style(line == 0 ? change.map { $0.isRising ? .rising : .falling } ?? .muted : .muted))
    }
  }

  /// The largest size in which `text` fits; nil for a single line of plain text.
  private static func scale(
    for text: String, in area: Rect, glyphs: GlyphSet
  ) -> BigDigits.Scale? {
    let scales: [BigDigits.Scale] = glyphs == .ascii ? [.ascii] : [.double, .half]
    return scales.first { scale in
      // The double size needs margins.
      let margin = scale == .double ? 2 : 0
      guard let width = BigDigits.width(text, scale: scale) else { return false }
      return width + 4 + margin * 4 <= area.width && scale.height + margin <= area.height
    }
  }

  private static func changeText(
    from old: Value?, to new: Value, _ column: ColumnSummary, width: Int, _ symbols: Symbols
  ) -> Change? {
    guard let old, let delta = ResultDiff.Delta(from: old, to: new) else { return nil }
    let isRising = DeltaText.isRising(delta)
    let arrow = isRising ? symbols.up : symbols.down
    return ("\(arrow) \(DeltaText.text(delta, column: column, width: width))", isRising)
  }
}
