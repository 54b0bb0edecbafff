import ObservationEngine

/// The table of rows that keys act on: a panel's, or the console's browsed result.
extension DashboardState {
  /// The focused panel, or the browsed result, with its number on the screen.
  var focusedTable: (number: Int, panel: PanelState)? {
    if focus == .console { return console.browser.map { (layout.number(of: .console), $0) } }
    return focusedPanel.map { ($0 + 1, panels[$0]) }
  }

  /// How many of its rows are in view.
  var visibleRowsOfFocus: Int {
    focusedPanel.map(layout.visibleRows) ?? layout.visibleResultRows
  }

  /// Reports why the focused table cannot be filtered or sorted now, if so.
  ///
  /// - Returns: Whether it cannot; a result of the console always can, because all its rows are
  ///   loaded.
  mutating func refuseOtherLookOfFocus() -> Bool {
    focusedPanel.map { refuseOtherLook(of: $0) } ?? false
  }

  /// Changes the focused table in place; does nothing without one.
  mutating func changeFocusedTable(_ change: (inout PanelState) -> Void) {
    if focus == .console {
      // Moved out, so that its rows are not copied.
      guard var table = console.browser else { return }
      console.browser = nil
      change(&table)
      console.browser = table
    } else if let index = focusedPanel {
      change(&panels[index])
    }
  }

  /// Resets one thing at a time: filter, sort; false when there is neither.
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

// Long results: only the rows around those in view are loaded.

extension DashboardState {
  /// Whether missing rows can be loaded: those of an older frame or a recording cannot.
  var canAskForRows: Bool { !isPaused && !source.isRecording }

  /// The text for rows that are not loaded and won't be; nil when they are being loaded.
  var missingRows: String? {
    isPaused ? "not kept" : source.isRecording ? "not recorded" : nil
  }

  /// Reports why a row is missing.
  mutating func tellMissingRow() {
    message = Message(missingRows.map { "this row was \($0)" } ?? "this row is being read")
  }

  /// Whether rows in view are being loaded.
  package var isWaitingForRows: Bool {
    guard canAskForRows, panels.contains(where: \.isPart) else { return false }
    return layout.rowViews.contains { index, visible in
      panels[index].isWaiting(visible: visible)
    }
  }

  /// The rows to read for the panels on the screen.
  ///
  /// - Complexity: O(panels) if a result is long, otherwise O(1) for each panel.
  mutating func rowWishes() -> [Effect] {
    guard canAskForRows, panels.contains(where: { $0.isPart || $0.lens.hasAsked }) else {
      return []
    }
    var effects: [Effect] = []
    for (index, visible) in layout.rowViews {
      if let request = panels[index].rowRequest(visible: visible) {
        effects.append(.showRows(panel: index, request))
      }
    }
    return effects
  }

  /// Whether another filter or order is available: not in an older frame of a long result.
  func canLookOtherwise(at index: Int) -> Bool {
    canAskForRows || !panels[index].isPart || panels[index].lens.isRecorded
  }

  /// Reports why a long result cannot be filtered or sorted now, if so.
  ///
  /// - Returns: Whether it cannot.
  mutating func refuseOtherLook(of index: Int) -> Bool {
    guard !canLookOtherwise(at: index) else { return false }
    message = Message(
      "only the rows in view were kept: they can't be filtered or sorted; "
        + "\(keyMap.mention("live")) leads back to now", .warning)
    return true
  }
}
