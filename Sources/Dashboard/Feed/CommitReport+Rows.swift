import DatabaseConsole
import ObservationEngine

/// The rows of its tables that a commit changed.
extension CommitReport {
  /// The maximum cells for a value, and for each side of a change: in a column, and where rows have
  /// lines of their own.
  private static let (widestValue, longestValue) = (32, 100)

  /// - Parameters:
  ///   - rows: What the engine knows; nil when it is not kept.
  ///   - wasAsked: Whether it was asked for: before that there is nothing to say.
  static func rowLines(
    _ commit: Commit, _ rows: CommitRows?, wasAsked: Bool, _ place: Surroundings,
    _ symbols: Symbols
  ) -> [Line] {
    guard place.hasConsole else {
      return [Line(name: "rows", text: "a recording has those of the panels alone")]
    }
    guard place.dialect == .sqlite else {
      let text = "a PostgreSQL server doesn't hand out those that commits changed"
      return [Line(name: "rows", text: text)]
    }
    guard wasAsked else { return [] }
    guard let rows else {
      return [Line(name: "rows", text: "not kept any more: too much was committed since")]
    }
    var lines = rows.remark.map { [Line(name: "rows", text: $0)] } ?? []
    // The frame, its margin, and the sign of each row.
    let room = place.width - 4 - 4 - 4
    for table in rows.tables { lines += self.lines(of: table, room: room, place.glyphs, symbols) }
    return lines
  }

  private static func lines(
    of table: CommitRows.Table, room: Int, _ glyphs: GlyphSet, _ symbols: Symbols
  ) -> [Line] {
    let counts = table.counts.map { " " + FeedLine.counts($0).joined(separator: " ") } ?? ""
    var lines = [Line(), Line(text: "table \(table.name) \(counts)", role: .title)]
    if let missing = table.missing {
      return lines + [Line(text: "  rows not kept: \(missing)", role: .muted)]
    }
    let values = table.rows.flatMap { [$0.old, $0.new].compactMap(\.self) }
    let columns = ColumnSummary.summaries(
      of: RowSet(columns: table.columns, rows: values), key: [])
    func texts(width: Int) -> [[String]] {
      table.rows.map { entry in
        columns.indices.map { cell(entry, $0, columns[$0], width, glyphs, symbols) }
      }
    }
    let cells = texts(width: widestValue)
    let widths = columns.indices.map { column in
      cells.reduce(DisplayText.width(columns[column].name, limit: widestValue, glyphs: glyphs)) {
        max($0, DisplayText.width($1[column], glyphs: glyphs))
      }
    }
    if widths.reduce(0, { $0 + $1 + 2 }) <= room {
      func line(_ texts: [String]) -> String {
        columns.indices.map { column in
          DisplayText.fit(
            texts[column], width: widths[column],
            alignment: columns[column].isNumeric ? .trailing : .leading, glyphs: glyphs)
        }.joined(separator: "  ")
      }
      lines.append(Line(text: "    " + line(columns.map(\.name)), role: .header))
      for (entry, cells) in zip(table.rows, cells) {
        lines.append(Line(text: "  \(sign(entry)) " + line(cells), role: role(entry)))
      }
    } else {
      // Too wide for columns: an updated row shows its key, and what changed.
      for (entry, cells) in zip(table.rows, texts(width: longestValue)) {
        lines.append(
          Line(text: "  \(sign(entry)) " + text(entry, cells, columns), role: role(entry)))
      }
    }
    let total = table.counts.map { $0.inserted + $0.updated + $0.deleted } ?? table.rows.count
    if total > table.rows.count {
      let rest = NumberText.grouped(total - table.rows.count)
      lines.append(Line(text: "  and \(rest) more", role: .muted))
    }
    return lines
  }

  private static func text(
    _ entry: RowDifference.Entry, _ cells: [String], _ columns: [ColumnSummary]
  ) -> String {
    guard let old = entry.old, let new = entry.new else {
      return columns.indices.map { "\(columns[$0].name) \(cells[$0])" }.joined(separator: "  ")
    }
    let key =
      switch entry.key {
      case .rowid(let rowid): "rowid \(rowid)"
      case .primaryKey(let values):
        values.map { cut(SQLLiteral.text($0)) }.joined(separator: "  ")
      }
    let changes = columns.indices.filter { old[$0] != new[$0] }
      .map { "\(columns[$0].name) \(cells[$0])" }
    return key + "  " + changes.joined(separator: ", ")
  }

  /// The text of one cell: the value, or `old → new`.
  private static func cell(
    _ entry: RowDifference.Entry, _ index: Int, _ column: ColumnSummary, _ width: Int,
    _ glyphs: GlyphSet, _ symbols: Symbols
  ) -> String {
    func text(_ value: Value) -> String {
      DisplayText.cut(cut(ValueText(value, column: column).text), width: width, glyphs: glyphs)
    }
    guard let old = entry.old else { return entry.new.map { text($0[index]) } ?? "" }
    guard let new = entry.new, new[index] != old[index] else { return text(old[index]) }
    var texts = (text(old[index]), text(new[index]))
    // What is cut off may be what differs.
    if texts.0 == texts.1 {
      let whole = [old[index], new[index]].map { ValueText($0, column: column).text }
      let same = whole[0].commonPrefix(with: whole[1], before: width / 2)
      let mark = DisplayText.cut("--", width: 1, glyphs: glyphs)
      let ends = whole.map { text in
        DisplayText.cut(mark + cut(String(text.dropFirst(same))), width: width, glyphs: glyphs)
      }
      texts = (ends[0], ends[1])
    }
    return "\(texts.0) \(symbols.arrow) \(texts.1)"
  }

  private static func sign(_ entry: RowDifference.Entry) -> String {
    entry.old == nil ? "+" : entry.new == nil ? "-" : "~"
  }

  private static func role(_ entry: RowDifference.Entry) -> Style.Role {
    entry.old == nil ? .inserted : entry.new == nil ? .removed : .changed
  }
}

extension String {
  /// How many characters two texts begin with in common, less some that are shown before the first
  /// difference.
  fileprivate func commonPrefix(with other: String, before count: Int) -> Int {
    var same = 0
    for (left, right) in zip(self, other) {
      guard left == right else { break }
      same += 1
    }
    return max(0, same - count)
  }
}
