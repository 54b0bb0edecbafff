package import ObservationEngine

/// The alerts of the dashboard, and the state of their hooks.
package struct AlertsState: Sendable, Equatable {
  package internal(set) var board = AlertBoard()
  /// The hooks of the question that is open, or waits to be asked; empty when there is none.
  package internal(set) var asked: [HookRequest] = [] {
    didSet { reading = HookReading() }
  }
  /// Whether the question about hooks is still to be asked, once nothing is being typed.
  var waitsToAsk = false
  /// How far the user has read them.
  var reading = HookReading()
}

/// How far the commands that wait for confirmation have been read.
struct HookReading: Sendable, Equatable {
  var list = ScrollingList()
  /// Whether the last line has been in view.
  var hasReachedEnd = false
  /// Since when, on the monotonic clock.
  var shownAt: UInt64 = 0
  /// To read and answer takes longer than this, in nanoseconds.
  static let least: UInt64 = 500_000_000
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
  mutating func receive(_ event: HookEvent, isAsking: Bool, _ news: inout News) {
    switch event {
    case .needConfirmation(let requests):
      if isAsking, !requests.isEmpty {
        news.message = Message("the commands have changed: read them again", .warning)
      }
      asked = requests
      waitsToAsk = !isAsking && !requests.isEmpty
    case .changed(_, let panel?, let status): board.note(status, ofHookOf: panel)
    case .changed(let command, nil, let status):
      if !status.isFine { news.message = Message(status.text(of: command.text), .warning) }
    }
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

  /// Refuses a yes before the end of the commands in question was in view, or right after it came:
  /// such a key was meant for something else.
  ///
  /// - Returns: Whether it is refused.
  mutating func refuseHastyYes(in listing: HookListing, at now: UInt64) -> Bool {
    reading.wasHurried = !listing.canBeConfirmed
    return reading.wasHurried || now - min(now, reading.shownAt) < HookReading.least
  }

  /// Records when the end of the commands in question comes into view.
  mutating func noteShown(_ listing: HookListing, at now: UInt64) {
    guard listing.showsEnd else { return }
    (reading.hasReachedEnd, reading.shownAt) = (true, now)
  }

  /// Handles the answer to whether hooks may run.
  mutating func confirm(_ isConfirmed: Bool, _ news: inout News) -> [HookEffect] {
    let requests = asked
    asked = []
    if !isConfirmed { news.message = Message("hooks do not run in this session", .warning) }
    return [.confirm(isConfirmed, requests)]
  }
}

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
