/// The directives of a block about its panel's alert.
extension PanelDirectives {
  /// An alert, and the positions of its directives, in bytes of the file.
  struct Alert {
    var rule: (rule: AlertRule, offset: Int)?
    var hook: (command: HookCommand, offset: Int)?
  }

  mutating func readAlert(_ directive: Directive, log: inout DiagnosticLog) {
    do throws(AlertSyntaxError) {
      alert.rule = (try AlertRule(directive.value), directive.valueOffset)
    } catch {
      log.note(.error, at: directive.valueOffset + error.offset, "\"alert:\" \(error.message)")
    }
  }

  mutating func readHook(_ directive: Directive, log: inout DiagnosticLog) {
    let start = directive.valueOffset
    do throws(HookSyntaxError) {
      let command = try HookCommand(directive.value)
      alert.hook = (command, directive.offset)
      guard let syntax = command.shellSyntax else { return }
      log.note(
        .warning, at: start + syntax.offset,
        "no shell reads this command: \"\(syntax.text)\" is passed on as it is; "
          + "sh -c '…' asks for one")
    } catch {
      log.note(.error, at: start + error.offset, "\"on-alert:\" \(error.message)")
    }
  }

  /// Warns about directives without effect.
  func checkAlert(_ block: [Directive], log: inout DiagnosticLog) {
    guard let hook = alert.hook, !block.contains(where: { $0.panelKey == .alert }) else { return }
    log.note(.warning, at: hook.offset, "\"on-alert:\" has no effect without \"alert:\"")
  }

  /// Adds the alert to a panel.
  func addAlert(to panel: inout PanelDefinition, in source: SourceText) {
    panel.alert = alert.rule?.rule
    panel.source.alert = alert.rule.map { source.position(at: $0.offset) }
    panel.onAlert = alert.rule == nil ? nil : alert.hook?.command
    panel.directives = lines
  }
}
