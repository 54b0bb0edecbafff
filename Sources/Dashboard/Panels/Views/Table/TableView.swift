import ObservationEngine

/// A result as rows and columns, with its changes.
///
///       #    player        score        Δ
///       2 ▲1  grace       97 020   +1 250
///     ~ 90391  mill       1 004
struct TableView {
  private let panel: PanelState
  private let result: RowSet
  private let geometry: PanelGeometry
  private let context: PanelContext
  private let content: TableContent

  private var columns: [TableColumns.Column] { content.columns.columns }
  private var left: Int { content.left }

  static func draw(
    _ panel: PanelState, _ result: RowSet, _ geometry: PanelGeometry, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    guard
      let content = TableContent(
        panel, geometry, showsDelta: context.showsDelta,
        showsSparklines: context.showsSparklines, now: context.moment.civil, glyphs: canvas.glyphs)
    else { return }
    let view = TableView(
      panel: panel, result: result, geometry: geometry, context: context, content: content)
    view.drawHeader(on: &canvas)
    view.drawRows(on: &canvas)
    view.drawRemoved(on: &canvas)
    if let footer = geometry.footer {
      LastChangeView.draw(panel, result, in: footer, context, on: &canvas)
    }
  }

  private func drawHeader(on canvas: inout Canvas) {
    guard let header = geometry.header else { return }
    let style = Style(.header)
    if content.isRanked {
      canvas.write(
        "#", x: header.x + 1, y: header.y, width: content.rankWidth, style, alignment: .trailing)
    }
    for column in columns {
      let name = name(of: column, canvas.symbols)
      let isChosen = isChosen(column)
      canvas.write(
        name, x: header.x + left + column.x, y: header.y, width: column.width,
        isChosen ? Style(.accent, bold: true) : style,
        alignment: column.content == .spark ? .trailing : column.alignment)
    }
    if panel.leftColumn > 0 {
      canvas.put(canvas.symbols.less, x: header.x, y: header.y, Style(.muted))
    }
    let end = header.x + header.width - 1
    if content.columns.hasMore {
      canvas.put(canvas.symbols.more, x: end, y: header.y, Style(.muted))
    }
    if let rule = geometry.rule {
      canvas.fill(
        Rect(x: rule.x + 1, y: rule.y, width: rule.width - 2, height: 1), canvas.symbols.rule,
        Style(.border))
    }
  }

  private func name(of column: TableColumns.Column, _ symbols: Symbols) -> String {
    switch column.content {
    case .delta: return symbols.delta
    case .spark:
      guard let span = panel.history.span(column.width) else { return "history" }
      let text = "last \(NumberText.grouped(span)) tx"
      return text.utf8.count <= column.width ? text : "\(NumberText.grouped(span)) tx"
    case .value(let index):
      var name = panel.columns[index].name
      if let sort = panel.shownSort, sort.column == index {
        let isDescending = sort.isDescending
        name.append(isDescending ? symbols.down : symbols.up)
      }
      return name
    }
  }

  private func drawRows(on canvas: inout Canvas) {
    let area = geometry.rows
    for (line, row) in content.visible.enumerated() {
      let y = area.y + line
      guard let row else {
        drawMissing(y: y, on: &canvas)
        restyleCursor(content.top + line, y: y, on: &canvas)
        continue
      }
      let mark = panel.marks.byRow[row]
      let flash = mark.map { RowMarks.level(since: $0.start, at: context.moment.monotonic) } ?? 0
      let looks = RowLook(result.rows[row], content.summaries)
      drawMark(
        mark, isUrgent: looks.isUrgent, flash: flash, rank: panel.rank(ofRow: row), y: y,
        on: &canvas)
      for column in columns {
        switch column.content {
        case .delta: drawDelta(row, mark, flash: flash, column, y: y, on: &canvas)
        case .spark: drawSpark(row, column, y: y, on: &canvas)
        case .value(let index):
          guard let place = content.places[index] else { continue }
          let text = content.texts[line][place]
          let look = looks.look(of: index)
          var style = style(
            text.role == .text ? look.role ?? .text : text.role, mark, flash: flash, column: index)
          if style.flash == 0 { style.tint = look.tint }
          drawValue(
            result.rows[row][index], text, index, column, y: y, style,
            Style(look.role ?? .bar, tint: look.tint), on: &canvas)
        }
      }
      restyleCursor(content.top + line, y: y, on: &canvas)
    }
  }

