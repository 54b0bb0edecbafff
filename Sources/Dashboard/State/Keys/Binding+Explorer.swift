extension Binding {
  /// For the explorer.
  static let explorer: [Binding] = [
    Binding(
      "inspect", "open the table, the values, the rows with a value", keys: [.enter],
      in: [.tables, .fields], sections: [.explorer],
      hint: { _, context in
        KeyHint(context == .fields ? " values" : " open", place: 5, rank: 3)
      }
    ) { state, _ in state.openChosen() },
    Binding(
      "release", "one step back", keys: [.escape], in: [.tables, .fields], sections: [.explorer],
      hint: { _, context in context == .fields ? KeyHint(" back", place: 6, rank: 6) : nil }
    ) { state, _ in
      _ = state.stepBackInExplorer()
      return []
    },
    Binding(
      "filter", "find tables by name; Esc clears", keys: [.character("/")], in: [.tables],
      sections: [.explorer], hint: { _, _ in KeyHint(" find", place: 7, rank: 4) }
    ) { state, _ in
      state.modes.filter = TextBuffer(state.explorer?.list.filter ?? "")
      return []
    },
    Binding(
      "right", "open the folded tables, close them", keys: [.character("l"), .right],
      in: [.tables], sections: [.explorer]
    ) { state, _ in
      if state.changeExplorer({ explorer, _ in explorer.toggleFold(isOpen: true) }) != true {
        state.explorer?.moveFocus(by: 1)
      }
      return []
    },
    Binding(
      "left", "open the folded tables, close them", keys: [.character("h"), .left],
      in: [.tables], sections: [.explorer], with: "right"
    ) { state, _ in
      _ = state.changeExplorer { explorer, _ in explorer.toggleFold(isOpen: false) }
      return []
    },
    Binding(
      "sort", "order tables: recent first, by name, by rows, by size", keys: [.character("s")],
      in: [.tables], sections: [.explorer], hint: { _, _ in KeyHint(" order", place: 8, rank: 12) }
    ) { state, _ in
      state.explorer?.nextOrder()
      if let order = state.explorer?.order { state.message = Message("tables \(order.rawValue)") }
      return []
    },
    Binding(
      "values", "how often each value of a column occurs", keys: [.character("f")],
      in: [.explorer], sections: [.explorer],
      hint: { state, _ in
        state.exploring?.panes.contains(.columns) == true
          ? KeyHint(" values", place: 8, rank: 5) : nil
      }
    ) { state, _ in state.showValues(grouped: false) },
    Binding(
      "group", "the rows and sums for each value of a column", keys: [.character("g")],
      in: [.fields], sections: [.explorer],
      hint: { _, _ in KeyHint(" group", place: 9, rank: 5) }
    ) { state, _ in state.showValues(grouped: true) },
    Binding("first-column", "go to the first column", keys: [.home], in: [.fields]) { state, _ in
      state.move(.first)
      return []
    },
    Binding(
      "statistics", "distinct values, NULLs, least and greatest of columns",
      keys: [.character("I")], in: [.explorer], sections: [.explorer], isCommand: true,
      isAvailable: \.isExploring,
      hint: { state, _ in
        state.layout.explorer?.columns == nil
          ? nil : KeyHint(" statistics", short: " stats", place: 9, rank: 9)
      }
    ) { state, _ in
      state.explorer?.toggleStatistics()
      return []
    },
    Binding(
      "statement", "its CREATE statement", keys: [.character("d")], in: [.tables, .fields],
      sections: [.explorer]
    ) { state, _ in
      state.showStatementInExplorer()
      return []
    },
    Binding(
      "sizes", "sizes, from the whole file (dbstat)", keys: [.character("b")], in: [.tables],
      sections: [.explorer]
    ) { state, _ in
      state.explorer?.requestSizes()
      return []
    },
    Binding(
      "generate", "make a dashboard of this database", keys: [.character("D")], in: [.screen],
      sections: [.explorer], isCommand: true, isAvailable: { $0.explorer != nil },
      hint: { state, _ in state.isExploring ? KeyHint(" dashboard", place: 10, rank: 4) : nil }
    ) { state, _ in state.explorer == nil ? nil : state.generateDashboard() },
    Binding(
      "explore", "from the dashboard to the explorer, and back", keys: [.character("E")],
      in: [.screen], sections: [.explorer], isCommand: true,
      isAvailable: { $0.explorer != nil },
      hint: { state, _ in
        switch (state.explorer?.isShown, state.hasDashboard) {
        case (false, _): KeyHint(" explore", place: 5, rank: 3)
        case (true, true): KeyHint(" back", place: 10, rank: 4)
        case (true, false), (nil, _): nil
        }
      }
    ) { state, _ in
      state.switchToExplorer()
    },
    Binding(
      "save", "write the generated dashboard to a file", isCommand: true,
      argument: .text("FILE"), needsArgument: true, isAvailable: { $0.explorer?.generated != nil }
    ) { state, trigger in state.saveGenerated(to: trigger.argument) },
  ]
}
