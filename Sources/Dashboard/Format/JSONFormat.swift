package import ObservationEngine

/// Results as one JSON text, laid out as `sqlite3 -json` lays it out.
package struct JSONFormat: Sendable {
  private let json: JSONText

  package init(terminal: GlyphSet? = nil) {
    json = JSONText(isForTerminal: terminal != nil)
  }

  /// Writes an array for one result, or an object of arrays by name.
  ///
  /// - Parameter isNamed: Whether to name even a single result: if several were requested but only
  ///   one is available, readers expect the same form.
  package func write(
    _ panels: [(name: String, result: RowSet)], isNamed: Bool = false, to output: (String) -> Void
  ) {
    if panels.count == 1, !isNamed {
      writeArray(panels[0].result, to: output)
    } else {
      output("{")
      for (index, panel) in panels.enumerated() {
        var name = index > 0 ? ",\n" : ""
        json.append(panel.name, to: &name)
        output(name + ":")
        writeArray(panel.result, to: output)
      }
      output("}")
    }
    output("\n")
  }

  private func writeArray(_ result: RowSet, to output: (String) -> Void) {
    let names = ColumnNames.unique(result.columns)
    output("[")
    for (index, row) in result.rows.enumerated() {
      output(element(row, names: names, isFirst: index == 0))
    }
    output("]")
  }

  /// A row in an array, with the separator from the previous one.
  func element(_ row: [Value], names: [String], isFirst: Bool) -> String {
    var text = isFirst ? "" : ",\n"
    json.append(row, names: names, to: &text)
    return text
  }
}
