extension Binding {
  /// For the text of the console, and for what is asked there.
  static let console: [Binding] = [
    Binding(
      "run", "run, when the statement is complete (;)", keys: [.enter], in: [.editor],
      sections: [.console],
      hint: { state, _ in
        state.console.isAtPrompt
          ? KeyHint(" run at ;", place: state.console.completion == nil ? 0 : 5) : nil
      }
    ) { state, _ in state.withConsole { $0.submit(&$1) } },
    Binding(
      "newline", "always insert a newline", keys: [.altEnter], in: [.editor], sections: [.console],
      hint: { state, _ in state.console.isAtPrompt ? KeyHint(" newline", place: 6) : nil }
    ) { state, _ in
      state.console.edit(.paste("\n"))
      return []
    },
    Binding(
      "complete", "accept completion / show completions", keys: [.tab], in: [.editor],
      sections: [.console],
      hint: { state, _ in
        state.console.isAtPrompt && state.console.completion == nil
          ? KeyHint(" complete", place: 7) : nil
      }
    ) { state, _ in
      guard !state.console.editor.isEmpty else {
        state.leaveConsole(backwards: false)
        return []
      }
      return state.withConsole { console, context in
        console.completeOnRequest(&context)
        return []
      }
    },
    Binding("leave-backwards", "go to the previous pane", keys: [.backTab], in: [.editor]) {
      state, _ in
      state.leaveConsole(backwards: true)
      return []
    },
    Binding(
      "history-back", "the words that are offered; lines, then history",
      keys: [.up, .control("p")], in: [.editor], sections: [.console],
      hint: { state, _ in
        state.console.isAtPrompt && state.console.completion == nil
          ? KeyHint(" history", place: 8) : nil
      }
    ) { state, _ in
      if !state.console.editor.moveLine(down: false) { state.console.walkHistory(back: true) }
      return []
    },
    Binding(
      "history-forward", "the words that are offered; lines, then history",
      keys: [.down, .control("n")], in: [.editor], sections: [.console], with: "history-back"
    ) { state, _ in
      if !state.console.editor.moveLine(down: true) { state.console.walkHistory(back: false) }
      return []
    },
    Binding(
      "search", "search the history", keys: [.control("r")], in: [.editor], sections: [.console],
      hint: { state, _ in
        state.console.isAtPrompt && state.console.completion == nil && state.console.search == nil
          ? KeyHint(" search", place: 9) : nil
      }
    ) { state, _ in
      state.console.search = HistorySearch()
      state.console.completion = nil
      return []
    },
    Binding(
      "yank", "paste (yank)", keys: [.control("y")], in: [.editor], sections: [.console]
    ) { state, _ in
      state.console.edit(.paste(state.console.typed.kills.text))
      return []
    },
    Binding(
      "browse", "look through the last result with a panel's keys", keys: [.control("o")],
      in: [.editor], sections: [.console],
      hint: { state, _ in
        state.console.isAtPrompt && state.console.completion == nil
          ? KeyHint(" result", place: 10) : nil
      }
    ) { state, _ in
      state.withConsole { console, context in
        console.openBrowser(&context)
        return []
      }
    },
    Binding(
      "scroll-back", "scroll what was run", keys: [.pageUp], in: [.editor], sections: [.console]
    ) { state, _ in
      state.console.transcript.scroll += 5
      return []
    },
    Binding(
      "scroll-forward", "scroll what was run", keys: [.pageDown], in: [.editor],
      sections: [.console], with: "scroll-back"
    ) { state, _ in
      state.console.transcript.scroll = max(0, state.console.transcript.scroll - 5)
      return []
    },
    Binding(
      "clear", "cancel the running statement, or clear the line", keys: [.control("c")],
      in: [.editor], sections: [.console],
      hint: { state, _ in
        let work = state.console.work
        if work.counted != nil || work.reading != nil {
          return KeyHint(" do not run", place: 0)
        }
        return work.runningSince == nil ? nil : KeyHint(" cancel", place: 0)
      }
    ) { state, _ in
      if let effects = state.cancelInConsole() { return effects }
      if state.console.editor.isEmpty {
        state.message = Message(
          "Esc leaves the console; \(state.keyMap.mention("quit")) there quits")
      }
      state.console.clear()
      return []
    },
    Binding(
      "leave-console", "leave the console", keys: [.escape], in: [.editor], sections: [.console],
      hint: { state, _ in
        state.console.completion == nil && state.console.search == nil
          ? KeyHint(" panels", place: 11) : nil
      }
    ) { state, _ in
      state.leaveConsoleForPanel()
      return []
    },
    // What is searched for in the history.
    Binding(
      "search-older", "find an earlier match", keys: [.control("r")], in: [.search],
      hint: { _, _ in KeyHint(" older", place: 0) }
    ) { state, _ in
      state.console.searchHistory(older: true)
      return []
    },
    Binding(
      "take-match", "take the match", keys: [.enter, .tab], in: [.search],
      hint: { _, _ in KeyHint(" take", place: 1) }
    ) { state, _ in
      state.console.endSearch(accept: true)
      return []
    },
    Binding(
      "leave-search", "leave the search", keys: [.escape, .control("c"), .control("g")],
      in: [.search], hint: { _, _ in KeyHint(" leave", place: 2) }
    ) { state, _ in
      state.console.endSearch(accept: false)
      return []
    },
    Binding(
      "erase-pattern", "delete a letter", keys: [.backspace, .control("h")], in: [.search]
    ) { state, _ in
      _ = state.console.search?.pattern.popLast()
      state.console.searchHistory(older: false)
      return []
    },
    // The words that are offered.
    Binding(
      "accept", "take the chosen word", keys: [.tab], in: [.completion],
      hint: { _, _ in KeyHint(" accept", place: 0) }
    ) { state, _ in
      state.console.acceptCompletion()
      return []
    },
    Binding(
      "next-word", "choose the next word", keys: [.down, .control("n")], in: [.completion]
    ) { state, _ in
      _ = state.console.moveSelection(by: 1)
      return []
    },
    Binding(
      "previous-word", "choose the previous word", keys: [.up, .control("p")], in: [.completion],
      hint: { _, _ in KeyHint(" choose", ["previous-word", "next-word"], place: 1) }
    ) { state, _ in
      guard state.console.moveSelection(by: -1) else {
        state.console.dismissCompletion()
        return nil
      }
      return []
    },
    Binding(
      "dismiss", "hide the words", keys: [.escape], in: [.completion],
      hint: { _, _ in KeyHint(" dismiss", place: 2) }
    ) { state, _ in
      state.console.dismissCompletion()
      return []
    },
    // The values of parameters.
    Binding(
      "next-value", "go to the next value, then run", keys: [.enter], in: [.parameters],
      hint: { _, _ in KeyHint(" next", place: 0) }
    ) { state, _ in state.console.acceptParameter().map(Effect.console) },
    Binding(
      "previous-value", "go back to the value before", keys: [.up, .backTab], in: [.parameters],
      hint: { _, _ in KeyHint(" back", place: 1) }
    ) { state, _ in
      state.console.returnToParameter()
      return []
    },
    Binding(
      "no-values", "do not run the statement", keys: [.escape, .control("c")], in: [.parameters],
      hint: { _, _ in KeyHint(" do not run", place: 2) }
    ) { state, _ in state.withConsole { $0.takeBack(&$1) } },
  ]

