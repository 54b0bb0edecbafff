package import ObservationEngine

/// The formats for printing results once.
package enum ResultFormat: String, Sendable, CaseIterable {
  case table
  case csv
  case json
  case ndjson

  /// Writes results in this form.
  ///
  /// - Parameters:
  ///   - panels: In the order of their dashboard; only one for ``csv``.
  ///   - areSeveral: Whether several panels were requested, even if only one has a result.
  ///   - nullText: The text for NULL; JSON has its own word.
  ///   - terminal: The symbols that may be drawn if the output is a terminal, so that no output
  ///     acts on it. Tables and CSV then show symbols in place of control characters; JSON escapes
  ///     them, which means the same.
  ///   - output: Receives the text, piece by piece.
  package func write(
    _ panels: [(name: String, result: RowSet)], areSeveral: Bool = false, nullText: String = "",
    terminal: GlyphSet? = nil, to output: (String) -> Void
  ) {
    switch self {
    case .table:
      TableFormat(nullText: nullText, terminal: terminal).write(
        panels, isNamed: areSeveral, to: output)
    case .csv:
      precondition(panels.count <= 1, "CSV has one table")
      let format = CSVFormat(nullText: nullText, terminal: terminal)
      for panel in panels { format.write(panel.result, to: output) }
    case .json:
      JSONFormat(terminal: terminal).write(panels, isNamed: areSeveral, to: output)
    case .ndjson:
      NDJSONFormat(terminal: terminal).write(panels, to: output)
    }
  }
}
