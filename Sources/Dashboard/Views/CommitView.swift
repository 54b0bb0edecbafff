import ObservationEngine

/// One line of the feed in front of the panels: who committed what, and what became of which rows of
/// each panel.
enum CommitView {
  private struct Line {
    var name = ""
    var text = ""
    var role = Style.Role.text
  }

  /// Rows of one panel; more of them are told by their number.
  private static let maximumRows = 200
  private static let nameWidth = 10

  static func draw(
    _ entry: Feed.Entry, _ state: DashboardState, scroll: Int, in body: Rect,
    on canvas: inout Canvas
  ) {
    let room = Rect(x: body.x + 2, y: body.y, width: max(0, body.width - 4), height: body.height)
    let lines = lines(entry, state, canvas.symbols)
    let frame = OverlayView.frame(
      Size(width: room.width, height: lines.count + 2), in: room, title: title(entry), on: &canvas)
    let area = frame.inset(by: 1)
    let top = min(scroll, max(0, lines.count - area.height))
    for (offset, line) in lines.dropFirst(top).prefix(area.height).enumerated() {
      let y = area.y + offset
      var x = area.x + 1
      if !line.name.isEmpty {
        canvas.write(line.name, x: x, y: y, width: nameWidth, Style(.header))
        x += nameWidth + 1
      }
      canvas.write(line.text, x: x, y: y, width: area.x + area.width - 1 - x, Style(line.role))
    }
  }

  /// How many lines there are, so that nobody scrolls past the end.
  static func lineCount(_ entry: Feed.Entry, _ state: DashboardState) -> Int {
    lines(entry, state, Symbols(state.glyphs)).count
  }

  private static func title(_ entry: Feed.Entry) -> String {
    guard case .commit(let commit) = entry.event else { return "event" }
    guard let burst = entry.burst else { return "tx \(commit.ordinal)" }
    return "tx \(burst.firstOrdinal) to \(commit.ordinal)"
  }

  private static func lines(
    _ entry: Feed.Entry, _ state: DashboardState, _ symbols: Symbols
  ) -> [Line] {
    let summary = FeedLine(entry, symbols: symbols)
    let clock = QuantityText.clock(
      summary.time, utcOffsetSeconds: state.utcOffsetSeconds, milliseconds: true)
    guard case .commit(let commit) = entry.event else {
      return [Line(name: "at", text: clock), Line(name: "what", text: summary.longText)]
    }
    let origin = commit.origin == .own ? "me: this program" : "ext: another process"
    var lines = [
      Line(name: "at", text: clock), Line(name: "by", text: origin),
      Line(name: "what", text: summary.longText), Line(name: "known by", text: evidence(commit)),
    ]
    if let duration = entry.duration {
      lines.append(Line(name: "refresh", text: QuantityText.duration(duration)))
    }
    guard !entry.panels.isEmpty else {
      return lines + [Line(), Line(text: "no panel changed", role: .muted)]
    }
    let first = entry.burst?.firstOrdinal ?? commit.ordinal
    guard let before = state.timeline.frames(around: first)?.before,
      let after = state.timeline.frames(around: commit.ordinal)?.after
    else {
      let text = "what the panels showed then is not kept any more"
      return lines + [Line(), Line(text: text, role: .muted)]
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
      lines += changes(from: before.panels[index].result, to: panel, symbols)
    }
    return lines
  }

  private static func evidence(_ commit: Commit) -> String {
    if case .all(let reason) = commit.tables { return "not known: \(reason)" }
    return switch commit.evidence {
    case .hooks: "SQLite told of each row"
    case .pages: "the pages that were written to the log"
    case .none: "not known"
    }
  }

  private static func changes(
    from old: RowSet?, to panel: PanelState, _ symbols: Symbols
  ) -> [Line] {
    guard let new = panel.result else { return [] }
    let key = panel.keyColumns(of: new)
    let diff = ResultDiff(from: old, to: new, key: key)
    guard let old, !diff.isReset else {
      return [Line(text: "  \(QuantityText.count(new.rows.count, "row")), all new", role: .muted)]
    }
    let keyIndexes = key.compactMap { RowKey.index(ofColumn: $0, in: new.columns) }
    var lines: [Line] = []
    for (index, row) in diff.rows.enumerated() {
      switch row.change {
      case .same: continue
      case .inserted:
        lines.append(Line(text: "  + " + text(new.rows[index], panel), role: .inserted))
      case .changed(let columns):
        guard let oldIndex = row.oldIndex else { continue }
        let label = keyIndexes.map { text(new.rows[index], $0, panel) }
        let parts = columns.map { column in
          "\(new.columns[column]) \(text(old.rows[oldIndex], column, panel)) \(symbols.arrow) "
            + text(new.rows[index], column, panel)
        }
        let all = (label + [parts.joined(separator: ", ")]).joined(separator: "  ")
        lines.append(Line(text: "  ~ " + all, role: .changed))
      }
    }
    lines += diff.removed.map { Line(text: "  - " + text($0.row, panel), role: .removed) }
    if lines.isEmpty { return [Line(text: "  the rows stand in another order", role: .muted)] }
    guard lines.count > maximumRows else { return lines }
    let rest = NumberText.grouped(lines.count - maximumRows)
    return lines.prefix(maximumRows) + [Line(text: "  and \(rest) more", role: .muted)]
  }

  private static func text(_ row: [Value], _ panel: PanelState) -> String {
    row.indices.map { "\(panel.columns[$0].name) \(text(row, $0, panel))" }
      .joined(separator: "  ")
  }

  private static func text(_ row: [Value], _ column: Int, _ panel: PanelState) -> String {
    let text = ValueText(row[column], column: panel.columns[column]).text
    // A megabyte of text is of no use on a line.
    return text.utf8.count > 200 ? String(text.prefix(100)) + "..." : text
  }
}