  /// For questions, and for lines that are typed at the bottom.
  static let inputs: [Binding] = [
    Binding(
      "yes", "yes", keys: [.character("y"), .character("Y")], in: [.question],
      hint: { state, _ in
        if state.modes.question == .confirmHooks, !state.hookListing.canBeConfirmed { return nil }
        return KeyHint(" yes", place: 0)
      }
    ) { state, _ in state.answer(true) },
    Binding(
      "no", "no", keys: [.character("n"), .character("N"), .escape, .control("c"), .enter],
      in: [.question], hint: { _, _ in KeyHint(" no", place: 1) }
    ) { state, _ in state.answer(false) },
    // The line that `:` opens.
    Binding(
      "complete-command", "complete the name or its argument", keys: [.tab, .backTab],
      in: [.command], hint: { _, _ in KeyHint(" complete", place: 0) }
    ) { state, _ in
      state.completeCommand()
      return []
    },
    Binding(
      "run-command", "run the command", keys: [.enter], in: [.command],
      hint: { _, _ in KeyHint(" run", place: 1) }
    ) { state, _ in state.runCommand() },
    Binding(
      "leave-command", "leave the line", keys: [.escape, .control("c"), .control("g")],
      in: [.command], hint: { _, _ in KeyHint(" leave", place: 2) }
    ) { state, _ in
      state.modes.command = nil
      return []
    },
    Binding("erase-command", "leave the empty line", keys: [.backspace], in: [.command]) {
      state, _ in
      guard state.modes.command?.input.isEmpty == true else { return nil }
      state.modes.command = nil
      return []
    },
    Binding(
      "next-offer", "choose the next command", keys: [.down, .control("n")], in: [.command]
    ) { state, _ in
      state.chooseCommand(by: 1)
      return []
    },
    Binding(
      "previous-offer", "choose the previous command", keys: [.up, .control("p")], in: [.command],
      hint: { _, _ in KeyHint(" choose", ["previous-offer", "next-offer"], place: 3) }
    ) { state, _ in
      state.chooseCommand(by: -1)
      return []
    },
    // The filter.
    Binding(
      "keep-filter", "keep the filter", keys: [.enter], in: [.filter],
      hint: { _, _ in KeyHint(" keep", place: 0) }
    ) { state, _ in
      state.modes.filter = nil
      return []
    },
    Binding(
      "clear-filter", "clear the filter", keys: [.escape, .control("c")], in: [.filter],
      hint: { _, _ in KeyHint(" clear", place: 1) }
    ) { state, _ in
      state.modes.filter = nil
      if state.explorerPane == .tables {
        state.explorer?.setFilter("")
      } else if !state.refuseOtherLookOfFocus() {
        state.changeFocusedTable { $0.setFilter("") }
      }
      return []
    },
    // The name of an exported file.
    Binding(
      "write-export", "write the file", keys: [.enter], in: [.export],
      isAvailable: { $0.modes.export?.progress == nil },
      hint: { state, _ in state.modes.export?.progress == nil ? KeyHint(" write", place: 0) : nil }
    ) { state, _ in state.modes.export?.progress == nil ? state.writeExport() : [] },
    Binding(
      "format", "choose the next format", keys: [.tab], in: [.export],
      hint: { state, _ in state.modes.export?.progress == nil ? KeyHint(" format", place: 1) : nil }
    ) { state, _ in
      state.modes.export?.nextFormat()
      return []
    },
    Binding(
      "leave-export", "write nothing", keys: [.escape, .control("c")], in: [.export],
      hint: { state, _ in
        KeyHint(state.modes.export?.progress == nil ? " leave" : " give up", place: 2)
      }
    ) { state, _ in
      if state.modes.export?.progress != nil { return [.export(.cancel)] }
      state.modes.export = nil
      return []
    },
  ]

