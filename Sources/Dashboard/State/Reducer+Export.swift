import ObservationEngine

/// Taking rows out of the dashboard: to a file, or to the clipboard.
extension DashboardState {
  mutating func beginExport() {
    guard let panel = panelWithRows("export"), !ScreenLayout.isTiny(size) else { return }
    modes.export = ExportInput(panel: panel.definition.name, isResult: focus == .console)
  }

  /// The effect that writes the rows as shown now; none when the name is invalid.
  mutating func writeExport() -> [Effect] {
    guard let input = modes.export, let (path, format) = modes.export?.file() else { return [] }
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
    if case .refused(let reason) = outcome, modes.export != nil {
      modes.export?.refuse(reason)
    } else {
      // It is reported even if the user has moved on.
      message = outcome.message
      modes.export = nil
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
      message = Message("\(count) are too many for a clipboard; :export writes a file", .warning)
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