  private func restyleCursor(_ position: Int, y: Int, on canvas: inout Canvas) {
    guard context.isFocused, panel.cursor == position else { return }
    let area = geometry.rows
    canvas.highlight(line: y, of: area)
    guard let cell = columns.first(where: isChosen) else { return }
    // The blanks next to a short value belong to the cell.
    canvas.restyle(Rect(x: area.x + left + cell.x, y: y, width: cell.width, height: 1)) {
      $0.reverse = true
    }
  }

  /// Whether a column is the one under the cursor.
  private func isChosen(_ column: TableColumns.Column) -> Bool {
    guard context.isFocused, let cell = panel.cellColumn else { return false }
    return column.content == .value(cell)
  }

  /// A row that is not loaded.
  private func drawMissing(y: Int, on canvas: inout Canvas) {
    let style = Style(.placeholder)
    if let missing = context.missing {
      let x = geometry.rows.x + left
      canvas.write(missing, x: x, y: y, width: geometry.rows.x + geometry.rows.width - x, style)
      return
    }
    for column in columns {
      canvas.write(
        canvas.symbols.ellipsis, x: geometry.rows.x + left + column.x, y: y, width: column.width,
        style, alignment: column.alignment)
    }
  }

  /// A value as text, or as a bar in its role followed by its text.
  private func drawValue(
    _ value: Value, _ text: ValueText, _ index: Int, _ column: TableColumns.Column, y: Int,
    _ style: Style, _ bar: Style, on canvas: inout Canvas
  ) {
    let x = geometry.rows.x + left + column.x
    let summary = content.summaries[index]
    guard let format = summary.format, let kind = format.bar, summary.isNumeric,
      let number = ColumnSummary.number(value)
    else {
      canvas.write(
        text.text, x: x, y: y, width: column.width, style, alignment: column.alignment)
      return
    }
    let isAlone = kind == .relative && !format.hasText
    let textWidth = isAlone ? 0 : min(summary.width, column.width)
    let shareWidth = kind == .share && format.hasText ? TableColumns.shareWidth : 0
    let width = column.width - textWidth - (textWidth > 0 ? 1 : 0) - shareWidth
    // A value of its own precedes the bar; a percentage follows it.
    let barX = format.hasText ? x + textWidth + 1 : x
    let greatest =
      switch kind {
      case .percent: 1.0
      // Next to its value, the share is written, and the bar has the room of the greatest one.
      case .share: format.hasText ? summary.maximum : summary.total
      case .relative: summary.maximum
      }
    if number > 0, greatest > 0 {
      let share = number.isFinite ? number / greatest : 1
      var style = bar
      if bar.role == .bar, bar.tint == nil {
        style.tint = Tint(.glow, share: summary.share(number))
      }
      BarView.bar(share, x: barX, y: y, width: width, style, on: &canvas)
    }
    // A value that a bar can't show is written.
    if isAlone, number < 0 || !number.isFinite {
      canvas.write(text.text, x: x, y: y, width: width, style)
    } else if textWidth > 0 {
      canvas.write(
        text.text, x: format.hasText ? x : x + width + 1, y: y, width: textWidth, style,
        alignment: .trailing)
    }
    if shareWidth > 0, let share = FormattedText.share(number, column: summary) {
      canvas.write(
        share, x: x + column.width - shareWidth, y: y, width: shareWidth, Style(.muted),
        alignment: .trailing)
    }
  }

  private func drawSpark(
    _ row: Int, _ column: TableColumns.Column, y: Int, on canvas: inout Canvas
  ) {
    let samples = panel.spark(of: result.rows[row], column.width)
    canvas.write(
      canvas.symbols.course(samples), x: geometry.rows.x + left + column.x, y: y,
      width: column.width, Style(.bar), alignment: .trailing)
  }

  private func style(
    _ role: Style.Role, _ mark: RowMarks.Mark?, flash: UInt8, column: Int
  ) -> Style {
    guard let mark, flash > 0 else { return Style(role) }
    switch mark.change {
    case .inserted: return Style(.inserted, flash: flash)
    case .changed(let columns) where columns.contains(column): return Style(.changed, flash: flash)
    case .changed, .same: return Style(role)
    }
  }

