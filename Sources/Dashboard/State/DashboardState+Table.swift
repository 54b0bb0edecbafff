/// The table of rows that keys are about: a panel's, or the result that is looked through.
extension DashboardState {
  /// The focused panel, or the result that is looked through, with the number that it has on the screen.
  var focusedTable: (number: Int, panel: PanelState)? {
    if focus == .console { return console.browser.map { (number(of: .console), $0) } }
    return focusedPanel.map { ($0 + 1, panels[$0]) }
  }

  /// How many rows of it are in view.
  var visibleRowsOfFocus: Int {
    focusedPanel.map(visibleRows) ?? browserRows(ScreenPlan(self, size: size))
  }

  /// Says why the focused table cannot be shown otherwise now, if it cannot.
  ///
  /// - Returns: Whether it cannot; all rows of a result of the console are held.
  mutating func refuseOtherLookOfFocus() -> Bool {
    focusedPanel.map { refuseOtherLook(of: $0) } ?? false
  }

  /// Changes the focused table in its place; does nothing without one.
  mutating func changeFocusedTable(_ change: (inout PanelState) -> Void) {
    if focus == .console {
      // Taken out, so that its rows are not copied.
      guard var table = console.browser else { return }
      console.browser = nil
      change(&table)
      console.browser = table
    } else if let index = focusedPanel {
      change(&panels[index])
    }
    clampScrolling()
  }

  /// Takes back one thing at a time: filter, sort; false when there is neither.
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
