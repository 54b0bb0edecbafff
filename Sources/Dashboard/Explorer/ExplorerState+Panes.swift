import DatabaseConsole

// What keys and clicks do among the panes of the explorer.

extension ExplorerState {
  /// The pane that has the focus while the explorer has it.
  var focusedPane: Pane { isEmpty ? .rows : pane }

  /// How many columns the shown table has; 0 when they aren't shown.
  var columnCount: Int { subject?.hasTableRows == true ? table?.columns.count ?? 0 : 0 }

  /// The panes that can have the focus, in the order of their numbers.
  var panes: [Pane] {
    guard !isEmpty else { return [.rows] }
    return (path.isEmpty ? [.tables] : []) + (subject == nil ? [] : [.rows])
      + (columnCount > 0 ? [.columns] : [])
  }

  /// The number of a pane, as its frame shows it.
  func number(of pane: Pane) -> Int { (panes.firstIndex(of: pane) ?? 0) + 1 }

  /// Gives the focus to the next pane that there is.
  mutating func moveFocus(by step: Int) {
    let panes = panes
    let place = panes.firstIndex(of: pane) ?? 0
    focus(panes[(place + step + panes.count) % panes.count])
  }

  /// Esc: one step back, inside the explorer.
  ///
  /// - Returns: Whether there was one.
  mutating func stepBack() -> Bool {
    if focusedPane == .tables, !list.filter.isEmpty {
      setFilter("")
    } else if focusedPane == .columns, !path.isEmpty {
      focus(.rows)
    } else if path.isEmpty {
      guard focusedPane != .tables else { return false }
      focus(.tables)
    } else {
      _ = pop()
    }
    return true
  }

  /// The values of the chosen column, or the groups by it; nil when no column is chosen.
  func values(grouped: Bool) -> ExplorerSubject? {
    guard pane == .columns, let column = chosenColumn, let subject else { return nil }
    return grouped
      ? .groups(table: subject.table, column: column)
      : .values(table: subject.table, column: column)
  }

  /// Gives the focus to the columns, for one of them to be chosen.
  ///
  /// - Parameter keys: What is pressed for a step back, for the values of a column, and for groups.
  /// - Returns: What the user must do.
  mutating func focusColumns(keys: (back: String, values: String, groups: String)) -> Message {
    guard panes.contains(.columns) else {
      return Message(
        "\(keys.back) leads back to the table, where \(keys.values) shows the values of a column")
    }
    focus(.columns)
    return Message(
      "choose a column: \(keys.values) shows its values, \(keys.groups) groups by it")
  }

  /// Gives the focus to the list or the columns, and moves the cursor to a line.
  ///
  /// - Parameter line: Counted from the first in view; negative above it.
  /// - Returns: Whether it opens the line that was chosen already.
  mutating func click(_ pane: Pane, line: Int, visible: Int) -> Bool {
    let isFocused = self.pane == pane
    focus(pane)
    let isList = pane == .tables
    let (cursor, top) = isList ? (list.cursor, list.top) : (columns.cursor ?? 0, columns.top)
    let count = isList ? list.lines.count : table?.columns.count ?? 0
    guard line >= 0, top + line < count else { return false }
    if isFocused, cursor == top + line { return true }
    move(to: top + line, visible: visible)
    return false
  }

  /// Moves the cursor of the list or the columns, whichever has the focus.
  mutating func scroll(_ pane: Pane, by lines: Int, visible: Int) {
    if pane == .tables {
      moveList(to: list.cursor + lines, visible: visible)
    } else {
      moveColumns(to: (columns.cursor ?? 0) + lines, visible: visible)
    }
  }

  private mutating func move(to line: Int, visible: Int) {
    if pane == .tables {
      moveList(to: line, visible: visible)
    } else {
      moveColumns(to: line, visible: visible)
    }
  }

  /// Handles an answer, as far as it concerns the explorer alone.
  mutating func receive(_ action: ExplorerAction) {
    switch action {
    case .surveyed(let counts, let asked): receive(counts, asked: asked)
    case .counted(let counts): receive(counts: counts)
    case .measured(let sizes): receive(sizes: sizes)
    case .summarized(let statistics, let table, let cost):
      receive(statistics, of: table, cost: cost)
    case .generated(let text): receive(generated: text)
    case .left: break
    }
  }
}
