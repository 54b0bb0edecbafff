/// Draws the line with the keys that apply now.
enum KeyHintsView {
  static func draw(_ state: DashboardState, _ layout: ScreenLayout, on canvas: inout Canvas) {
    guard let line = layout.hints else { return }
    let end = line.x + line.width - 1
    for hint in KeyHints.placed(state, in: line) {
      var x = hint.columns.lowerBound
      x += canvas.write(hint.key, x: x, y: line.y, width: end - x, Style(.keyHint, bold: true))
      canvas.write(hint.label, x: x, y: line.y, width: end - x, Style(.muted))
    }
  }
}
