extension Binding {
  /// For the choice and arrangement of panes.
  static let panes: [Binding] = [
    Binding(
      "focus", "focus the pane with that number or name",
      keys: (1...9).map { .character(Character(String($0))) },
      in: [.screen], sections: [.everywhere], isCommand: true,
      argument: .choice("PANE") { state in
        state.panels.map(\.definition.name)
          + state.layout.otherPanes.compactMap { $0.pane?.rawValue }
      }, needsArgument: true,
      hint: { state, _ in
        let count = state.layout.focusOrder.count
        return count > 1 ? KeyHint(" panel", keys: "1-\(min(count, 9))", place: 2, rank: 9) : nil
      }
    ) { state, trigger in
      switch trigger {
      case .command(let name): return state.focusPane(named: name)
      case .key(.character(let digit)): state.focusNumber(digit.wholeNumberValue ?? 0)
      case .key, .click: break
      }
      return []
    },
    Binding(
      "next", "focus the next pane", keys: [.tab], in: [.screen, .result],
      sections: [.everywhere], line: "focus the next or previous pane", isCommand: true,
      hint: { _, context in context == .result ? nil : KeyHint(" focus", place: 1, rank: 2) }
    ) { state, _ in
      state.moveFocus(by: 1)
      return []
    },
    Binding(
      "previous", "focus the previous pane", keys: [.backTab], in: [.screen, .result],
      sections: [.everywhere], with: "next", isCommand: true
    ) { state, _ in
      state.moveFocus(by: -1)
      return []
    },
    Binding(
      "zoom", "show the pane alone, or all again", keys: [.character("z")],
      in: [.screen, .result], sections: [.everywhere], isCommand: true,
      hint: { state, context in
        context == .result
          ? KeyHint(" zoom", place: 17, rank: 14)
          : KeyHint(state.isZoomed ? " unzoom" : " zoom", place: 4, rank: 4)
      }
    ) { state, _ in
      state.panes.isZoomed.toggle()
      return []
    },
    Binding(
      "preset", "show the next preset or page, or the one named", keys: [.character("p")],
      in: [.screen], sections: [.everywhere], line: "show the next or previous preset, or page",
      isCommand: true,
      argument: .choice("NAME") { $0.presets.names },
      hint: { state, _ in
        if state.presets.areSeveral { return KeyHint(" preset", place: 3, rank: 3) }
        return state.layout.page.count > 1 ? KeyHint(" page", place: 3, rank: 3) : nil
      }
    ) { state, trigger in
      guard trigger.argument.isEmpty else { return state.choosePreset(trigger.argument) }
      state.stepPreset(by: 1)
      return []
    },
    Binding(
      "preset-back", "show the previous preset, or page", keys: [.character("P")], in: [.screen],
      sections: [.everywhere], with: "preset", isCommand: true
    ) { state, _ in
      state.stepPreset(by: -1)
      return []
    },
    Binding(
      "schema", "show the schema: tables, columns, keys; hide it again", keys: [.function(2)],
      in: [.functions], sections: [.everywhere], isCommand: true
    ) { state, _ in
      guard state.modes.overlay == nil, !ScreenLayout.isTiny(state.size) else { return nil }
      state.toggle(.schema)
      return []
    },
    Binding(
      "feed", "show the feed of transactions; hide it again",
      keys: [.character("t"), .function(3)], in: [.functions, .screen], sections: [.everywhere],
      isCommand: true,
      hint: { state, context in
        context == .screen && state.focus != .feed
          ? KeyHint(" feed", place: 13, rank: 11) : nil
      }
    ) { state, _ in
      guard state.modes.overlay == nil, !ScreenLayout.isTiny(state.size) else { return nil }
      state.toggle(.feed)
      return []
    },
    Binding("even", "reset pane sizes", in: [.screen], isCommand: true) {
      state, _ in
      state.panes.dividers.reset()
      return []
    },
    Binding(
      "console", "show the SQL console, hide it again; Esc leaves it",
      keys: [.character("c"), .character("i"), .function(4)],
      in: [.functions, .screen], sections: [.everywhere], isCommand: true,
      isAvailable: \.source.hasConsole,
      hint: { state, context in
        context == .screen && state.source.hasConsole
          ? KeyHint(" SQL", place: 12, rank: 10) : nil
      }
    ) { state, trigger in
      guard state.modes.overlay == nil else { return nil }
      if case .command = trigger, state.focus == .console {
        state.console.browser = nil
      } else {
        state.toggle(.console)
      }
      return []
    },
    Binding(
      "param", "choose the value of a parameter", keys: [.character("$")], in: [.screen],
      sections: [.everywhere], isCommand: true,
      argument: .choice("NAME VALUE", \.parameterChoices), needsArgument: true,
      isAvailable: { !$0.parameters.isEmpty },
      obstacle: "this dashboard has no \"-- param:\" to choose",
      hint: { state, _ in
        state.parameters.isEmpty ? nil : KeyHint(" \(state.parameters[0].name)", place: 3, rank: 4)
      }
    ) { state, trigger in
      if case .command(let text) = trigger { return state.setParameter(text) }
      guard !state.parameters.isEmpty else {
        state.message = Message("this dashboard has no \"-- param:\" to choose")
        return []
      }
      return state.chooseParameter()
    },
    Binding(
      "show", "show what is hidden: a panel, the console, the feed, the schema", isCommand: true,
      argument: .choice("PANE") { $0.paneNames(hidden: true) }, needsArgument: true
    ) { state, trigger in state.show(named: trigger.argument) },
    Binding(
      "hide", "hide the focused pane, or the one named", isCommand: true,
      argument: .choice("PANE") { $0.paneNames(hidden: false) }
    ) { state, trigger in state.hide(named: trigger.argument) },
    Binding(
      "close", "close the focused pane; a panel of the dashboard is only hidden", isCommand: true
    ) {
      state, _ in state.close()
    },
    Binding(
      "unpin", "end a pinned panel", isCommand: true,
      argument: .choice("NAME") { $0.console.pinned.map(\.name) }
    ) { state, trigger in state.unpin(trigger.argument) },
  ]

