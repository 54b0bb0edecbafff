import DatabaseConsole
import ObservationEngine

/// The explorer: the list of tables, the columns of the chosen one, and what is said in place of
/// rows. The rows themselves are a panel.
///
///     ╭─┤1 tables├────────────────────┤13 · 804 KB├─╮
///     │ table            rows     size  last minute │
///     │ Order Details   2 155   124 KB  ▁▁▁▁▃█ 12:04:31
struct ExplorerView {
  let state: DashboardState
  let explorer: ExplorerState
  let panes: ExplorerPanes
  let layout: ScreenLayout
  let moment: Moment

  init(
    _ state: DashboardState, _ explorer: ExplorerState, _ panes: ExplorerPanes,
    _ layout: ScreenLayout, _ moment: Moment
  ) {
    self.state = state
    self.explorer = explorer
    self.panes = panes
    self.layout = layout
    self.moment = moment
  }

  func draw(on canvas: inout Canvas) {
    if let frame = panes.tables { drawTables(in: frame, on: &canvas) }
    if let frame = panes.columns {
      ExplorerColumnsView(state: state, explorer: explorer).draw(in: frame, on: &canvas)
    }
    if let frame = panes.rows, layout.panels.isEmpty { drawWords(in: frame, on: &canvas) }
  }

  // MARK: The list

