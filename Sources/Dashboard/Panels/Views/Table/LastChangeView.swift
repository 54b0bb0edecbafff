import ObservationEngine

/// The last line of a large table, once something has changed: what.
///
///     last change tx 1482:  ~ grace 95 770→97 020   + nihon   - bob
enum LastChangeView {
  /// - Complexity: O(cells): only the first changed rows are named.
  static func draw(
    _ panel: PanelState, _ result: RowSet, in line: Rect, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    let latest = panel.marks.latest
    let removed = panel.marks.latestRemoved
    let end = line.x + line.width - 1
    var x = line.x + 1
    func write(_ text: String, _ style: Style, _ canvas: inout Canvas) {
      x += canvas.write(text, x: x, y: line.y, width: end - x, style)
    }
    write("last change tx \(panel.ordinal):", Style(.muted), &canvas)
    let column = labelColumn(panel)
    for row in latest where row < result.rows.count {
      guard let mark = panel.marks.byRow[row] else { continue }
      let label = ValueText(result.rows[row][column], column: panel.columns[column]).text
      let isNew = mark.change == .inserted
      let sign = isNew ? "+" : "~"
      let delta = step(panel, result.rows[row], mark, canvas.symbols)
      let text = "  \(sign) " + DisplayText.cut(label, width: 20, glyphs: canvas.glyphs) + delta
      guard x + DisplayText.width(text, glyphs: canvas.glyphs) <= end else { return }
      write(text, Style(isNew ? .inserted : .changed), &canvas)
    }
    for gone in removed where column < gone.row.count {
      let label = ValueText(gone.row[column], column: panel.columns[column]).text
      let text = "  - " + DisplayText.cut(label, width: 20, glyphs: canvas.glyphs)
      guard x + DisplayText.width(text, glyphs: canvas.glyphs) <= end else { return }
      write(text, Style(.removed), &canvas)
    }
  }

  /// The old and new value of the ranked column: ` 95 770→97 020`.
  private static func step(
    _ panel: PanelState, _ row: [Value], _ mark: RowMarks.Mark, _ symbols: Symbols
  ) -> String {
    guard let delta = mark.delta, let rank = panel.rankColumn else { return "" }
    let old: Value
    switch (row[rank], delta) {
    case (.integer(let new), .integer(let delta)):
      let (before, overflow) = new.subtractingReportingOverflow(delta)
      guard !overflow else { return "" }
      old = .integer(before)
    case (let new, .real(let delta)):
      guard let number = ColumnSummary.number(new) else { return "" }
      old = .real(number - delta)
    default: return ""
    }
    let column = panel.columns[rank]
    return " " + ValueText(old, column: column).text + symbols.arrow
      + ValueText(row[rank], column: column).text
  }

  /// The column that names a row: its key, or else the first one.
  private static func labelColumn(_ panel: PanelState) -> Int {
    guard let key = panel.definition.key.first?.lowercased() else { return 0 }
    return panel.columns.firstIndex { $0.name.lowercased() == key } ?? 0
  }
}
