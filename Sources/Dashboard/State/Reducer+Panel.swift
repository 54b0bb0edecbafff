import ObservationEngine

/// What keys and commands do to the focused panel, or to the result browsed in the console.
extension DashboardState {
  /// Shows the row under the cursor in full.
  mutating func inspectRow() {
    guard let table = focusedTable?.panel, !ScreenLayout.isTiny(size) else { return }
    if table.chosenRow != nil {
      modes.show(.inspect)
    } else if table.rowCount > 0 {
      tellMissingRow()
    }
  }

  /// Resets one thing at a time: zoom, filter, sort, cursor.
  mutating func releasePanel() {
    guard let index = focusedPanel else { return }
    if isZoomed {
      panes.isZoomed = false
    } else if !canLookOtherwise(at: index) || !releaseFocusedTable(), !stepBackInExplorer() {
      panels[index].clearCursor()
    }
  }

  /// Types a key into the filter: the rows follow immediately.
  mutating func typeFilter(_ key: Key) {
    if explorerPane == .tables, var input = modes.filter {
      guard input.edit(key.onOneLine) else { return }
      modes.filter = input
      explorer?.setFilter(input.text.filter { $0 != "\n" })
      return
    }
    guard focusedTable != nil, var input = modes.filter else {
      modes.filter = nil
      return
    }
    guard input.edit(key.onOneLine) else { return }
    modes.filter = input
    guard !refuseOtherLookOfFocus() else { return }
    changeFocusedTable { $0.setFilter(input.text.filter { $0 != "\n" }) }
  }

  /// The names of the focused table's columns; none without one or without a result.
  var focusedColumns: [String] { focusedTable?.panel.result?.columns ?? [] }

  /// Sorts the focused table by a column; descending if it is already sorted by it.
  mutating func sort(by column: String) -> [Effect] {
    guard let table = focusedTable?.panel else { return refuseWithoutPanel() }
    guard
      let number = focusedColumns.firstIndex(where: { $0.lowercased() == column.lowercased() })
    else { return refuse("no column is called", column, among: focusedColumns) }
    guard !refuseOtherLookOfFocus() else { return [] }
    let turns = table.sort?.column == number && table.sort?.isDescending == false
    changeFocusedTable { $0.setSort(RowSort(column: number, isDescending: turns)) }
    return []
  }

  /// Moves the cursor to the row of this number, from 1.
  mutating func goToRow(_ text: String) -> [Effect] {
    guard focusedTable != nil else { return refuseWithoutPanel() }
    guard let number = Int(text), number >= 1 else {
      message = Message("row \(text): expected a whole number from 1", .error)
      return []
    }
    let visible = visibleRowsOfFocus
    changeFocusedTable { $0.moveCursor(to: number - 1, visible: visible) }
    return []
  }

  /// Gives the focus to the panel of this name, or to the pane; a number is as good.
  mutating func focusPane(named name: String) -> [Effect] {
    let names = panels.map { $0.definition.name.lowercased() }
    if names.contains(name.lowercased()) { return focusPanel(named: name) }
    if let pane = LayoutPane(word: name.lowercased()) {
      show(pane)
      return []
    }
    guard let number = Int(name),
      panels.indices.contains(number - 1)
        || layout.otherPanes.indices.contains(number - 1 - panels.count)
    else { return focusPanel(named: name) }
    focusNumber(number)
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
    return []
  }

  /// Reports that a command is for panels, and does nothing.
  mutating func refuseWithoutPanel() -> [Effect] {
    message = Message(
      "no panel has the focus: \(keyMap.mention("next")) or 1-9 goes to one", .error)
    return []
  }

  /// Reports an invalid word, with a suggestion if there is one.
  mutating func refuse(_ what: String, _ word: String, among known: [String]) -> [Effect] {
    message = Message("\(what) \"\(word)\"" + Suggestion.phrase(for: word, among: known), .error)
    return []
  }
}
