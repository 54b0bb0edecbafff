extension String {
  /// The name as an SQL identifier.
  package var quotedIdentifier: String { quoted(by: "\"") }

  /// The text between two marks, with each mark in it doubled, as in SQL and CSV.
  ///
  /// - Complexity: O(length).
  package func quoted(by mark: Unicode.Scalar) -> String {
    var quoted = String.UnicodeScalarView()
    quoted.append(mark)
    // One that an accent follows is a character of its own to Swift, and a mark to SQL.
    for scalar in unicodeScalars {
      if scalar == mark { quoted.append(mark) }
      quoted.append(scalar)
    }
    quoted.append(mark)
    return String(quoted)
  }
}
