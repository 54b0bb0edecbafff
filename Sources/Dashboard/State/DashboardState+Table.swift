/// The table of rows that keys are about: a panel's, or the result that is looked through.
extension DashboardState {
  /// The focused panel, or the result that is looked through, with the number that it has on the screen.
  var focusedTable: (number: Int, panel: PanelState)? {
    if focus == .console { return console.browser.map { (number(of: .console), $0) } }
    return focusedPanel.map { ($0 + 1, panels[$0]) }
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
