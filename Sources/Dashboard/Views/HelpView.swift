/// What the keys do, in front of the panels.
enum HelpView {
  static let lines: [(key: String, meaning: String)] = [
    ("Tab  S-Tab", "focus the next or previous panel"),
    ("1-9", "focus the panel with that number"),
    ("j k  Down Up", "move the cursor by a row"),
    ("h l  Left Right", "show columns further left or right"),
    ("g G  Home End", "first or last row"),
    ("^u ^d  PgUp PgDn", "half a page, a page"),
    ("/", "filter the rows while typing; Esc clears"),
    ("n N", "next or previous row found"),
    ("s S", "sort by the next column; turn the order round"),
    ("Enter", "inspect the row: every column, in full"),
    ("z", "zoom: the panel alone"),
    ("Space", "pause the display, go on"),
    (",  .  0", "step back and forward through kept frames; live again"),
    ("Enter in the feed", "what the commit changed, panel by panel"),
    ("r  F5", "recompute every panel now"),
    ("c  i", "the SQL console; Esc leaves it"),
    ("", ""),
    ("In the console", ""),
    ("Enter", "run, when the statement is complete (;)"),
    ("Alt-Enter", "a new line in any case"),
    ("Up Down", "lines, then history"),
    ("^r", "search the history"),
    ("^a ^e ^w ^u ^k", "line start, end; delete word, to start, to end"),
    ("PgUp PgDn", "scroll what was run"),
    ("Ctrl-C", "cancel the running statement, or clear the line"),
    ("", ""),
    ("+  ~  -", "inserted, changed, removed; fades in 3 s"),
    ("Ctrl-Z  Ctrl-L", "suspend, redraw"),
    ("q", "quit"),
  ]

  static func draw(scroll: Int, in body: Rect, on canvas: inout Canvas) {
    let frame = OverlayView.frame(
      Size(width: 70, height: lines.count + 2), in: body, title: "help", on: &canvas)
    let area = frame.inset(by: 1)
    let keyWidth = min(18, area.width / 3)
    let top = min(scroll, max(0, lines.count - area.height))
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

/// What stands in front of the panels.
enum OverlayView {
  /// Clears the middle of `body` for at most `size` and draws a frame there.
  static func frame(
    _ size: Size, in body: Rect, title: String, info: String = "", on canvas: inout Canvas
  ) -> Rect {
    let width = min(size.width, body.width)
    let height = min(size.height, body.height)
    let frame = Rect(
      x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2,
      width: width, height: height)
    canvas.fill(frame)
    FrameView.draw(title: title, info: info, frame: frame, isFocused: true, on: &canvas)
    return frame
  }
}
