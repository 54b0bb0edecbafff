import ObservationEngine

extension DashboardState {
  /// What a key does to the focused panel.
  mutating func pressInPanel(_ key: Key) {
    guard let index = focusedPanel else { return }
    let visible = visibleRows(of: index)
    if panels[index].navigate(key, visible: visible) {
      clampScrolling()
      return
    }
    switch key {
    case .character("<"), .character(">"): openColumnChooser(of: index)
    case .character("/"): filterInput = TextBuffer(panels[index].filter)
    case .enter:
      if panels[index].chosenRow != nil, !ScreenPlan.isTiny(size) {
        overlay = .inspect(scroll: 0)
      }
    case .escape: escape(from: index)
    default: return
    }
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
      if let entry = feed.chosen, !ScreenPlan.isTiny(size) {
        overlay = .commit(CommitReport(entry, self), scroll: 0)
      }
    default: return
    }
  }
}
