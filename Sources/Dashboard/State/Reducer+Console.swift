import ObservationEngine

/// The console among the other parts of the dashboard.
extension DashboardState {
  /// Changes the console, and passes on what it asks of the user and of its executor.
  mutating func withConsole(
    _ change: (inout ConsoleState, inout ConsoleContext) -> [ConsoleEffect]
  ) -> [Effect] {
    var context = ConsoleContext(
      panelCommands: Binding.commandNames,
      panels: panels.map(\.definition), isReadOnly: isReadOnly,
      hasFile: setting.dashboardName != nil, hasGenerated: explorer?.generated != nil,
      isAttended: contexts.contains { [.editor, .result, .parameters].contains($0) },
      size: size, glyphs: glyphs, utcOffsetSeconds: utcOffsetSeconds, news: news)
    let effects = change(&console, &context)
    news = context.news
    if let question = context.question { modes.ask(.console(question)) }
    let saving = context.fileOfGenerated.map { saveGenerated(to: $0) } ?? []
    return effects.map(Effect.console) + saving
  }

  /// Handles an event of the console's executor.
  mutating func receive(_ event: ConsoleEvent) -> [Effect] {
    if case .commitRows(let rows, let ordinal) = event { receive(rows, of: ordinal) }
    // One of an earlier session may have been hidden under this name.
    if case .pinned(let panel) = event { panes.choices.hiddenPanels.remove(panel.name) }
    let refusal = console.work.refusal
    defer {
      // It is true no more.
      if let refusal, console.work.refusal != refusal, message?.text == refusal { message = nil }
    }
    return withConsole { $0.receive(event, &$1) }
  }

  /// Requests the names that can be completed, if they are needed and outdated.
  mutating func wantedVocabulary(isTyping: Bool) -> [Effect] {
    guard focus == .console else { return [] }
    return console.vocabulary.mustBeRead(isTyping: isTyping, at: now.monotonic)
      ? [.console(.readVocabulary)] : []
  }

  /// Handles a key before the submitted text starts; nil when it has its usual meaning.
  mutating func refuseWhilePreparing(_ key: Key) -> [Effect]? {
    var isRefused = false
    let effects = withConsole { console, context in
      isRefused = console.refuses(key, &context)
      return []
    }
    return isRefused ? effects : nil
  }

  /// Cancels the running statement, or revokes submitted ones that have not started; nil when there
  /// is neither.
  mutating func cancelInConsole() -> [Effect]? {
    console.canCancel ? withConsole { $0.cancel(&$1) } : nil
  }

  /// Handles a click on the console.
  mutating func clickConsole(_ frame: Rect, x: Int, y: Int) -> [Effect] {
    let isFocused = focus == .console
    focus = .console
    return console.click(frame, x: x, y: y, isFocused: isFocused) ? openChosen() : []
  }

  /// Returns to the panel that most likely opened it.
  mutating func leaveConsoleForPanel() {
    guard !panels.isEmpty else { return leaveConsole(backwards: false) }
    panes.isZoomed = false
    focus = .panel(lastFocusedPanel)
  }

  mutating func leaveConsole(backwards: Bool) {
    panes.isZoomed = false
    moveFocus(by: backwards ? -1 : 1)
  }
}
