import Dashboard
import ObservationEngine

/// The alerts of panels that are printed once: they are reported, but no hook runs.
struct OnceAlerts {
  let panels: [PanelDefinition]

  /// Evaluates the conditions in the order of the panels, and returns whether any holds.
  func isRaised(by results: [Result<RowSet, DatabaseError>]) -> Bool {
    var board = AlertBoard()
    let numbered = Dictionary(uniqueKeysWithValues: results.enumerated().map { ($0, $1) })
    let refresh = Refresh(results: numbered)
    let changes = board.receive(refresh, panels: panels, at: SystemClock.now())
    for change in changes where change.isRaised {
      StandardError.say("\(change.panel.name): crossed threshold \(change.rule.raise.text)")
    }
    return board.raisedCount > 0
  }
}
