import ObservationEngine

// The panes of the features, as the whole state has them.

extension AlertNote {
  /// The note for a panel that alerts; nil for any other.
  init?(_ state: DashboardState, panel index: Int) {
    guard state.panels[index].definition.alert != nil else { return nil }
    let panel = state.panels[index]
    self.init(
      panel, state.alerts.board[panel.definition.name], glyphs: state.glyphs,
      utcOffsetSeconds: state.utcOffsetSeconds)
  }
}

extension ConsoleView {
  static func draw(
    _ state: DashboardState, number: Int, frame: Rect, moment: Moment, on canvas: inout Canvas
  ) {
    let isFocused = state.focus == .console
    let isAsked = state.modes.question != nil
    let place = ConsoleSurroundings(
      isFocused: isFocused, isOffering: isFocused && !isAsked,
      hasCursor: isFocused && !isAsked && state.modes.overlay == nil, glyphs: state.glyphs,
      key: state.keyMap.mention("console"), isReadOnly: state.isReadOnly,
      shownOrdinal: state.lastRefresh?.ordinal ?? 0)
    draw(state.console, place, number: number, frame: frame, moment: moment, on: &canvas)
  }
}

extension FeedView {
  /// The newest commit, where the feed isn't on the screen.
  static func drawNewest(_ state: DashboardState, in line: Rect, on canvas: inout Canvas) {
    drawNewest(
      state.feed, surroundings(state), x: line.x + 3, y: line.y, width: line.width - 4,
      on: &canvas)
  }

  private static func surroundings(_ state: DashboardState) -> Surroundings {
    Surroundings(
      isFocused: state.focus == .feed, panelCount: state.panels.count,
      shownOrdinal: state.timeline.shownFrame?.ordinal, utcOffsetSeconds: state.utcOffsetSeconds)
  }

  static func draw(
    _ state: DashboardState, number: Int, frame: Rect, on canvas: inout Canvas
  ) {
    draw(state.feed, surroundings(state), number: number, frame: frame, on: &canvas)
  }
}

extension SchemaView {
  static func draw(
    _ state: DashboardState, number: Int, frame: Rect, on canvas: inout Canvas
  ) {
    // Alone on the screen, it has no number.
    let isNumbered = state.layout.otherPanes.contains(.schema) && number <= 9
    draw(
      state.schema, number: isNumbered ? number : nil, isFocused: state.focus == .schema,
      isRecording: state.source.isRecording, frame: frame, on: &canvas)
  }
}
