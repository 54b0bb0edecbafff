/// Checks a panel against the columns of its result, which only the database knows.
extension PanelDefinition {
  /// The names in directives that aren't columns of the result.
  ///
  /// - Parameter columns: The result's columns, as SQLite names them.
  package func diagnostics(resultColumns columns: [String]) -> [Diagnostic] {
    var named = key.enumerated().map { index, column in
      (word: "key", column: column, position: index < source.key.count ? source.key[index] : nil)
    }
    if let rank { named.append(("rank", rank, source.rank)) }
    named += source.columns.map { (word: $0.directive, column: $0.column, position: $0.position) }
    let missing: [Diagnostic] = named.compactMap { word, column, position in
      guard RowKey.index(ofColumn: column, in: columns) == nil else { return nil }
      // `key: team name` is meant to be two.
      let parts = column.split(separator: " ").map(String.init)
      let areColumns = parts.allSatisfy { RowKey.index(ofColumn: $0, in: columns) != nil }
      let first = parts.first ?? ""
      let remedy =
        if word == "key", parts.count > 1, areColumns {
          "; write \(parts.joined(separator: ", "))"
        } else if parts.count > 1, RowKey.index(ofColumn: first, in: columns) != nil {
          "; if \(first) is meant, it has one form, and a comma behind that"
        } else {
          Suggestion.phrase(for: column, among: columns)
        }
      return Diagnostic(
        .error, at: position ?? source.sql,
        "\"\(word):\" names \"\(column)\", which is not a column of the result\(remedy)")
    }
    return missing + alertDiagnostics(resultColumns: columns)
  }
}
