/// The diagnostics of one dashboard file, while it is read.
struct DiagnosticLog {
  let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []

  init(source: SourceText) {
    self.source = source
  }

  /// Notes a diagnostic at a byte of the file.
  mutating func note(_ severity: Diagnostic.Severity, at offset: Int, _ message: String) {
    note(Diagnostic(severity, at: source.position(at: offset), message))
  }

  mutating func note(_ diagnostic: Diagnostic) {
    diagnostics.append(diagnostic)
  }
}
