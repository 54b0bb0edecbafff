package import ObservationEngine

/// The alerts of a dashboard: which panels alert, and what changed about that.
///
/// Alerts are known by the names of their panels, so they outlive a dashboard that is read anew. They
/// follow the results as they arrive, also while the display is paused or looks back.
package struct AlertBoard: Sendable {
  /// By panel name; those of which nothing is known yet are missing.
  package private(set) var states: [String: AlertState] = [:]
  /// How often an alert was raised.
  package private(set) var raisedCount = 0
  /// The last result of each panel with an alert: what a report compares with.
  private var results: [String: RowSet] = [:]

  package init() {}

  package subscript(panel: String) -> AlertState { states[panel] ?? AlertState() }

  /// Asks the conditions of all panels that have a new result.
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

  /// Takes over what became of a panel's hook.
  mutating func note(_ status: HookStatus, ofHookOf panel: String) { states[panel]?.hook = status }

  /// The panels whose alert nobody has seen, the newest first.
  func unseen(among panels: [String]) -> [Int] {
    panels.indices.filter { !self[panels[$0]].isAcknowledged }
      .sorted {
        let left = self[panels[$0]].raisedAt ?? Timestamp(microseconds: 0)
        let right = self[panels[$1]].raisedAt ?? Timestamp(microseconds: 0)
        return left == right ? $0 < $1 : right < left
      }
  }
}
