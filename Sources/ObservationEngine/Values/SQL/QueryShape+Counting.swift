extension QueryShape {
  /// Whether a query only counts rows of its tables, so that it doesn't matter in which order it visits them.
  ///
  ///     SELECT count(*), count(DISTINCT team) AS teams FROM player WHERE score > 0
  ///
  /// - Complexity: O(length).
  static func onlyCounts(_ sql: String) -> Bool {
    let tokens = SQLTokenizer.tokens(of: sql)
    guard tokens.first?.isWord("select") == true,
      let from = tokens.firstIndex(where: { $0.isWord("from") }),
      // A SELECT in it, or groups, may show values.
      tokens.count(where: { $0.isWord("select") }) == 1,
      !tokens[from...].contains(where: { token in
        ["group", "limit", "union", "except", "intersect"].contains { token.isWord($0) }
      })
    else { return false }
    var depth = 0
    var isBegun = false
    for (index, token) in tokens[1..<from].enumerated() {
      if token.isSymbol("(") {
        if depth == 0, !tokens[index].isWord("count") { return false }
        depth += 1
      } else if token.isSymbol(")") {
        depth -= 1
        isBegun = true
      } else if depth == 0 {
        if token.isSymbol(",") {
          isBegun = false
        } else if isBegun ? token.name == nil || token.isWord("over") : !token.isWord("count") {
          return false
        }
      }
    }
    return depth == 0 && isBegun
  }
}
