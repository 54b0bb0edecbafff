import ObservationEngine

/// One value, for a screen on which nothing else fits.
enum TinyView {
  static func draw(_ state: DashboardState, on canvas: inout Canvas) {
    let size = canvas.grid.size
    guard size.width > 0, size.height > 0 else { return }
    if let question = state.question {
      let text = question == .quit ? "leave? y/n" : "run? y/n"
      canvas.write(text, x: 0, y: 0, width: size.width, Style(.warning, bold: true))
      return
    }
    guard state.panels.indices.contains(state.lastFocusedPanel) else { return }
    let panel = state.panels[state.lastFocusedPanel]
    let value = text(panel)
    guard size.height > 1 else {
      canvas.write(value.text, x: 0, y: 0, width: size.width, Style(value.role, bold: true))
      return
    }
    canvas.write(panel.definition.displayTitle, x: 0, y: 0, width: size.width, Style(.title))
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

  /// The first number of the first row, or else its first value.
  private static func text(_ panel: PanelState) -> (text: String, role: Style.Role) {
    if let error = panel.error { return ("! " + error.message, .error) }
    guard let row = panel.chosenRow, !row.isEmpty else { return ("-", .muted) }
    let column = panel.columns.firstIndex(where: \.isNumeric) ?? 0
    let value = ValueText(row[column], column: panel.columns[column])
    return (value.text, panel.staleness == nil ? .accent : .warning)
  }
}
