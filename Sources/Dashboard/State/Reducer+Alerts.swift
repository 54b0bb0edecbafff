import ObservationEngine

/// Alerts among the other parts of the dashboard: panels raise them, and a question is about their
/// hooks.
extension DashboardState {
  mutating func receive(_ event: HookEvent) {
    let isAsking = modes.question == .confirmHooks
    alerts.receive(event, isAsking: isAsking, &news)
    if isAsking, alerts.asked.isEmpty { modes.askNext() }
  }

  /// Asks about hooks, once no key that is under way can be taken for the answer: while nothing is
  /// typed, and no other question has just been answered.
  ///
  /// - Parameter question: What was asked before the action.
  mutating func askAboutHooks(after question: Question?) {
    guard alerts.waitsToAsk, question == nil, modes.question == nil, !isTyping else { return }
    alerts.waitsToAsk = false
    modes.ask(.confirmHooks)
  }

  /// Whether keys are text.
  private var isTyping: Bool {
    switch modes.front {
    case .filter, .export, .command: true
    case .panes: focus == .console && layout.console != nil
    case .overlay, .question: false
    }
  }

  /// When a yes to hooks counts, on the monotonic clock; nil while none would, however late.
  package var confirmsAt: UInt64? {
    guard modes.question == .confirmHooks, alerts.reading.hasReachedEnd else { return nil }
    return alerts.reading.shownAt + HookReading.least
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
