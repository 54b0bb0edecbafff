extension DashboardState {
  /// Handles a key, depending on what is in front.
  mutating func press(_ key: Key) -> [Effect] {
    if let effects = perform(key, in: .always) { return effects }
    if case .mouse(let event) = key { return take(event) }
    message = nil
    if modes.question == nil, refuseLongPaste(key) { return [] }
    for context in contexts {
      if let effects = perform(key, in: context) ?? type(key, in: context) { return effects }
    }
    return []
  }

  /// Does what a key is bound to; nil when it has no meaning there.
  private mutating func perform(_ key: Key, in context: KeyContext) -> [Effect]? {
    let bindings = keyMap.bindings(key, in: context)
    if context == .editor, !bindings.isEmpty { console.kills.pause() }
    for binding in bindings {
      if let effects = binding.perform(&self, .key(key)) { return effects }
    }
    return nil
  }

  /// Types a key where there is a text; nil when it has another meaning.
  private mutating func type(_ key: Key, in context: KeyContext) -> [Effect]? {
    switch context {
    case .command: typeCommand(key)
    case .filter: typeFilter(key)
    case .export: typeExport(key)
    case .parameters: typeParameter(key)
    case .preparing: return refuseWhilePreparing(key)
    case .search: return typePattern(key)
    case .editor: typeInConsole(key)
    case .always, .question, .hooks, .functions, .columns, .overlay, .result, .completion, .screen,
      .chart, .rows, .feed, .schema, .explorer, .tables, .fields:
      return nil
    }
    return []
  }

  mutating func editPanel() -> [Effect] {
    guard !source.isRecording else {
      message = Message("a recording has no queries to edit")
      return []
    }
    guard let index = focusedPanel else { return refuseWithoutPanel() }
    return [.edit(panel: index)]
  }

  /// Asks how the focused panel is refreshed.
  mutating func explainRefresh() -> [Effect] {
    guard !source.isRecording else {
      message = Message("a recording has no queries that run")
      return []
    }
    guard let index = focusedPanel else { return refuseWithoutPanel() }
    return [.explainRefresh(panel: index)]
  }

  /// Opens what is chosen in the focused pane: a row, a commit, a line of the schema.
  mutating func openChosen() -> [Effect] {
    if let effects = openInExplorer() { return effects }
    switch focus {
    case .feed: return openCommit()
    case .schema: return openSchemaLine()
    case .panel, .console: inspectRow()
    }
    return []
  }

  /// Quits, but asks first if a transaction would be lost.
  mutating func quit() -> [Effect] {
    guard console.transaction != nil else { return [.quit] }
    modes.ask(.quit)
    return []
  }

  /// Answers the question.
  mutating func answer(_ isYes: Bool) -> [Effect] {
    guard let question = modes.question else { return [] }
    if question == .confirmHooks, isYes, refuseHastyYes() { return [] }
    modes.askNext()
    switch (question, isYes) {
    case (.quit, true): return [.quit]
    case (.run(let sql, _), true): return [.console(.run(sql: sql))]
    case (.script, true): return [.console(.runScript)]
    case (.undo(let commit, _), true):
      console.awaitsUndo = true
      return [.console(.undo(commit))]
    case (.redo(let commit, _), true):
      console.awaitsUndo = true
      return [.console(.redo(commit))]
    case (.save(let addition), _): return confirmSave(addition, isYes)
    case (.confirmHooks, _): return confirmHooks(isYes)
    case (.undo, false): message = Message("not undone")
    case (.redo, false): message = Message("not redone")
    case (.run, false), (.script, false): return takeBack()
    case (.quit, false): break
    }
    return []
  }

  // MARK: Focus

  mutating func moveFocus(by step: Int) {
    if explorerPane != nil { return moveExplorerFocus(by: step) }
    let order = layout.focusOrder
    guard !order.isEmpty else { return }
    let index = order.firstIndex(of: focus) ?? 0
    focus = order[(index + step + order.count) % order.count]
  }

  mutating func focusNumber(_ digit: Character) {
    guard let number = digit.wholeNumberValue else { return }
    if isExploring {
      let panes = explorerPanes
      guard panes.indices.contains(number - 1) else { return }
      focus = .panel(0)
      explorer?.focus(panes[number - 1])
      return
    }
    guard !panels.indices.contains(number - 1) else {
      if shownPanels.contains(number - 1) {
        focus = .panel(number - 1)
      } else {
        message = Message(
          "panel \(number) is not in the preset \(presets.chosen.name); p shows others")
      }
      return
    }
    // Panes after the panels have the numbers after theirs.
    let others = layout.otherPanes
    let place = number - 1 - panels.count
    guard others.indices.contains(place) else { return }
    focus = others[place]
  }
}
