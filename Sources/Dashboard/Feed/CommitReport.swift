import DatabaseConsole
import ObservationEngine

/// What there is to say of one line of the feed, worked out once when the user opens it: who
/// committed what, and what became of which rows: of the commit's tables, and of each panel.
package struct CommitReport: Sendable, Equatable {
  /// One line of the report, with its heading if it has one.
  struct Line: Sendable, Equatable {
    var name = ""
    var text = ""
    var role = Style.Role.text
  }

  /// What it is made from besides its line.
  struct Surroundings {
    let timeline: Timeline
    let glyphs: GlyphSet
    let utcOffsetSeconds: Int
    /// Whether there is a database to ask.
    let hasConsole: Bool
    let dialect: SQLDialect
    /// The width of the screen.
    let width: Int
  }

  /// The maximum rows per panel; further ones are only counted.
  static let maximumRows = 200

  let title: String
  /// The number of the newest commit in the report; nil for an event that isn't a commit.
  let ordinal: Int?
  let lines: [Line]

  /// What there is to say before the engine was asked for the commit's rows.
  ///
  /// - Complexity: O(rows · columns) of the panels that changed.
  init(_ entry: Feed.Entry, _ place: Surroundings) {
    self.init(entry, place, rows: nil, wasAsked: false)
  }

  /// The report with the engine's answer.
  init(_ entry: Feed.Entry, _ place: Surroundings, rows: CommitRows?) {
    self.init(entry, place, rows: rows, wasAsked: true)
  }

  private init(_ entry: Feed.Entry, _ place: Surroundings, rows: CommitRows?, wasAsked: Bool) {
    title = Self.title(entry)
    ordinal = entry.ordinal
    let symbols = Symbols(place.glyphs)
    var lines = Self.summary(entry, place, symbols)
    if case .commit(let commit) = entry.event {
      if let duration = entry.duration {
        lines.append(Line(name: "refresh", text: QuantityText.duration(duration)))
      }
      lines += Self.rowLines(commit, rows, wasAsked: wasAsked, place, symbols)
      lines += Self.panelLines(entry, commit, place, symbols)
    }
    self.lines = lines
  }

  /// The width of a heading, and of the gap behind it.
  static let nameWidth = 11
  /// A narrower rest of a line isn't worth breaking it.
  private static let leastWidth = 20

  /// The lines, and what doesn't fit a line below it.
  ///
  /// - Parameter width: Of the screen.
  /// - Complexity: O(length of the lines).
  func lines(onScreen width: Int, _ glyphs: GlyphSet) -> [Line] {
    // The pop-up's distance from the edges, its frame, and a blank within.
    let width = width - 8
    return lines.flatMap { line -> [Line] in
      let indent =
        line.name.isEmpty ? line.text.prefix { $0 == " " }.count + 2 : Self.nameWidth
      let room = line.name.isEmpty ? width : width - Self.nameWidth
      guard DisplayText.width(line.text, limit: room + 1, glyphs: glyphs) > room,
        width - indent >= Self.leastWidth
      else { return [line] }
      // The sign of a row stands before its values.
      let sign = line.name.isEmpty ? line.text.prefix(indent) : ""
      let texts = TextWrap.lines(
        String(line.text.dropFirst(sign.count)), width: width - indent, glyphs: glyphs)
      return texts.enumerated().map { index, text in
        index == 0
          ? Line(name: line.name, text: sign + text, role: line.role)
          : Line(text: String(repeating: " ", count: indent) + text, role: line.role)
      }
    }
  }

  private static func title(_ entry: Feed.Entry) -> String {
    guard case .commit(let commit) = entry.event else { return "event" }
    guard let burst = entry.burst else { return "tx \(commit.ordinal)" }
    return "tx \(burst.firstOrdinal) to \(commit.ordinal)"
  }

  private static func summary(
    _ entry: Feed.Entry, _ place: Surroundings, _ symbols: Symbols
  ) -> [Line] {
    let summary = FeedLine(entry)
    let clock = QuantityText.clock(
      summary.time, utcOffsetSeconds: place.utcOffsetSeconds, milliseconds: true)
    guard case .commit(let commit) = entry.event else {
      return [Line(name: "at", text: clock), Line(name: "what", text: summary.texts[0])]
    }
    let origin = commit.origin == .own ? "me: this program" : "ext: another process"
    return [
      Line(name: "at", text: clock), Line(name: "by", text: origin),
      Line(name: "what", text: summary.texts[0]),
      Line(name: "source", text: evidence(commit, place.dialect)),
    ]
  }

  /// The changes of the rows that each panel shows.
  private static func panelLines(
    _ entry: Feed.Entry, _ commit: Commit, _ place: Surroundings, _ symbols: Symbols
  ) -> [Line] {
    guard !entry.panels.isEmpty else {
      return [Line(), Line(text: "no panel changed", role: .muted)]
    }
    var lines: [Line] = []
    let first = entry.burst?.firstOrdinal ?? commit.ordinal
    guard let before = place.timeline.frames(around: first)?.before,
      let after = place.timeline.frames(around: commit.ordinal)?.after
    else {
      let text = "what the panels showed then is not kept any more"
      return [Line(), Line(text: text, role: .muted)]
    }
    if before.ordinal + 1 < first || after.ordinal > commit.ordinal {
      let text = "together with others: tx \(before.ordinal + 1) to \(after.ordinal)"
      lines.append(Line(name: "seen", text: text))
    }
    for index in entry.panels where before.panels.indices.contains(index) {
      guard after.panels.indices.contains(index) else { continue }
      let panel = after.panels[index]
      lines.append(Line())
      lines.append(
        Line(text: "panel \(index + 1) \(panel.definition.displayTitle)", role: .title))
      guard before.panels[index].lens.shown == panel.lens.shown else {
        let text = "  what was looked at before had another filter or order"
        lines.append(Line(text: text, role: .muted))
        continue
      }
      lines += changes(from: before.panels[index].result, to: panel, symbols)
    }
    return lines
  }

  private static func evidence(_ commit: Commit, _ dialect: SQLDialect) -> String {
    if case .all(let reason) = commit.tables { return "not known: \(reason)" }
    return switch commit.evidence {
    case .hooks: "row hooks"
    case .pages: "WAL pages"
    case .none: dialect == .postgres ? "what the server reports" : "not known"
    }
  }

  private static func changes(
    from old: RowSet?, to panel: PanelState, _ symbols: Symbols
  ) -> [Line] {
    var lines: [Line] = []
    if let error = panel.error {
      lines.append(Line(text: "  ! no result: \(cut(error.message))", role: .error))
    }
    guard let new = panel.result else { return lines }
    // The panel still shows the rows from before the error.
    if panel.error != nil, old?.rows == new.rows { return lines }
    let key = panel.keyColumns(of: new)
    let diff = ResultDiff(from: old, to: new, key: key)
    guard let old, !diff.isReset else {
      let text = "  \(QuantityText.count(new.rows.count, "row")), all new"
      return lines + [Line(text: text, role: .muted)]
    }
    if let line = soleValue(from: old, to: new, panel, symbols) { return lines + [line] }
    let keyIndexes = key.compactMap { RowKey.index(ofColumn: $0, in: new.columns) }
    var count = 0
    // Rows beyond the maximum are counted, without making text of them.
    func add(_ role: Style.Role, _ text: () -> String) {
      count += 1
      if count <= maximumRows { lines.append(Line(text: text(), role: role)) }
    }
    for (index, row) in diff.rows.enumerated() {
      switch row.change {
      case .same: continue
      case .inserted: add(.inserted) { "  + " + text(new.rows[index], panel) }
      case .changed(let columns):
        guard let oldIndex = row.oldIndex else { continue }
        add(.changed) {
          let label = keyIndexes.map { text(new.rows[index], $0, panel) }
          let parts = columns.map { column in
            "\(new.columns[column]) \(text(old.rows[oldIndex], column, panel)) \(symbols.arrow) "
              + text(new.rows[index], column, panel)
          }
          return "  ~ " + (label + [parts.joined(separator: ", ")]).joined(separator: "  ")
        }
      }
    }
    for gone in diff.removed { add(.removed) { "  - " + text(gone.row, panel) } }
    if count == 0 {
      let text = old.rows == new.rows ? "as it was" : "the rows stand in another order"
      lines.append(Line(text: "  " + text, role: .muted))
    } else if count > maximumRows {
      let rest = NumberText.grouped(count - maximumRows)
      lines.append(Line(text: "  and \(rest) more", role: .muted))
    }
    return lines
  }

  /// The change of a panel's single value, which needs no key.
  private static func soleValue(
    from old: RowSet, to new: RowSet, _ panel: PanelState, _ symbols: Symbols
  ) -> Line? {
    guard old.columns == new.columns, new.columns.count == 1, old.rows.count == 1,
      new.rows.count == 1, old.rows != new.rows
    else { return nil }
    let formatted = [old, new].map { text($0.rows[0], 0, panel) }
    // A format may omit exactly the digits that changed.
    let texts =
      formatted[0] == formatted[1]
      ? [old, new].map { cut(SQLLiteral.text($0.rows[0][0])) } : formatted
    return Line(
      text: "  ~ \(new.columns[0]) \(texts[0]) \(symbols.arrow) \(texts[1])", role: .changed)
  }

  private static func text(_ row: [Value], _ panel: PanelState) -> String {
    row.indices.map { "\(panel.columns[$0].name) \(text(row, $0, panel))" }
      .joined(separator: "  ")
  }

  private static func text(_ row: [Value], _ column: Int, _ panel: PanelState) -> String {
    cut(ValueText(row[column], column: panel.columns[column]).text)
  }

  /// A megabyte of text is useless on a line.
  static func cut(_ text: String) -> String {
    text.utf8.count > 200 ? String(text.prefix(100)) + "..." : text
  }
}
