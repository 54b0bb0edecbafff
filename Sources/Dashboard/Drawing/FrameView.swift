/// The frame of a pane with its number and title to the left, facts to the right.
///
///     ╭─┤2 players├─────────┤1 ms├─╮
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
    let bottom = frame.y + frame.height - 1
    for x in frame.x + 1..<right {
      canvas.put(lines.horizontal, x: x, y: frame.y, style)
      canvas.put(lines.horizontal, x: x, y: bottom, style)
    }
    for y in frame.y + 1..<bottom {
      canvas.put(lines.vertical, x: frame.x, y: y, style)
      canvas.put(lines.vertical, x: right, y: y, style)
    }
    canvas.put(lines.topLeft, x: frame.x, y: frame.y, style)
    canvas.put(lines.topRight, x: right, y: frame.y, style)
    canvas.put(lines.bottomLeft, x: frame.x, y: bottom, style)
    canvas.put(lines.bottomRight, x: right, y: bottom, style)

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

  /// The longest of `choices` that fits next to `title`.
  static func fitting(_ choices: [String], beside title: String, width: Int, glyphs: GlyphSet)
    -> String
  {
    let room = width - 9 - DisplayText.width(title, glyphs: glyphs)
    return choices.first { DisplayText.width($0, glyphs: glyphs) <= room } ?? ""
  }
}
