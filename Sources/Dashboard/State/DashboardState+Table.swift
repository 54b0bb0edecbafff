/// The table of rows that keys act on: a panel's, or the console's browsed result.
extension DashboardState {
  /// The focused panel, or the browsed result, with its number on the screen.
  var focusedTable: (number: Int, panel: PanelState)? {
    if focus == .console { return console.browser.map { (layout.number(of: .console), $0) } }
    return focusedPanel.map { ($0 + 1, panels[$0]) }
  }

  /// How many of its rows are in view.
  var visibleRowsOfFocus: Int {
    focusedPanel.map(layout.visibleRows) ?? layout.visibleResultRows
  }

  /// Reports why the focused table cannot be filtered or sorted now, if so.
  ///
  /// - Returns: Whether it cannot; a result of the console always can, because all its rows are
  ///   loaded.
  mutating func refuseOtherLookOfFocus() -> Bool {
    focusedPanel.map { refuseOtherLook(of: $0) } ?? false
  }

  /// Changes the focused table in place; does nothing without one.
  mutating func changeFocusedTable(_ change: (inout PanelState) -> Void) {
    if focus == .console {
      // Moved out, so that its rows are not copied.
      guard var table = console.browser else { return }
      console.browser = nil
      change(&table)
      console.browser = table
    } else if let index = focusedPanel {
      change(&panels[index])
    }
  }

  /// Resets one thing at a time: filter, sort; false when there is neither.
  mutating func releaseFocusedTable() -> Bool {
    guard let table = focusedTable?.panel else { return false }
    if !table.filter.isEmpty {
      changeFocusedTable { $0.setFilter("") }
    } else if table.sort != nil {
      changeFocusedTable { $0.setSort(nil) }
    } else {
      return false
    }
    return true
  }
}
