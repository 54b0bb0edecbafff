package import ObservationEngine

/// The alerts of a dashboard: which panels alert, and what has changed about that.
///
/// Alerts are keyed by their panels' names, so they survive a reloaded dashboard. They follow the
/// results as they arrive, even while the display is paused or rewound.
package struct AlertBoard: Sendable, Equatable {
  /// By panel name; without alerts about which nothing is known yet.
  package private(set) var states: [String: AlertState] = [:]
  /// How many alerts were raised.
  package private(set) var raisedCount = 0
  /// The last result of each panel with an alert, for a report to compare with.
  private var results: [String: RowSet] = [:]

  package init() {}

  package subscript(panel: String) -> AlertState { states[panel] ?? AlertState() }

  /// Evaluates the conditions of all panels with a new result.
  ///
  /// - Parameters:
  ///   - panels: Numbered as the results are.
  ///   - time: Now, in civil time.
  /// - Returns: What was raised or ended, in the order of the panels.
  /// - Complexity: O(rows · comparisons) of the new results with an alert.
  package mutating func receive(
    _ refresh: Refresh, panels: [PanelDefinition], at time: Timestamp
  ) -> [AlertChange] {
    var changes: [AlertChange] = []
    for index in refresh.results.keys.sorted() where panels.indices.contains(index) {
      let panel = panels[index]
      guard let rule = panel.alert, case .success(let rows)? = refresh.results[index] else {
        continue
      }
      var state = self[panel.name]
      let old = results.updateValue(rows, forKey: panel.name)
      let isRaised = state.receive(rows, rule: rule, at: time)
      states[panel.name] = state
      guard let isRaised else { continue }
      if isRaised { raisedCount += 1 }
      changes.append(
        AlertChange(
          panel: panel, index: index, isRaised: isRaised, rule: rule, ordinal: refresh.ordinal,
          time: time, old: old, new: rows))
    }
    return changes
  }

  /// Marks a panel's alert as seen.
  mutating func acknowledge(_ panel: String) { states[panel]?.isAcknowledged = true }

  /// Records the status of a panel's hook.
  mutating func note(_ status: HookStatus, ofHookOf panel: String) { states[panel]?.hook = status }

  /// The panels with an alert that the user has not seen, the newest first.
  func unseen(among panels: [String]) -> [Int] {
    panels.indices.filter { !self[panels[$0]].isAcknowledged }
      .sorted {
        let left = self[panels[$0]].raisedAt ?? Timestamp(microseconds: 0)
        let right = self[panels[$1]].raisedAt ?? Timestamp(microseconds: 0)
        return left == right ? $0 < $1 : right < left
      }
  }
}
