import ObservationEngine

/// The observed commits and events, newest at the top.
///
///      12:04:31.204 1482 me    ~1 scores   → 1 4     4 ms
enum FeedView {
  /// What it shows besides the feed.
  struct Surroundings {
    let isFocused: Bool
    let panelCount: Int
    /// The newest commit in the panels, while they show an older frame.
    let shownOrdinal: Int?
    let utcOffsetSeconds: Int
  }

  static func draw(
    _ feed: Feed, _ place: Surroundings, number: Int, frame: Rect, on canvas: inout Canvas
  ) {
    let title = "\(number) transactions"
    var choices = ["me \(feed.ownCommits)\(canvas.symbols.dot)ext \(feed.externalCommits)", "live"]
    if feed.scroll > 0 { choices = ["\(feed.scroll) newer above"] }
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: place.isFocused, on: &canvas)
    let area = frame.inset(by: 1)
    guard area.width > 2 else { return }
    if feed.entries.isEmpty {
      PanelView.note("no commit seen yet", in: area, on: &canvas)
      return
    }
    let entries = Array(feed.entries.reversed().dropFirst(feed.scroll).prefix(area.height))
    let lines = entries.map { entry in
      var line = FeedLine(entry)
      line.panels = panels(entry, place, isWide: area.width - 1 >= 48, canvas.symbols)
      return line
    }
    let columns = Columns(lines, width: area.width - 1)
    let unseen = unseen(feed, place)
    for (offset, line) in lines.enumerated() {
      let y = area.y + offset
      draw(line, columns, place, x: area.x + 1, y: y, on: &canvas)
      if feed.scroll + offset < unseen {
        canvas.restyle(Rect(x: area.x, y: y, width: area.width, height: 1)) {
          $0 = Style(.placeholder)
        }
      }
      if place.isFocused, feed.scroll + offset == feed.cursor {
        canvas.highlight(line: y, of: area)
      }
    }
  }

  /// How many of the newest lines are newer than the panels, which show an older frame.
  private static func unseen(_ feed: Feed, _ place: Surroundings) -> Int {
    guard let shown = place.shownOrdinal else { return 0 }
    let first = feed.entries.firstIndex { entry in
      guard case .commit(let commit) = entry.event else { return false }
      return commit.ordinal > shown && !entry.panels.isEmpty
    }
    return first.map { feed.entries.count - $0 } ?? 0
  }

  /// The positions of the lines' parts, by the width of the pane and the content of the lines.
  private struct Columns {
    /// Whether the time has hours and milliseconds.
    let isWide: Bool
    let ordinal: Int
    /// Where the description starts.
    let what: Int
    /// Where the panels start; they end where the duration starts.
    let panels: Int
    let duration: Int
    let end: Int

    init(_ lines: [FeedLine], width: Int) {
      isWide = width >= 48
      end = width
      ordinal = lines.reduce(4) { max($0, $1.ordinal.utf8.count) }
      what = (isWide ? 13 : 6) + ordinal + (isWide ? 6 : 5)
      let room = max(0, width - what)
      // A line without panels has all of the room.
      let commits = lines.filter { $0.panels != nil }
      let texts = commits.map { DisplayText.width($0.texts[0], limit: room) }.max() ?? 0
      let panelsWidth = commits.map { DisplayText.width($0.panels ?? "", limit: room) }.max() ?? 0
      let durations = isWide ? commits.map { $0.duration.utf8.count }.max() ?? 0 : 0
      // While nothing else needs the cells, the columns are where most durations allow.
      let spare = room - texts - 1 - panelsWidth - 1
      let durationWidth = isWide ? max(durations + 2, min(8, spare)) : 0
      let rest = max(0, room - durationWidth)
      // The words follow the longest list of panels, which gets at least half of the room.
      let list = min(panelsWidth, max(rest - 1 - texts, rest / 2))
      duration = width - durationWidth
      panels = isWide ? duration - list : min(duration - list, what + max(texts, 6) + 1)
    }
  }

  private static func draw(
    _ line: FeedLine, _ columns: Columns, _ place: Surroundings, x: Int, y: Int,
    on canvas: inout Canvas
  ) {
    let clock = QuantityText.clock(
      line.time, utcOffsetSeconds: place.utcOffsetSeconds, milliseconds: columns.isWide)
    // The header shows the hour; a narrow feed has no room for it.
    let time = columns.isWide ? clock : String(clock.dropFirst(3))
    let timeWidth = canvas.write(time, x: x, y: y, width: columns.end, Style(.muted)) + 1
    canvas.write(
      line.ordinal, x: x + timeWidth, y: y, width: min(columns.ordinal, columns.end - timeWidth),
      Style(.muted), alignment: .trailing)
    let origin = timeWidth + columns.ordinal + 1
    let role: Style.Role = line.origin == .own ? .accent : .text
    canvas.write(
      line.origin?.word ?? "", x: x + origin, y: y, width: min(3, columns.end - origin), Style(role)
    )
    guard let panels = line.panels else {
      let room = columns.end - columns.what
      let text = DisplayText.width(line.texts[0], limit: room + 1) <= room
      canvas.write(
        text ? line.texts[0] : line.texts[line.texts.count - 1], x: x + columns.what, y: y,
        width: room, Style(line.role))
      return
    }
    // If a line's words or panels need more than their column, they use the room that its other
    // parts leave.
    let durationWidth = columns.isWide ? line.duration.utf8.count + 2 : 0
    let latest = columns.end - durationWidth - DisplayText.width(panels, limit: columns.end)
    let room = max(columns.panels, latest) - columns.what - 1
    let text = line.text(width: room)
    let width = canvas.write(text, x: x + columns.what, y: y, width: room, Style(line.role))
    let start = max(columns.what + width + 1, min(columns.panels, latest))
    canvas.write(
      panels, x: x + start, y: y, width: columns.end - durationWidth - start, Style(.muted))
    canvas.write(
      line.duration, x: x + columns.duration, y: y, width: columns.end - columns.duration - 1,
      Style(.muted), alignment: .trailing)
  }

  /// `→ 1 4`, `→ all`, or `→ none`; nil for an event that concerns no panel.
  private static func panels(
    _ entry: Feed.Entry, _ place: Surroundings, isWide: Bool, _ symbols: Symbols
  ) -> String? {
    guard case .commit(let commit) = entry.event, commit.kind != .fileReplaced else { return nil }
    let numbers = entry.panels.map { String($0 + 1) }
    let list =
      numbers.isEmpty
      ? (isWide ? "none" : symbols.none)
      : numbers.count > 1 && numbers.count == place.panelCount
        ? "all" : numbers.joined(separator: " ")
    return "\(symbols.arrow) \(list)"
  }
}
