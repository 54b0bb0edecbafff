import ObservationEngine

/// Alerts: raised by new results, with hooks and acknowledgement.
extension DashboardState {
  /// Evaluates the conditions for a refresh's results, even while the display is paused.
  mutating func judgeAlerts(_ refresh: Refresh) -> [Effect] {
    guard panels.contains(where: { $0.definition.alert != nil }) else { return [] }
    let changes = alerts.board.receive(refresh, panels: panels.map(\.definition), at: now.civil)
    var effects: [Effect] = []
    for change in changes where change.isRaised {
      // Any earlier message matters less.
      message = nil
      // Once, however many panels alert together.
      if effects.isEmpty { effects.append(.ring) }
      // A recorded alert called its hooks when it happened.
      guard !source.isRecording, let command = change.panel.onAlert else { continue }
      alerts.board.note(.waiting, ofHookOf: change.panel.name)
      effects.append(
        .hooks(
          .run(
            HookCall(
              command: command, panel: change.panel.name,
              input: change.json(databaseName: setting.databaseName)))))
    }
    return effects
  }

  mutating func receive(_ event: HookEvent) {
    switch event {
    case .needConfirmation(let requests):
      guard !requests.isEmpty else { return }
      if modes.question == .confirmHooks {
        message = Message("the commands have changed: read them again", .warning)
      }
      alerts.asked = requests
      modes.ask(.confirmHooks)
    case .changed(_, let panel?, let status): alerts.board.note(status, ofHookOf: panel)
    case .changed(let command, nil, let status):
      guard !status.isFine else { return }
      message = Message(status.text(of: command.text), .warning)
    }
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

  /// Scrolls the commands in question.
  mutating func readHooks(_ motion: Motion) {
    let listing = HookListing(self)
    let page = max(1, listing.visible)
    alerts.reading.wasHurried = false
    alerts.reading.list.top = listing.top
    alerts.reading.list.scroll(
      by: motion.lines(page: page, half: page / 2), of: listing.lines.count, visible: page)
  }

  /// Refuses a yes before the end of the commands in question was in view.
  ///
  /// - Returns: Whether it is refused.
  mutating func refuseHastyYes() -> Bool {
    alerts.reading.wasHurried = !HookListing(self).canBeConfirmed
    return alerts.reading.wasHurried
  }

  /// Records when the end of the commands in question comes into view.
  mutating func noteHooksShown() {
    guard modes.question == .confirmHooks, !alerts.reading.hasReachedEnd else { return }
    alerts.reading.hasReachedEnd = HookListing(self).showsEnd
  }

  /// Handles the answer to whether hooks may run.
  mutating func confirmHooks(_ isConfirmed: Bool) -> [Effect] {
    let requests = alerts.asked
    alerts.asked = []
    if !isConfirmed { message = Message("hooks do not run in this session", .warning) }
    return [.hooks(.confirm(isConfirmed, requests))]
  }
}
