import ObservationEngine

/// Browsing a result of the console, with the keys of a panel.
extension DashboardState {
  /// Opens the newest result for browsing.
  mutating func openBrowser() {
    let entry = console.entries.last { entry in
      if case .rows(let rows, _, _) = entry.outcome { !rows.columns.isEmpty } else { false }
    }
    guard let entry, case .rows(let rows, let total, _) = entry.outcome else {
      message = Message("there is no result to look through yet")
      return
    }
    // Which rows are in view is shown next to it.
    let query = DisplayText.cut(
      entry.sql.split(whereSeparator: \.isWhitespace).joined(separator: " "),
      width: max(12, size.width * 5 / 8 - 28), glyphs: glyphs)
    let title =
      rows.rows.count < total
      ? "first \(NumberText.grouped(rows.rows.count)) of \(NumberText.grouped(total)): \(query)"
      : query
    var browser = PanelState(
      definition: PanelDefinition(name: "result", title: title, sql: entry.sql, view: .table))
    browser.receive(rows, ordinal: 0, at: now)
    browser.moveCursor(to: 0, visible: 1)
    console.browser = browser
    console.completion = nil
  }

  /// Handles a click on the console: in a browsed result, it chooses the row under the mouse.
  mutating func clickConsole(_ frame: Rect, x: Int, y: Int) -> [Effect] {
    let isFocused = focus == .console
    focus = .console
    guard let browser = console.browser else { return [] }
    let rows = PanelGeometry(.table, frame: frame).rows
    let row = browser.top + y - rows.y
    guard rows.contains(x: x, y: y), row < browser.order.count else { return [] }
    if isFocused, browser.cursor == row { return openChosen() }
    console.browser?.moveCursor(to: row, visible: rows.height)
    return []
  }

  /// Handles the wheel over the console.
  mutating func scrollConsole(by rows: Int) {
    if console.browser == nil {
      console.scroll = max(0, console.scroll - rows)
    } else {
      let visible = layout.visibleResultRows
      console.browser?.scroll(by: rows, visible: visible)
    }
  }
}