  /// The rank with its arrow, or the sign for the change of the row.
  private func drawMark(
    _ mark: RowMarks.Mark?, isUrgent: Bool, flash: UInt8, rank: Int?, y: Int,
    on canvas: inout Canvas
  ) {
    let x = geometry.rows.x + 1
    // Also without colours a row with a red value is found.
    if isUrgent {
      let sign = x + (content.isRanked ? content.rankWidth + 1 : 0)
      canvas.put("!", x: sign, y: y, Style(.error, bold: true))
    }
    guard content.isRanked else {
      // The sign disappears with the flash: a new row is not new forever.
      guard let mark, flash > 0 else { return }
      switch mark.change {
      case .inserted: canvas.put("+", x: x, y: y, Style(.inserted, bold: true))
      case .changed: canvas.put("~", x: x, y: y, Style(.changed, bold: true))
      case .same: break
      }
      return
    }
    // The position in the query's result, however the rows are filtered and sorted here.
    canvas.write(
      rank.map { String($0) } ?? "", x: x, y: y, width: content.rankWidth, Style(.muted),
      alignment: .trailing)
    guard let mark else { return }
    let arrow = x + content.rankWidth + 1
    if mark.change == .inserted {
      canvas.put(canvas.symbols.star, x: arrow, y: y, Style(.inserted, bold: flash > 0))
    } else if let delta = mark.rankDelta {
      let symbol = delta > 0 ? canvas.symbols.up : canvas.symbols.down
      let role: Style.Role = delta > 0 ? .rising : .falling
      let places = String(delta.magnitude)
      canvas.put(symbol, x: arrow, y: y, Style(role, bold: flash > 0))
      canvas.write(
        places.utf8.count > 2 ? "99" : places, x: arrow + 1, y: y, width: 3,
        Style(role, bold: flash > 0))
    } else if flash > 0 {
      canvas.put("~", x: arrow, y: y, Style(.changed, bold: true))
    }
  }

  private func drawDelta(
    _ row: Int, _ mark: RowMarks.Mark?, flash: UInt8, _ column: TableColumns.Column, y: Int,
    on canvas: inout Canvas
  ) {
    guard let mark, let text = content.deltas[row] else { return }
    let isRising = mark.delta.map(DeltaText.isRising) ?? false
    let role: Style.Role = mark.change == .inserted ? .inserted : isRising ? .rising : .falling
    canvas.write(
      text, x: geometry.rows.x + left + column.x, y: y, width: column.width,
      Style(role, bold: flash > 0), alignment: .trailing)
  }

  /// Removed rows stay below the others while they fade, if there is room.
  private func drawRemoved(on canvas: inout Canvas) {
    let area = geometry.rows
    var y = area.y + content.visible.count
    for removed in panel.marks.removed.reversed() where y < area.y + area.height {
      let flash = RowMarks.level(since: removed.start, at: context.moment.monotonic)
      guard flash > 0 else { continue }
      let mark = area.x + 1 + (content.isRanked ? content.rankWidth + 1 : 0)
      canvas.put("-", x: mark, y: y, Style(.removed, bold: true))
      for column in columns {
        guard case .value(let index) = column.content, index < removed.row.count else { continue }
        let text = ValueText(
          removed.row[index], column: content.summaries[index], now: context.moment.civil)
        drawValue(
          removed.row[index], text, index, column, y: y, Style(.removed, flash: flash),
          Style(.removed), on: &canvas)
      }
      y += 1
    }
  }
}

/// The colours of a row's values.
private struct RowLook {
  private let row: [Value]
  private let summaries: [ColumnSummary]
  /// The colour of the whole row.
  private let rowRole: Style.Role?
  /// Whether a value is red.
  let isUrgent: Bool

  init(_ row: [Value], _ summaries: [ColumnSummary]) {
    self.row = row
    self.summaries = summaries
    var rowHue: ColumnColoring.Hue?
    var isUrgent = false
    for (value, summary) in zip(row, summaries) {
      guard let colors = summary.colors, let hue = colors.hue(of: value, in: row) else { continue }
      if colors.isForRow, rowHue == nil { rowHue = hue }
      isUrgent = isUrgent || hue == .red
    }
    rowRole = rowHue?.role
    self.isUrgent = isUrgent
  }

  func look(of column: Int) -> (role: Style.Role?, tint: Tint?) {
    guard column < row.count else { return (rowRole, nil) }
    let own = summaries[column].look(of: row[column], in: row)
    return own.role == nil && own.tint == nil ? (rowRole, nil) : own
  }
}
