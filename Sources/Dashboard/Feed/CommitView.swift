/// A line of the feed, opened in front of the panels: who committed what, and which rows changed in
/// each panel.
enum CommitView {
  /// - Complexity: O(cells).
  static func draw(
    _ report: CommitReport, scroll: Int, in body: Rect, on canvas: inout Canvas
  ) {
    let room = Rect(x: body.x + 2, y: body.y, width: max(0, body.width - 4), height: body.height)
    let lines = report.lines(onScreen: body.width, canvas.glyphs)
    let frame = OverlayView.frame(
      Size(width: room.width, height: lines.count + 2), in: room, title: report.title, on: &canvas)
    let area = frame.inset(by: 1)
    let top = min(scroll, max(0, lines.count - area.height))
    for (offset, line) in lines.dropFirst(top).prefix(area.height).enumerated() {
      let y = area.y + offset
      var x = area.x + 1
      if !line.name.isEmpty {
        canvas.write(
          line.name, x: x, y: y, width: CommitReport.nameWidth - 1, Style(.header))
        x += CommitReport.nameWidth
      }
      canvas.write(line.text, x: x, y: y, width: area.x + area.width - 1 - x, Style(line.role))
    }
  }
}