  /// For the whole program.
  static let program: [Binding] = [
    Binding(
      "pause", "pause / resume", keys: [.character(" ")], in: [.screen],
      sections: [.everywhere], isCommand: true,
      hint: { state, _ in KeyHint(state.isPaused ? " resume" : " pause", place: 11, rank: 6) }
    ) { state, _ in
      state.togglePause()
      return []
    },
    Binding(
      "back", "step back to an earlier frame", keys: [.character(",")],
      in: [.screen], sections: [.everywhere],
      line: "step back and forward through kept frames; live again", isCommand: true,
      hint: { _, _ in KeyHint(" rewind", ["back", "forward"], place: 13, rank: 7) }
    ) { state, _ in
      state.stepInTime(by: -1)
      return []
    },
    Binding(
      "forward", "step forward through kept frames", keys: [.character(".")], in: [.screen],
      sections: [.everywhere], with: "back", isCommand: true
    ) { state, _ in
      if state.isPaused { state.stepInTime(by: 1) }
      return []
    },
    Binding(
      "back-ten", "ten frames back or forward", keys: [.character("[")], in: [.screen],
      sections: [.everywhere], isCommand: true
    ) { state, _ in
      state.stepInTime(by: -10)
      return []
    },
    Binding(
      "forward-ten", "ten frames forward", keys: [.character("]")], in: [.screen],
      sections: [.everywhere], with: "back-ten", isCommand: true
    ) { state, _ in
      if state.isPaused { state.stepInTime(by: 10) }
      return []
    },
    Binding(
      "live", "return to what is live", keys: [.character("0")], in: [.screen],
      sections: [.everywhere], with: "back", isCommand: true
    ) { state, _ in
      state.showNewest()
      return []
    },
    Binding(
      "acknowledge", "dismiss the alert shown below", keys: [.character("a")], in: [.screen],
      sections: [.everywhere], isCommand: true
    ) { state, _ in
      state.acknowledgeAlert()
      return []
    },
    Binding(
      "refresh", "recompute every panel now", keys: [.character("r"), .function(5)],
      in: [.functions, .screen], sections: [.everywhere], isCommand: true,
      hint: { _, context in
        context == .screen ? KeyHint(" refresh", place: 18, rank: 15) : nil
      }
    ) { state, _ in
      state.schema.refresh()
      return [.refreshAll]
    },
    Binding("reload", "read the dashboard file again", in: [.screen], isCommand: true) { _, _ in
      [.reload]
    },
    Binding(
      "undo", "undo the last own transaction, after asking", keys: [.character("u")],
      in: [.screen], sections: [.everywhere],
      line: "undo the last own transaction, redo it, after asking", isCommand: true
    ) { state, _ in state.withConsole { $0.askToUndo(&$1) } },
    Binding(
      "redo", "redo what was undone last, after asking", keys: [.character("U")], in: [.screen],
      sections: [.everywhere], with: "undo", isCommand: true
    ) { state, _ in state.withConsole { $0.askToRedo(&$1) } },
    Binding(
      "command", "a command by its name; Tab completes", keys: [.character(":")],
      in: [.screen, .result], sections: [.everywhere],
      hint: { _, _ in KeyHint(" command", short: " cmd", place: 19, rank: 8) }
    ) { state, _ in
      state.openCommandLine()
      return []
    },
    Binding(
      "suspend", "go back to the shell; fg returns", keys: [.control("z")], in: [.always],
      sections: [.everywhere], line: "suspend, redraw", isCommand: true
    ) { state, _ in state.suspend() },
    Binding(
      "redraw", "write every cell again", keys: [.control("l")], in: [.always],
      sections: [.everywhere], with: "suspend", isCommand: true
    ) { _, _ in [.redraw] },
    Binding(
      "theme", "switch theme", isCommand: true,
      argument: .choice("NAME") { $0.setting.themes }, needsArgument: true
    ) { state, trigger in
      guard state.setting.themes.contains(trigger.argument) else {
        return state.refuse("no theme is called", trigger.argument, among: state.setting.themes)
      }
      return [.theme(trigger.argument)]
    },
    Binding(
      "help", "what the keys do", keys: [.character("?"), .function(1)],
      in: [.functions, .screen], sections: [.everywhere], isCommand: true,
      hint: { state, context in
        if context == .screen { return KeyHint("help", place: 0) }
        // Where text is typed, only a function key helps.
        guard state.contexts == [.functions, .editor], state.console.isAtPrompt else { return nil }
        return state.keyMap.keys(named: "help").first(where: \.isFunction)
          .map { KeyHint(" help", keys: $0.label, place: 12) }
      }
    ) { state, _ in
      // Something invisible would only swallow keys.
      guard !ScreenLayout.isTiny(state.size) else { return nil }
      state.modes.show(state.modes.overlay == nil ? .help : nil)
      return []
    },
    Binding(
      "quit", "quit", keys: [.character("q")], in: [.screen], sections: [.everywhere],
      line: "quit; the second first cancels what the console runs", isCommand: true,
      // Even without room for all, the key to leave is shown.
      hint: { _, _ in KeyHint(" quit", short: "", place: 20, rank: 1) }
    ) { state, _ in state.quit() },
    Binding(
      "cancel", "cancel what the console runs, or quit", keys: [.control("c")], in: [.screen],
      sections: [.everywhere], with: "quit"
    ) { state, _ in state.cancelInConsole() ?? state.quit() },
  ]

