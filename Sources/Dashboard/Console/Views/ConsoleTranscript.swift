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
  /// Cells next to the prompt.
  private var room: Int { width - Self.promptWidth }

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
    ownLines(entry) + entry.notices.flatMap(noticeLines)
  }

  private func ownLines(_ entry: ConsoleState.Entry) -> [ConsoleLine] {
    let prompt = entry.inTransaction ? " tx> " : "sql> "
    let typed = statementLines(entry, prompt: prompt)
    var lines = wrapped(typed)
    switch entry.outcome {
    case .failed(let error):
      return wrapped(typed, caret: place(of: error, in: entry.sql))
        + messageLines(error.message)
    case .answered(let answers):
      return lines
        + answers.flatMap {
          TextWrap.note($0, width: room, glyphs: glyphs)
        }.map { ConsoleLine(text: $0, role: .muted) }
    case .rows, .done, .running, .script: break
    }
    if let plan = entry.plan { return lines + plan.flatMap(planLines) }
    let outcome = outcomeText(entry)
    let last = lines.count - 1
    let used = Self.promptWidth + DisplayText.width(lines[last].text, limit: width, glyphs: glyphs)
    if used + 1 + DisplayText.width(outcome.text, glyphs: glyphs) > width {
      lines.append(ConsoleLine(text: ""))
    }
    lines[lines.count - 1].right = outcome.text
    lines[lines.count - 1].rightRole = outcome.role
    if case .script(let progress) = entry.outcome, let error = progress.error {
      lines += messageLines(
        "line \(progress.line): \(error.message) (stopped; later statements not run)")
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
    return lines + [more(bytes: length - shown)]
  }

  private func more(bytes: Int) -> ConsoleLine {
    let rest = QuantityText.bytes(Int64(bytes))
    return ConsoleLine(prompt: symbols.prompt + " ", text: "and \(rest) more", role: .muted)
  }

  /// How many lines of a very long statement are shown, or of one of its lines.
  private static let longLines = 10
  private static let longPrefix = 4096

  private func noticeLines(_ notice: String) -> [ConsoleLine] {
    TextWrap.cut(notice, width: room, limit: 12, glyphs: glyphs)
      .map { ConsoleLine(text: $0, role: .warning) }
  }

  private func messageLines(_ message: String) -> [ConsoleLine] {
    TextWrap.cut(
      message, width: room - 2, limit: 12, glyphs: glyphs
    ).map { ConsoleLine(text: "! " + $0, role: .error) }
  }

  private func planLines(_ line: PlanTree.Line) -> [ConsoleLine] {
    let blank = String(repeating: " ", count: symbols.rail.count)
    let rails = line.rails.map { $0 ? symbols.rail : blank }.joined()
    let branch = line.isLast ? symbols.lastBranch : symbols.branch
    return ConsoleLine(runs: [
      SQLHighlight.Run(text: rails + branch, role: .border),
      SQLHighlight.Run(text: line.text, role: .text),
    ]).wrapped(
      width: room, indent: min(room / 2, DisplayText.width(rails + branch, glyphs: glyphs) + 2),
      glyphs: glyphs)
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
      return endText(QuantityText.count(total, "row"), entry, duration)
    case .done(let changes, let duration):
      // COMMIT itself changes no rows: show those of its transaction.
      let rows = (changes ?? entry.committedRows).map { QuantityText.count($0, "row") }
      return endText(rows ?? (entry.ordinal == nil ? symbols.check : nil), entry, duration)
    case .script(let progress): return scriptText(progress)
    case .failed, .answered:
      return ("", .error)
    }
  }

  /// `✓ tx 12 · 3 rows` for a statement that made a commit, `3 rows · 1.2 ms` for any other.
  private func endText(
    _ result: String?, _ entry: ConsoleState.Entry, _ duration: Duration
  ) -> (text: String, role: Style.Role) {
    let commit = entry.ordinal.map { "\(symbols.check) tx \($0)" }
    let time = entry.ordinal == nil ? QuantityText.duration(duration) : nil
    let parts = [commit, result, time].compactMap(\.self)
    return (parts.joined(separator: symbols.dot), entry.ordinal == nil ? .muted : .accent)
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

  /// The line of the offending token, and the text before it.
  private func place(
    of error: DatabaseError, in sql: String
  ) -> (line: Int, before: String)? {
    // A long statement does not show all lines.
    guard let offset = error.offset, offset >= 0, offset <= sql.utf8.count,
      sql.utf8.count <= SQLHighlight.limit
    else { return nil }
    var start = 0
    for (index, line) in sql.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let length = line.utf8.count
      if offset <= start + length {
        return (index, String(decoding: line.utf8.prefix(offset - start), as: UTF8.self))
      }
      start += length + 1
    }
    return nil
  }

  /// Lines of a statement, over as many lines as they need.
  ///
  /// - Parameter caret: Where a `^` points to: a line, and the text before the place.
  private func wrapped(
    _ lines: [ConsoleLine], caret: (line: Int, before: String)? = nil
  ) -> [ConsoleLine] {
    lines.enumerated().flatMap { index, line in
      var wrapped = line.wrapped(width: room, glyphs: glyphs)
      if let caret, caret.line == index {
        let place = ConsoleLine.end(of: caret.before, width: room, glyphs: glyphs)
        let text = String(repeating: " ", count: place.column) + symbols.caret
        wrapped.insert(
          ConsoleLine(text: text, role: .error), at: min(place.line + 1, wrapped.count))
      } else if wrapped.count > Self.longLines {
        let rest = wrapped[Self.longLines...].reduce(0) { $0 + $1.text.utf8.count }
        wrapped.removeSubrange(Self.longLines...)
        wrapped.append(more(bytes: rest))
      }
      return wrapped
    }
  }

  // MARK: Results

  /// Whether an answer is text, such as the declarations of tables or a server's plan.
  private func isText(_ entry: ConsoleState.Entry, _ result: RowSet) -> Bool {
    result.columns.count == 1 && (entry.sql.first == "." || result.columns == ["QUERY PLAN"])
  }

  /// Every row in full, on lines of its own.
  private func textLines(_ result: RowSet) -> [ConsoleLine] {
    result.rows.flatMap { row -> [ConsoleLine] in
      guard case .text(let text) = row[0] else { return [] }
      return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
        TextWrap.cut(String(line), width: room, limit: 200, glyphs: glyphs)
      }.map { ConsoleLine(runs: SQLHighlight($0).runs(of: 0..<$0.utf8.count, in: $0)) }
    }
  }

  private func resultLines(
    _ entry: ConsoleState.Entry, _ result: RowSet, total: Int
  ) -> [ConsoleLine] {
    guard !result.rows.isEmpty, !result.columns.isEmpty else { return [] }
    let shown = Array(result.rows.prefix(shownRows))
    let sample = RowSet(columns: result.columns, rows: shown)
    let summaries = ColumnSummary.summaries(of: sample, key: [])
    let cells = shown.map { row in
      zip(row, summaries).map {
        DisplayText.cut(ValueText($0, column: $1).text, width: Self.cellWidth, glyphs: glyphs)
      }
    }
    let widths = summaries.indices.map { column in
      cells.reduce(min(DisplayText.width(summaries[column].name, glyphs: glyphs), Self.cellWidth)) {
        max($0, DisplayText.width($1[column], glyphs: glyphs))
      }
    }
    let ends = widths.reduce(into: [Int]()) { $0.append(($0.last ?? -2) + 2 + $1) }
    let columns = ends.count { $0 > room }
    if columns > 0, total == 1 { return rowLines(shown[0], summaries) }
    var lines = tableLines(cells, summaries, widths)
    let rest = [(total - shown.count, "more row"), (columns, "more column")].filter { $0.0 > 0 }
    let canBrowse = total <= result.rows.count || result.rows.count > shown.count
    if !rest.isEmpty {
      let counts = rest.map { QuantityText.count($0.0, $0.1) }.joined(separator: ", ")
      lines.append(
        ConsoleLine(
          text: "\(symbols.ellipsis) \(counts)\(canBrowse ? " (^o to browse)" : "")",
          role: .muted))
    }
    return lines
  }

  /// The maximum width of a value in a table, or of a name.
  private static let cellWidth = 40

  private func tableLines(
    _ cells: [[String]], _ summaries: [ColumnSummary], _ widths: [Int]
  ) -> [ConsoleLine] {
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

  /// One row that is too wide for a table: a column in each line.
  private func rowLines(_ row: [Value], _ summaries: [ColumnSummary]) -> [ConsoleLine] {
    let names = summaries.map { DisplayText.cut($0.name, width: room / 3, glyphs: glyphs) }
    let width = names.reduce(0) { max($0, DisplayText.width($1, glyphs: glyphs)) }
    return zip(names, zip(row, summaries)).flatMap { name, cell in
      TextWrap.cut(
        ValueText(cell.0, column: cell.1).text, width: room - width - 2, limit: 4, glyphs: glyphs
      ).enumerated().map { index, text in
        ConsoleLine(runs: [
          SQLHighlight.Run(
            text: DisplayText.fit(index == 0 ? name : "", width: width, glyphs: glyphs) + "  ",
            role: .header),
          SQLHighlight.Run(text: text, role: .text),
        ])
      }
    }
  }
}
