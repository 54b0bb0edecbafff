/// A command to run, with its input.
package struct HookCall: Sendable, Equatable {
  package let command: HookCommand
  /// The panel whose alert it is for; nil for `--exec`.
  package let panel: String?
  /// Its standard input.
  package let input: String

  package init(command: HookCommand, panel: String?, input: String) {
    self.command = command
    self.panel = panel
    self.input = input
  }
}

/// A command that the user must confirm before it first runs.
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

/// The events of the hook runner.
package enum HookEvent: Sendable, Equatable {
  /// Ask for a confirmation; ``HookEffect/confirm(_:_:)`` will follow.
  case needConfirmation([HookRequest])
  /// The state of a hook changed.
  case changed(HookCommand, panel: String?, HookStatus)
}

/// What alerts ask of the runner of hooks.
package enum HookEffect: Sendable, Equatable {
  /// Run a command; answered by ``HookEvent/changed(_:panel:_:)``.
  case run(HookCall)
  /// Hooks are confirmed, which must be remembered, or are refused for this session.
  case confirm(Bool, [HookRequest])
}
