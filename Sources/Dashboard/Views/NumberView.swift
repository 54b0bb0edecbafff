import ObservationEngine

/// One value, as large as the panel allows, and how it changed.
enum NumberView {
  static func draw(
    _ panel: PanelState, in area: Rect, _ context: PanelContext, on canvas: inout Canvas
  ) {
    guard let value = panel.result?.rows.first?.first, let column = panel.columns.first else {
      return
    }
    let text = ValueText(value, column: column)
    let mark = panel.marks.byRow.values.first
    let flash = mark.map { RowMarks.level(since: $0.start, at: context.moment.monotonic) } ?? 0
    var style = Style(text.role == .text ? .accent : text.role, bold: true)
    let change = changeText(from: panel.previousNumber, to: value, canvas.symbols)
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
    guard let change, context.showsDelta || height > 1 else { return }
    let room = area.x + area.width - end - 3
    let changeStyle = Style(change.isRising ? .rising : .falling, bold: flash > 0)
    if room >= DisplayText.width(change.text, glyphs: canvas.glyphs) {
      canvas.write(change.text, x: end + 3, y: y + height / 2, width: room, changeStyle)
    } else if y + height < area.y + area.height {
      canvas.write(
        change.text, x: area.x + 2, y: y + height, width: area.width - 3, changeStyle)
    }
  }

  /// The largest size in which `text` fits; nil for a single line of plain text.
  private static func scale(
    for text: String, in area: Rect, glyphs: GlyphSet
  ) -> BigDigits.Scale? {
    let scales: [BigDigits.Scale] = glyphs == .ascii ? [.ascii] : [.double, .half]
    return scales.first { scale in
      // Double needs air around it, or it shouts.
      let margin = scale == .double ? 2 : 0
      guard let width = BigDigits.width(text, scale: scale) else { return false }
      return width + 4 + margin * 4 <= area.width && scale.height + margin <= area.height
    }
  }

  private static func changeText(
    from old: Value?, to new: Value, _ symbols: Symbols
  ) -> (text: String, isRising: Bool)? {
    guard let old else { return nil }
    let delta: ResultDiff.Delta
    switch (old, new) {
    case (.integer(let old), .integer(let new)):
      let (difference, overflow) = new.subtractingReportingOverflow(old)
      guard !overflow, difference != 0 else { return nil }
      delta = .integer(difference)
    default:
      guard let old = ColumnSummary.number(old), let new = ColumnSummary.number(new), old != new
      else { return nil }
      delta = .real(new - old)
    }
    let isRising = DeltaText.isRising(delta)
    let arrow = isRising ? symbols.up : symbols.down
    return ("\(arrow) \(DeltaText.text(delta))", isRising)
  }
}
