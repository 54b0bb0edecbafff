/// The commands that wait for confirmation, in front of the panels.
enum HookRequestView {
  static func draw(_ state: DashboardState, in body: Rect, on canvas: inout Canvas) {
    let listing = state.hookListing
    let size = Size(width: listing.area.width + 2, height: listing.area.height + 2)
    let frame = OverlayView.frame(
      size, in: body, title: "hooks",
      info: listing.position.isEmpty ? "y / n" : listing.position, on: &canvas)
    drawLines(listing, in: frame.inset(by: 1), margin: 1, on: &canvas)
  }

  /// On a screen with room for one value: the commands, and the question below them.
  static func drawTiny(_ state: DashboardState, on canvas: inout Canvas) {
    let size = canvas.grid.size
    let listing = state.hookListing
    let style = Style(listing.isRefusal ? .error : .warning, bold: true)
    guard listing.isReadable else {
      let lines = TextWrap.lines(listing.question, width: size.width, glyphs: canvas.glyphs)
      for (y, line) in lines.prefix(size.height).enumerated() {
        canvas.write(line, x: 0, y: y, width: size.width, style)
      }
      return
    }
    drawLines(listing, in: listing.area, margin: 0, on: &canvas)
    canvas.write(listing.shortQuestion, x: 0, y: size.height - 1, width: size.width, style)
  }

  private static func drawLines(
    _ listing: HookListing, in area: Rect, margin: Int, on canvas: inout Canvas
  ) {
    for (offset, line) in listing.lines[listing.shown].enumerated() {
      canvas.write(
        line.text, x: area.x + margin, y: area.y + offset, width: area.width - 2 * margin,
        line.style)
    }
  }
}
