import ObservationEngine

/// The first line: the name of the database, and whether the content below is live.
///
///      livequery  arena.sqlite  WAL rw        ● LIVE  2.1 tx/s ▁▂▁▃▅▂▁▃  tx 1482  12:04:31
struct HeaderLine {
  struct Part {
    var text: String
    var style: Style
    /// Parts with lower numbers are dropped first.
    var priority: Int
    /// The blanks before it, if different from the usual number.
    var gap: Int?
    /// The preset that it names.
    var preset: Int?
    var isClock = false
  }

  /// The parts that fit, and where each starts.
  let parts: [(x: Int, part: Part)]
  private let glyphs: GlyphSet

  /// - Complexity: O(presets).
  init(_ state: DashboardState, _ layout: ScreenLayout, in line: Rect, moment: Moment) {
    glyphs = state.glyphs
    parts = Self.placed(state, layout, in: line, moment: moment, glyphs: state.glyphs)
  }

  /// Whether the time of day is among the parts.
  var hasClock: Bool { parts.contains { $0.part.isClock } }

  /// The preset whose name is at a column of the line.
  func preset(atColumn x: Int) -> Int? {
    parts.first { start, part in
      let width = DisplayText.width(part.text, glyphs: glyphs)
      return part.preset != nil && (start..<start + width).contains(x)
    }?.part.preset
  }

  private static func placed(
    _ state: DashboardState, _ layout: ScreenLayout, in line: Rect, moment: Moment, glyphs: GlyphSet
  ) -> [(x: Int, part: Part)] {
    let isWide = line.width >= 120
    let gap = isWide ? 3 : 2
    var left = leftParts(state, layout, isWide: isWide, glyphs: glyphs)
    var right = rightParts(state, moment: moment, isWide: isWide, Symbols(glyphs))
    // Each includes the blanks before it.
    func width(_ parts: [Part]) -> Int {
      parts.reduce(0) { $0 + DisplayText.width($1.text, glyphs: glyphs) + ($1.gap ?? gap) }
    }
    while left.count + right.count > 1, 1 + width(left) + width(right) - gap + 1 > line.width {
      let least = (left + right).map(\.priority).min() ?? 0
      left.removeAll { $0.priority == least }
      right.removeAll { $0.priority == least }
    }
    var placed: [(x: Int, part: Part)] = []
    var x = line.x + 1
    for (index, part) in left.enumerated() {
      if index > 0 { x += part.gap ?? gap }
      placed.append((x, part))
      x += DisplayText.width(part.text, glyphs: glyphs)
    }
    x = max(x + gap, line.x + line.width - width(right) + gap - 1)
    for part in right {
      placed.append((x, part))
      x += DisplayText.width(part.text, glyphs: glyphs) + gap
    }
    return placed
  }

  private static func leftParts(
    _ state: DashboardState, _ layout: ScreenLayout, isWide: Bool, glyphs: GlyphSet
  ) -> [Part] {
    let quiet = Style(.statusBar)
    let name = isWide ? "livequery \(ProgramVersion.short)" : "livequery"
    var parts = [
      Part(text: name, style: quiet, priority: 4),
      Part(
        text: DisplayText.cut(state.setting.databaseName, width: isWide ? 40 : 24, glyphs: glyphs),
        style: Style(.statusBar, bold: true), priority: 9),
    ]
    let database = state.database
    var facts = database.journalMode.isEmpty ? [] : [database.journalMode.uppercased()]
    if let server = database.server { facts.append(server.version) }
    facts.append(state.isReadOnly ? "ro" : "rw")
    if isWide, let size = database.fileBytes { facts.append(QuantityText.bytes(size)) }
    let joint = isWide ? Symbols(glyphs).dot : " "
    parts.append(Part(text: facts.joined(separator: joint), style: quiet, priority: 3))
    // The title that the author gave, or else the file's name.
    if isWide, let name = state.setting.title ?? state.setting.dashboardName {
      let text = "dashboard " + DisplayText.cut(name, width: 30, glyphs: glyphs)
      parts.append(Part(text: text, style: quiet, priority: 1))
    }
    for parameter in state.parameters {
      let value = DisplayText.cut(
        ChosenParameter.text(parameter.value), width: 20, glyphs: glyphs)
      parts.append(
        Part(
          text: "\(parameter.name)=\(value)", style: Style(.statusBar, bold: true), priority: 5))
    }
    parts += presetParts(state.presets, isWide: isWide)
    if layout.page.count > 1 {
      let text = "page \(layout.page.number)/\(layout.page.count)"
      parts.append(Part(text: text, style: quiet, priority: 6))
    }
    return parts
  }

