extension QueryShape {
  /// Whether a statement may join tables by the names of columns, with USING or NATURAL.
  ///
  /// - Complexity: O(length).
  static func mayJoinByNames(_ sql: String) -> Bool {
    let text = sql.asciiLowercased
    guard text.contains("using") || text.contains("natural") else { return false }
    return SQLTokenizer.tokens(of: text).contains { $0.isWord("using") || $0.isWord("natural") }
  }
}
