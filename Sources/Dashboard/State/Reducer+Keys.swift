extension DashboardState {
  /// Reads everything on the screen again.
  private mutating func refreshAll() -> [Effect] {
    schema.refresh()
    return [.refreshAll]
  }

  /// Handles a key, depending on what is in front.
  mutating func press(_ key: Key) -> [Effect] {
    switch key {
    case .control("z"): return [.suspend]
    case .control("l"): return [.redraw]
    default: break
    }
    if case .mouse(let event) = key { return take(event) }
    message = nil
    if let question { return answer(question, with: key) }
    if refuseLongPaste(key) { return [] }
    if commandLine != nil { return pressInCommandLine(key) }
    if key == .function(1), !ScreenPlan.isTiny(size) {
      overlay = overlay == nil ? .help(scroll: 0) : nil
      return []
    }
    if key == .function(5) { return refreshAll() }
    if key == .function(2), overlay == nil, !ScreenPlan.isTiny(size) {
      toggleSchema()
      return []
    }
    if overlay != nil {
      pressInOverlay(key)
      return []
    }
    if filterInput != nil {
      pressInFilter(key)
      return []
    }
    if exportInput != nil { return pressInExport(key) }
    if focus == .console { return pressInConsole(key) }
    return pressAnywhere(key)
  }

  /// Runs a command named after a key: no user types that letter here.
  mutating func pressForCommand(_ key: Key) -> [Effect] {
    switch key {
    case .control, .function: return press(key)
    default: return console.browser != nil && focus == .console ? pressAnywhere(key) : press(key)
    }
  }

  private mutating func pressAnywhere(_ key: Key) -> [Effect] {
    switch key {
    case .character("q"): return quit()
    case .control("c"): return cancelInConsole() ?? quit()
    // Something invisible would only swallow keys.
    case .character("?") where !ScreenPlan.isTiny(size): overlay = .help(scroll: 0)
    case .character(":"): openCommandLine()
    case .character("e"):
      return editPanel()
    case .character("p"): stepPreset(by: 1)
    case .character("P"): stepPreset(by: -1)
    case .tab: moveFocus(by: 1)
    case .backTab: moveFocus(by: -1)
    case .character("c"), .character("i"):
      if consoleEnabled { focus = .console } else { message = Message("there is no console here") }
    case .character("z"):
      isZoomed.toggle()
      clampScrolling()
    case .character("r"): return refreshAll()
    case .character("a"): acknowledgeAlert()
    case .character("x"): beginExport()
    case .character("y"): return copy(wholePanel: false)
    case .character("Y"): return copy(wholePanel: true)
    case .character("u"): return askToUndo()
    case .character("U"): return askToRedo()
    case .character(" "):
      togglePause()
    case .character(","): stepInTime(by: -1)
    case .character("."): if isPaused { stepInTime(by: 1) }
    case .character("0"): showNewest()
    case .character(let digit) where digit >= "1" && digit <= "9": focusNumber(digit)
    default:
      switch focus {
      case .feed: return pressInFeed(key)
      case .schema: return pressInSchema(key)
      case .console: return pressInBrowser(key)
      case .panel: pressInPanel(key)
      }
    }
    return []
  }

  private mutating func editPanel() -> [Effect] {
    guard !isRecording else {
      message = Message("a recording has no queries to edit")
      return []
    }
    guard let index = focusedPanel else { return refuseWithoutPanel() }
    return [.edit(panel: index)]
  }

  /// Quits, but asks first if a transaction would be lost.
  private mutating func quit() -> [Effect] {
    guard console.transaction != nil else { return [.quit] }
    ask(.quit)
    return []
  }

  private mutating func answer(_ question: Question, with key: Key) -> [Effect] {
    if question == .confirmHooks, readHooks(key) { return [] }
    switch key {
    case .character("y"), .character("Y"):
      askNext()
      switch question {
      case .quit: return [.quit]
      case .run(let sql, _): return [.run(sql: sql)]
      case .confirmHooks: return confirmHooks(true)
      case .script: return [.runScript]
      case .undo(let commit, _):
        console.awaitsUndo = true
        return [.undo(commit)]
      case .redo(let commit, _):
        console.awaitsUndo = true
        return [.redo(commit)]
      }
    case .character("n"), .character("N"), .escape, .control("c"), .enter:
      askNext()
      if question == .confirmHooks { return confirmHooks(false) }
      switch question {
      case .undo: message = Message("not undone")
      case .redo: message = Message("not redone")
      case .run, .script: return takeBack()
      case .quit, .confirmHooks: break
      }
      return []
    default:
      return []
    }
  }

  // MARK: Focus

  /// Panels in order, then console, then feed: as they are numbered on the screen.
  var focusOrder: [Focus] {
    let order = shownPanels.map(Focus.panel)
    return order + otherPanes
  }

  /// The panes other than panels, as numbered on the screen after them: those placed among the
  /// panels first.
  var otherPanes: [Focus] {
    let placed = ScreenPlan.placedPanes(self, size: size)
    var panes: [Focus] = consoleEnabled ? [.console] : []
    if size.width >= 80 && size.height >= 24 {
      let isFirst = placed.contains(.transactions) && !placed.contains(.console)
      panes.insert(.feed, at: isFirst ? 0 : panes.count)
    }
    if placed.contains(.schema) || ScreenPlan.hasSchema(size) { panes.append(.schema) }
    return panes
  }

  /// The number of a pane other than a panel, as the screen shows it.
  func number(of pane: Focus) -> Int {
    panels.count + 1 + (otherPanes.firstIndex(of: pane) ?? otherPanes.count)
  }

  mutating func moveFocus(by step: Int) {
    let order = focusOrder
    guard !order.isEmpty else { return }
    let index = order.firstIndex(of: focus) ?? 0
    focus = order[(index + step + order.count) % order.count]
    clampScrolling()
  }

  private mutating func focusNumber(_ digit: Character) {
    guard let number = digit.wholeNumberValue else { return }
    guard !panels.indices.contains(number - 1) else {
      if shownPanels.contains(number - 1) {
        focus = .panel(number - 1)
        clampScrolling()
      } else {
        message = Message(
          "panel \(number) is not in the preset \(presets.chosen.name); p shows others")
      }
      return
    }
    // Panes after the panels have the numbers after theirs.
    let others = otherPanes
    let place = number - 1 - panels.count
    guard others.indices.contains(place) else { return }
    focus = others[place]
    clampScrolling()
  }

  // MARK: Overlays

  private mutating func pressInOverlay(_ key: Key) {
    if case .columns(let cursor) = overlay { return pressInColumnChooser(key, cursor: cursor) }
    let step: Int
    switch key {
    case .up, .character("k"): step = -1
    case .down, .character("j"): step = 1
    case .pageUp, .control("u"): step = -max(1, size.height / 2)
    case .pageDown, .control("d"), .character(" "): step = max(1, size.height / 2)
    case .home, .character("g"): step = -100_000
    case .escape, .enter, .character("q"), .character("?"), .control("c"):
      overlay = nil
      return
    default: return
    }
    switch overlay {
    case .help(let scroll):
      let limit = max(0, HelpView.lines(self).count - 3)
      overlay = .help(scroll: min(max(0, scroll + step), limit))
    case .inspect(let scroll):
      let limit = max(0, InspectView.lineCount(self) - 3)
      overlay = .inspect(scroll: min(max(0, scroll + step), limit))
    case .text(let title, let text, let scroll):
      let limit = max(0, TextView.lineCount(text, self) - 3)
      overlay = .text(title: title, text: text, scroll: min(max(0, scroll + step), limit))
    case .commit(let report, let scroll):
      let limit = max(0, report.lines.count - 3)
      overlay = .commit(report, scroll: min(max(0, scroll + step), limit))
    case .columns, nil: break
    }
  }
}
