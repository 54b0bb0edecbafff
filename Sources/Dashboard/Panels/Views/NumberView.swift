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

  /// How large a value is drawn: the same for all number panels of a row.
  struct Fit: Equatable {
    /// The size of the digits; nil for plain text.
    var scale: BigDigits.Scale?
    /// Whether there is room for the change on the right of a value in the middle.
    var isCentred: Bool

    /// What suits both.
    func common(with other: Fit) -> Fit {
      // A panel that has no room for digits doesn't take them from the others.
      let scales = [scale, other.scale].compactMap { $0 }
      return Fit(scale: scales.min(), isCentred: isCentred && other.isCentred)
    }
  }

  /// The room for a change next to a value in the middle.
  private static let changeWidth = 16

  static func draw(
    _ panel: PanelState, in area: Rect, _ context: PanelContext, on canvas: inout Canvas
  ) {
    guard let row = panel.result?.rows.first, let value = PanelData.firstNumber(row) else {
      return
    }
    let index = row.firstIndex { ColumnSummary.number($0) != nil } ?? 0
    let history = panel.history.values.suffix(PanelHistory.capacity).filter(\.isFinite)
    let layout = layout(panel, area, context.showsSparklines, canvas.glyphs)
    let change = changeText(
      from: panel.previousNumber, to: value, panel, panel.columns[index], width: area.width - 6,
      canvas.symbols)
    let isChangeShown = drawValue(
      panel, value, panel.columns[index], change, in: layout.value, context, on: &canvas)
    if let lines = layout.history {
      // There is no room for the change next to the value, so it replaces something less important.
      drawHistory(
        panel, history, panel.columns[index], change: isChangeShown ? nil : change, in: lines,
        isCentred: context.number?.isCentred == true, on: &canvas)
    }
  }

  private static func layout(
    _ panel: PanelState, _ area: Rect, _ showsHistory: Bool, _ glyphs: GlyphSet
  ) -> Layout {
    let count = panel.history.values.suffix(2).count
    return Layout(area, hasHistory: showsHistory && count > 1, glyphs: glyphs)
  }

  /// How large a panel could draw its value by itself; nil when it has no number.
  static func fit(
    _ panel: PanelState, in area: Rect, showsHistory: Bool, now: Timestamp, glyphs: GlyphSet
  ) -> Fit? {
    guard panel.error == nil, panel.rowCount > 0, let row = panel.result?.rows.first,
      let value = PanelData.firstNumber(row), ColumnSummary.number(value) != nil,
      let index = row.firstIndex(where: { ColumnSummary.number($0) != nil })
    else { return nil }
    let room = layout(panel, area, showsHistory, glyphs).value
    let text = ValueText(value, column: panel.columns[index], now: now).text
    let drawn = drawn(text, value, panel.columns[index], in: room, atMost: nil, glyphs: glyphs)
    let width = drawn.width ?? DisplayText.width(drawn.text, glyphs: glyphs)
    return Fit(scale: drawn.scale, isCentred: width + 2 * (changeWidth + 3) <= room.width)
  }

  private typealias Change = (text: String, isRising: Bool, role: Style.Role)

  /// The text that is drawn, its size, and its cells: the whole text if there is room for it in any
  /// size, and otherwise a short form.
  private static func drawn(
    _ text: String, _ value: Value, _ column: ColumnSummary, in area: Rect,
    atMost limit: BigDigits.Scale?, glyphs: GlyphSet
  ) -> (text: String, scale: BigDigits.Scale?, width: Int?) {
    guard let number = ColumnSummary.number(value) else { return (text, nil, nil) }
    var texts = [text]
    if column.format == nil { texts.append(NumberText.compact(number)) }
    for text in texts {
      for scale in BigDigits.Scale.all(glyphs) {
        guard limit.map({ scale <= $0 }) ?? true,
          let width = BigDigits.width(text, scale: scale, glyphs: glyphs)
        else { continue }
        let margin = scale.margin
        if width + 4 + 2 * margin.columns <= area.width,
          scale.height + margin.lines <= area.height
        {
          return (text, scale, width)
        }
      }
    }
    return (text, nil, nil)
  }

  /// - Returns: Whether the change was drawn, if there is one.
  private static func drawValue(
    _ panel: PanelState, _ value: Value, _ column: ColumnSummary, _ change: Change?,
    in area: Rect, _ context: PanelContext, on canvas: inout Canvas
  ) -> Bool {
    let text = ValueText(value, column: column, now: context.moment.civil)
    let mark = panel.marks.byRow.values.first
    let flash = mark.map { RowMarks.level(since: $0.start, at: context.moment.monotonic) } ?? 0
    let look = column.look(of: value, in: panel.result?.rows.first ?? [])
    var style = Style(
      look.role ?? (text.role == .text ? .accent : text.role), bold: true, tint: look.tint)
    let drawn = drawn(
      text.text, value, column, in: area, atMost: context.number?.scale, glyphs: canvas.glyphs)
    let height = drawn.scale?.height ?? 1
    let y = area.y + max(0, (area.height - height) / 2)
    var x = area.x + 2
    if context.number?.isCentred == true {
      let width = drawn.width ?? DisplayText.width(drawn.text, glyphs: canvas.glyphs)
      x = area.x + max(2, (area.width - width) / 2)
    }
    var end = x
    if let scale = drawn.scale, let width = drawn.width {
      if flash > 0 { style.role = .changed }
      BigDigits.draw(drawn.text, x: x, y: y, scale: scale, style, on: &canvas)
      end += width
    } else {
      style.flash = flash
      end += canvas.write(
        drawn.text, x: x, y: y, width: area.x + area.width - 1 - x, style)
    }
    guard let change, context.showsDelta || height > 1 else { return true }
    let room = area.x + area.width - end - 3
    let changeStyle = Style(change.role, bold: flash > 0)
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
    in lines: Rect, isCentred: Bool, on canvas: inout Canvas
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
    var lines = lines
    if isCentred {
      lines.x += max(0, (lines.width - courseWidth - widest - 2) / 2)
    }
    if courseWidth > 0 {
      canvas.write(
        canvas.symbols.course(Array(shown)), x: lines.x, y: lines.y, width: courseWidth,
        Style(.bar))
    }
    for (line, fact) in facts(shown.count).enumerated() {
      canvas.write(
        fact, x: lines.x + courseWidth + (courseWidth > 0 ? 2 : 0), y: lines.y + line,
        width: lines.width - courseWidth - (courseWidth > 0 ? 2 : 0),
        Style(line == 0 ? change?.role ?? .muted : .muted))
    }
  }

  private static func changeText(
    from old: Value?, to new: Value, _ panel: PanelState, _ column: ColumnSummary, width: Int,
    _ symbols: Symbols
  ) -> Change? {
    guard let old, let delta = ResultDiff.Delta(from: old, to: new) else { return nil }
    let isRising = DeltaText.isRising(delta)
    let arrow = isRising ? symbols.up : symbols.down
    return (
      "\(arrow) \(DeltaText.text(delta, column: column, width: width))", isRising,
      panel.definition.options.role(isRising: isRising))
  }
}
