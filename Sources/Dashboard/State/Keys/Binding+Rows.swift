import ObservationEngine

extension Binding {
  /// Movements through rows and lines, which are the same everywhere.
  static let movements: [Binding] = [
    move("down", .down, "move by a row or line", [.character("j"), .down]) { _, context in
      switch context {
      case .overlay: KeyHint(" scroll", ["down", "up"], place: 1)
      case .columns: KeyHint(" choose", ["down", "up"], place: 0)
      default: nil
      }
    },
    move("up", .up, "move by a row or line", [.character("k"), .up], with: "down"),
    sideways("right", "move by a cell; the columns follow", [.character("l"), .right], by: 1),
    sideways("left", "move by a cell; the columns follow", [.character("h"), .left], by: -1),
    move("first", .first, "go to the first or last row or line", [.character("g"), .home]),
    move(
      "last", .last, "go to the first or last row or line", [.character("G"), .end], with: "first"),
    move("half-up", .halfUp, "half a page, a page", [.control("u")]),
    move("half-down", .halfDown, "half a page, a page", [.control("d")], with: "half-up"),
    move("page-up", .pageUp, "half a page, a page", [.pageUp], with: "half-up") { state, context in
      guard context == .hooks, state.hookListing.top > 0 else { return nil }
      return KeyHint(" back", place: 4)
    },
    move("page-down", .pageDown, "half a page, a page", [.pageDown], with: "half-up") {
      state, context in
      guard context == .hooks, state.hookListing.below > 0 else { return nil }
      return KeyHint(" read on", place: 3)
    },
    Binding("read-on", "go on by a page", keys: [.character(" ")], in: [.overlay, .hooks]) {
      state, _ in
      state.move(.pageDown)
      return []
    },
  ]

  private static func move(
    _ name: String, _ motion: Motion, _ summary: String, _ keys: [Key], with lead: String? = nil,
    hint: @escaping @Sendable (DashboardState, KeyContext) -> KeyHint? = { _, _ in nil }
  ) -> Binding {
    Binding(
      name, summary, keys: keys,
      // Where g has another meaning, Home goes to the first line.
      in: [.hooks, .columns, .overlay, .result, .rows, .feed, .schema, .tables]
        + (keys.contains(.character("g")) ? [] : [.fields]),
      sections: [.panel, .feed, .schema, .explorer], with: lead, hint: hint
    ) { state, _ in
      state.move(motion)
      return []
    }
  }

  private static func sideways(
    _ name: String, _ summary: String, _ keys: [Key], by step: Int
  ) -> Binding {
    Binding(
      name, summary, keys: keys, in: [.rows, .result], sections: [.panel],
      with: name == "right" ? "left" : nil,
      hint: { _, context in
        context == .result && name == "left"
          ? KeyHint(" scroll", ["left", "right"], place: 18) : nil
      }
    ) { state, _ in
      state.moveCell(by: step)
      return []
    }
  }

  /// For the cell under the cursor of the focused table.
  static let cells: [Binding] = [
    Binding(
      "copy-cell", "copy the value at the cursor", keys: [.character("v")], in: [.rows, .result],
      sections: [.panel], isCommand: true, isAvailable: \.hasCell,
      hint: { state, _ in state.hasCell ? KeyHint(" copy value", place: 9, rank: 6) : nil }
    ) { state, _ in state.copyCell() },
    Binding(
      "same", "show only rows with the value at the cursor", keys: [.character("=")],
      in: [.rows, .result], sections: [.panel], isCommand: true, isAvailable: \.hasCell,
      hint: { state, _ in state.hasCell ? KeyHint(" same", place: 9, rank: 7) : nil }
    ) { state, _ in state.filterByCell() },
    Binding(
      "follow", "follow the foreign key at the cursor to its row",
      keys: [.character("o")], in: [.rows], sections: [.panel], isCommand: true,
      isAvailable: \.hasCell,
      hint: { state, _ in state.hasCell ? KeyHint(" follow", place: 9, rank: 7) : nil }
    ) { state, _ in state.followCell() },
    Binding(
      "hide-column", "hide the column at the cursor", keys: [.character("-")],
      in: [.rows, .result], sections: [.panel], isCommand: true, isAvailable: \.hasCell,
      hint: { state, _ in state.hasCell ? KeyHint(" hide column", place: 9, rank: 8) : nil }
    ) { state, _ in state.hideColumnOfCell() },
  ]

