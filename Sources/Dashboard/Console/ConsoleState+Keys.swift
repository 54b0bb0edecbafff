import ObservationEngine

// What keys do to the text, to what is asked for it, and to the work that it caused.

extension ConsoleState {
  /// Types a key into the text.
  mutating func type(_ key: Key) {
    if let cut = editor.cut(key) {
      typed.kills.keep(cut.text, isBackward: cut.isBackward)
      complete()
    } else {
      typed.kills.pause()
      edit(key)
    }
  }

  /// Edits the text, and offers words for it.
  mutating func edit(_ key: Key) {
    let before = editor.revision
    guard editor.edit(key) else { return }
    transcript.scroll = 0
    guard editor.revision != before else {
      completion = nil
      return
    }
    // A restarted word may be completed again.
    if editor.cursor <= typed.dismissedWord ?? 0 { typed.dismissedWord = nil }
    if case .paste = key { completion = nil } else { complete() }
  }

  /// Offers words because the user asks for them; the only one is taken.
  mutating func completeOnRequest(_ context: inout ConsoleContext) {
    typed.dismissedWord = nil
    complete(isAsked: true)
    guard let completion else {
      return context.say("nothing to complete here; Esc leaves the console")
    }
    if completion.offer.candidates.count == 1 { acceptCompletion() }
  }

  /// Types a key into the pattern of `^r`.
  ///
  /// - Returns: false when it ends the search and has another meaning.
  mutating func typePattern(_ key: Key) -> Bool {
    guard case .character(let character) = key else {
      endSearch(accept: true)
      return false
    }
    search?.pattern.append(character)
    searchHistory(older: false)
    return true
  }

  // MARK: Running

  /// Runs the typed text.
  mutating func submit(_ context: inout ConsoleContext) -> [ConsoleEffect] {
    guard !editor.characters.allSatisfy(\.isWhitespace) else { return [] }
    // What isn't complete goes on, as it does when nothing runs.
    if work.refusal != nil, ConsoleCommand(editor.text, dialect: dialect) == nil,
      SQLTokenizer.tokens(of: editor.text, dialect: dialect).last?.isSymbol(";") != true
    {
      edit(.paste("\n"))
      return []
    }
    guard !refusesWork(&context) else { return [] }
    if let command = ConsoleCommand(editor.text, dialect: dialect) { return run(command, &context) }
    return [.submit(submit())]
  }

  /// Reports that a statement runs, or that a question about one is being prepared, if so.
  mutating func refusesWork(_ context: inout ConsoleContext) -> Bool {
    guard let refusal = work.refusal else { return false }
    context.say(refusal, .warning)
    return true
  }

  /// Refuses a key before the submitted text starts, or before a question about it is shown: the
  /// key neither changes the text nor answers an unseen question.
  ///
  /// - Returns: Whether it is refused; otherwise it has its usual meaning.
  mutating func refuses(_ key: Key, _ context: inout ConsoleContext) -> Bool {
    switch key {
    case .control("c"), .escape, .backTab, .pageUp, .pageDown: return false
    default:
      if !refusesWork(&context) {
        context.say("what was typed is under way; Ctrl-C takes it back", .warning)
      }
      return true
    }
  }

  /// Whether a statement runs that can be cancelled, or a submitted one can be revoked.
  var canCancel: Bool {
    runningSince != nil || work.submitted != nil || work.counted != nil
  }

  /// Cancels the running statement, or revokes submitted ones that have not started.
  mutating func cancel(_ context: inout ConsoleContext) -> [ConsoleEffect] {
    guard runningSince == nil else { return [.cancelStatement] }
    return [.cancelStatement] + takeBack(&context)
  }

  /// Runs nothing of the submitted text that has not started; the text stays in the editor, to be
  /// corrected.
  mutating func takeBack(
    _ context: inout ConsoleContext, because reason: String? = nil
  ) -> [ConsoleEffect] {
    withdraw()
    context.say(reason.map { "not run: \($0)" } ?? "not run")
    return [.discardStatements]
  }

  /// Handles the answer to a question.
  mutating func answer(
    _ question: ConsoleQuestion, _ isYes: Bool, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    switch (question, isYes) {
    case (.run(let sql, _), true): return [.run(sql: sql)]
    case (.script, true): return [.runScript]
    case (.undo(let commit, _), true):
      return [.undo(commit)]
    case (.redo(let commit, _), true):
      return [.redo(commit)]
    case (.save(let addition), true):
      return [.confirmSave(addition, command: work.submitted ?? ":save")]
    case (.save, false):
      context.say("not saved")
      return takeCommand()
    case (.run, false), (.script, false): return takeBack(&context)
    case (.undo, false): context.say("not undone")
    case (.redo, false): context.say("not redone")
    }
    return []
  }

  // MARK: Parameters

  /// Takes the typed value, and runs the statement after the last one.
  mutating func acceptParameter() -> [ConsoleEffect] {
    guard var prompt = parameters else { return [] }
    parameterTexts[prompt.name] = prompt.input.text
    prompt.next(known: parameterTexts)
    guard prompt.isComplete else {
      parameters = prompt
      return []
    }
    parameters = nil
    return [.bind(sql: prompt.sql, values: prompt.values)]
  }

  /// Goes back to the value before.
  mutating func returnToParameter() {
    guard var prompt = parameters else { return }
    if prompt.back(known: parameterTexts) { parameters = prompt }
  }

  // MARK: The newest result

  /// Opens the newest result for browsing.
  mutating func openBrowser(_ context: inout ConsoleContext) {
    guard let (entry, rows, total) = transcript.newestResult else {
      return context.say("there is no result to look through yet")
    }
    // Which rows are in view is shown next to it.
    let query = DisplayText.cut(
      entry.sql.split(whereSeparator: \.isWhitespace).joined(separator: " "),
      width: max(12, context.size.width * 5 / 8 - 28), glyphs: context.glyphs)
    let title =
      rows.rows.count < total
      ? "first \(NumberText.grouped(rows.rows.count)) of \(NumberText.grouped(total)): \(query)"
      : query
    var browser = PanelState(
      definition: PanelDefinition(name: "result", title: title, sql: entry.sql, view: .table))
    browser.receive(rows, ordinal: 0, at: context.news.now)
    browser.moveCursor(to: 0, visible: 1)
    activity = .browsing(browser)
  }

  /// Handles a click: in a browsed result, it chooses the row under the mouse.
  ///
  /// - Returns: Whether it opens the row that was chosen already.
  mutating func click(_ frame: Rect, x: Int, y: Int, isFocused: Bool) -> Bool {
    guard let browser else { return false }
    let rows = PanelGeometry(.table, frame: frame).rows
    let row = browser.top + y - rows.y
    guard rows.contains(x: x, y: y), row < browser.order.count else { return false }
    if isFocused, browser.cursor == row { return true }
    self.browser?.moveCursor(to: row, visible: rows.height)
    return false
  }

  /// Handles the wheel.
  ///
  /// - Parameter visible: How many rows of a result are in view.
  mutating func scroll(by rows: Int, visible: Int) {
    if browser == nil {
      transcript.scroll = max(0, transcript.scroll - rows)
    } else {
      browser?.scroll(by: rows, visible: visible)
    }
  }
}
