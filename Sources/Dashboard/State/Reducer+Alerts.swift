import ObservationEngine

/// Alerts: what new results raise, what hooks tell, what is acknowledged.
extension DashboardState {
  /// Asks the conditions of what a refresh brought, also while the display is paused.
  mutating func judgeAlerts(_ refresh: Refresh) -> [Effect] {
    guard panels.contains(where: { $0.definition.alert != nil }) else { return [] }
    let changes = alerts.board.receive(refresh, panels: panels.map(\.definition), at: now.civil)
    var effects: [Effect] = []
    for change in changes where change.isRaised {
      // Whatever was said before matters less.
      message = nil
      // Once, however many panels alert together.
      if effects.isEmpty { effects.append(.ring) }
      // What happened once has called its hooks then.
      guard replay == nil, let command = change.panel.onAlert else { continue }
      alerts.board.note(.waiting, ofHookOf: change.panel.name)
      effects.append(
        .runHook(
          HookCall(
            command: command, panel: change.panel.name,
            input: change.json(databaseName: databaseName))))
    }
    return effects
  }

  mutating func receive(_ event: HookEvent) {
    switch event {
    case .needConfirmation(let requests):
      guard !requests.isEmpty else { return }
      if question == .confirmHooks {
        message = Message("the commands have changed: read them again", .warning)
      }
      alerts.asked = requests
      ask(.confirmHooks)
    case .changed(_, let panel?, let status): alerts.board.note(status, ofHookOf: panel)
    case .changed(let command, nil, let status):
      guard !status.isFine else { return }
      message = Message("hook \(command.text) \(status.text)", .warning)
    }
  }

  /// The alert that the message line tells of: that of the focused panel, or else the newest.
  var shownAlert: Int? {
    let unseen = alerts.board.unseen(among: panels.map(\.definition.name))
    return unseen.first { $0 == focusedPanel } ?? unseen.first
  }

  /// Acknowledges the alert that the message line tells of.
  mutating func acknowledgeAlert() {
    guard let index = shownAlert else {
      message = Message("no alert waits to be acknowledged")
      return
    }
    alerts.board.acknowledge(panels[index].definition.name)
  }

  /// Takes the answer to whether hooks may run.
  mutating func confirmHooks(_ isConfirmed: Bool) -> [Effect] {
    let requests = alerts.asked
    alerts.asked = []
    if !isConfirmed { message = Message("hooks do not run in this session", .warning) }
    return [.confirmHooks(isConfirmed, requests)]
  }
}
