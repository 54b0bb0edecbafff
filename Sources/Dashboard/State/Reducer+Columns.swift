/// Choosing the columns of a table.
extension DashboardState {
  mutating func openColumnChooser(of index: Int) {
    let panel = panels[index]
    guard panel.result != nil, panel.kind == .table || panel.kind == .log,
      !ScreenPlan.isTiny(size)
    else {
      message = Message("columns can be chosen in tables and logs")
      return
    }
    let first = panel.columnChoice.visible.dropFirst(panel.leftColumn).first
    let place = first.flatMap { panel.columnChoice.order.firstIndex(of: $0) }
    overlay = .columns(cursor: place ?? 0)
  }

  /// What a key does among the columns of the focused panel.
  mutating func pressInColumnChooser(_ key: Key, cursor: Int) {
    guard let index = focusedPanel else {
      overlay = nil
      return
    }
    let last = max(0, panels[index].columnChoice.order.count - 1)
    var place = min(cursor, last)
    switch key {
    case .up, .character("k"): place -= 1
    case .down, .character("j"): place += 1
    case .pageUp, .control("u"): place -= max(1, size.height / 2)
    case .pageDown, .control("d"): place += max(1, size.height / 2)
    case .home, .character("g"): place = 0
    case .end, .character("G"): place = last
    case .character(" "), .character("x"): panels[index].columnChoice.toggle(at: place)
    case .character("<"), .character("H"), .left, .character("h"):
      place = panels[index].columnChoice.move(at: place, by: -1)
    case .character(">"), .character("L"), .right, .character("l"):
      place = panels[index].columnChoice.move(at: place, by: 1)
    case .character("0"): panels[index].columnChoice = ColumnChoice(panels[index].columns)
    case .enter, .escape, .character("q"), .control("c"):
      overlay = nil
      return
    default: return
    }
    panels[index].moveColumns(by: 0)
    overlay = .columns(cursor: min(max(0, place), last))
  }
}
