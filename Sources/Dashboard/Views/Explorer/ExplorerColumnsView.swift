import DatabaseConsole
import ObservationEngine

/// The columns of the explorer's table: what they are declared as, or what is in them.
///
///     ╭─┤3 columns├──────────────────────────────────┤14├─╮
///     │ column        type      key                       │
///     │ OrderID       integer   PK                        │
///     │ CustomerID    text      → Customers               │
struct ExplorerColumnsView {
  let state: DashboardState
  let explorer: ExplorerState

  func draw(in frame: Rect, on canvas: inout Canvas) {
    guard let table = explorer.table else { return }
    let isFocused = state.explorerPane == .columns
    let title = "\(explorer.number(of: .columns)) columns"
    FrameView.draw(
      title: title,
      info: FrameView.fitting(
        infoChoices(table, canvas.symbols), beside: title, width: frame.width,
        glyphs: canvas.glyphs), frame: frame, isFocused: isFocused, on: &canvas)
    let area = frame.inset(by: 1)
    guard area.height > 1, area.width > 8 else { return }
    if let trouble = table.trouble {
      PanelView.note(trouble, in: area, on: &canvas)
      return
    }
    let cells = table.columns.map { self.cells($0, of: table, canvas.symbols) }
    let places = places(cells, in: area, canvas.glyphs)
    for place in places {
      canvas.write(
        headings[place.index].text, x: place.x, y: area.y, width: place.width, Style(.header),
        alignment: headings[place.index].alignment)
    }
    let top = explorer.columns.top
    for (offset, line) in cells.dropFirst(top).prefix(area.height - 1).enumerated() {
      let y = area.y + 1 + offset
      for place in places {
        let cell = line[place.index]
        canvas.write(
          cell.text, x: place.x, y: y, width: place.width, cell.style,
          alignment: headings[place.index].alignment)
      }
      if isFocused, top + offset == explorer.columns.cursor {
        canvas.highlight(line: y, of: area)
      }
    }
  }

  private struct Cell {
    var text: String
    var style: Style
  }

  private struct Place {
    /// Among the headings.
    var index: Int
    var x: Int
    var width: Int
  }

  private var headings: [(text: String, alignment: DisplayText.Alignment)] {
    explorer.wantsStatistics
      ? [
        ("column", .leading), ("distinct", .trailing), ("null", .trailing),
        ("least", .leading), ("greatest", .leading), ("key", .leading), ("type", .leading),
      ]
      : [
        ("column", .leading), ("type", .leading), ("key", .leading), ("null", .leading),
        ("default", .leading),
      ]
  }

  private func cells(
    _ column: SchemaDescription.Column, of table: SchemaDescription.Table, _ symbols: Symbols
  ) -> [Cell] {
    let name = Cell(
      text: column.name, style: Style(column.keyPosition > 0 ? .accent : .text))
    let type = Cell(text: column.type.asciiLowercased, style: Style(.muted))
    let key = Cell(text: key(column, of: table, symbols), style: Style(.text))
    guard explorer.wantsStatistics else {
      let value = column.isGenerated ? "generated" : column.defaultValue ?? ""
      let isRequired = column.isNotNull && column.keyPosition == 0
      return [
        name, type, key, Cell(text: isRequired ? "not null" : "", style: Style(.muted)),
        Cell(text: value, style: Style(.muted)),
      ]
    }
    guard let statistics = explorer.statistics[column.name] else {
      let text = explorer.isReadingStatistics ? symbols.ellipsis : symbols.none
      let unknown = Cell(text: text, style: Style(.placeholder))
      return [name, unknown, unknown, unknown, unknown, key, type]
    }
    return [
      name, distinct(statistics, symbols), nulls(statistics), value(statistics.least),
      value(statistics.greatest), key, type,
    ]
  }

