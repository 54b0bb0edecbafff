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
    let columns = panel.columnChoice.visible
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
    let today = CivilTime(context.moment.civil).date
    let isDated = rows.contains { row in
      guard let time, let seconds = form?.seconds(result.rows[row][time]) else { return false }
      return CivilTime(seconds: seconds).date != today
    }
    let order = (time.map { [$0] } ?? []) + columns.filter { $0 != time }
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
          text.text = clock(seconds, isDated: isDated)
          if own.flash == 0 { own = Style(.muted) }
        } else if text.role != .text {
          own.role = text.role
        }
        let width =
          isLast
          ? end - x : min(column == time ? (isDated ? 11 : 8) : planned(column, panel), end - x)
        let alignment: DisplayText.Alignment =
          panel.columns[column].isNumeric && column != time && !isLast ? .trailing : .leading
        canvas.write(text.text, x: x, y: y, width: width, own, alignment: alignment)
        x += width + 2
      }
    }
  }

  private static func planned(_ column: Int, _ panel: PanelState) -> Int {
    min(max(panel.columns[column].width, 1), 24)
  }

  /// The time of day, preceded by the date unless the row is from today.
  private static func clock(_ seconds: Double, isDated: Bool) -> String {
    let time = CivilTime(seconds: seconds)
    guard isDated else { return time.clock }
    let date = CivilTime.two(time.month) + "-" + CivilTime.two(time.day)
    return date + " " + time.clock.prefix(5)
  }

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