  /// For the tree of the schema.
  static let schema: [Binding] = [
    Binding(
      "right", "open a line, close it", keys: [.character("l"), .right], in: [.schema],
      sections: [.schema]
    ) {
      state, _ in
      state.schema.open(visible: state.layout.visibleSchemaLines)
      return []
    },
    Binding(
      "left", "open a line, close it", keys: [.character("h"), .left], in: [.schema],
      sections: [.schema], with: "right"
    ) { state, _ in
      state.schema.close(visible: state.layout.visibleSchemaLines)
      return []
    },
    Binding(
      "inspect", "a table's newest rows; the table that a key refers to", keys: [.enter],
      in: [.schema], sections: [.schema], hint: { _, _ in KeyHint(" panel", place: 5, rank: 5) }
    ) { state, _ in state.openChosen() },
    Binding(
      "statement", "its CREATE statement", keys: [.character("d")], in: [.schema],
      sections: [.schema], hint: { _, _ in KeyHint(" DDL", place: 5, rank: 5) }
    ) { state, _ in
      state.showStatement()
      return []
    },
    Binding(
      "sizes", "sizes, from the whole file (dbstat)", keys: [.character("b")], in: [.schema],
      sections: [.schema], hint: { _, _ in KeyHint(" sizes", place: 5, rank: 5) }
    ) { state, _ in state.measureSizes() },
    Binding("leave-schema", "leave the schema", keys: [.escape], in: [.schema], sections: [.schema])
    {
      state, _ in
      if state.isZoomed {
        state.panes.isZoomed = false
      } else {
        state.focus = .panel(state.lastFocusedPanel)
      }
      return []
    },
  ]
}
