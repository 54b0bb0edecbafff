import ObservationEngine

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
      "only the rows in view were kept: no other filter or order before 0 leads back to now")
    return true
  }
}
