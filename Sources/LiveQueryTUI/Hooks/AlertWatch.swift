import Dashboard
import ObservationEngine

/// Alerts and hooks of a run without a screen: reported on standard error, and run one after
/// another, while the run goes on.
@ScreenActor
final class AlertWatch {
  private let panels: [PanelDefinition]
  private let databaseName: String
  private let failsOnAlert: Bool
  private let exec: HookCommand?
  private let settings: HookSettings
  private let hooks: HookRunner
  private var board = AlertBoard()

  init(_ dashboard: LoadedDashboard, _ arguments: Arguments) {
    panels = dashboard.definition.panels
    databaseName = arguments.databaseName
    failsOnAlert = arguments.failsOnAlert
    exec = arguments.exec
    let trust = TrustFile()
    settings = HookSettings(dashboard, arguments, isAttended: false, trust: trust)
    hooks = HookRunner(settings, trust: trust) { event in
      guard case .changed(let command, _, let status) = event, !status.isFine else { return }
      StandardError.say(status.text(of: command.text))
    }
  }

  /// Reports now what would otherwise only show at the first alert: at night, perhaps.
  func begin() {
    guard case .missing(let reason) = settings.consent, let first = settings.requests.first else {
      return
    }
    let more = settings.requests.count > 1 ? " and \(settings.requests.count - 1) more" : ""
    StandardError.say("hook \(first.command.text)\(more) will not run: \(reason)")
  }

  /// Evaluates a refresh and calls its hooks; the run continues meanwhile.
  ///
  /// - Parameter changes: The changes, as records; nil for none.
  /// - Returns: Whether the run must end because of an alert.
  func receive(_ refresh: Refresh, changes: String?) -> Bool {
    var isRaised = false
    for change in board.receive(refresh, panels: panels, at: SystemClock.now()) {
      let verb = change.isRaised ? "alert:" : "no longer:"
      StandardError.say("\(change.panel.name): \(verb) \(change.rule.raise.text)")
      guard change.isRaised else { continue }
      isRaised = true
      guard let command = change.panel.onAlert else { continue }
      hooks.call(
        HookCall(
          command: command, panel: change.panel.name,
          input: change.json(databaseName: databaseName)))
    }
    if let exec, let changes { hooks.call(HookCall(command: exec, panel: nil, input: changes)) }
    return isRaised && failsOnAlert
  }

  /// Waits for the hooks that were called.
  func finish() async { await hooks.finish() }

  /// Ends the running hook.
  func stop() { hooks.stop() }
}
