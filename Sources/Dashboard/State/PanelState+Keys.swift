import ObservationEngine

extension PanelState {
  /// Handles a key for any table of rows: its cursor, columns and order.
  ///
  /// - Parameter visible: How many rows are in view.
  /// - Returns: Whether the key has a meaning here.
  mutating func navigate(_ key: Key, visible: Int) -> Bool {
    let page = max(1, visible - 1)
    switch key {
    case .down, .character("j"), .character("n"): moveCursor(by: 1, visible: visible)
    case .up, .character("k"), .character("N"): moveCursor(by: -1, visible: visible)
    case .pageDown: moveCursor(by: page, visible: visible)
    case .pageUp: moveCursor(by: -page, visible: visible)
    case .control("d"): moveCursor(by: max(1, visible / 2), visible: visible)
    case .control("u"): moveCursor(by: -max(1, visible / 2), visible: visible)
    case .home, .character("g"): moveCursor(to: 0, visible: visible)
    case .end, .character("G"): moveCursor(to: .max, visible: visible)
    case .left, .character("h"): moveColumns(by: -1)
    case .right, .character("l"): moveColumns(by: 1)
    case .character("s"): cycleSort()
    case .character("S"): reverseSort()
    default: return false
    }
    return true
  }

  /// Cycles from the query's own order through every visible column, in their order, and back.
  private mutating func cycleSort() {
    let columns = columnChoice.visible
    let place = sort.flatMap { columns.firstIndex(of: $0.column) }
    let next = place.map { $0 + 1 } ?? 0
    let descending = sort?.isDescending ?? false
    setSort(
      next < columns.count ? Sort(column: columns[next], isDescending: descending) : nil)
  }

  private mutating func reverseSort() {
    guard let first = columnChoice.visible.first else { return }
    var sort = sort ?? Sort(column: first)
    sort.isDescending.toggle()
    setSort(sort)
  }
}
