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
    let bursts = feed.entries.reversed().dropFirst(feed.scroll).prefix(max(0, frame.height - 2))
      .count { $0.burst != nil }
    if bursts > 0 {
      choices.insert(
        "\(QuantityText.count(bursts, "burst")) folded\(canvas.symbols.dot)\(choices[0])", at: 0)
    }
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
      line.panels = panels(entry, place, isWide: area.width - 1 >= Columns.wide, canvas.symbols)
      return line
    }
    let columns = Columns(lines, width: area.width - 1)
    let unseen = unseen(feed, place)
    for (offset, line) in lines.enumerated() {
      let y = area.y + offset
      draw(line, columns, feed, place, x: area.x + 1, y: y, on: &canvas)
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
    /// The width from which there are milliseconds and durations.
    static let wide = 44

    let isWide: Bool
    let ordinal: Int
    /// Where the description starts.
    let what: Int
    /// Where the panels start; they end where the duration starts.
    let panels: Int
    let duration: Int
    let end: Int

    /// The cells before the description, in a wide feed.
    static func fixedWidth(_ line: FeedLine) -> Int { 13 + max(4, line.ordinal.utf8.count) + 6 }

    init(_ lines: [FeedLine], width: Int, isWide: Bool? = nil) {
      let isWide = isWide ?? (width >= Self.wide)
      self.isWide = isWide
      end = width
      ordinal = lines.reduce(isWide ? 4 : 1) { max($0, $1.ordinal.utf8.count) }
      what = (isWide ? 13 : 9) + ordinal + (isWide ? 6 : 5)
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
    _ line: FeedLine, _ columns: Columns, _ feed: Feed, _ place: Surroundings, x: Int, y: Int,
    on canvas: inout Canvas
  ) {
    let time = QuantityText.clock(
      line.time, utcOffsetSeconds: place.utcOffsetSeconds, milliseconds: columns.isWide)
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
    for (table, cells) in line.tablePlaces(in: text, glyphs: canvas.glyphs) {
      let start = min(cells.lowerBound, width)
      let end = min(cells.upperBound, width)
      canvas.restyle(Rect(x: x + columns.what + start, y: y, width: end - start, height: 1)) {
        $0 = Style(tableRole(table, feed))
      }
    }
    let start = max(columns.what + width + 1, min(columns.panels, latest))
    canvas.write(
      panels, x: x + start, y: y, width: columns.end - durationWidth - start, Style(.muted))
    canvas.write(
      line.duration, x: x + columns.duration, y: y, width: columns.end - columns.duration - 1,
      Style(.muted), alignment: .trailing)
  }

  /// The colours of tables, in the order in which they are given.
  private static let tableRoles: [Style.Role] = [.keyword, .string, .numeral, .escaped, .prompt]

  private static func tableRole(_ table: String, _ feed: Feed) -> Style.Role {
    feed.tableOrder[table].map { tableRoles[$0 % tableRoles.count] } ?? .text
  }

  /// The newest line, for a screen without the feed.
  static func drawNewest(
    _ feed: Feed, _ place: Surroundings, x: Int, y: Int, width: Int, on canvas: inout Canvas
  ) {
    guard let entry = feed.entries.last, width > 0 else { return }
    var line = FeedLine(entry)
    line.panels = panels(entry, place, isWide: width >= Columns.wide, canvas.symbols)
    // The words follow each other: there are no other lines to stand below.
    let isWide = width >= Columns.wide
    let needed =
      Columns.fixedWidth(line) + DisplayText.width(line.texts[0], limit: width) + 1
      + DisplayText.width(line.panels ?? "", limit: width) + 1 + line.duration.utf8.count + 3
    let columns = Columns([line], width: min(width, needed), isWide: isWide)
    draw(line, columns, feed, place, x: x, y: y, on: &canvas)
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
