import DatabaseConsole
import ObservationEngine

/// The tree of the schema.
///
///     ▾ tables
///       ▾ players     1 204 rows   184 KB
///           id        INTEGER PK
enum SchemaView {
  /// - Parameter number: The key that gives it the focus, if there is one.
  static func draw(
    _ browser: SchemaBrowser, number: Int?, isFocused: Bool, isRecording: Bool, frame: Rect,
    on canvas: inout Canvas
  ) {
    let version = browser.description?.version.map { "  v\($0)" } ?? ""
    let title = (number.map { "\($0) " } ?? "") + "schema" + version
    let choices =
      browser.error.map { [$0, "error"] } ?? (browser.isMeasuring ? ["reading the file"] : ["F2"])
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: isFocused, on: &canvas)
    let area = frame.inset(by: 1)
    guard area.width > 2 else { return }
    guard browser.description != nil else {
      let text = isRecording ? "a recording has no schema" : "reading the schema"
      PanelView.note(browser.error ?? text, in: area, on: &canvas)
      return
    }
    let lines = browser.lines.dropFirst(browser.top).prefix(area.height)
    let nameWidth = nameWidth(lines, width: area.width, glyphs: canvas.glyphs)
    for (offset, line) in lines.enumerated() {
      let y = area.y + offset
      draw(line, browser, nameWidth, in: area, y: y, on: &canvas)
      if isFocused, browser.top + offset == browser.cursor {
        // In one style: separate colours would have separate backgrounds.
        canvas.restyle(Rect(x: area.x, y: y, width: area.width, height: 1)) {
          $0 = Style(reverse: true)
        }
      }
    }
  }

  /// Names are in one column as long as that leaves room for the text next to them.
  private static func nameWidth(
    _ lines: ArraySlice<SchemaBrowser.Line>, width: Int, glyphs: GlyphSet
  ) -> Int {
    let widest = lines.map { indent($0) + DisplayText.width($0.name, limit: 40, glyphs: glyphs) }
    return min(widest.max() ?? 0, max(8, width / 2))
  }

  /// Where the name starts: an open line has its sign before it.
  private static func indent(_ line: SchemaBrowser.Line) -> Int { 3 + line.depth * 2 }

  private static func draw(
    _ line: SchemaBrowser.Line, _ browser: SchemaBrowser, _ nameWidth: Int, in area: Rect, y: Int,
    on canvas: inout Canvas
  ) {
    let start = area.x + indent(line)
    let end = area.x + area.width - 1
    if let isOpen = line.isOpen {
      let sign = isOpen ? canvas.symbols.opened : canvas.symbols.closed
      canvas.put(sign, x: start - 2, y: y, Style(.muted))
    }
    let isGroup = line.depth == 0
    let room = isGroup ? end - start : area.x + nameWidth - start
    let used = canvas.write(
      line.name, x: start, y: y, width: max(0, min(room, end - start)),
      Style(isGroup ? .header : line.depth == 1 ? .accent : .text))
    if isGroup {
      guard line.isOpen == false else { return }
      canvas.write(
        line.detail, x: start + used + 1, y: y, width: max(0, end - start - used - 1),
        Style(.muted))
      return
    }
    let x = area.x + nameWidth + 2
    guard x < end else { return }
    if case .table(let name) = line.node, line.detail.isEmpty {
      canvas.write(
        facts(name, browser, width: end - x), x: x, y: y, width: end - x, Style(.muted),
        alignment: .trailing)
    } else {
      canvas.write(line.detail, x: x, y: y, width: end - x, Style(.muted))
    }
  }

  /// Rows and size, as far as they are known and there is room.
  private static func facts(_ table: String, _ browser: SchemaBrowser, width: Int) -> String {
    let rows = browser.counts[table].map { rowText($0) } ?? ""
    guard let sizes = browser.sizes else { return rows }
    let names = [table] + (browser.table(table)?.indexes.map(\.name) ?? [])
    let bytes = names.reduce(Int64(0)) { $0 + (sizes[$1] ?? 0) }
    guard bytes > 0 else { return rows }
    let size = QuantityText.bytes(bytes)
    // Sizes are aligned in a column.
    let both = rows + String(repeating: " ", count: max(2, 11 - size.count)) + size
    return both.count <= width ? both : rows
  }

  static func rowText(_ count: RowCount) -> String {
    switch count {
    case .exact(let number): QuantityText.count(Int(number), "row")
    case .estimate(let number): "~" + QuantityText.count(Int(number), "row")
    case .moreThan(let number): ">" + QuantityText.count(Int(number), "row")
    }
  }
}
