import ObservationEngine

extension PanelState {
  /// Does what a key does to any table of rows: its cursor, columns and order.
  ///
  /// - Parameter visible: How many rows are in view.
  /// - Returns: Whether the key means something here.
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

  /// From no order of its own through every column and back.
  private mutating func cycleSort() {
    let count = result?.columns.count ?? 0
    let next = (sort?.column ?? -1) + 1
    let descending = sort?.isDescending ?? false
    setSort(next < count ? Sort(column: next, isDescending: descending) : nil)
  }

  private mutating func reverseSort() {
    guard result != nil else { return }
    var sort = sort ?? Sort(column: 0)
    sort.isDescending.toggle()
    setSort(sort)
  }
}
