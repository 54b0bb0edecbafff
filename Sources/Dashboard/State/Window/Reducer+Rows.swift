import ObservationEngine

// Long results, of which only the rows around those in view are held.

extension DashboardState {
  /// Whether rows that are not at hand can be had: those of the past, and of a recording, cannot.
  var canAskForRows: Bool { !isPaused && !isRecording }

  /// What stands for rows that are not at hand and will not come; nil when they are on their way.
  var missingRows: String? {
    isPaused ? "not kept" : isRecording ? "not recorded" : nil
  }

  /// Says why a row is not there.
  mutating func tellMissingRow() {
    message = Message(missingRows.map { "this row was \($0)" } ?? "this row is being read")
  }

  /// Whether rows in view are on their way.
  package var isWaitingForRows: Bool {
    guard canAskForRows, panels.contains(where: \.isPart) else { return false }
    return ScreenPlan(self, size: size).rowViews(self).contains { index, visible in
      panels[index].isWaiting(visible: visible)
    }
  }

  /// The rows to read for the panels on the screen.
  ///
  /// - Complexity: O(panels) where a result is long, else O(1) for each panel.
  mutating func rowWishes() -> [Effect] {
    guard canAskForRows, panels.contains(where: { $0.isPart || $0.lens.hasAsked }) else {
      return []
    }
    var effects: [Effect] = []
    for (index, visible) in ScreenPlan(self, size: size).rowViews(self) {
      if let request = panels[index].rowRequest(visible: visible) {
        effects.append(.showRows(panel: index, request))
      }
    }
    return effects
  }

  /// Whether another filter or order can be had: of the past of a long result it cannot.
  func canLookOtherwise(at index: Int) -> Bool {
    canAskForRows || !panels[index].isPart || panels[index].lens.isRecorded
  }

  /// Says why a long result cannot be shown otherwise now, if it cannot.
  ///
  /// - Returns: Whether it cannot.
  mutating func refuseOtherLook(of index: Int) -> Bool {
    guard !canLookOtherwise(at: index) else { return false }
    message = Message(
      "only the rows in view were kept: no other filter or order before 0 leads back to now")
    return true
  }
}