  /// ` [ops] all  perf `: the presets, the chosen one in brackets.
  private static func presetParts(_ presets: Presets, isWide: Bool) -> [Part] {
    guard presets.areSeveral else { return [] }
    return presets.all.enumerated().map { index, preset in
      let isChosen = index == presets.index
      return Part(
        text: isChosen ? "[\(preset.name)]" : " \(preset.name) ",
        style: Style(.statusBar, bold: isChosen), priority: isWide ? 2 : 1,
        gap: index > 0 ? 0 : isWide ? 1 : nil, preset: index)
    }
  }

  private static func rightParts(
    _ state: DashboardState, moment: Moment, isWide: Bool, _ symbols: Symbols
  ) -> [Part] {
    let quiet = Style(.statusBar)
    var parts = [live(state, symbols)]
    let history = state.vitals.rate.counts(at: moment.monotonic)
    let total = history.reduce(0, +)
    if let pace = pace(state, history) { parts.append(Part(text: pace, style: quiet, priority: 0)) }
    if total > 0 {
      let tenths = total * 10 / state.vitals.rate.count
      let rate =
        tenths >= 100 ? NumberText.grouped(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
      let line = symbols.sparkline(history.suffix(isWide ? 10 : 8).map(Double.init))
      parts.append(Part(text: "\(rate) tx/s \(line)", style: quiet, priority: 0))
    }
    if let refresh = state.lastRefresh {
      // For an older frame, that of the frame.
      let frame = state.timeline.shownFrame
      parts.append(
        Part(text: "tx \(frame?.ordinal ?? refresh.ordinal)", style: quiet, priority: 5))
      parts.append(
        Part(
          text: clock(state, refresh, moment: moment, isWide: isWide), style: quiet, priority: 2,
          isClock: true))
    }
    return parts
  }

  /// Next to LIVE, the time of day; otherwise the time of the frame, which says so if that is not
  /// obvious.
  private static func clock(
    _ state: DashboardState, _ refresh: RefreshSummary, moment: Moment, isWide: Bool
  ) -> String {
    func text(_ time: Timestamp, milliseconds: Bool = false) -> String {
      QuantityText.clock(
        time, utcOffsetSeconds: state.utcOffsetSeconds, milliseconds: milliseconds)
    }
    if let frame = state.timeline.shownFrame {
      return text(frame.moment.civil, milliseconds: isWide)
    }
    if state.source.isRecording { return text(refresh.time, milliseconds: isWide) }
    if let since = state.staleSince { return "as of " + text(since) }
    return text(moment.civil)
  }

  /// Whether a clock with the time of day is on the screen.
  static func hasRunningClock(_ state: DashboardState) -> Bool {
    guard !state.isPaused, !state.source.isRecording, state.lastRefresh != nil,
      state.staleSince == nil
    else { return false }
    let layout = state.layout
    guard let line = layout.header else { return false }
    return HeaderLine(state, layout, in: line, moment: state.now).hasClock
  }

  /// How up to date the panels are under a writer that commits faster than they refresh.
  private static func pace(_ state: DashboardState, _ history: [Int]) -> String? {
    guard !state.isPaused, !state.source.isRecording, state.staleSince == nil,
      let pause = state.lastRefresh?.pause, pause >= .milliseconds(50),
      // Only for this or the last second: otherwise the panels show the newest state.
      history.suffix(2).contains(where: { $0 > 0 })
    else { return nil }
    return "every \(Int(pause / .milliseconds(1))) ms"
  }

  private static func live(_ state: DashboardState, _ symbols: Symbols) -> Part {
    if state.isPaused {
      let style = Style(.warning, bold: true)
      let newer = state.timeline.newerCount
      let back = newer > 0 ? "  \(symbols.minus == "--" ? "-" : "\u{2212}")\(newer)" : ""
      return Part(text: "\(symbols.paused) PAUSED\(back)", style: style, priority: 10)
    }
    if case .recording(let replay) = state.source {
      let style = Style(.warning, bold: true)
      return Part(text: "\(symbols.live) \(replay.text)", style: style, priority: 10)
    }
    guard state.lastRefresh != nil else {
      return Part(text: "opening", style: Style(.statusBar), priority: 10)
    }
    if state.staleSince != nil {
      return Part(
        text: "\(symbols.live) STALE", style: Style(.warning, bold: true), priority: 10)
    }
    let means = state.database.server
    // Next to a means that is not a push, the interval says how old the panels may be.
    return Part(
      text: "\(symbols.live) \(means?.headline ?? "LIVE")",
      style: Style(means?.isPushed == false ? .statusBar : .accent, bold: true), priority: 10)
  }
}
