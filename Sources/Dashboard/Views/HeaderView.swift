/// Draws the first line.
enum HeaderView {
  static func draw(
    _ state: DashboardState, _ layout: ScreenLayout, in line: Rect, moment: Moment,
    on canvas: inout Canvas
  ) {
    canvas.fill(line, " ", Style(.statusBar))
    let end = line.x + line.width
    for (x, part) in HeaderLine(state, layout, in: line, moment: moment).parts {
      canvas.write(part.text, x: x, y: line.y, width: end - x, part.style)
    }
  }
}
