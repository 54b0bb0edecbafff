import ObservationEngine

extension DashboardState {
  /// Handles a key for the focused panel.
  mutating func pressInPanel(_ key: Key) {
    guard let index = focusedPanel else { return }
    let visible = visibleRows(of: index)
    switch key {
    case .character("s"), .character("S"), .character("/"):
      guard !refuseOtherLook(of: index) else { return }
    default: break
    }
    if panels[index].navigate(key, visible: visible) {
      clampScrolling()
      return
    }
    if key == .escape { escape(from: index) } else { openFromTable(key) }
  }

  /// Handles a key that opens something for the focused table: its columns, its filter, its row.
  mutating func openFromTable(_ key: Key) {
    guard let table = focusedTable?.panel else { return }
    switch key {
    case .character("<"), .character(">"): openColumnChooser(of: table)
    case .character("/"): filterInput = TextBuffer(table.filter)
    case .enter:
      guard !ScreenPlan.isTiny(size) else { return }
      if table.chosenRow != nil {
        overlay = .inspect(scroll: 0)
      } else if table.rowCount > 0 {
        tellMissingRow()
      }
    default: return
    }
  }

  /// Resets one thing at a time: zoom, filter, sort, cursor.
  private mutating func escape(from index: Int) {
    if isZoomed {
      isZoomed = false
    } else if !canLookOtherwise(at: index) {
      panels[index].clearCursor()
    } else if !releaseFocusedTable() {
      panels[index].clearCursor()
    }
    clampScrolling()
  }

  /// Handles a key while a filter is typed: the rows follow immediately.
  mutating func pressInFilter(_ key: Key) {
    guard focusedTable != nil, var input = filterInput else {
      filterInput = nil
      return
    }
    switch key {
    case .enter: filterInput = nil
    case .escape, .control("c"):
      filterInput = nil
      changeFocusedTable { $0.setFilter("") }
    case .up, .down, .tab, .backTab: break
    default:
      guard input.edit(key.onOneLine) else { return }
      filterInput = input
      changeFocusedTable { $0.setFilter(input.text.filter { $0 != "\n" }) }
    }
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
    default: return
    }
  }
}