  /// For what is in front of the panels.
  static let popUps: [Binding] = [
    Binding(
      "leave-popup", "close it",
      keys: [.escape, .enter, .character("q"), .character("?"), .control("c")],
      in: [.overlay, .columns], hint: { _, _ in KeyHint(" close", place: 4) }
    ) { state, _ in
      state.modes.show(nil)
      return []
    },
    Binding(
      "toggle-column", "show or hide the column", keys: [.character(" "), .character("x")],
      in: [.columns], hint: { _, _ in KeyHint(" show/hide", place: 1) }
    ) { state, _ in
      state.chooseColumns { choice, place in choice.toggle(at: place) }
      return []
    },
    Binding(
      "column-left", "move the column to the left",
      keys: [.character("<"), .character("H"), .left, .character("h")], in: [.columns],
      hint: { _, _ in KeyHint(" move", ["column-left", "column-right"], place: 2) }
    ) { state, _ in
      state.chooseColumns { choice, place in place = choice.move(at: place, by: -1) }
      return []
    },
    Binding(
      "column-right", "move the column to the right",
      keys: [.character(">"), .character("L"), .right, .character("l")], in: [.columns]
    ) { state, _ in
      state.chooseColumns { choice, place in place = choice.move(at: place, by: 1) }
      return []
    },
    Binding(
      "reset-columns", "show all columns in the order of the query", keys: [.character("0")],
      in: [.columns], hint: { _, _ in KeyHint(" reset", place: 3) }
    ) { state, _ in
      let columns = state.focusedTable?.panel.columns ?? []
      state.chooseColumns { choice, _ in choice = ColumnChoice(columns) }
      return []
    },
  ]
}
