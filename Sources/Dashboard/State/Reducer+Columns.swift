/// Choosing the columns of a table.
extension DashboardState {
  mutating func openColumnChooser(of panel: PanelState) {
    guard panel.result != nil, panel.kind == .table || panel.kind == .log,
      !ScreenPlan.isTiny(size)
    else {
      message = Message("columns can be chosen in tables and logs")
      return
    }
    let first = panel.movableColumns.dropFirst(panel.leftColumn).first
    let place = first.flatMap { panel.columnChoice.order.firstIndex(of: $0) }
    overlay = .columns(cursor: place ?? 0)
  }

  /// Handles a key in the list of the focused table's columns.
  mutating func pressInColumnChooser(_ key: Key, cursor: Int) {
    guard var choice = focusedTable?.panel.columnChoice else {
      overlay = nil
      return
    }
    let last = max(0, choice.order.count - 1)
    var place = min(cursor, last)
    switch key {
    case .up, .character("k"): place -= 1
    case .down, .character("j"): place += 1
    case .pageUp, .control("u"): place -= max(1, size.height / 2)
    case .pageDown, .control("d"): place += max(1, size.height / 2)
    case .home, .character("g"): place = 0
    case .end, .character("G"): place = last
    case .character(" "), .character("x"): choice.toggle(at: place)
    case .character("<"), .character("H"), .left, .character("h"):
      place = choice.move(at: place, by: -1)
    case .character(">"), .character("L"), .right, .character("l"):
      place = choice.move(at: place, by: 1)
    case .character("0"): choice = ColumnChoice(focusedTable?.panel.columns ?? [])
    case .enter, .escape, .character("q"), .control("c"):
      overlay = nil
      return
    default: return
    }
    changeFocusedTable { table in
      table.columnChoice = choice
      table.moveColumns(by: 0)
    }
    overlay = .columns(cursor: min(max(0, place), last))
  }
}
