/// Where a query may call what can fail, as `json_extract(data, '$.price')` does for text that isn't JSON.
///
/// If it fails for a changed row, the query runs, and fails or doesn't. But it must not go unnoticed that the whole query
/// would fail. Without LIMIT, SQLite evaluates columns of the result, and what it groups, sorts and adds up, of exactly those
/// rows that WHERE lets through, as of changed rows. The terms of WHERE itself it evaluates in the order that suits its plan:
/// so those that can fail are evaluated of each changed row, before the others; and when a state has been read, the query
/// runs once.
extension QuerySources {
  /// The terms of WHERE that can fail.
  ///
  /// - Parameter isAlone: Whether it reads one table, and no other SELECT.
  /// - Throws: ``NotMaintainable`` where SQLite could evaluate such a term of rows that aren't known.
  /// - Complexity: O(tokens).
  static func failingTerms(
    in select: SelectText, isAlone: Bool
  ) throws -> [SelectText.Tokens] {
    let conditions = select.conditions + (select.having.map(termsOfRows) ?? [])
    try checkAliases(select, in: conditions)
    guard let first = conditions.lazy.compactMap(KnownFunctions.firstFallible).first else {
      return []
    }
    let refusal = NotMaintainable("\(first) can fail, in a condition")
    guard isAlone, let filter = select.filter,
      conditions.allSatisfy({
        $0.startIndex == filter.startIndex || KnownFunctions.firstFallible(in: $0) == nil
      })
    else { throw refusal }
    let terms = (isWhole(filter) ? [filter] : conjuncts(filter)).filter {
      KnownFunctions.firstFallible(in: $0) != nil
    }
    guard terms.allSatisfy(isWhole), count(in: filter) == terms.reduce(0, { $0 + count(in: $1) })
    else { throw refusal }
    return terms
  }

  /// The terms of HAVING that SQLite can take for terms of WHERE. It evaluates those with aggregates of every group.
  private static func termsOfRows(_ having: SelectText.Tokens) -> [SelectText.Tokens] {
    let terms = conjuncts(having)
    guard terms.isEmpty || count(in: having) == terms.reduce(0, { $0 + count(in: $1) }) else {
      return [having]
    }
    return (terms.isEmpty ? [having] : terms).filter { AggregateCall.first(in: $0) == nil }
  }

  /// Checks that no SELECT in FROM, or in an expression, calls what can fail: its columns can get into a WHERE.
  static func checkCannotFail(_ select: SelectText) throws {
    for expression in select.expressions {
      try NotMaintainable.at(expression) {
        guard let word = KnownFunctions.firstFallible(in: expression) else { return }
        throw NotMaintainable("\(word) can fail, in a part of it")
      }
    }
  }

  /// Whether SQLite evaluates a term as one: it can take apart what has AND or OR, and a comparison of rows, `(a, b) = (1, 2)`.
  private static func isWhole(_ term: SelectText.Tokens) -> Bool {
    term.indices.allSatisfy { place in
      if term[place].isWord("and") || term[place].isWord("or") { return false }
      guard term[place].isSymbol("("), let end = term[place...].closing else { return true }
      if place > term.startIndex {
        let before = term[place - 1]
        if before.isWord("in") || KnownFunctions.isCall(before) { return true }
      }
      // What isn't a list of expressions is no whole term either.
      return (try? SelectText.list(term[(place + 1)..<end]))?.count == 1
    }
  }

  /// Checks that a SELECT calls nothing that can fail, of which SQLite need not evaluate all rows: with LIMIT it loads the
  /// columns of the first rows, or stops at the last one. Later it can come to a row that no commit has changed.
  static func checkCannotFail(beyondLimitOf select: SelectText) throws {
    for expression in select.expressions {
      guard let word = KnownFunctions.firstFallible(in: expression) else { continue }
      try NotMaintainable.at(expression) { throw NotMaintainable("\(word) can fail, with LIMIT") }
    }
  }

  /// A condition can name a column of the result.
  private static func checkAliases(
    _ select: SelectText, in conditions: [SelectText.Tokens]
  ) throws {
    for output in select.outputs {
      guard let alias = output.alias?.asciiLowercased,
        let word = KnownFunctions.firstFallible(in: output.expression),
        conditions.contains(where: { $0.contains { $0.name?.asciiLowercased == alias } })
      else { continue }
      throw NotMaintainable("\(word) can fail, in a condition")
    }
  }

  private static func count(in tokens: SelectText.Tokens) -> Int {
    tokens.indices.count { KnownFunctions.canFail(tokens, at: $0) }
  }
}
