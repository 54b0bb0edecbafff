import ObservationEngine

/// Alerts among the other parts of the dashboard: panels raise them, and a question is about their
/// hooks.
extension DashboardState {
  mutating func receive(_ event: HookEvent) {
    let isAsking = modes.question == .confirmHooks
    if alerts.receive(event, isAsking: isAsking, &news) { modes.ask(.confirmHooks) }
  }

  /// The alert in the message line: the focused panel's, or else the newest.
  var shownAlert: Int? {
    let unseen = alerts.board.unseen(among: panels.map(\.definition.name))
    return unseen.first { $0 == focusedPanel } ?? unseen.first
  }

  /// Acknowledges the alert in the message line.
  mutating func acknowledgeAlert() {
    guard let index = shownAlert else {
      message = Message("no alert to dismiss")
      return
    }
    alerts.board.acknowledge(panels[index].definition.name)
  }

  /// The commands in question, as the screen shows them.
  var hookListing: HookListing { HookListing(alerts, layout, glyphs) }
}