  private func drawTables(in frame: Rect, on canvas: inout Canvas) {
    let isFocused = state.explorerPane == .tables
    var title = "\(explorer.number(of: .tables)) tables"
    if !explorer.list.filter.isEmpty { title += " /\(explorer.list.filter)" }
    let choices = infoChoices(canvas.symbols)
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: isFocused, on: &canvas)
    let area = frame.inset(by: 1)
    guard area.height > 1 else { return }
    guard explorer.description != nil, !explorer.list.lines.isEmpty else {
      let text =
        explorer.list.filter.isEmpty
        ? state.schema.error ?? "reading the schema"
        : "no table is called \u{201c}\(explorer.list.filter)\u{201d}"
      PanelView.note(text, in: area, on: &canvas)
      return
    }
    let rows = Rect(x: area.x, y: area.y + 1, width: area.width, height: area.height - 1)
    let columns = ListColumns(
      width: area.width, rows: widestRows(in: rows), hasSizes: explorer.hasSizes,
      hasActivity: !explorer.pulses.isEmpty)
    columns.drawHeader(y: area.y, x: area.x, on: &canvas)
    drawLines(in: rows, columns, isFocused: isFocused, on: &canvas)
  }

  private func drawLines(
    in area: Rect, _ columns: ListColumns, isFocused: Bool, on canvas: inout Canvas
  ) {
    let list = explorer.list
    let lines = list.visible(area.height)
    let busiest =
      lines.compactMap { line -> Int? in
        guard case .table(let name) = line else { return nil }
        return explorer.pulses[name]?.commits.counts(at: moment.monotonic).max()
      }.max() ?? 0
    for (offset, line) in lines.enumerated() {
      let y = area.y + offset
      let isChosen = list.top + offset == list.cursor
      switch line {
      case .fold(let fold, let count):
        let sign = list.opened.contains(fold) ? canvas.symbols.opened : canvas.symbols.closed
        canvas.put(sign, x: area.x + 1, y: y, Style(.muted))
        canvas.write(
          fold.title(count), x: area.x + 3, y: y, width: area.width - 4, Style(.muted))
      case .table(let name):
        draw(name, y: y, in: area, columns, busiest: busiest, isChosen: isChosen, on: &canvas)
      }
      guard isChosen else { continue }
      if isFocused {
        canvas.highlight(line: y, of: area)
      } else {
        canvas.put(canvas.symbols.closed, x: area.x, y: y, Style(.accent))
      }
    }
  }

  private func draw(
    _ name: String, y: Int, in area: Rect, _ columns: ListColumns, busiest: Int, isChosen: Bool,
    on canvas: inout Canvas
  ) {
    let pulse = explorer.pulses[name]
    let history = pulse?.commits.counts(at: moment.monotonic) ?? []
    let isActive = history.contains { $0 > 0 }
    let isKnownEmpty = explorer.rows(of: name) == .exact(0)
    canvas.write(
      name, x: area.x + 2, y: y, width: columns.name,
      isKnownEmpty ? Style(.muted) : Style(.text, bold: isChosen))
    canvas.write(
      rowText(name, isChosen: isChosen), x: area.x + columns.rowsX, y: y, width: columns.rows,
      Style(isKnownEmpty ? .muted : .text), alignment: .trailing)
    if let x = columns.sizeX, let bytes = explorer.bytes(of: name) {
      let text = (bytes.isOld ? "~" : "") + QuantityText.bytes(bytes.count)
      canvas.write(
        text, x: area.x + x, y: y, width: columns.size, Style(.muted), alignment: .trailing)
    }
    if let x = columns.activityX, isActive {
      let shown = history.suffix(columns.activity)
      let text = canvas.symbols.levels(of: shown, greatest: busiest)
      for (offset, character) in text.enumerated() {
        let isQuiet = shown[shown.startIndex + offset] == 0
        canvas.put(
          character, x: area.x + x + offset, y: y, Style(isQuiet ? .barTrack : .accent))
      }
    }
    if let x = columns.changedX, let pulse {
      let text = QuantityText.clock(pulse.time, utcOffsetSeconds: state.utcOffsetSeconds)
      canvas.write(
        text, x: area.x + x, y: y, width: columns.changed, Style(isActive ? .changed : .muted))
    }
  }

  /// The width of the widest number of rows in view.
  private func widestRows(in area: Rect) -> Int {
    explorer.list.visible(area.height).map { line in
      guard case .table(let name) = line else { return 0 }
      return rowText(name, isChosen: explorer.list.chosenTable == name).utf8.count
    }.max() ?? 0
  }

  /// How many rows a table has; of the shown one what its panel says if it has all of them, so that
  /// both agree.
  private func rowText(_ name: String, isChosen: Bool) -> String {
    if isChosen, explorer.path.isEmpty, let panel = state.panels.first, panel.result != nil,
      panel.definition.name == name,
      panel.definition.rowLimit.map({ panel.allRowCount < $0 }) ?? true
    {
      return NumberText.grouped(panel.allRowCount)
    }
    switch explorer.rows(of: name) {
    case .exact(let number): return NumberText.grouped(number)
    case .estimate(let number): return "~" + NumberText.grouped(number)
    case .moreThan(let number): return ">" + NumberText.grouped(number)
    case nil: return ""
    }
  }

  private func infoChoices(_ symbols: Symbols) -> [String] {
    guard let description = explorer.description else { return [] }
    let tables = description.tables.count { $0.kind == .table || $0.kind == .virtual }
    var parts = ["\(tables)"]
    if explorer.order != .recent { parts.append(explorer.order.rawValue) }
    return (0..<parts.count).map { parts.dropLast($0).joined(separator: symbols.dot) }
  }

  // MARK: In place of rows

  /// What stands there when no table is chosen: the names under a fold, or help for an empty file.
  private func drawWords(in frame: Rect, on canvas: inout Canvas) {
    let area = frame.inset(by: 1)
    guard !explorer.isEmpty else {
      FrameView.draw(title: "tables", info: "0", frame: frame, isFocused: true, on: &canvas)
      return drawWelcome(in: area, on: &canvas)
    }
    guard case .fold(let fold, let count)? = explorer.list.chosen else {
      FrameView.draw(
        title: "rows", info: "", frame: frame, isFocused: state.explorerPane == .rows, on: &canvas)
      return
    }
    FrameView.draw(
      title: fold.title(count), info: "", frame: frame, isFocused: false, on: &canvas)
    drawNames(explorer.folded(fold), in: area, on: &canvas)
  }

  /// Names in columns, read downwards.
  private func drawNames(_ names: [String], in area: Rect, on canvas: inout Canvas) {
    guard area.height > 0, area.width > 4 else { return }
    let widest = names.map { DisplayText.width($0, limit: 40, glyphs: canvas.glyphs) }.max() ?? 1
    let width = min(widest + 3, area.width - 1)
    let across = max(1, (area.width - 1) / width)
    let down = min(area.height, (names.count + across - 1) / across)
    for (index, name) in names.enumerated() {
      let (column, line) = (index / down, index % down)
      guard column < across else { return }
      let isLast = column == across - 1 && line == down - 1 && index < names.count - 1
      let text = isLast ? "\(canvas.symbols.ellipsis) \(names.count - index) more" : name
      canvas.write(
        text, x: area.x + 2 + column * width, y: area.y + line, width: width - 2, Style(.muted))
      if isLast { return }
    }
  }

  private func drawWelcome(in area: Rect, on canvas: inout Canvas) {
    let name = state.setting.databaseName
    var lines: [(String, Style)] = [
      ("\(name) has no table yet", Style(.title, bold: true)), ("", Style()),
      ("The first one that any program creates appears here.", Style()),
    ]
    if !state.isReadOnly, state.source.hasConsole {
      let key = state.keyMap.keys(named: "console").first?.label ?? ":console"
      lines += [
        ("", Style()), ("\(key) opens the SQL console, where you can create it:", Style()),
        ("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);", Style(.keyword)),
      ]
    }
    let wrapped = lines.flatMap { text, style in
      TextWrap.lines(text, width: area.width - 2, glyphs: canvas.glyphs).map { ($0, style) }
    }
    let widest = wrapped.map { DisplayText.width($0.0, glyphs: canvas.glyphs) }.max() ?? 0
    let x = area.x + max(1, (area.width - widest) / 2)
    let y = area.y + max(0, (area.height - wrapped.count) / 2)
    for (offset, line) in wrapped.prefix(area.height).enumerated() {
      canvas.write(line.0, x: x, y: y + offset, width: area.width - 2, line.1)
    }
  }

  // MARK: A tiny screen

  /// Names and rows, without a frame.
  func drawTiny(on canvas: inout Canvas) {
    let size = canvas.grid.size
    guard !explorer.list.lines.isEmpty else {
      canvas.write("reading the schema", x: 0, y: 0, width: size.width, Style(.muted))
      return
    }
    for (y, line) in explorer.list.visible(size.height).enumerated() {
      switch line {
      case .fold(let fold, let count):
        canvas.write(fold.title(count), x: 0, y: y, width: size.width, Style(.muted))
      case .table(let name):
        let rows = rowText(name, isChosen: false)
        let width = min(DisplayText.width(rows, glyphs: canvas.glyphs), size.width)
        canvas.write(
          rows, x: size.width - width, y: y, width: width, Style(.muted))
        canvas.write(name, x: 0, y: y, width: size.width - width - 1, Style())
      }
      if explorer.list.top + y == explorer.list.cursor {
        canvas.highlight(
          line: y, of: Rect(x: 0, y: 0, width: size.width, height: size.height))
      }
    }
  }
}

