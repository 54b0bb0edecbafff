import ObservationEngine

/// The text about an alert in a panel's frame and in the message line.
struct AlertNote: Equatable {
  /// The crossed condition, from the longest wording to a mere sign: `! rate > 0.05`, `! > 0.05`,
  /// `!`.
  let infoChoices: [String]
  /// `ALERT since 12:03`.
  let since: String
  /// `hook: notify.sh ✓`; empty without a hook.
  let hook: String
  let isHookFine: Bool
  let isAcknowledged: Bool

  /// The note for a panel that alerts; nil for any other.
  init?(_ panel: PanelState, _ alert: AlertState, glyphs: GlyphSet, utcOffsetSeconds: Int) {
    guard let rule = panel.definition.alert, alert.isRaised, let raisedAt = alert.raisedAt else {
      return nil
    }
    let symbols = Symbols(glyphs)
    let columnCount = panel.result?.columns.count ?? 0
    infoChoices = ["! " + rule.shortText(columnCount: columnCount), "!"]
    let clock = QuantityText.clock(raisedAt, utcOffsetSeconds: utcOffsetSeconds)
    since = "ALERT since " + clock.prefix(5)
    isAcknowledged = alert.isAcknowledged
    isHookFine = alert.hook?.isFine ?? true
    if let command = panel.definition.onAlert, let status = alert.hook {
      let sign =
        switch status {
        case .exited(0, _): symbols.check
        case .waiting, .running: DisplayText.ellipsis(glyphs).description
        default: "!"
        }
      hook = "hook: \(command.shortName) \(sign)"
    } else {
      hook = ""
    }
  }
}

enum AlertView {
  /// Writes a panel's alert into the room that its view left free: next to its first line and
  /// below, or into the frame if rows fill the panel.
  static func draw(
    _ note: AlertNote, _ kind: ViewKind, frame: Rect, isFocused: Bool, on canvas: inout Canvas
  ) {
    let inner = frame.inset(by: 1)
    let style = Style(.error, bold: !note.isAcknowledged)
    let isRoomy = kind.has(.oneNumber)
    let width = DisplayText.width(note.since, glyphs: canvas.glyphs)
    let end = inner.x + inner.width
    if isRoomy, inner.height > 1, width <= inner.width,
      contentEnd(inner, y: inner.y, on: canvas) + 2 <= end - width
    {
      canvas.write(note.since, x: end - width, y: inner.y, width: width, style)
      drawHook(note, kind, in: inner, on: &canvas)
    } else {
      let hook = note.hook.isEmpty ? "" : canvas.symbols.dot + note.hook
      drawInFrame([note.since + hook, note.since, "ALERT"], frame, style, isFocused, on: &canvas)
    }
  }

  /// In a gauge after its lowest line with room, next to the history; otherwise at the end of the
  /// lowest line, which big digits leave free.
  private static func drawHook(
    _ note: AlertNote, _ kind: ViewKind, in inner: Rect, on canvas: inout Canvas
  ) {
    let width = DisplayText.width(note.hook, glyphs: canvas.glyphs)
    guard width > 0 else { return }
    let lines = (inner.y + 1..<inner.y + inner.height).reversed()
    let ends = lines.map { (y: $0, end: contentEnd(inner, y: $0, on: canvas)) }
    let limit = inner.x + inner.width
    let behind = ends.first { $0.end > inner.x && $0.end + 2 + width <= limit }
    let below = ends.first { $0.end == inner.x && width <= inner.width }
    guard let line = kind == .gauge ? behind ?? below : below ?? behind else { return }
    let x = line.end > inner.x && kind == .gauge ? line.end + 2 : limit - width
    canvas.write(
      note.hook, x: x, y: line.y, width: width, Style(note.isHookFine ? .muted : .error))
  }

  /// In the lower border, `╰───┤ALERT since 12:03├─╯`, or the upper one.
  private static func drawInFrame(
    _ choices: [String], _ frame: Rect, _ style: Style, _ isFocused: Bool, on canvas: inout Canvas
  ) {
    guard frame.height >= 2 else { return }
    let lines = isFocused ? canvas.symbols.focusedFrame : canvas.symbols.frame
    let border = Style(.error)
    for choice in choices {
      let width = DisplayText.width(choice, glyphs: canvas.glyphs)
      guard let room = FrameView.room(for: width, in: frame, isTrailing: true, on: canvas) else {
        continue
      }
      canvas.put(lines.open, x: room.x - 1, y: room.y, border)
      canvas.write(choice, x: room.x, y: room.y, width: width, style)
      canvas.put(lines.close, x: room.x + width, y: room.y, border)
      return
    }
  }

  /// Where the content of a line ends: after its last non-blank cell.
  private static func contentEnd(_ inner: Rect, y: Int, on canvas: Canvas) -> Int {
    let grid = canvas.grid
    let last = min(inner.x + inner.width, grid.size.width)
    guard y >= 0, y < grid.size.height, inner.x >= 0 else { return last }
    let filled = (inner.x..<max(inner.x, last)).last { x in
      grid[x, y].character != " " || grid[x, y].isContinuation
    }
    return filled.map { $0 + 1 } ?? inner.x
  }
}
