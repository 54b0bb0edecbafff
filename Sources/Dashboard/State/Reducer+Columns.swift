/// Choosing the columns of a table.
extension DashboardState {
  mutating func openColumnChooser(of panel: PanelState) {
    guard panel.result != nil, panel.kind.has(.columns),
      !ScreenLayout.isTiny(size)
    else {
      message = Message("columns can be chosen in tables and logs")
      return
    }
    let first = panel.movableColumns.dropFirst(panel.leftColumn).first
    let place = first.flatMap { panel.columnChoice.order.firstIndex(of: $0) }
    modes.show(.columns, ScrollingList(cursor: place ?? 0))
  }

  /// Changes the choice of the focused table's columns, and the place of the cursor among them.
  mutating func chooseColumns(_ change: (inout ColumnChoice, _ place: inout Int) -> Void) {
    guard modes.overlay == .columns, var choice = focusedTable?.panel.columnChoice else {
      modes.show(nil)
      return
    }
    let last = max(0, choice.order.count - 1)
    var place = min(modes.overlayLines.cursor ?? 0, last)
    change(&choice, &place)
    changeFocusedTable { table in
      table.viewport.columnChoice = choice
      table.moveColumns(by: 0)
    }
    modes.show(.columns, ScrollingList(cursor: min(max(0, place), last)))
  }
}
