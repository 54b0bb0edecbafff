/// The diagnostics of one dashboard file, while it is read.
///
/// It keeps the first hundred of each severity: more would not be read, and finding the position of
/// each takes as long as its line.
struct DiagnosticLog {
  private static let limit = 100

  let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []

  init(source: SourceText) {
    self.source = source
  }

  /// Notes a diagnostic at a byte of the file.
  mutating func note(
    _ severity: Diagnostic.Severity, at offset: Int, _ message: String
  ) {
    guard hasRoom(for: severity) else { return }
    note(Diagnostic(severity, at: source.position(at: offset), message))
  }

  mutating func note(_ diagnostic: Diagnostic) {
    guard hasRoom(for: diagnostic.severity) else { return }
    counts[diagnostic.severity, default: 0] += 1
    guard hasRoom(for: diagnostic.severity) else {
      let message = "there is more wrong from here on, which is not listed"
      return diagnostics.append(
        Diagnostic(diagnostic.severity, at: diagnostic.position, message))
    }
    diagnostics.append(diagnostic)
  }

  private var counts: [Diagnostic.Severity: Int] = [:]

  private func hasRoom(for severity: Diagnostic.Severity) -> Bool {
    counts[severity, default: 0] < Self.limit
  }
}
