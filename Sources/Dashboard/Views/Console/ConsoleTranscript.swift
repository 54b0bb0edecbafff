import ObservationEngine

/// Turns statements and their outcomes into lines.
struct ConsoleTranscript {
  let width: Int
  let symbols: Symbols
  let glyphs: GlyphSet
  let moment: Moment

  /// More rows of a result are told by their number only.
  let shownRows: Int

  private static let promptWidth = 5

  /// The newest lines, oldest first; only as many statements are looked at as these need.
  func newestLines(
    _ entries: [ConsoleState.Entry], count: Int, skipping: Int
  ) -> [ConsoleLine] {
    var lines: [ConsoleLine] = []
    for entry in entries.reversed() {
      if lines.count >= count + skipping { break }
      lines.insert(contentsOf: self.lines(entry), at: 0)
    }
    // Not past the first line, however far the view is scrolled.
    let end = max(min(count, lines.count), lines.count - skipping)
    return Array(lines[max(0, end - count)..<end])
  }

  private func lines(_ entry: ConsoleState.Entry) -> [ConsoleLine] {
    var lines: [ConsoleLine] = []
    let prompt = entry.inTransaction ? " tx> " : "sql> "
    let statements = entry.sql.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, text) in statements.enumerated() {
      lines.append(
        ConsoleLine(prompt: index == 0 ? prompt : symbols.prompt + " ", text: String(text)))
    }
    if case .failed(let error) = entry.outcome {
      insertCaret(error, sql: entry.sql, into: &lines)
      let message = error.code.primary == .interrupted ? "cancelled" : error.message
      for line in TextWrap.lines(
        message, width: width - Self.promptWidth - 2, limit: 4, glyphs: glyphs)
      {
        lines.append(ConsoleLine(text: "! " + line, role: .error))
      }
      return lines
    }
    let outcome = outcomeText(entry)
    let last = lines.count - 1
    let used = Self.promptWidth + DisplayText.width(lines[last].text, limit: width, glyphs: glyphs)
    if used + 1 + DisplayText.width(outcome.text, glyphs: glyphs) > width {
      lines.append(ConsoleLine(text: ""))
    }
    lines[lines.count - 1].right = outcome.text
    lines[lines.count - 1].rightRole = outcome.role
    if case .rows(let result, let total, _) = entry.outcome {
      lines += resultLines(result, total: total)
    }
    return lines
  }

  private func outcomeText(_ entry: ConsoleState.Entry) -> (text: String, role: Style.Role) {
    switch entry.outcome {
    case .running(let since):
      let seconds = moment.monotonic > since ? (moment.monotonic - since) / 1_000_000_000 : 0
      return ("running \(QuantityText.age(seconds: seconds))", .warning)
    case .rows(_, let total, let duration):
      let count = QuantityText.count(total, "row")
      return ("\(count)\(symbols.dot)\(QuantityText.duration(duration))", .muted)
    case .done(let changes, let duration):
      var parts: [String] = []
      if let ordinal = entry.ordinal { parts.append("\(symbols.check) tx \(ordinal)") }
      if let changes { parts.append(QuantityText.count(changes, "row")) }
      if parts.isEmpty { parts.append(symbols.check) }
      if entry.ordinal == nil { parts.append(QuantityText.duration(duration)) }
      return (parts.joined(separator: symbols.dot), entry.ordinal == nil ? .muted : .accent)
    case .failed:
      return ("", .error)
    }
  }

  /// A `^` below the token at fault.
  private func insertCaret(_ error: DatabaseError, sql: String, into lines: inout [ConsoleLine]) {
    guard let offset = error.offset, offset >= 0, offset <= sql.utf8.count else { return }
    var start = 0
    for (index, line) in sql.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let length = line.utf8.count
      if offset <= start + length {
        let before = String(decoding: line.utf8.prefix(offset - start), as: UTF8.self)
        let column = DisplayText.width(before, limit: width, glyphs: glyphs)
        guard column < width - Self.promptWidth else { return }
        let caret = String(repeating: " ", count: column) + symbols.caret
        lines.insert(ConsoleLine(text: caret, role: .error), at: index + 1)
        return
      }
      start += length + 1
    }
  }

  // MARK: Results

  private func resultLines(_ result: RowSet, total: Int) -> [ConsoleLine] {
    guard !result.rows.isEmpty, !result.columns.isEmpty else { return [] }
    let room = width - Self.promptWidth
    let shown = Array(result.rows.prefix(shownRows))
    let sample = RowSet(columns: result.columns, rows: shown)
    let summaries = ColumnSummary.summaries(of: sample, key: [])
    let cells = shown.map { row in
      zip(row, summaries).map {
        DisplayText.cut(ValueText($0, column: $1).text, width: 40, glyphs: glyphs)
      }
    }
    // A few short rows stand beside each other.
    if result.rows.count <= 4, cells.allSatisfy({ $0.count <= 3 }) {
      let line = cells.map { $0.joined(separator: " ") }.joined(separator: " \(symbols.bar) ")
      if DisplayText.width(line, glyphs: glyphs) <= room { return [ConsoleLine(text: line)] }
    }
    var lines = tableLines(cells, summaries, room: room)
    let rest = total - shown.count
    if rest > 0 {
      lines.append(
        ConsoleLine(text: "and \(QuantityText.count(rest, "row")) more", role: .muted))
    }
    return lines
  }

  private func tableLines(
    _ cells: [[String]], _ summaries: [ColumnSummary], room: Int
  ) -> [ConsoleLine] {
    let widths = summaries.indices.map { column in
      cells.reduce(min(DisplayText.width(summaries[column].name, glyphs: glyphs), 40)) {
        max($0, DisplayText.width($1[column], glyphs: glyphs))
      }
    }
    func line(_ texts: [String]) -> String {
      var line = ""
      for column in texts.indices {
        let alignment: DisplayText.Alignment = summaries[column].isNumeric ? .trailing : .leading
        line += DisplayText.fit(
          texts[column], width: widths[column], alignment: alignment, glyphs: glyphs)
        if column < texts.count - 1 { line += "  " }
        // What is beyond the edge is not shown anyway.
        if line.utf8.count > room * 4 { break }
      }
      return line
    }
    return [ConsoleLine(text: line(summaries.map(\.name)), role: .header)]
      + cells.map { ConsoleLine(text: line($0)) }
  }
}
