import ObservationEngine

extension Command {
  /// Every command, in the order in which an empty line lists them.
  package static let all: [Command] =
    panelCommands + scriptCommands + paneCommands + programCommands

  /// Commands for the focused panel, or for the result shown in the console.
  private static let panelCommands: [Command] = [
    Command("filter", "keep the rows that contain a text", key: "/", argument: .text("TEXT")) {
      state, text in
      guard state.focusedTable != nil else { return state.refuseWithoutPanel() }
      if text.isEmpty { return state.pressForCommand(.character("/")) }
      guard !state.refuseOtherLookOfFocus() else { return [] }
      state.changeFocusedTable { $0.setFilter(text) }
      return []
    },
    Command(
      "sort", "order the rows by a column; again turns it round", key: "s",
      argument: .choice("COLUMN") { $0.focusedColumns }
    ) { state, column in
      if column.isEmpty { return state.pressForCommand(.character("s")) }
      return state.sort(by: column)
    },
    Command("edit", "edit the panel's SQL in $EDITOR", key: "e", press: .character("e")),
    Command("inspect", "show the row in full", key: "Enter", press: .enter),
    Command("row", "go to a row", argument: .text("NUMBER"), needsArgument: true) { state, text in
      guard state.focusedTable != nil else { return state.refuseWithoutPanel() }
      guard let number = Int(text), number >= 1 else {
        state.message = Message("row \(text): expected a whole number from 1", .error)
        return []
      }
      let visible = state.visibleRowsOfFocus
      state.changeFocusedTable { $0.moveCursor(to: number - 1, visible: visible) }
      return []
    },
  ]

  /// Commands for the choice and arrangement of panes.
  private static let paneCommands: [Command] = [
    Command(
      "focus", "go to a panel", key: "1-9",
      argument: .choice("PANEL") { $0.panels.map(\.definition.name) }, needsArgument: true
    ) { state, name in state.focusPanel(named: name) },
    Command(
      "preset", "show the panels of a preset", key: "p",
      argument: .choice("NAME") { $0.presets.names }
    ) { state, name in
      guard name.isEmpty else { return state.choosePreset(name) }
      return state.pressForCommand(.character("p"))
    },
    Command("next", "focus the next pane", key: "Tab", press: .tab),
    Command("previous", "focus the previous pane", key: "S-Tab", press: .backTab),
    Command("zoom", "show the pane alone, or all again", key: "z", press: .character("z")),
    Command("schema", "show the schema", key: "F2", press: .function(2)),
    Command("even", "undo every drag of a line between panes") { state, _ in
      state.dividers.reset()
      state.clampScrolling()
      return []
    },
    Command("console", "go to the SQL console", key: "c", isAvailable: \.consoleEnabled) {
      state, _ in
      if state.focus == .console { state.console.browser = nil }
      state.focus = .console
      return []
    },
  ]

  /// Commands for the whole program.
  private static let programCommands: [Command] = [
    Command("back", "step back to an earlier frame", key: ",", press: .character(",")),
    Command("forward", "step forward again", key: ".", press: .character(".")),
    Command("live", "return to what is live", key: "0", press: .character("0")),
    Command("pause", "pause the display, go on", key: "Space", press: .character(" ")),
    Command("refresh", "recompute every panel now", key: "r", press: .character("r")),
    Command("reload", "read the dashboard file again") { _, _ in [.reload] },
    Command("undo", "take the last own transaction back", key: "u", press: .character("u")),
    Command("redo", "do again what was undone last", key: "U", press: .character("U")),
    Command("redraw", "write every cell again", key: "^l", press: .control("l")),
    Command("suspend", "back to the shell; fg returns", key: "^z", press: .control("z")),
    Command(
      "theme", "show everything in other colours",
      argument: .choice("NAME") { _ in Theme.allCases.map(\.rawValue) }, needsArgument: true
    ) { state, name in
      guard let theme = Theme(rawValue: name) else {
        return state.refuse("no theme is called", name, among: Theme.allCases.map(\.rawValue))
      }
      return [.theme(theme)]
    },
    Command("help", "what the keys do", key: "?", press: .character("?")),
    Command("quit", "leave", key: "q", press: .character("q")),
  ]
}

extension DashboardState {
  /// The names of the focused table's columns; none without one or without a result.
  var focusedColumns: [String] { focusedTable?.panel.result?.columns ?? [] }

  /// Reports that a command is for panels, and does nothing.
  mutating func refuseWithoutPanel() -> [Effect] {
    message = Message("no panel has the focus: Tab or 1-9 goes to one", .error)
    return []
  }

  /// Reports an invalid word, with a suggestion if there is one.
  mutating func refuse(_ what: String, _ word: String, among known: [String]) -> [Effect] {
    message = Message("\(what) \"\(word)\"" + Suggestion.phrase(for: word, among: known), .error)
    return []
  }

  /// Gives the focus to the panel of this name, ignoring case.
  mutating func focusPanel(named name: String) -> [Effect] {
    let names = panels.map(\.definition.name)
    guard
      let index = names.firstIndex(of: name)
        ?? names.firstIndex(where: { $0.lowercased() == name.lowercased() })
    else { return refuse("no panel is called", name, among: names) }
    revealPanel(index)
    focus = .panel(index)
    clampScrolling()
    return []
  }

  /// Sorts the focused table by a column; descending if it is already sorted by it.
  mutating func sort(by column: String) -> [Effect] {
    guard let table = focusedTable?.panel else { return refuseWithoutPanel() }
    guard
      let number = focusedColumns.firstIndex(where: { $0.lowercased() == column.lowercased() })
    else { return refuse("no column is called", column, among: focusedColumns) }
    guard !refuseOtherLookOfFocus() else { return [] }
    let turns = table.sort?.column == number && table.sort?.isDescending == false
    changeFocusedTable { $0.setSort(PanelState.Sort(column: number, isDescending: turns)) }
    return []
  }
}
