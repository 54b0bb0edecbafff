/// A command that shall run, with what it reads.
package struct HookCall: Sendable, Equatable {
  package let command: HookCommand
  /// The panel whose alert it is for; nil for `--exec`.
  package let panel: String?
  /// What it reads from standard input.
  package let input: String

  package init(command: HookCommand, panel: String?, input: String) {
    self.command = command
    self.panel = panel
    self.input = input
  }
}

/// A command that somebody must agree to before it runs for the first time.
package struct HookRequest: Sendable, Hashable {
  package let command: HookCommand
  /// The panel whose alert it is for; nil for `--exec`.
  package let panel: String?

  package init(command: HookCommand, panel: String?) {
    self.command = command
    self.panel = panel
  }

  /// When it runs, in words.
  var occasion: String { panel.map { "panel \($0) alerts" } ?? "a panel changes (--exec)" }
}

/// What whoever runs hooks tells the dashboard.
package enum HookEvent: Sendable, Equatable {
  /// Ask for a confirmation; ``Effect/confirmHooks(_:_:)`` will follow.
  case needConfirmation([HookRequest])
  /// The state of a hook changed.
  case changed(HookCommand, panel: String?, HookStatus)
}

/// The alerts of the dashboard, and what is known of their hooks.
package struct AlertsState: Sendable {
  package internal(set) var board = AlertBoard()
  /// What the open question is about; empty when nothing is asked.
  package internal(set) var asked: [HookRequest] = [] {
    didSet { reading = HookReading() }
  }
  /// How far that was read.
  var reading = HookReading()
}

/// How far the commands that wait for a confirmation have been read.
struct HookReading: Sendable, Equatable {
  /// The first line in view.
  var top = 0
  /// Whether the last line has been in view.
  var hasReachedEnd = false
  /// Whether somebody said yes before that, with the last key.
  var wasHurried = false
}
