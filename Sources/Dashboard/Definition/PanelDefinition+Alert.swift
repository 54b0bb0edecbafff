/// Checks an alert against the columns of its panel, which only the database knows.
extension PanelDefinition {
  /// The names in `-- alert:` that aren't columns of the result.
  ///
  /// - Parameter columns: The result's columns, as SQLite names them.
  func alertDiagnostics(resultColumns columns: [String]) -> [Diagnostic] {
    guard let alert else { return [] }
    var named: Set<String> = []
    return alert.columns.compactMap { column in
      guard RowKey.index(ofColumn: column.name, in: columns) == nil,
        named.insert(column.name).inserted
      else { return nil }
      let hint = Suggestion.phrase(for: column.name, among: columns + ["rows"])
      let remedy =
        !hint.isEmpty
        ? hint
        : column.isQuoted ? "; a text stands in single quotes" : "; there are \(list(columns))"
      let head = alert.text.utf8.prefix(column.offset)
      return Diagnostic(
        .error, at: (source.alert ?? source.sql).advanced(over: alert.text[..<head.endIndex]),
        "\"alert:\" names \"\(column.name)\", which is not a column of the result\(remedy)")
    }
  }

  private func list(_ columns: [String]) -> String {
    let shown = columns.prefix(8).joined(separator: ", ")
    return columns.count > 8 ? shown + ", …" : shown
  }
}