  /// For the focused panel, or for the result browsed in the console.
  static let tables: [Binding] = [
    Binding(
      "filter", "filter the rows while typing; COLUMN:text in a column", keys: [.character("/")],
      in: [.rows, .result], sections: [.panel, .picture], isCommand: true, argument: .text("TEXT"),
      hint: { _, _ in KeyHint(" filter", place: 7, rank: 5) }
    ) { state, trigger in
      guard let table = state.focusedTable?.panel else { return state.refuseWithoutPanel() }
      // Text that is typed on isn't taken for other keys.
      let isRefused = state.refuseOtherLookOfFocus()
      if trigger.argument.isEmpty {
        let column = table.cellColumn.flatMap { table.result?.columns[$0] }
        state.modes.filter = TextBuffer(
          table.filter.isEmpty ? column.map { "\($0):" } ?? "" : table.filter)
      } else if !isRefused {
        state.changeFocusedTable { $0.setFilter(trigger.argument) }
      }
      return []
    },
    found("next-match", "next or previous row found", "n", .down),
    found("previous-match", "next or previous row found", "N", .up),
    Binding(
      "sort", "sort by the cursor's column; without one, by the next",
      keys: [.character("s")],
      in: [.rows, .result], sections: [.panel], isCommand: true,
      argument: .choice("COLUMN") { $0.focusedColumns },
      hint: { _, context in KeyHint(" sort", place: 8, rank: context == .result ? 5 : 11) }
    ) { state, trigger in
      guard trigger.argument.isEmpty else { return state.sort(by: trigger.argument) }
      guard state.focusedTable != nil else { return state.refuseWithoutPanel() }
      guard !state.refuseOtherLookOfFocus() else { return [] }
      state.changeFocusedTable { table in
        if table.cellColumn != nil { table.cycleSortOfCell() } else { table.cycleSort() }
      }
      return []
    },
    Binding(
      "reverse", "reverse the order of the rows", keys: [.character("S")], in: [.rows, .result],
      sections: [.panel], isCommand: true
    ) { state, _ in
      guard state.focusedTable != nil else { return state.refuseWithoutPanel() }
      if !state.refuseOtherLookOfFocus() { state.changeFocusedTable { $0.reverseSort() } }
      return []
    },
    Binding(
      "columns", "choose the columns of a table and their order",
      keys: [.character("<"), .character(">")], in: [.rows, .result], sections: [.panel],
      isCommand: true,
      hint: { _, context in context == .result ? KeyHint(" columns", place: 14) : nil }
    ) { state, _ in
      guard let table = state.focusedTable?.panel else { return state.refuseWithoutPanel() }
      state.openColumnChooser(of: table)
      return []
    },
    Binding(
      "edit", "edit the panel's SQL in $VISUAL or $EDITOR", keys: [.character("e")],
      in: [.screen], sections: [.panel, .picture], isCommand: true,
      hint: { state, _ in
        state.focusedPanel != nil && !state.source.isRecording
          ? KeyHint(" edit SQL", place: 10, rank: 14) : nil
      }
    ) { state, _ in state.editPanel() },
    Binding(
      "inspect", "inspect the row: every column, in full", keys: [.enter], in: [.rows, .result],
      sections: [.panel, .picture], isCommand: true,
      hint: { state, context in
        context == .result
          ? KeyHint(" inspect", place: 9, rank: 5)
          : KeyHint(state.opensDetail ? " open" : " inspect", place: 6, rank: 12)
      }
    ) { state, trigger in
      // By its name, also where Enter opens something else.
      if case .command = trigger, state.opensDetail {
        state.inspectRow()
        return []
      }
      return state.openChosen()
    },
    Binding(
      "inspect", "the rows that the commit changed, in tables and panels", keys: [.enter],
      in: [.feed], sections: [.feed], hint: { _, _ in KeyHint(" inspect", place: 6, rank: 12) }
    ) { state, _ in state.openChosen() },
    Binding(
      "frame", "show the panels as they were after the commit", keys: [.character("f")],
      in: [.feed, .overlay], sections: [.feed],
      hint: { state, context in
        if context == .overlay, case .commit = state.modes.overlay {
          return KeyHint(" frame as it was", place: 0)
        }
        return context == .feed ? KeyHint(" frame", place: 7, rank: 11) : nil
      }
    ) { state, _ in
      if state.modes.overlay != nil {
        guard case .commit = state.modes.overlay else { return nil }
      }
      state.showFrameOfCommit()
      return []
    },
    Binding(
      "row", "go to a row", isCommand: true, argument: .text("NUMBER"), needsArgument: true
    ) { state, trigger in state.goToRow(trigger.argument) },
    Binding(
      "why", "whether the panel is kept up to date or run again, and why", isCommand: true
    ) { state, _ in state.explainRefresh() },
    Binding(
      "export", "export the rows to a file: CSV, JSON, NDJSON, Markdown", keys: [.character("x")],
      in: [.screen, .result], sections: [.panel, .picture], isCommand: true,
      argument: .text("FILE"),
      hint: { state, _ in
        state.focusedTable == nil ? nil : KeyHint(" export", place: 15, rank: 13)
      }
    ) { state, trigger in
      state.beginExport()
      guard !trigger.argument.isEmpty, state.modes.export != nil else { return [] }
      state.modes.export?.name = TextBuffer(trigger.argument)
      return state.writeExport()
    },
    Binding(
      "copy", "copy the row at the cursor, or the panel", keys: [.character("y")],
      in: [.screen, .result], sections: [.panel, .picture],
      line: "copy the row at the cursor; the panel", isCommand: true,
      hint: { _, context in context == .result ? KeyHint(" copy", place: 16, rank: 13) : nil }
    ) { state, _ in state.copy(wholePanel: false) },
    Binding(
      "copy-panel", "copy all rows", keys: [.character("Y")], in: [.screen, .result],
      sections: [.panel, .picture], with: "copy", isCommand: true
    ) { state, _ in state.copy(wholePanel: true) },
    Binding(
      "release", "end zoom, filter, order, cursor one by one, then go back",
      keys: [.escape], in: [.rows], sections: [.panel],
      hint: { state, _ in
        state.isExploring || state.isInDetail ? KeyHint(" back", place: 5, rank: 3) : nil
      }
    ) { state, _ in
      // The zoom belongs to the detail: it ends with it.
      if state.isInDetail { return state.releaseFocusedTable() ? [] : state.leaveDetail() }
      state.releasePanel()
      return []
    },
    Binding(
      "newest", "go to the newest line, then back to the panels", keys: [.escape], in: [.feed],
      sections: [.feed]
    ) { state, _ in
      state.leaveFeed()
      return []
    },
    Binding(
      "close-result", "remove filter and order, then leave the result", keys: [.escape],
      in: [.result], hint: { _, _ in KeyHint(" close", place: 10) }
    ) { state, _ in
      if state.isZoomed {
        state.panes.isZoomed = false
      } else if !state.releaseFocusedTable() {
        state.console.browser = nil
      }
      return []
    },
    Binding(
      "leave-result", "leave the result", keys: [.character("q"), .control("o")], in: [.result]
    ) { state, _ in
      if state.isZoomed { state.panes.isZoomed = false } else { state.console.browser = nil }
      return []
    },
    Binding("drop-result", "leave the result", keys: [.control("c")], in: [.result]) { state, _ in
      state.console.browser = nil
      return []
    },
  ]

  private static func found(
    _ name: String, _ summary: String, _ key: Character, _ motion: Motion
  ) -> Binding {
    Binding(
      name, summary, keys: [.character(key)], in: [.rows, .result], sections: [.panel],
      with: name == "previous-match" ? "next-match" : nil
    ) { state, _ in
      state.move(motion)
      return []
    }
  }
}
