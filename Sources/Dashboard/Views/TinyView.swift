import ObservationEngine

/// One value, for a screen where nothing else fits.
enum TinyView {
  static func draw(_ state: DashboardState, _ layout: ScreenLayout, on canvas: inout Canvas) {
    let size = canvas.grid.size
    guard size.width > 0, size.height > 0 else { return }
    if let question = state.modes.question { return ask(question, state, on: &canvas) }
    if let explorer = state.exploring, let panes = layout.explorer, panes.tables != nil {
      return ExplorerView(state, explorer, panes, layout, state.now).drawTiny(on: &canvas)
    }
    if state.focus == .console { return drawConsole(state, on: &canvas) }
    guard let index = layout.valuePanel else { return }
    let panel = state.panels[index]
    let value = text(panel, missing: state.missingRows ?? canvas.symbols.ellipsis)
    guard size.height > 1 else {
      canvas.write(value.text, x: 0, y: 0, width: size.width, Style(value.role, bold: true))
      return
    }
    let title = ([panel.definition.displayTitle] + (value.column.map { [$0] } ?? []))
      .joined(separator: canvas.symbols.dot)
    canvas.write(title, x: 0, y: 0, width: size.width, Style(.title))
    let style = Style(value.role, bold: true)
    let scale: BigDigits.Scale = canvas.glyphs == .ascii ? .ascii : .half
    if size.height > scale.height, let width = BigDigits.width(value.text, scale: scale),
      width <= size.width
    {
      BigDigits.draw(value.text, x: 0, y: 1, scale: scale, style, on: &canvas)
    } else {
      canvas.write(value.text, x: 0, y: 1, width: size.width, style)
    }
  }

  /// The question, over as many lines as there are; how to answer comes first.
  private static func ask(
    _ question: Question, _ state: DashboardState, on canvas: inout Canvas
  ) {
    let size = canvas.grid.size
    let text: String
    switch question {
    case .quit(let loss):
      let reasons = [
        loss.transaction ? "a transaction is open" : nil,
        loss.pins.isEmpty ? nil : "pinned panels are in no file",
      ]
      text = "y/n leave? " + reasons.compactMap(\.self).joined(separator: ", ")
    case .suspend: text = "y/n stop? others may wait for the console"
    case .console(let question): text = "y/n " + question.text
    case .confirmHooks: return HookRequestView.drawTiny(state, on: &canvas)
    }
    let lines = TextWrap.lines(text, width: size.width, glyphs: canvas.glyphs)
    for (y, line) in lines.prefix(size.height).enumerated() {
      canvas.write(line, x: 0, y: y, width: size.width, Style(.warning, bold: true))
    }
  }

  /// The end of the typed text, and above it the outcome of the last statement.
  private static func drawConsole(_ state: DashboardState, on canvas: inout Canvas) {
    let size = canvas.grid.size
    let typed = state.console.editor.text.split(separator: "\n", omittingEmptySubsequences: false)
    var prompt = state.console.transaction == nil ? "sql> " : "tx> "
    var input = String(typed.last ?? "")
    if let asked = state.console.parameters {
      prompt = asked.name + " = "
      input = asked.input.text
    }
    var line = DisplayText.sanitize(prompt + input, glyphs: canvas.glyphs)
    while !line.isEmpty, DisplayText.width(line, glyphs: canvas.glyphs) >= size.width {
      line.removeFirst()
    }
    canvas.write(line, x: 0, y: size.height - 1, width: size.width, Style(.prompt))
    canvas.cursor = (
      min(size.width - 1, DisplayText.width(line, glyphs: canvas.glyphs)), size.height - 1
    )
    guard size.height > 1, let entry = state.console.entries.last else { return }
    let (text, role): (String, Style.Role) =
      switch entry.outcome {
      case .running: ("running", .muted)
      case .rows(_, let total, _): (rows(total), .text)
      case .done(let changes, _): (changes.map(rows) ?? "done", .text)
      case .failed(let error): ("! " + error.message, .error)
      case .answered(let lines): (lines.first ?? "", .muted)
      case .script(let progress): ("\(progress.done) of \(progress.count) statements", .muted)
      }
    canvas.write(text, x: 0, y: size.height - 2, width: size.width, Style(role))
  }

  private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

  /// The first number of the chosen row, or else its first value; of a line the newest one. The
  /// column is named where there are others.
  ///
  /// - Parameter missing: The text for a row that is not loaded.
  private static func text(
    _ panel: PanelState, missing: String
  ) -> (text: String, column: String?, role: Style.Role) {
    if let error = panel.error { return ("! " + error.message, nil, .error) }
    var row = panel.chosenRow
    var column = panel.columns.firstIndex(where: \.isNumeric) ?? 0
    let role: Style.Role = panel.staleness == nil ? .accent : .warning
    switch panel.chart {
    case .series(let set)?:
      row = set.rows.last.flatMap { panel.result?.rows[$0] }
      column = set.columns.first ?? column
    case .categories(_, let value)?: column = value
    // None of its values stands for the picture.
    case .bins?, .other?: return (QuantityText.count(panel.rowCount, "row"), nil, role)
    case nil: break
    }
    guard let row, row.indices.contains(column) else {
      return (panel.rowCount > 0 ? missing : "-", nil, .muted)
    }
    let value = ValueText(row[column], column: panel.columns[column])
    return (value.text, row.count > 1 ? panel.columns[column].name : nil, role)
  }
}
