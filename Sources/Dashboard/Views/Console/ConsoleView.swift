import ObservationEngine

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
    _ state: DashboardState, number: Int, frame: Rect, moment: Moment, on canvas: inout Canvas
  ) {
    let isFocused = state.focus == .console
    if let browser = state.console.browser {
      let context = PanelContext(
        index: number - 1, isFocused: isFocused, showsDelta: false, moment: moment)
      PanelView.draw(browser, frame: frame, context: context, on: &canvas)
      return
    }
    let title = frame.width >= wide ? "\(number) SQL console" : "\(number) SQL"
    let choices = ConsoleFacts.choices(state, moment: moment, canvas.symbols)
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: isFocused,
      infoRole: state.console.transaction == nil ? .muted : .warning, on: &canvas)
    let area = frame.inset(by: 1)
    guard area.width - 2 > promptWidth + 1, area.height > 0 else { return }
    drawLines(state, in: area, moment: moment, on: &canvas)
  }

  private static func drawLines(
    _ state: DashboardState, in area: Rect, moment: Moment, on canvas: inout Canvas
  ) {
    let isFocused = state.focus == .console
    let width = area.width - 2
    let input = ConsoleInput(state, width: width - promptWidth, symbols: canvas.symbols)
    let offered = isFocused && state.modes.question == nil ? state.console.completion : nil
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
      openTransaction: state.console.transaction == nil
        ? nil : (state.console.transactionNumber, state.lastRefresh?.ordinal ?? 0))
    let past = transcript.newestLines(
      state.console.entries, count: height - shownInput.count, skipping: state.console.scroll)
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
    guard isFocused, state.modes.question == nil, state.modes.overlay == nil else { return }
    canvas.cursor = (area.x + 1 + promptWidth + input.cursorColumn, area.y + cursorRow)
  }
}
