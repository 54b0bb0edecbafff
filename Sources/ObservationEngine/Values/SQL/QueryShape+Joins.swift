extension QueryShape {
  /// Whether a statement may join tables by the names of columns, with USING or NATURAL.
  ///
  /// - Complexity: O(length).
  static func mayJoinByNames(_ sql: String) -> Bool {
    SQLTokenizer.tokens(of: sql.asciiLowercased).contains {
      $0.isWord("using") || $0.isWord("natural")
    }
  }
}
