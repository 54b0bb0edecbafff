internal import CSQLite

/// Questions about SQL text that SQLite answers without a database.
package enum SQLText {
  /// Whether the text ends with a complete statement.
  package static func isComplete(_ text: String) -> Bool { sqlite3_complete(text) != 0 }

  /// The statements of `text`, each with its semicolon; what follows the last one is dropped when it
  /// is blank.
  ///
  /// A trigger's body counts as part of its statement.
  package static func statements(of text: String) -> [String] {
    var statements: [String] = []
    var current = ""
    for character in text {
      current.append(character)
      if character == ";", isComplete(current) {
        statements.append(current.trimmedOfWhitespace)
        current = ""
      }
    }
    if !current.trimmedOfWhitespace.isEmpty { statements.append(current.trimmedOfWhitespace) }
    return statements
  }

  /// The version of the SQLite library in use.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}

extension String {
  /// The text without white space at both ends.
  package var trimmedOfWhitespace: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
