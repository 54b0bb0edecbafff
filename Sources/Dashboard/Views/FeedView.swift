import ObservationEngine

/// The observed commits and events, newest at the top.
///
///      12:04:31.204 1482 me    ~1 scores   → 1 4     4 ms
enum FeedView {
  static func draw(
    _ state: DashboardState, number: Int, frame: Rect, on canvas: inout Canvas
  ) {
    let isFocused = state.focus == .feed
    let title = "\(number) transactions"
    let feed = state.feed
    var choices = ["me \(feed.ownCommits)\(canvas.symbols.dot)ext \(feed.externalCommits)", "live"]
    if feed.scroll > 0 { choices = ["\(feed.scroll) newer above"] }
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: isFocused, on: &canvas)
    let area = frame.inset(by: 1)
    guard area.width > 2 else { return }
    if feed.entries.isEmpty {
      PanelView.note("no commit seen yet", in: area, on: &canvas)
      return
    }
    let entries = feed.entries.reversed().dropFirst(feed.scroll).prefix(area.height)
    let isWide = area.width - 1 >= 48
    // The panels stand in one column; what is left of it goes to the words.
    let symbols = canvas.symbols
    let panels = entries.lazy.compactMap {
      panelsText($0, state, isWide: isWide, symbols).map { DisplayText.width($0, limit: 11) }
    }
    let panelsWidth = min((panels.max() ?? 0) + 1, isWide ? 12 : symbols.arrow.count + 4)
    for (line, entry) in entries.enumerated() {
      draw(
        entry, state, panelsWidth, x: area.x + 1, y: area.y + line, width: area.width - 1,
        on: &canvas)
      if isFocused, feed.scroll + line == feed.cursor {
        canvas.restyle(Rect(x: area.x, y: area.y + line, width: area.width, height: 1)) {
          $0.reverse = true
        }
      }
    }
  }

  private static func draw(
    _ entry: Feed.Entry, _ state: DashboardState, _ panelsWidth: Int, x: Int, y: Int,
    width: Int, on canvas: inout Canvas
  ) {
    let isWide = width >= 48
    let line = FeedLine(entry, symbols: canvas.symbols)
    let clock = QuantityText.clock(
      line.time, utcOffsetSeconds: state.utcOffsetSeconds, milliseconds: isWide)
    let end = x + width
    var x = x
    // The hour can be read from the header; a narrow feed has no room for it.
    let time = isWide ? clock : String(clock.dropFirst(3))
    x += canvas.write(time, x: x, y: y, width: end - x, Style(.muted)) + 1
    let ordinalWidth = max(4, line.ordinal.utf8.count)
    canvas.write(
      line.ordinal, x: x, y: y, width: min(ordinalWidth, end - x), Style(.muted),
      alignment: .trailing)
    x += ordinalWidth + 1
    let role: Style.Role = line.origin == "me" ? .accent : .text
    canvas.write(line.origin, x: x, y: y, width: min(3, end - x), Style(role))
    x += 4 + (isWide ? 1 : 0)
    guard x < end else { return }
    let what = isWide ? line.longText : line.shortText
    guard let panels = panelsText(entry, state, isWide: isWide, canvas.symbols) else {
      canvas.write(what, x: x, y: y, width: end - x, Style(line.role))
      return
    }
    let duration = isWide ? entry.duration.map { QuantityText.duration($0) } ?? "" : ""
    let durationWidth = isWide ? 8 : 0
    let panelsWidth = min(panelsWidth, (end - x) / 2)
    let whatWidth = max(0, end - x - panelsWidth - durationWidth)
    // A short text lets the panels follow close, in a column.
    let column = isWide ? whatWidth : min(whatWidth, 7)
    canvas.write(what, x: x, y: y, width: min(column, whatWidth - 1), Style(line.role))
    x += column
    canvas.write(panels, x: x, y: y, width: end - x - durationWidth, Style(.muted))
    if isWide {
      canvas.write(
        duration, x: end - durationWidth, y: y, width: durationWidth - 1, Style(.muted),
        alignment: .trailing)
    }
  }

  /// `→ 1 4`, `→ all`, or `→ none`; nil for what concerns no panel.
  private static func panelsText(
    _ entry: Feed.Entry, _ state: DashboardState, isWide: Bool, _ symbols: Symbols
  ) -> String? {
    guard case .commit(let commit) = entry.event, commit.kind != .fileReplaced else { return nil }
    let numbers = entry.panels.map { String($0 + 1) }
    let list =
      numbers.isEmpty
      ? (isWide ? "none" : symbols.none)
      : numbers.count > 1 && numbers.count == state.panels.count
        ? "all" : numbers.joined(separator: " ")
    return "\(symbols.arrow) \(list)"
  }
}

/// One event in words.
struct FeedLine {
  var time: Timestamp
  var ordinal = "-"
  var origin = "me"
  /// For a few cells.
  var shortText: String
  /// With the tables, when there is room.
  var longText: String
  var role = Style.Role.text

  init(_ entry: Feed.Entry, symbols: Symbols) {
    switch entry.event {
    case .commit(let commit):
      time = commit.time
      (shortText, longText) = Self.text(commit, entry.burst)
      ordinal = String(commit.ordinal)
      origin = commit.origin.rawValue
      if commit.kind != .data { role = .warning }
    case .rollback(let time):
      self.time = time
      shortText = "rolled back"
      longText = "rolled back"
      role = .muted
    case .fileMissing(let time):
      self.time = time
      origin = "ext"
      shortText = "FILE MISSING"
      longText = "FILE MISSING, last rows stay"
      role = .error
    case .notice(let text, let time):
      self.time = time
      origin = ""
      shortText = text
      longText = text
      role = .muted
    }
  }

  private static func text(
    _ commit: Commit, _ burst: Feed.Entry.Burst?
  ) -> (short: String, long: String) {
    switch commit.kind {
    case .schema: return ("SCHEMA", "SCHEMA changed")
    case .fileReplaced: return ("REPLACED", "FILE REPLACED, reopened")
    case .data: break
    }
    var counts: [String] = []
    if let rows = commit.rows {
      counts = self.counts(rows)
    } else if commit.count > 1 {
      counts.append("\(NumberText.grouped(commit.count))x")
    }
    if let burst {
      let length = commit.time.microseconds - burst.since.microseconds
      // Two commits at once are no burst to speak of.
      if length >= 500_000 { counts.insert("burst \(seconds(length))", at: 0) }
    }
    let short = counts.first?.hasPrefix("burst") == true ? "burst" : counts.joined()
    let long = counts.joined(separator: " ")
    let what =
      switch commit.tables {
      case .named([]): commit.rows == nil || long.isEmpty ? "no table" : ""
      case .named(let tables): tables.joined(separator: " ")
      case .all(let reason): "any table: \(reason)"
      }
    return (short, [long, what].filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// `+3`, `~1`, `-2`: what there is of it.
  static func counts(_ rows: Commit.RowCounts) -> [String] {
    [("+", rows.inserted), ("~", rows.updated), ("-", rows.deleted)]
      .filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }
  }

  /// `1.0 s`, whatever the size: bursts are compared at a glance.
  private static func seconds(_ microseconds: Int64) -> String {
    let tenths = (max(0, microseconds) + 50_000) / 100_000
    return "\(NumberText.grouped(tenths / 10)).\(tenths % 10) s"
  }
}
