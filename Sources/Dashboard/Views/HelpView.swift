/// The help in front of the panels: the keys of the focused pane first.
enum HelpView {
  /// One line: keys and their meaning, or a heading without a meaning, or blank.
  typealias Line = (key: String, meaning: String)

  /// The lines for the focused pane, and then for all others.
  static func lines(_ state: DashboardState) -> [Line] {
    var sections = [HelpSection.panel, .picture, .console, .feed, .schema]
    let focused: HelpSection =
      switch state.focus {
      case .panel(let index):
        state.panels.indices.contains(index) && state.panels[index].kind.isPicture
          ? .picture : .panel
      case .console: .console
      case .feed: .feed
      case .schema: .schema
      }
    sections.removeAll { $0 == focused || $0 == .console && !state.consoleEnabled }
    let order = [focused, .everywhere] + sections + [.marks]
    return Array(order.map { [($0.title, "")] + $0.lines }.joined(separator: [("", "")]))
  }

  static func draw(
    _ state: DashboardState, scroll: Int, in body: Rect, on canvas: inout Canvas
  ) {
    let lines = lines(state)
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

/// A pop-up in front of the panels.
enum OverlayView {
  /// The middle of `body`, of at most `size`.
  static func place(_ size: Size, in body: Rect) -> Rect {
    let width = min(size.width, body.width)
    let height = min(size.height, body.height)
    return Rect(
      x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2,
      width: width, height: height)
  }

  /// Clears at most `size` in the middle of `body` and draws a frame there.
  static func frame(
    _ size: Size, in body: Rect, title: String, info: String = "", on canvas: inout Canvas
  ) -> Rect {
    let frame = place(size, in: body)
    canvas.fill(frame)
    FrameView.draw(title: title, info: info, frame: frame, isFocused: true, on: &canvas)
    return frame
  }
}

extension ViewKind {
  /// Whether it has no rows to move through.
  fileprivate var isPicture: Bool {
    switch self {
    case .number, .line, .sparkline, .histogram: true
    case .table, .log, .bar, .gauge: false
    }
  }
}
