import ObservationEngine

extension DashboardState {
  /// What a key does to the focused panel.
  mutating func pressInPanel(_ key: Key) {
    guard let index = focusedPanel else { return }
    let visible = visibleRows(of: index)
    let page = max(1, visible - 1)
    switch key {
    case .down, .character("j"), .character("n"): panels[index].moveCursor(by: 1, visible: visible)
    case .up, .character("k"), .character("N"): panels[index].moveCursor(by: -1, visible: visible)
    case .pageDown: panels[index].moveCursor(by: page, visible: visible)
    case .pageUp: panels[index].moveCursor(by: -page, visible: visible)
    case .control("d"): panels[index].moveCursor(by: max(1, visible / 2), visible: visible)
    case .control("u"): panels[index].moveCursor(by: -max(1, visible / 2), visible: visible)
    case .home, .character("g"): panels[index].moveCursor(to: 0, visible: visible)
    case .end, .character("G"): panels[index].moveCursor(to: .max, visible: visible)
    case .left, .character("h"): panels[index].moveColumns(by: -1)
    case .right, .character("l"): panels[index].moveColumns(by: 1)
    case .character("<"), .character(">"): openColumnChooser(of: index)
    case .character("/"): filterInput = TextBuffer(panels[index].filter)
    case .character("s"): cycleSort(of: index)
    case .character("S"): reverseSort(of: index)
    case .enter:
      if panels[index].chosenRow != nil, !ScreenPlan.isTiny(size) {
        overlay = .inspect(scroll: 0)
      }
    case .escape: escape(from: index)
    default: return
    }
  }

  /// From no order of its own through every column and back.
  private mutating func cycleSort(of index: Int) {
    let count = panels[index].result?.columns.count ?? 0
    let next = (panels[index].sort?.column ?? -1) + 1
    let descending = panels[index].sort?.isDescending ?? false
    panels[index].setSort(
      next < count ? PanelState.Sort(column: next, isDescending: descending) : nil)
    clampScrolling()
  }

  private mutating func reverseSort(of index: Int) {
    guard panels[index].result != nil else { return }
    var sort = panels[index].sort ?? PanelState.Sort(column: 0)
    sort.isDescending.toggle()
    panels[index].setSort(sort)
    clampScrolling()
  }

  /// Takes back one thing at a time: zoom, filter, sort, cursor.
  private mutating func escape(from index: Int) {
    if isZoomed {
      isZoomed = false
    } else if !panels[index].filter.isEmpty {
      panels[index].setFilter("")
    } else if panels[index].sort != nil {
      panels[index].setSort(nil)
    } else {
      panels[index].clearCursor()
    }
    clampScrolling()
  }

  /// What a key does while a filter is typed: the rows follow at once.
  mutating func pressInFilter(_ key: Key) {
    guard let index = focusedPanel, var input = filterInput else {
      filterInput = nil
      return
    }
    switch key {
    case .enter: filterInput = nil
    case .escape, .control("c"):
      filterInput = nil
      panels[index].setFilter("")
    case .up, .down, .tab, .backTab: break
    default:
      guard input.edit(key.onOneLine) else { return }
      filterInput = input
      panels[index].setFilter(input.text.filter { $0 != "\n" })
    }
    clampScrolling()
  }

  mutating func scrollFeed(_ key: Key) {
    let visible = visibleFeedLines
    switch key {
    case .down, .character("j"): feed.move(by: 1, visible: visible)
    case .up, .character("k"): feed.move(by: -1, visible: visible)
    case .pageDown: feed.move(by: max(1, visible - 1), visible: visible)
    case .pageUp: feed.move(by: -max(1, visible - 1), visible: visible)
    case .control("d"): feed.move(by: max(1, visible / 2), visible: visible)
    case .control("u"): feed.move(by: -max(1, visible / 2), visible: visible)
    case .home, .character("g"), .escape: feed.move(by: -feed.entries.count, visible: visible)
    case .end, .character("G"): feed.move(by: feed.entries.count, visible: visible)
    case .enter:
      if let entry = feed.chosen, !ScreenPlan.isTiny(size) { overlay = .commit(entry, scroll: 0) }
    default: return
    }
  }
}
