/// The help in front of the panels: the keys of the focused pane first.
enum HelpView {
  static func draw(
    _ state: DashboardState, scroll: Int, in body: Rect, on canvas: inout Canvas
  ) {
    let lines = HelpSection.lines(state)
    let height = min(lines.count + 2, body.height)
    let top = min(scroll, max(0, lines.count - height + 2))
    let last = min(top + height - 2, lines.count)
    let frame = OverlayView.frame(
      Size(width: 80, height: height), in: body, title: "help",
      info: height - 2 < lines.count ? "\(top + 1)-\(last) of \(lines.count)" : "", on: &canvas)
    let area = frame.inset(by: 1)
    let keyWidth = min(19, area.width / 3)
    for (offset, line) in lines.dropFirst(top).prefix(area.height).enumerated() {
      let y = area.y + offset
      let isHeading = line.meaning.isEmpty
      canvas.write(
        line.key, x: area.x + 1, y: y, width: isHeading ? area.width - 2 : keyWidth,
        Style(isHeading ? .title : .keyHint, bold: true))
      canvas.write(
        line.meaning, x: area.x + keyWidth + 2, y: y, width: area.width - keyWidth - 3, Style())
    }
  }
}
