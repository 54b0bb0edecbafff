/// A text in front of the panels, wrapped: a table's declaration, for example.
enum TextView {
  static func draw(
    title: String, text: String, scroll: Int, in body: Rect, on canvas: inout Canvas
  ) {
    let lines = StatementText.lines(text, width: body.width, glyphs: canvas.glyphs)
    let widest = lines.map { DisplayText.width($0, limit: body.width, glyphs: canvas.glyphs) }.max()
    let frame = OverlayView.frame(
      Size(width: max(40, (widest ?? 0) + 4), height: lines.count + 2), in: body, title: title,
      on: &canvas)
    let area = frame.inset(by: 1)
    let top = min(scroll, max(0, lines.count - area.height))
    for (offset, line) in lines.dropFirst(top).prefix(area.height).enumerated() {
      canvas.write(line, x: area.x + 1, y: area.y + offset, width: area.width - 2, Style())
    }
  }
}
