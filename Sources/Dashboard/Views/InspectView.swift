import ObservationEngine

/// One row in front of the panels: every column in full, text wrapped, bytes as a hex dump.
enum InspectView {
  static func draw(
    _ state: DashboardState, scroll: Int, in body: Rect, on canvas: inout Canvas
  ) {
    guard let (number, panel) = state.focusedTable, let row = panel.chosenRow else { return }
    let room = Rect(
      x: body.x + 2, y: body.y, width: max(0, body.width - 4), height: body.height)
    let nameWidth = InspectedRow.nameWidth(panel, width: room.width)
    let lines = InspectedRow.lines(panel, row, width: room.width, glyphs: canvas.glyphs)
    let place = (panel.cursor ?? panel.top) + 1
    let frame = OverlayView.frame(
      Size(width: room.width, height: lines.count + 2), in: room,
      title: "\(number) \(panel.definition.displayTitle)",
      info: "row \(NumberText.grouped(place)) of \(NumberText.grouped(panel.rowCount))",
      on: &canvas)
    let area = frame.inset(by: 1)
    let top = min(scroll, max(0, lines.count - area.height))
    for (offset, line) in lines.dropFirst(top).prefix(area.height).enumerated() {
      let y = area.y + offset
      canvas.write(line.name, x: area.x + 1, y: y, width: nameWidth, Style(.header))
      canvas.write(
        line.text, x: area.x + nameWidth + 3, y: y, width: area.width - nameWidth - 4,
        Style(line.role))
    }
  }
}
