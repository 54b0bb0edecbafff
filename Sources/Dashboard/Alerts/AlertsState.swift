import ObservationEngine

/// The alerts of the dashboard, and the state of their hooks.
package struct AlertsState: Sendable, Equatable {
  package internal(set) var board = AlertBoard()
  /// The hooks of the open question; empty when there is none.
  package internal(set) var asked: [HookRequest] = [] {
    didSet { reading = HookReading() }
  }
  /// How far the user has read them.
  var reading = HookReading()
}

/// How far the commands that wait for confirmation have been read.
struct HookReading: Sendable, Equatable {
  var list = ScrollingList()
  /// Whether the last line has been in view.
  var hasReachedEnd = false
  /// Whether the user said yes before that, with the last key.
  var wasHurried = false
}

extension AlertsState {
  /// Evaluates the conditions for a refresh's results, even while the display is paused.
  ///
  /// - Parameters:
  ///   - panels: Numbered as the results are.
  ///   - callsHooks: Not for a recorded alert, which called its hooks when it happened.
  ///   - databaseName: For the input of hooks.
  /// - Returns: Whether any alert was raised, and the hooks of those that were.
  mutating func judge(
    _ refresh: Refresh, _ panels: [PanelDefinition], callsHooks: Bool, databaseName: String,
    _ news: inout News
  ) -> (isRaised: Bool, hooks: [HookEffect]) {
    let changes = board.receive(refresh, panels: panels, at: news.now.civil)
    var isRaised = false
    var hooks: [HookEffect] = []
    for change in changes where change.isRaised {
      isRaised = true
      // Any earlier message matters less.
      news.message = nil
      guard callsHooks, let command = change.panel.onAlert else { continue }
      board.note(.waiting, ofHookOf: change.panel.name)
      hooks.append(
        .run(
          HookCall(
            command: command, panel: change.panel.name,
            input: change.json(databaseName: databaseName))))
    }
    return (isRaised, hooks)
  }

  /// Handles an event of the runner of hooks.
  ///
  /// - Parameter isAsking: Whether the user is asked about hooks already.
  /// - Returns: Whether the user must be asked.
  mutating func receive(_ event: HookEvent, isAsking: Bool, _ news: inout News) -> Bool {
    switch event {
    case .needConfirmation(let requests):
      guard !requests.isEmpty else { return false }
      if isAsking {
        news.message = Message("the commands have changed: read them again", .warning)
      }
      asked = requests
      return true
    case .changed(_, let panel?, let status): board.note(status, ofHookOf: panel)
    case .changed(let command, nil, let status):
      if !status.isFine { news.message = Message(status.text(of: command.text), .warning) }
    }
    return false
  }

  // MARK: The question about hooks

  /// Scrolls the commands in question.
  mutating func read(_ motion: Motion, in listing: HookListing) {
    let page = max(1, listing.visible)
    reading.wasHurried = false
    reading.list.top = listing.top
    reading.list.scroll(
      by: motion.lines(page: page, half: page / 2), of: listing.lines.count, visible: page)
  }

  /// Refuses a yes before the end of the commands in question was in view.
  ///
  /// - Returns: Whether it is refused.
  mutating func refuseHastyYes(in listing: HookListing) -> Bool {
    reading.wasHurried = !listing.canBeConfirmed
    return reading.wasHurried
  }

  /// Records when the end of the commands in question comes into view.
  mutating func noteShown(_ listing: HookListing) {
    reading.hasReachedEnd = listing.showsEnd
  }

  /// Handles the answer to whether hooks may run.
  mutating func confirm(_ isConfirmed: Bool, _ news: inout News) -> [HookEffect] {
    let requests = asked
    asked = []
    if !isConfirmed { news.message = Message("hooks do not run in this session", .warning) }
    return [.confirm(isConfirmed, requests)]
  }
}
