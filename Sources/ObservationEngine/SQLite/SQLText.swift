internal import CSQLite

/// Questions about SQL text that SQLite answers without a database.
package enum SQLText {
  /// Whether the text ends with a complete statement.
  package static func isComplete(_ text: String) -> Bool { sqlite3_complete(text) != 0 }

  /// The schema that a VACUUM rewrites; `nil` for another statement, and for VACUUM INTO.
  static func vacuumedSchema(_ sql: String) -> String? {
    // Most statements are something else, which their first character shows without tokenizing
    // them.
    guard let first = sql.unicodeScalars.first(where: { !$0.properties.isWhitespace }),
      ["v", "V", "-", "/"].contains(first)
    else { return nil }
    let tokens = SQLTokenizer.tokens(of: sql)
    guard tokens.first?.isWord("vacuum") == true, !tokens.contains(where: { $0.isWord("into") })
    else { return nil }
    return tokens.dropFirst().first?.name ?? "main"
  }

  /// The keywords of the SQLite library in use, in lower case.
  package static var keywords: [String] {
    (0..<sqlite3_keyword_count()).compactMap { index in
      var name: UnsafePointer<CChar>?
      var length: Int32 = 0
      guard sqlite3_keyword_name(index, &name, &length) == SQLITE_OK, let name else { return nil }
      let bytes = UnsafeRawBufferPointer(start: name, count: Int(length))
      return String(decoding: bytes, as: UTF8.self).asciiLowercased
    }
  }
}
