import ObservationEngine

/// Turns statements and their outcomes into lines.
struct ConsoleTranscript {
  let width: Int
  let symbols: Symbols
  let glyphs: GlyphSet
  let moment: Moment

  /// Further rows of a result are only counted.
  let shownRows: Int
  /// The open transaction: its number, and the newest commit that the panels show.
  var openTransaction: (number: Int, shown: Int)?

  private static let promptWidth = 5

  /// The newest lines, oldest first; only as many statements are rendered as they need.
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
    let prompt = entry.inTransaction ? " tx> " : "sql> "
    var lines = statementLines(entry, prompt: prompt)
    switch entry.outcome {
    case .failed(let error):
      insertCaret(error, sql: entry.sql, into: &lines)
      return lines + messageLines(error)
    case .answered(let answers):
      return lines
        + answers.flatMap {
          TextWrap.note($0, width: width - Self.promptWidth, glyphs: glyphs)
        }.map { ConsoleLine(text: $0, role: .muted) }
    case .rows, .done, .running, .script: break
    }
    if let plan = entry.plan { return lines + plan.map(planLine) }
    let outcome = outcomeText(entry)
    let last = lines.count - 1
    let used = Self.promptWidth + DisplayText.width(lines[last].text, limit: width, glyphs: glyphs)
    if used + 1 + DisplayText.width(outcome.text, glyphs: glyphs) > width {
      lines.append(ConsoleLine(text: ""))
    }
    lines[lines.count - 1].right = outcome.text
    lines[lines.count - 1].rightRole = outcome.role
    if case .script(let progress) = entry.outcome, let error = progress.error {
      lines.append(ConsoleLine(text: "! line \(progress.line), and the statements after it were not run:", role: .error))
      lines += messageLines(error)
    }
    if case .rows(let result, let total, _) = entry.outcome {
      lines += isText(entry, result) ? textLines(result) : resultLines(entry, result, total: total)
      noteUncommitted(entry, in: &lines)
    }
    return lines
  }

  /// The typed text; a command isn't SQL, and has no highlighting.
  private func statementLines(_ entry: ConsoleState.Entry, prompt: String) -> [ConsoleLine] {
    let first = entry.sql.first
    if first == ":" || first == "." {
      return [ConsoleLine(prompt: prompt, text: entry.sql, role: .keyword)]
    }
    let length = entry.sql.utf8.count
    guard length > SQLHighlight.limit else {
      return ConsoleLine.statement(entry.sql, prompt: prompt, symbols: symbols)
    }
    // The start of a pasted text identifies it.
    let start = String(decoding: entry.sql.utf8.prefix(Self.longPrefix), as: UTF8.self)
    var lines = Array(
      ConsoleLine.plain(start, prompt: prompt, symbols: symbols).dropLast().prefix(Self.longLines))
    if lines.isEmpty { lines = [ConsoleLine(prompt: prompt, text: String(start.dropLast()))] }
    let shown = lines.reduce(0) { $0 + $1.text.utf8.count + 1 }
    let rest = QuantityText.bytes(Int64(length - shown))
    return lines + [
      ConsoleLine(prompt: symbols.prompt + " ", text: "and \(rest) more", role: .muted)
    ]
  }

  /// How many lines of a very long statement are shown.
  private static let longLines = 10
  private static let longPrefix = 4096

  private func messageLines(_ error: DatabaseError) -> [ConsoleLine] {
    TextWrap.lines(
      error.message, width: width - Self.promptWidth - 2, limit: 4, glyphs: glyphs
    ).map { ConsoleLine(text: "! " + $0, role: .error) }
  }

  private func planLine(_ line: PlanTree.Line) -> ConsoleLine {
    let blank = String(repeating: " ", count: symbols.rail.count)
    let rails = line.rails.map { $0 ? symbols.rail : blank }.joined()
    let branch = line.isLast ? symbols.lastBranch : symbols.branch
    return ConsoleLine(runs: [
      SQLHighlight.Run(text: rails + branch, role: .border),
      SQLHighlight.Run(text: line.text, role: .text),
    ])
  }

  /// The rows of an open transaction are not those of the panels.
  private func noteUncommitted(_ entry: ConsoleState.Entry, in lines: inout [ConsoleLine]) {
    guard let open = openTransaction, entry.transaction == open.number else { return }
    let note = "(uncommitted: panels still show tx \(open.shown))"
    let last = lines.count - 1
    let used = Self.promptWidth + DisplayText.width(lines[last].text, limit: width, glyphs: glyphs)
    guard lines[last].right.isEmpty,
      used + 2 + DisplayText.width(note, glyphs: glyphs) <= width
    else { return }
    lines[last].right = note
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
      // COMMIT itself changes no rows: show those of its transaction.
      if let rows = changes ?? entry.committedRows { parts.append(QuantityText.count(rows, "row")) }
      if parts.isEmpty { parts.append(symbols.check) }
      if entry.ordinal == nil { parts.append(QuantityText.duration(duration)) }
      return (parts.joined(separator: symbols.dot), entry.ordinal == nil ? .muted : .accent)
    case .script(let progress): return scriptText(progress)
    case .failed, .answered:
      return ("", .error)
    }
  }

  /// `statement 12 of 340 · line 57 · 00:04`, or the outcome of the whole file.
  private func scriptText(
    _ progress: ConsoleState.ScriptProgress
  ) -> (text: String, role: Style.Role) {
    let dot = symbols.dot
    guard let duration = progress.duration else {
      let age = moment.monotonic > progress.since ? moment.monotonic - progress.since : 0
      let time = QuantityText.age(seconds: age / 1_000_000_000)
      let place = "statement \(NumberText.grouped(progress.done + 1)) of "
      return (
        place + NumberText.grouped(progress.count) + "\(dot)line \(progress.line)\(dot)\(time)",
        .warning
      )
    }
    let isWhole = progress.error == nil
    let done =
      isWhole
      ? "\(symbols.check) \(QuantityText.count(progress.done, "statement"))"
      : "\(NumberText.grouped(progress.done)) of "
        + QuantityText.count(progress.count, "statement")
    let rows = QuantityText.count(progress.changes, "row")
    return (
      [done, rows, QuantityText.duration(duration)].joined(separator: dot),
      isWhole ? .muted : .error
    )
  }

  /// A `^` below the offending token.
  private func insertCaret(_ error: DatabaseError, sql: String, into lines: inout [ConsoleLine]) {
    // A long statement does not show all lines.
    guard let offset = error.offset, offset >= 0, offset <= sql.utf8.count,
      sql.utf8.count <= SQLHighlight.limit
    else { return }
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

  /// Whether a command's answer is text, such as the declarations of tables.
  private func isText(_ entry: ConsoleState.Entry, _ result: RowSet) -> Bool {
    result.columns.count == 1 && entry.sql.first == "."
  }

  /// Every row in full, on lines of its own.
  private func textLines(_ result: RowSet) -> [ConsoleLine] {
    result.rows.flatMap { row -> [ConsoleLine] in
      guard case .text(let text) = row[0] else { return [] }
      return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
        TextWrap.lines(String(line), width: width - Self.promptWidth, limit: 20, glyphs: glyphs)
      }.map { ConsoleLine(runs: SQLHighlight($0).runs(of: 0..<$0.utf8.count, in: $0)) }
    }
  }

  private func resultLines(
    _ entry: ConsoleState.Entry, _ result: RowSet, total: Int
  ) -> [ConsoleLine] {
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
    // A few short rows are shown side by side; the columns of a command need no header.
    if entry.sql.first != ".", result.rows.count <= 4, cells.allSatisfy({ $0.count <= 3 }) {
      let line = cells.map { $0.joined(separator: " ") }.joined(separator: " \(symbols.bar) ")
      if DisplayText.width(line, glyphs: glyphs) <= room { return [ConsoleLine(text: line)] }
    }
    var lines = tableLines(cells, summaries, room: room)
    let rest = total - shown.count
    let hint =
      total > result.rows.count && result.rows.count <= shown.count ? "" : " (^o to browse)"
    if rest > 0 {
      lines.append(
        ConsoleLine(text: "\(symbols.ellipsis) \(NumberText.grouped(rest)) more row\(rest == 1 ? "" : "s")\(hint)", role: .muted))
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
        // Text beyond the edge is not shown.
        if line.utf8.count > room * 4 { break }
      }
      return line
    }
    return [ConsoleLine(text: line(summaries.map(\.name)), role: .header)]
      + cells.map { ConsoleLine(text: line($0)) }
  }
}
