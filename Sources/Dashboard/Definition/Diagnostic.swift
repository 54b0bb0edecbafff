/// A message about a position in a dashboard file.
package struct Diagnostic: Sendable, Equatable {
  package enum Severity: String, Sendable {
    /// The dashboard cannot be used.
    case error
    /// It can, but parts of it have no effect.
    case warning
  }

  package var severity: Severity
  package var position: SourcePosition
  /// What is wrong, then the remedy if one is known.
  package var message: String

  package init(_ severity: Severity, at position: SourcePosition, _ message: String) {
    self.severity = severity
    self.position = position
    self.message = message
  }

  package var line: Int { position.line }
  package var column: Int { position.column }

  /// `file:line:column: severity: message`, which editors and terminals can follow.
  package func rendered(file: String) -> String {
    // The message quotes the file, which may contain anything, and goes to a terminal.
    DisplayText.sanitize("\(file):\(line):\(column): \(severity.rawValue): \(message)")
  }
}
