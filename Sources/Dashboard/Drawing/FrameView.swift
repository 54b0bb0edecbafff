/// The frame of a pane with its number and title to the left, facts to the right.
///
///     ╭─┤2 players├─────────┤1 ms├─╮
///
/// A frame of the canvas's mesh has the lines of its neighbours, too.
enum FrameView {
  static func draw(
    title: String, info: String, frame: Rect, isFocused: Bool,
    titleRole: Style.Role = .title, infoRole: Style.Role = .muted,
    borderRole: Style.Role? = nil, on canvas: inout Canvas
  ) {
    guard frame.width >= 2, frame.height >= 2 else { return }
    let lines = isFocused ? canvas.symbols.focusedFrame : canvas.symbols.frame
    let style = Style(borderRole ?? (isFocused ? .focusedBorder : .border))
    let right = frame.x + frame.width - 1
    let mesh =
      canvas.mesh.flatMap { $0.contains(frame) ? $0 : nil }
      ?? FrameMesh(alone: frame, isFocused: isFocused, role: borderRole)
    drawLines(frame, mesh, style, on: &canvas)

    // A corner, a line and a joint on each side.
    let room = frame.width - 6
    guard room > 0 else { return }
    let titleWidth = min(DisplayText.width(title, glyphs: canvas.glyphs), room)
    let titleStyle = Style(titleRole, bold: isFocused)
    canvas.put(lines.open, x: frame.x + 2, y: frame.y, style)
    canvas.write(title, x: frame.x + 3, y: frame.y, width: titleWidth, titleStyle)
    canvas.put(lines.close, x: frame.x + 3 + titleWidth, y: frame.y, style)

    // Two more joints, and at least one cell of line between them.
    let infoWidth = DisplayText.width(info, glyphs: canvas.glyphs)
    guard infoWidth > 0, titleWidth + infoWidth + 3 <= room else { return }
    let x = right - 2 - infoWidth
    canvas.put(lines.open, x: x - 1, y: frame.y, style)
    canvas.write(info, x: x, y: frame.y, width: infoWidth, Style(infoRole))
    canvas.put(lines.close, x: x + infoWidth, y: frame.y, style)
  }

  private static func drawLines(
    _ frame: Rect, _ mesh: FrameMesh, _ style: Style, on canvas: inout Canvas
  ) {
    func draw(_ x: Int, _ y: Int) {
      guard let line = mesh.line(x: x, y: y, of: frame) else { return }
      let style = line.role.map { Style($0) } ?? style
      canvas.put(canvas.symbols.line(line.arms), x: x, y: y, style)
    }
    for x in frame.columns {
      draw(x, frame.y)
      draw(x, frame.y + frame.height - 1)
    }
    for y in frame.rows.dropFirst().dropLast() {
      draw(frame.x, y)
      draw(frame.x + frame.width - 1, y)
    }
  }

  /// Where words of this width have room in the lines of a frame: below, or above next to the title
  /// where another frame has its own below.
  ///
  /// - Parameter isTrailing: Whether they are at the right end of that room.
  static func room(
    for width: Int, in frame: Rect, isTrailing: Bool, on canvas: Canvas
  ) -> (x: Int, y: Int)? {
    // A corner, a line and a joint on each side.
    guard frame.height >= 2, width + 6 <= frame.width else { return nil }
    guard let mesh = canvas.mesh, mesh.isShared(bottomOf: frame) else {
      return (
        isTrailing ? frame.x + frame.width - 3 - width : frame.x + 3, frame.y + frame.height - 1
      )
    }
    var run: Range<Int>?
    var start = frame.x + 1
    for x in frame.x + 1..<frame.x + frame.width {
      let isFree =
        x < frame.x + frame.width - 1
        && mesh.arms(x: x, y: frame.y).map(canvas.symbols.line) == canvas.grid[x, frame.y].character
      guard !isFree else { continue }
      if x - start > run?.count ?? 0 { run = start..<x }
      start = x + 1
    }
    // At least one cell of line on both sides of the joints.
    guard let run, width + 4 <= run.count else { return nil }
    return (isTrailing ? run.upperBound - 2 - width : run.lowerBound + 2, frame.y)
  }

  /// The longest of `choices` that fits next to `title`.
  static func fitting(_ choices: [String], beside title: String, width: Int, glyphs: GlyphSet)
    -> String
  {
    let room = width - 9 - DisplayText.width(title, glyphs: glyphs)
    return choices.first { DisplayText.width($0, glyphs: glyphs) <= room } ?? ""
  }
}
