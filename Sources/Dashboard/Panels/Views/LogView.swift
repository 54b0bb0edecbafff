import ObservationEngine

/// Rows as the lines of a log: a short time, then the values, with new rows marked.
///
///       12:04:30  info   started
///     + 12:04:31  error  disk full
enum LogView {
  static func draw(
    _ panel: PanelState, _ result: RowSet, in area: Rect, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    let columns = panel.columnsInView
    guard area.width > 4, !columns.isEmpty else { return }
    let (top, visible) = panel.rowsInView(area.height)
    let rows = visible.compactMap { $0 }
    let time = columns.first { column in
      panel.columns[column].format == nil
        && MomentForm(
          of: rows.lazy.map { result.rows[$0][column] }, column: result.columns[column]) != nil
    }
    let form = time.flatMap { column in
      MomentForm(of: rows.lazy.map { result.rows[$0][column] }, column: result.columns[column])
    }
    let clock = LogClock(
      rows.compactMap { row in time.flatMap { form?.seconds(result.rows[row][$0]) } },
      now: context.moment.civil)
    let order = (time.map { [$0] } ?? []) + columns.filter { $0 != time }
    let widths = widths(
      order.map { column in
        if column == time { return (clock.width, isWhole: true) }
        let summary = panel.columns[column]
        let width = summary.width(withThoseInView: rows.lazy.map { result.rows[$0][column] })
        return (max(width, 1), isWhole: summary.isNumeric || summary.isMoment)
      }, in: area.width - 4)
    for (line, row) in visible.enumerated() {
      let y = area.y + line
      defer {
        if context.isFocused, panel.cursor == top + line {
          canvas.highlight(line: y, of: area)
        }
      }
      guard let row else {
        canvas.write(
          context.missing ?? canvas.symbols.ellipsis, x: area.x + 3, y: y, width: area.width - 4,
          Style(.placeholder))
        continue
      }
      let values = result.rows[row]
      let mark = panel.marks.byRow[row]
      let flash = mark.map { RowMarks.level(since: $0.start, at: context.moment.monotonic) } ?? 0
      let level = level(values, result.columns)
      var style = Style(level)
      if let mark, flash > 0, mark.change != .same {
        let isNew = mark.change == .inserted
        canvas.put(
          isNew ? "+" : "~", x: area.x + 1, y: y, Style(isNew ? .inserted : .changed, bold: true))
        style = Style(level == .text ? (isNew ? .inserted : .changed) : level, flash: flash)
      }
      var x = area.x + 3
      let end = area.x + area.width - 1
      for (place, column) in order.enumerated() where x < end {
        let isLast = place == order.count - 1
        var text = ValueText(
          values[column], column: panel.columns[column], now: context.moment.civil)
        var own = style
        if column == time, let seconds = form?.seconds(values[column]) {
          text.text = clock.text(seconds)
          if own.flash == 0 { own = Style(.muted) }
        } else if text.role != .text {
          own.role = text.role
        }
        let isNumber = panel.columns[column].isNumeric && column != time
        let width = isLast && !isNumber ? end - x : min(widths[place], end - x)
        let look = panel.columns[column].look(of: values[column], in: values)
        if own.flash == 0, text.role == .text {
          own.role = look.role ?? own.role
          own.tint = look.tint
        }
        let alignment: DisplayText.Alignment = isNumber ? .trailing : .leading
        canvas.write(text.text, x: x, y: y, width: width, own, alignment: alignment)
        x += width + gap
      }
    }
  }

  /// Narrows texts, the widest first, until all columns fit or texts have their least width.
  private static func widths(
    _ columns: [(width: Int, isWhole: Bool)], in room: Int
  ) -> [Int] {
    var widths = columns.map(\.width)
    var excess = widths.reduce(0, +) + gap * (columns.count - 1) - room
    while excess > 0 {
      let texts = columns.indices.filter { !columns[$0].isWhole && widths[$0] > leastWidth }
        .sorted { widths[$0] > widths[$1] }
      guard let widest = texts.first else { break }
      let next = texts.dropFirst().first.map { widths[$0] } ?? 0
      let step = min(excess, max(1, widths[widest] - max(next, leastWidth)))
      widths[widest] -= step
      excess -= step
    }
    return widths
  }

  private static let gap = 2
  /// Texts are not narrowed further to make room for another column.
  private static let leastWidth = 12

  /// The severity of a row, by the word in its level column.
  private static func level(_ values: [Value], _ columns: [String]) -> Style.Role {
    for (index, name) in columns.enumerated() where levelNames.contains(name.lowercased()) {
      guard case .text(let text) = values[index] else { continue }
      let word = text.prefix(8).lowercased()
      if errors.contains(where: { word.hasPrefix($0) }) { return .error }
      if word.hasPrefix("warn") { return .warning }
      if word.hasPrefix("debug") || word.hasPrefix("trace") { return .muted }
    }
    return .text
  }

  private static let levelNames: Set<String> = ["level", "severity", "priority", "loglevel"]
  private static let errors = ["err", "crit", "fatal", "alert", "emerg", "panic"]
}

/// How the times of the rows in view are written: only as much as distinguishes them from now.
///
///     12:04:31            // all are of today
///     11-19 12:04         // of this year
///     2024-11-19 12:04
///     2024-11-19          // all are at midnight
private struct LogClock {
  private let hasDate: Bool
  private let hasYear: Bool
  private let hasTime: Bool

  init(_ times: [Double], now: Timestamp) {
    let today = CivilTime(now)
    let days = times.map { CivilTime(seconds: $0) }
    hasDate = days.contains { $0.date != today.date }
    let areMidnights = days.allSatisfy { $0.hour == 0 && $0.minute == 0 && $0.second == 0 }
    hasTime = !(hasDate && areMidnights)
    // A date without a time needs its year to be recognized as one.
    hasYear = hasDate && (!hasTime || days.contains { $0.year != today.year })
  }

  var width: Int { (hasYear ? 10 : hasDate ? 5 : 0) + (!hasTime ? 0 : hasDate ? 6 : 8) }

  func text(_ seconds: Double) -> String {
    let time = CivilTime(seconds: seconds)
    guard hasDate else { return time.clock }
    let date = hasYear ? time.date : String(time.date.suffix(5))
    return hasTime ? date + " " + time.clock.prefix(5) : date
  }
}
