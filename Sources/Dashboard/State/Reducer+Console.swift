import ObservationEngine

extension DashboardState {
  /// Handles an event of the console's executor: here what concerns more than the console.
  mutating func receive(_ event: ConsoleEvent) -> [Effect] {
    switch event {
    case .needsConfirmation(let text, let sql):
      console.counted = nil
      guard mayAskInConsole else { return takeBack(because: Self.elsewhere) }
      modes.ask(.run(sql: sql, text: text))
    case .needsScriptConfirmation(let summary):
      console.reading = nil
      guard mayAskInConsole else { return takeBack(because: Self.elsewhere) }
      // The sign and the keys for the answer are next to it.
      modes.ask(.script(text: summary.question(width: size.width - 11, glyphs)))
    case .pinned(let panel): return receive(pinned: panel)
    case .undoable(let commit): return offerUndo(commit)
    case .undone(let commit, let error): receive(undone: commit, error)
    case .redoable(let commit, let ordinal): return offerRedo(commit, endedBy: ordinal)
    case .redone(let commit, let error): receive(redone: commit, error)
    case .commitRows(let rows, let ordinal): receive(rows, of: ordinal)
    case .incomplete, .counting, .needsParameters, .started, .finished, .failed, .progressed,
      .answered, .script, .scriptRows, .transaction, .vocabulary:
      return console.receive(event, &news).map(Effect.console)
    }
    return []
  }

  /// Requests the names that can be completed, if they are needed and outdated.
  mutating func wantedVocabulary(isTyping: Bool) -> [Effect] {
    guard focus == .console else { return [] }
    return console.wantsVocabulary(isTyping: isTyping, at: now.monotonic)
      ? [.console(.readVocabulary)] : []
  }

  /// Types a key into the console's text.
  mutating func typeInConsole(_ key: Key) {
    if let cut = console.editor.cut(key) {
      console.kills.keep(cut.text, isBackward: cut.isBackward)
      console.complete()
    } else {
      console.kills.pause()
      edit(key)
    }
  }

  /// Runs the typed text.
  mutating func submit() -> [Effect] {
    guard !refuseWhileConsoleWorks() else { return [] }
    guard !console.editor.characters.allSatisfy(\.isWhitespace) else { return [] }
    if let command = ConsoleCommand(console.editor.text, dialect: dialect) { return run(command) }
    return [.console(.submit(console.submit()))]
  }

  /// Reports that the console runs a statement, or waits to ask about one, if so.
  ///
  /// - Returns: Whether it does.
  mutating func refuseWhileConsoleWorks() -> Bool {
    switch console.work {
    case .nothing: return false
    case .running: message = Message("a statement is running; Ctrl-C cancels it", .warning)
    case .counting:
      message = Message("a statement waits for its rows to be counted; Ctrl-C drops it", .warning)
    case .reading(let reading):
      message = Message("\(reading.name) is being read; Ctrl-C takes it back", .warning)
    }
    return true
  }

  /// Handles a key before the submitted text starts, or before a question about it is shown: the
  /// key neither changes the text nor answers an unseen question. Nil when it has its usual
  /// meaning.
  mutating func refuseWhilePreparing(_ key: Key) -> [Effect]? {
    switch key {
    case .control("c"), .escape, .backTab, .pageUp, .pageDown: return nil
    default:
      if !refuseWhileConsoleWorks() {
        message = Message("what was typed is under way; Ctrl-C takes it back", .warning)
      }
      return []
    }
  }

  /// Cancels the running statement, or revokes submitted ones that have not started; nil when there
  /// is neither.
  mutating func cancelInConsole() -> [Effect]? {
    if console.runningSince != nil { return [.console(.cancelStatement)] }
    guard console.submitted != nil || console.counted != nil else { return nil }
    return [.console(.cancelStatement)] + takeBack()
  }

  /// Runs nothing of the submitted text that has not started; the text stays in the editor, to be
  /// corrected.
  mutating func takeBack(because reason: String? = nil) -> [Effect] {
    console.withdraw()
    message = Message(reason.map { "not run: \($0)" } ?? "not run")
    return [.console(.discardStatements)]
  }

  private static let elsewhere = "there was a question to answer, and you were elsewhere"

  /// Whether the user is still where the statement was typed: elsewhere a key with another meaning
  /// could become the answer.
  private var mayAskInConsole: Bool {
    contexts.contains { [.editor, .result, .parameters].contains($0) }
  }

  /// Edits the console's text, and offers words for it.
  mutating func edit(_ key: Key) {
    let before = console.editor.revision
    guard console.editor.edit(key) else { return }
    console.scroll = 0
    guard console.editor.revision != before else {
      console.completion = nil
      return
    }
    // A restarted word may be completed again.
    if console.editor.cursor <= console.dismissedWord ?? 0 { console.dismissedWord = nil }
    if case .paste = key { console.completion = nil } else { console.complete() }
  }

  // MARK: Completion

  /// Offers words for the text, or leaves an empty one.
  mutating func completeOrLeave() -> [Effect] {
    guard !console.editor.isEmpty else {
      leaveConsole(backwards: false)
      return []
    }
    console.dismissedWord = nil
    console.complete(isAsked: true)
    guard let completion = console.completion else {
      message = Message("nothing to complete here; Esc leaves the console")
      return []
    }
    if completion.offer.candidates.count == 1 { console.acceptCompletion() }
    return []
  }

  // MARK: Parameters

  /// Types a key into the value of a parameter.
  mutating func typeParameter(_ key: Key) {
    _ = console.parameters?.input.edit(key)
  }

  /// Takes the typed value, and runs the statement after the last one.
  mutating func acceptParameter() -> [Effect] {
    guard var prompt = console.parameters else { return [] }
    console.parameterTexts[prompt.name] = prompt.input.text
    prompt.next(known: console.parameterTexts)
    guard prompt.isComplete else {
      console.parameters = prompt
      return []
    }
    console.parameters = nil
    return [.console(.bind(sql: prompt.sql, values: prompt.values))]
  }

  /// Goes back to the value before.
  mutating func returnToParameter() {
    guard var prompt = console.parameters else { return }
    if prompt.back(known: console.parameterTexts) { console.parameters = prompt }
  }

  // MARK: History

  /// Types a key into the pattern of `^r`; nil when it ends the search and has another meaning.
  mutating func typePattern(_ key: Key) -> [Effect]? {
    guard case .character(let character) = key else {
      console.endSearch(accept: true)
      return nil
    }
    console.search?.pattern.append(character)
    console.searchHistory(older: false)
    return []
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
