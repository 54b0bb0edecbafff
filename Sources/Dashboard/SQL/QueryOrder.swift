import ObservationEngine

/// The order of rows that a query states.
///
///     QueryOrder("SELECT name FROM players ORDER BY id DESC LIMIT 40").terms   // id, descending
///
/// ## Limits
/// - An order within a subquery of FROM isn't the order of the rows: SQLite need not keep it.
struct QueryOrder {
  struct Term: Equatable {
    /// The column that it names, without its table; nil for an expression.
    var name: String?
    /// Its position in the result, if it is given by number, from 1.
    var place: Int?
    var isDescending = false
  }

  /// The terms of its ORDER BY; empty without one.
  private(set) var terms: [Term] = []

  /// - Complexity: O(length).
  init(_ sql: String) {
    let tokens = SQLTokenizer.tokens(of: sql)
    var depth = 0
    /// The tokens of the current term; nil outside ORDER BY.
    var term: [SQLToken]?
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      if depth == 0, token.isWord("by"), index > 0, tokens[index - 1].isWord("order") {
        terms = []
        term = []
      } else if depth == 0, token.isWord("limit") || token.isSymbol(";") || token.isSymbol(",") {
        if let read = term { terms.append(Self.term(read)) }
        term = token.isSymbol(",") && term != nil ? [] : nil
      } else {
        term?.append(token)
      }
    }
    if let term { terms.append(Self.term(term)) }
  }

  /// `-t."id" COLLATE nocase DESC NULLS LAST`.
  private static func term(_ tokens: [SQLToken]) -> Term {
    var tokens = tokens[...]
    var term = Term()
    if tokens.dropLast().last?.isWord("nulls") == true { tokens = tokens.dropLast(2) }
    if let last = tokens.last, last.isWord("desc") || last.isWord("asc") {
      term.isDescending = last.isWord("desc")
      tokens = tokens.dropLast()
    }
    if tokens.dropLast().last?.isWord("collate") == true { tokens = tokens.dropLast(2) }
    while let first = tokens.first, first.isSymbol("-") || first.isSymbol("+") {
      if first.isSymbol("-") { term.isDescending.toggle() }
      tokens = tokens.dropFirst()
    }
    let isPath = tokens.enumerated().allSatisfy { index, token in
      index % 2 == 0 ? token.name != nil : token.isSymbol(".")
    }
    if isPath, tokens.count % 2 == 1 {
      term.name = tokens.last?.name
    } else if tokens.count == 1, tokens.first?.kind == .number {
      term.place = tokens.first.flatMap { Int($0.text) }
    }
    return term
  }
}