  private func key(
    _ column: SchemaDescription.Column, of table: SchemaDescription.Table, _ symbols: Symbols
  ) -> String {
    var words: [String] = []
    if column.keyPosition > 0 {
      words.append(table.key.count > 1 ? "PK \(column.keyPosition)" : "PK")
    }
    if let key = table.foreignKeys.first(where: { $0.columns.contains(column.name) }) {
      words.append("\(symbols.arrow) \(key.table)")
    }
    return words.joined(separator: " ")
  }

  private func distinct(_ statistics: ColumnStatistics, _ symbols: Symbols) -> Cell {
    guard let distinct = statistics.distinct else {
      let text = explorer.isReadingStatistics ? symbols.ellipsis : symbols.none
      return Cell(text: text, style: Style(.placeholder))
    }
    let isUnique = distinct == statistics.rows && distinct > 1
    return Cell(
      text: isUnique ? "unique" : NumberText.grouped(distinct),
      style: Style(isUnique ? .muted : .numeral))
  }

  private func nulls(_ statistics: ColumnStatistics) -> Cell {
    guard statistics.nulls > 0, statistics.rows > 0 else {
      return Cell(text: "", style: Style(.muted))
    }
    let share = statistics.nulls * 100 / statistics.rows
    let text = share == 0 ? "<1%" : "\(share)%"
    return Cell(text: text, style: Style(share == 100 ? .warning : .text))
  }

  private func value(_ value: Value) -> Cell {
    var summary = ColumnSummary.plain("")
    if case .real(let number) = value { summary.decimals = NumberText.decimals(of: number) }
    let text = ValueText(value, column: summary)
    return Cell(text: text.text, style: Style(text.role))
  }

  /// The widths of the columns: the last ones are left out if there is no room for them.
  private func places(_ cells: [[Cell]], in area: Rect, _ glyphs: GlyphSet) -> [Place] {
    let headings = headings
    let limits =
      explorer.wantsStatistics ? [20, 9, 4, 19, 19, 24, 16] : [24, 16, 28, 8, 20]
    var widths = headings.indices.map { index in
      let values =
        cells.map {
          DisplayText.width($0[index].text, limit: limits[index], glyphs: glyphs)
        }.max() ?? 0
      return min(limits[index], max(values, values == 0 ? 0 : headings[index].text.utf8.count))
    }
    let room = area.width - 3
    func taken() -> Int { widths.reduce(0) { $0 + ($1 > 0 ? $1 + 2 : 0) } - 2 }
    // What is to the right of the important ones is left out first; then texts are narrowed.
    let important = explorer.wantsStatistics ? 5 : 3
    while taken() > room {
      let extra = widths.lastIndex { $0 > 0 }.flatMap { $0 >= important ? $0 : nil }
      let wide = widths.indices.filter { widths[$0] > 10 }.max { widths[$0] < widths[$1] }
      if let extra {
        widths[extra] = 0
      } else if let wide {
        widths[wide] -= 1
      } else if let last = widths.lastIndex(where: { $0 > 0 }), last > 0 {
        widths[last] = 0
      } else {
        break
      }
    }
    var x = area.x + 2
    return widths.indices.compactMap { index in
      guard widths[index] > 0 else { return nil }
      defer { x += widths[index] + 2 }
      return Place(index: index, x: x, width: widths[index])
    }
  }

  private func infoChoices(
    _ table: SchemaDescription.Table, _ symbols: Symbols
  ) -> [String] {
    let count = "\(table.columns.count)"
    if explorer.wantsStatistics {
      if explorer.isReadingStatistics { return ["reading" + symbols.ellipsis, count] }
      let isCut =
        explorer.statistics.count < table.columns.count
        || explorer.statistics.values.contains { $0.distinct == nil }
      if isCut { return ["\(symbols.none) took too long to count", "\(symbols.none) too slow"] }
    }
    if table.kind == .view { return ["view\(symbols.dot)\(count)", count] }
    return [count]
  }
}
