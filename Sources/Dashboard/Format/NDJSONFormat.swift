package import ObservationEngine

/// Results as lines of JSON, one object per row.
package struct NDJSONFormat: Sendable {
  private let json: JSONText

  package init(terminal: GlyphSet? = nil) {
    json = JSONText(isForTerminal: terminal != nil)
  }

  /// Writes the rows of all results, one after another.
  package func write(
    _ panels: [(name: String, result: RowSet)], to output: (String) -> Void
  ) {
    for panel in panels {
      let names = ColumnNames.unique(panel.result.columns)
      for row in panel.result.rows {
        output(line(row, names: names))
      }
    }
  }

  /// The line of a row.
  func line(_ row: [Value], names: [String]) -> String {
    var line = ""
    json.append(row, names: names, to: &line)
    return line + "\n"
  }
}
