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
    if context == .editor, !bindings.isEmpty { console.typed.kills.pause() }
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
    case .export: modes.export?.type(key)
    case .parameters: _ = console.parameters?.input.edit(key)
    case .preparing: return refuseWhilePreparing(key)
    case .search: return console.typePattern(key) ? [] : nil
    case .editor: console.type(key)
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
    case .panel, .console:
      if let effects = openDetail() { return effects }
      inspectRow()
    }
    return []
  }

  /// Quits, but asks first if something would be lost.
  mutating func quit() -> [Effect] {
    let loss = Loss(transaction: console.transaction != nil, pins: unsavedPins)
    if loss.isNothing { return [.quit] }
    modes.ask(.quit(loss))
    return []
  }

  /// The pinned panels that no file has, as far as is known. A panel that was edited is another
  /// one.
  private var unsavedPins: [String] {
    console.pinned.filter { pin in
      let shown = panels.first { $0.definition.name == pin.name }?.definition
      return pin.saved != (shown ?? pin.saved ?? pin.panel)
    }.map(\.name)
  }

  /// Stops the program, but asks first if the console would hold up other processes meanwhile.
  mutating func suspend() -> [Effect] {
    guard console.transaction != nil || console.runningSince != nil else { return [.suspend] }
    modes.ask(.suspend)
    return []
  }

  /// Answers the question.
  mutating func answer(_ isYes: Bool) -> [Effect] {
    guard let question = modes.question else { return [] }
    if question == .confirmHooks, isYes, alerts.refuseHastyYes(in: hookListing, at: now.monotonic) {
      return []
    }
    modes.askNext()
    switch (question, isYes) {
    case (.quit, true): return [.quit]
    case (.suspend, true): return [.suspend]
    case (.quit(let loss), false):
      let save = setting.dashboardName == nil ? ":save FILE" : ":save"
      if !loss.pins.isEmpty { message = Message("\(save) in the console keeps pinned panels") }
      return []
    case (.suspend, false): return []
    case (.console(let question), _):
      return withConsole { $0.answer(question, isYes, &$1) }
    case (.confirmHooks, _): return alerts.confirm(isYes, &news).map(Effect.hooks)
    }
  }

  // MARK: Focus

  mutating func moveFocus(by step: Int) {
    if explorerPane != nil {
      explorer?.moveFocus(by: step)
      return
    }
    let order = layout.focusOrder
    guard !order.isEmpty else { return }
    let index = order.firstIndex(of: focus) ?? 0
    focus = order[(index + step + order.count) % order.count]
  }

  mutating func focusNumber(_ number: Int) {
    if let panes = exploring?.panes {
      guard panes.indices.contains(number - 1) else { return }
      focus = .panel(0)
      explorer?.focus(panes[number - 1])
      return
    }
    guard !panels.indices.contains(number - 1) else {
      if shownPanels.contains(number - 1) {
        focus = .panel(number - 1)
      } else if hiddenPanels.contains(number - 1) {
        let name = panels[number - 1].definition.name
        message = Message("\(name) is hidden; :show \(name) brings it back")
      } else {
        let key = keyMap.mention("preset")
        message = Message(
          "panel \(number) is not in the preset \(presets.chosen.name); \(key) shows others")
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

// MARK: Motion

extension DashboardState {
  /// Moves through what is in front.
  mutating func move(_ motion: Motion) {
    let half = max(1, size.height / 2)
    // A page of a pop-up, a little less than it shows.
    let step = motion.lines(page: max(half, size.height - 8), half: half)
    switch modes.front {
    case .question(.confirmHooks, _): alerts.read(motion, in: hookListing)
    case .overlay(.columns, var list):
      let count = focusedTable?.panel.columnChoice.order.count ?? 0
      list.choose(by: step, of: count, visible: 0)
      modes.show(.columns, list)
    case .overlay(let overlay, var list):
      // Some lines stay in view, however small the screen is.
      list.scroll(by: step, of: lineCount(of: overlay), visible: 3)
      modes.show(overlay, list)
    case .question, .command, .filter, .export, .panes: moveInPane(motion)
    }
  }

  private mutating func moveInPane(_ motion: Motion) {
    if explorerPane == .tables || explorerPane == .columns {
      _ = changeExplorer { explorer, visible in
        explorer.move(by: motion.lines(visible: visible), visible: visible)
      }
      return
    }
    switch focus {
    case .feed:
      let visible = layout.visibleFeedLines
      feed.move(by: motion.lines(visible: visible), visible: visible)
    case .schema:
      let visible = layout.visibleSchemaLines
      schema.move(by: motion.lines(visible: visible), visible: visible)
    case .panel, .console:
      let visible = visibleRowsOfFocus
      changeFocusedTable { $0.moveCursor(by: motion.lines(visible: visible), visible: visible) }
    }
  }

  private func lineCount(of overlay: Overlay) -> Int {
    switch overlay {
    case .help: HelpSection.lines(self).count
    case .inspect:
      InspectedRow.lineCount(focusedTable?.panel, width: size.width, glyphs: glyphs)
    case .text(_, let text):
      StatementText.lines(text, width: size.width, glyphs: glyphs).count
    case .commit(let report): report.lines(onScreen: size.width, glyphs).count
    case .columns: focusedTable?.panel.columnChoice.order.count ?? 0
    }
  }
}