/// The columns of the list: what doesn't fit is left out, the name last.
private struct ListColumns {
  var name: Int
  let rows: Int
  let size = 7
  let changed = 8
  var activity = 0
  var rowsX = 0
  var sizeX: Int?
  var activityX: Int?
  var changedX: Int?

  /// - Parameters:
  ///   - rows: The width of the widest number of rows.
  ///   - hasActivity: Whether anything was written since the start: until then the columns about
  ///     that would be empty.
  init(width: Int, rows: Int, hasSizes: Bool, hasActivity: Bool) {
    self.rows = max(5, rows)
    // A margin on both sides, and the sign of the chosen line.
    var room = width - 3 - 2 - self.rows
    // In the order of their importance.
    let hasActivity = hasActivity && room - 8 >= 12
    if hasActivity {
      activity = room >= 44 ? CommitHistory.minute.count : 6
      room -= activity + 2
    }
    let hasChanged = hasActivity && room - changed - 2 >= 14
    if hasChanged { room -= changed + 2 }
    let hasSize = hasSizes && room - size - 2 >= 16
    if hasSize { room -= size + 2 }
    name = max(1, room)
    var x = 2 + name + 2
    rowsX = x
    x += self.rows
    if hasSize {
      sizeX = x + 2
      x += size + 2
    }
    if hasActivity {
      activityX = x + 2
      x += activity + 2
    }
    if hasChanged { changedX = x + 2 }
  }

  func drawHeader(y: Int, x: Int, on canvas: inout Canvas) {
    let style = Style(.header)
    canvas.write("name", x: x + 2, y: y, width: name, style)
    canvas.write("rows", x: x + rowsX, y: y, width: rows, style, alignment: .trailing)
    if let sizeX {
      canvas.write("size", x: x + sizeX, y: y, width: size, style, alignment: .trailing)
    }
    if let activityX {
      let title = activity >= 11 ? "last minute" : "\(activity * 5) s"
      canvas.write(title, x: x + activityX, y: y, width: activity, style)
    }
    if let changedX { canvas.write("changed", x: x + changedX, y: y, width: changed, style) }
  }
}
