import ObservationEngine

/// What the console shows besides its own state.
struct ConsoleSurroundings {
  let isFocused: Bool
  /// Whether words are offered: not while a question is asked.
  let isOffering: Bool
  /// Whether the cursor is in the text: not below what is in front.
  let hasCursor: Bool
  let glyphs: GlyphSet
  /// What is pressed to type in the console.
  let key: String
  let isReadOnly: Bool
  /// The newest commit in the panels.
  let shownOrdinal: Int
}

/// The SQL console: past statements with their outcomes, and the line being typed.
///
///      sql> begin;
///       tx> update scores set pts = pts + 1250
///        …>  where player = 'grace';              1 row · 2 ms
///       tx> ▏
enum ConsoleView {
  /// The width of `sql> ` and similar prompts.
  private static let promptWidth = 5
  /// The width from which there is room for whole words.
  private static let wide = 61

  static func draw(
    _ console: ConsoleState, _ place: ConsoleSurroundings, number: Int, frame: Rect,
    moment: Moment, on canvas: inout Canvas
  ) {
    let isFocused = place.isFocused
    if let browser = console.browser {
      let context = PanelContext(
        index: number - 1, isFocused: isFocused, showsDelta: false, moment: moment)
      PanelView.draw(browser, frame: frame, context: context, on: &canvas)
      return
    }
    let title = frame.width >= wide ? "\(number) SQL console" : "\(number) SQL"
    let choices = ConsoleFacts.choices(console, place, moment: moment, canvas.symbols)
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: isFocused,
      infoRole: console.transaction == nil ? .muted : .warning, on: &canvas)
    let area = frame.inset(by: 1)
    guard area.width - 2 > promptWidth + 1, area.height > 0 else { return }
    drawLines(console, place, in: area, moment: moment, on: &canvas)
  }

  private static func drawLines(
    _ console: ConsoleState, _ place: ConsoleSurroundings, in area: Rect, moment: Moment,
    on canvas: inout Canvas
  ) {
    let width = area.width - 2
    let input = ConsoleInput(console, place, width: width - promptWidth, symbols: canvas.symbols)
    let offered = place.isOffering ? console.completion : nil
    var height = area.height
    if let offered, height > 2 {
      height -= CompletionView.height(offered, free: 0, most: max(2, area.height / 2))
    }
    // The line with the cursor stays in view, however many lines are typed.
    let firstInput = min(
      max(0, input.lines.count - height), max(0, input.cursorLine - height + 1))
    let shownInput = Array(input.lines.dropFirst(firstInput).prefix(height))
    let transcript = ConsoleTranscript(
      width: width, symbols: canvas.symbols, glyphs: canvas.glyphs, moment: moment,
      shownRows: max(8, area.height - 6),
      openTransaction: console.transactions.number.map { ($0, place.shownOrdinal) })
    let past = transcript.newestLines(
      console.entries, count: height - shownInput.count, skipping: console.transcript.scroll)
    // Until it is full, the console fills from its top.
    for (offset, line) in (past + shownInput).enumerated() {
      line.draw(
        x: area.x + 1, y: area.y + offset, width: width, promptWidth: promptWidth, on: &canvas)
    }
    let cursorRow = past.count + input.cursorLine - firstInput
    if let offered, cursorRow + 2 < area.height {
      let below = area.height - cursorRow - 1
      CompletionView.draw(
        offered, x: area.x + 1 + promptWidth, y: area.y + cursorRow + 1,
        width: width - promptWidth,
        height: CompletionView.height(offered, free: below, most: min(below, area.height / 2)),
        isWide: area.width + 2 >= wide, on: &canvas)
    }
    guard place.hasCursor else { return }
    canvas.cursor = (area.x + 1 + promptWidth + input.cursorColumn, area.y + cursorRow)
  }
}
