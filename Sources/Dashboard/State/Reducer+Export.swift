import ObservationEngine

/// Taking rows out of the dashboard: to a file, or to the clipboard.
extension DashboardState {
  mutating func beginExport() {
    guard let panel = panelWithRows("export"), !ScreenPlan.isTiny(size) else { return }
    exportInput = ExportInput(panel: panel.definition.name, isResult: focus == .console)
  }

  /// What a key does while the name of the file is typed.
  mutating func pressInExport(_ key: Key) -> [Effect] {
    guard var input = exportInput else { return [] }
    switch key {
    case .escape, .control("c"):
      exportInput = nil
      return []
    case .tab: input.nextFormat()
    case .enter:
      guard let export = export(input) else { return [] }
      return [.export(export)]
    case .up, .down, .backTab: return []
    default: guard input.name.edit(key) else { return [] }
    }
    input.problem = nil
    exportInput = input
    return []
  }

  /// The rows as they are shown now, and where they shall go; nil when the name does not do.
  private mutating func export(_ input: ExportInput) -> Export? {
    let path = input.name.text.filter { !$0.isNewline }
    guard let format = ExportFormat(path: path) else {
      exportInput?.problem = "a file is called \(ExportFormat.extensions)"
      return nil
    }
    let panel =
      input.isResult ? console.browser : panels.first { $0.definition.name == input.panel }
    guard let rows = panel?.shownRows else {
      exportInput?.problem = "the \(input.isResult ? "result" : "panel") is gone"
      return nil
    }
    return Export(path: path, format: format, rows: rows)
  }

  mutating func receive(_ outcome: ExportOutcome) {
    switch outcome {
    case .written(let path, let rows, let bytes):
      exportInput = nil
      let size = QuantityText.bytes(Int64(bytes))
      message = Message("\(QuantityText.count(rows, "row")) written to \(path) (\(size))")
    case .refused(let reason):
      // Whoever has gone on to other things is told all the same.
      if exportInput == nil { message = Message("not exported: \(reason)", .warning) }
      exportInput?.problem = reason
    }
  }

  /// Copies the row at the cursor, or the panel where there is no cursor.
  mutating func copy(wholePanel: Bool) -> [Effect] {
    guard let panel = panelWithRows("copy"), let shown = panel.shownRows else { return [] }
    if !wholePanel, let row = panel.cursorRow {
      return [
        .copy(
          ClipboardText([row], columns: shown.columns, hasHeader: false, subject: "the row"))
      ]
    }
    let isValue = shown.rows.count == 1 && shown.columns.count == 1
    let subject = isValue ? "the value" : QuantityText.count(shown.rows.count, "row")
    return [
      .copy(
        ClipboardText(shown.rows, columns: shown.columns, hasHeader: !isValue, subject: subject))
    ]
  }

  /// The focused table, if it has a result; a message otherwise.
  private mutating func panelWithRows(_ verb: String) -> PanelState? {
    guard let table = focusedTable?.panel, table.result != nil else {
      message = Message("there is no result here to \(verb)")
      return nil
    }
    return table
  }
}

extension PanelState {
  /// The rows that the filter keeps, in the order shown, scrolled out of sight or not.
  var shownRows: RowSet? {
    guard let result else { return nil }
    return RowSet(columns: result.columns, rows: order.map { result.rows[$0] })
  }

  /// The row under the cursor; nil while there is no cursor.
  var cursorRow: [Value]? {
    guard let cursor, let result, order.indices.contains(cursor) else { return nil }
    return result.rows[order[cursor]]
  }
}
