import ObservationEngine

/// The SQL console: what was run and what came of it, and the line being typed.
///
///      sql> begin;
///       tx> update scores set pts = pts + 1250
///        …>  where player = 'grace';              1 row · 2 ms
///       tx> ▏
enum ConsoleView {
  /// `sql> ` and its like.
  private static let promptWidth = 5

  static func draw(
    _ state: DashboardState, number: Int, frame: Rect, moment: Moment, on canvas: inout Canvas
  ) {
    let isFocused = state.focus == .console
    let title = "\(number) SQL"
    let choices = infoChoices(state, moment: moment, canvas.symbols)
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: isFocused,
      infoRole: state.console.transaction == nil ? .muted : .warning, on: &canvas)
    let area = frame.inset(by: 1)
    let width = area.width - 2
    guard width > promptWidth + 1, area.height > 0 else { return }

    let input = inputLines(state, width: width - promptWidth, symbols: canvas.symbols)
    // The line with the cursor stays in view, however many are being typed.
    let firstInput = min(
      max(0, input.lines.count - area.height), max(0, input.cursorLine - area.height + 1))
    let shownInput = Array(input.lines.dropFirst(firstInput).prefix(area.height))
    let room = area.height - shownInput.count
    let transcript = ConsoleTranscript(
      width: width, symbols: canvas.symbols, glyphs: canvas.glyphs, moment: moment,
      shownRows: max(8, area.height - 6))
    let past = transcript.newestLines(
      state.console.entries, count: room, skipping: state.console.scroll)
    // Until it is full, the console is read from its top.
    for (offset, line) in (past + shownInput).enumerated() {
      draw(line, x: area.x + 1, y: area.y + offset, width: width, on: &canvas)
    }
    guard isFocused, state.question == nil, state.overlay == nil else { return }
    canvas.cursor = (
      area.x + 1 + promptWidth + input.cursorColumn,
      area.y + past.count + input.cursorLine - firstInput
    )
  }

  private static func draw(
    _ line: ConsoleLine, x: Int, y: Int, width: Int, on canvas: inout Canvas
  ) {
    canvas.write(line.prompt, x: x, y: y, width: promptWidth, Style(.prompt))
    let rightWidth = DisplayText.width(line.right, glyphs: canvas.glyphs)
    let textWidth = width - promptWidth - (rightWidth > 0 ? rightWidth + 1 : 0)
    canvas.write(
      line.text, x: x + promptWidth, y: y, width: textWidth, Style(line.role, dim: line.isQuiet))
    if rightWidth > 0 {
      canvas.write(
        line.right, x: x, y: y, width: width, Style(line.rightRole), alignment: .trailing)
    }
  }

  // MARK: Input

  private struct Input {
    var lines: [ConsoleLine]
    var cursorLine = 0
    var cursorColumn = 0
  }

  /// The text being typed, each line moved so far left that the cursor is seen.
  private static func inputLines(
    _ state: DashboardState, width: Int, symbols: Symbols
  ) -> Input {
    let console = state.console
    let prompt = console.transaction == nil ? "sql> " : " tx> "
    if let search = console.search {
      let found = search.match.map { console.history[$0] } ?? ""
      let text = "(^r) \(search.pattern): "
      return Input(
        lines: [ConsoleLine(prompt: prompt, text: text + found)],
        cursorColumn: min(DisplayText.width(text, glyphs: state.glyphs) - 2, width - 1))
    }
    if console.editor.isEmpty, state.focus != .console {
      let hint = console.runningSince == nil ? "c to type SQL" : ""
      return Input(lines: [ConsoleLine(prompt: prompt, text: hint, role: .muted, isQuiet: true)])
    }
    var input = Input(lines: [])
    var left = console.editor.cursor
    let lines = console.editor.characters.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      var text = String(line)
      if left >= 0, left <= line.count {
        input.cursorLine = index
        input.cursorColumn = DisplayText.width(String(line.prefix(left)), glyphs: state.glyphs)
        if input.cursorColumn >= width {
          // Only the end before the cursor fits, with a sign that there is more.
          let visible = line.prefix(left).suffix(width - 2)
          text = String(DisplayText.ellipsis(state.glyphs)) + String(visible)
          input.cursorColumn = min(DisplayText.width(text, glyphs: state.glyphs), width - 1)
        }
      }
      left -= line.count + 1
      input.lines.append(
        ConsoleLine(prompt: index == 0 ? prompt : symbols.prompt + " ", text: text))
    }
    return input
  }

  // MARK: Frame

  private static func infoChoices(
    _ state: DashboardState, moment: Moment, _ symbols: Symbols
  ) -> [String] {
    if let since = state.console.runningSince {
      let seconds = moment.monotonic > since ? (moment.monotonic - since) / 1_000_000_000 : 0
      let age = QuantityText.age(seconds: seconds)
      return ["running \(age)\(symbols.dot)Ctrl-C cancels", "running \(age)"]
    }
    guard let transaction = state.console.transaction else {
      return [state.readOnly ? "read-only" : "autocommit"]
    }
    var age = ""
    if let since = transaction.since?.monotonic, moment.monotonic >= since {
      age = " " + QuantityText.age(seconds: (moment.monotonic - since) / 1_000_000_000)
    }
    let statements = QuantityText.count(transaction.statements, "stmt")
    let shown = "panels show tx \(state.lastRefresh?.ordinal ?? 0)"
    return [
      "in transaction\(age)\(symbols.dot)\(statements)\(symbols.dot)\(shown)",
      "in tx\(age)\(symbols.dot)\(shown)", "in transaction\(age)",
    ]
  }
}
