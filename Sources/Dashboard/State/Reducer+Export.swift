import ObservationEngine

/// Taking rows out of the dashboard: to a file, or to the clipboard.
extension DashboardState {
  mutating func beginExport() {
    guard let panel = panelWithRows("export"), !ScreenLayout.isTiny(size) else { return }
    modes.export = ExportInput(panel: panel.definition.name, isResult: focus == .console)
  }

  /// Types a key into the name of the file.
  mutating func typeExport(_ key: Key) {
    guard var input = modes.export, input.progress == nil, input.name.edit(key) else { return }
    input.problem = nil
    modes.export = input
  }

  mutating func chooseNextFormat() {
    guard modes.export?.progress == nil else { return }
    modes.export?.nextFormat()
    modes.export?.problem = nil
  }

  /// The effect that writes the rows as shown now; none when the name is invalid.
  mutating func writeExport() -> [Effect] {
    guard let input = modes.export else { return [] }
    let path = input.name.text.filter { !$0.isNewline }
    guard let format = ExportFormat(path: path) else {
      modes.export?.problem = "a file is called \(ExportFormat.extensions)"
      return []
    }
    let panel =
      input.isResult ? console.browser : panels.first { $0.definition.name == input.panel }
    guard let panel, let result = panel.result else {
      modes.export?.problem = "the \(input.isResult ? "result" : "panel") is gone"
      return []
    }
    if let rows = panel.shownRows {
      return [.export(.rows(Export(path: path, format: format, rows: rows)))]
    }
    guard canAskForRows else {
      let reason = missingRows ?? "not kept"
      modes.export?.problem = "not all rows are here: some were \(reason)"
      return []
    }
    modes.export?.problem = nil
    modes.export?.progress = ExportInput.Progress(total: panel.rowCount)
    return [
      .export(
        .all(
          LongExport(
            path: path, format: format, panel: panel.definition, columns: result.columns,
            look: panel.look)))
    ]
  }

  mutating func receive(_ outcome: ExportOutcome) {
    switch outcome {
    case .written(let path, let rows, let bytes):
      modes.export = nil
      let size = QuantityText.bytes(Int64(bytes))
      message = Message("\(QuantityText.count(rows, "row")) written to \(path) (\(size))")
    case .refused(let reason):
      // It is reported even if the user has moved on.
      if modes.export == nil { message = Message("not exported: \(reason)", .warning) }
      modes.export?.problem = reason
      modes.export?.progress = nil
    }
  }

  /// Copies the row at the cursor, or the panel if there is no cursor.
  mutating func copy(wholePanel: Bool) -> [Effect] {
    guard let panel = panelWithRows("copy"), let result = panel.result else { return [] }
    if !wholePanel, panel.cursor != nil, panel.isPart || panel.cursorRow != nil {
      guard let row = panel.cursorRow else {
        tellMissingRow()
        return []
      }
      return [
        .copy(
          ClipboardText([row], columns: result.columns, hasHeader: false, subject: "the row"))
      ]
    }
    guard let shown = panel.shownRows else {
      let count = QuantityText.count(panel.rowCount, "row")
      if panel.isAmongRecorded {
        message = Message("not all rows are here: some were not recorded")
        return []
      }
      message = Message("\(count) are too many for a clipboard; x exports to a file", .warning)
      return []
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
  /// The rows that pass the filter, in the order shown, whether visible or not; nil when not all of
  /// them are loaded.
  var shownRows: RowSet? {
    guard let result, !isLookPending, order.count == rowCount else { return nil }
    // A filter among some recorded rows can't find all matches.
    if isAmongRecorded, let part = result.part, result.rows.count < part.total { return nil }
    return RowSet(columns: result.columns, rows: order.map { result.rows[$0] })
  }

  /// The row under the cursor; nil while there is no cursor.
  var cursorRow: [Value]? {
    guard let result, let row = cursor.flatMap(row(at:)) else { return nil }
    return result.rows[row]
  }
}
