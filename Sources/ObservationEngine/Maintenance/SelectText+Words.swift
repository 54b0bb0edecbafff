extension SelectText {
  /// Words that make a query more than this type describes, and what to say of them.
  private static let refused: [String: String] = [
    "natural": "NATURAL JOIN", "right": "RIGHT JOIN", "full": "FULL JOIN",
    "window": "a named window", "regexp": "REGEXP", "indexed": "INDEXED BY",
    "escape": "ESCAPE", "raise": "RAISE",
    "current_date": "it depends on the time", "current_time": "it depends on the time",
    "current_timestamp": "it depends on the time",
  ]

  /// Checks that each token means what this type takes it for.
  ///
  /// - Throws: ``NotMaintainable``.
  static func checkWords(_ tokens: Tokens) throws {
    for index in tokens.indices {
      let surroundings = tokens[max(index - 3, tokens.startIndex)..<min(index + 3, tokens.endIndex)]
      let before = index > tokens.startIndex ? tokens[index - 1] : nil
      let behind = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
      if let reason = reason(against: tokens[index], between: before, and: behind) {
        try NotMaintainable.at(surroundings) { throw NotMaintainable(reason) }
      }
    }
  }

  /// Checks that COLLATE stands nowhere in an expression, where it would change how the engine compares.
  ///
  /// - Throws: ``NotMaintainable``.
  static func checkHasNoCollate(_ tokens: Tokens) throws {
    for index in tokens.indices where tokens[index].isWord("collate") {
      let surroundings = tokens[max(index - 3, tokens.startIndex)..<min(index + 3, tokens.endIndex)]
      try NotMaintainable.at(surroundings) { throw NotMaintainable("COLLATE") }
    }
  }

  private static func reason(
    against token: SQLToken, between before: SQLToken?, and behind: SQLToken?
  ) -> String? {
    switch token.kind {
    case .word: break
    case .string:
      // SQLite takes `AS 'n'`, `t.'n'` and `count(*) 'n'` for names.
      let isName =
        before.map { endsExpression($0) || $0.isSymbol(".") } ?? true
        || behind?.isSymbol(".") == true
      return isName ? "a name in single quotes" : nil
    default: return nil
    }
    let word = token.text.asciiLowercased
    if let reason = refused[word] { return reason }
    switch word {
    case "like", "glob":
      let isOperator = before.map { endsExpression($0) || $0.isWord("not") } ?? false
      return isOperator || behind?.isSymbol("(") == true ? nil : "a column that is named \(word)"
    case "match":
      if before?.isSymbol(".") == true || behind?.isSymbol(".") == true { return nil }
      let isOperator = before.map { endsExpression($0) && !$0.isWord("join") || $0.isWord("not") }
      return isOperator == true || behind?.isSymbol("(") == true ? "MATCH" : nil
    case "with": return before?.isSymbol("(") == true ? "WITH in a part of it" : nil
    case "recursive": return before?.isWord("with") == true ? nil : "WITH RECURSIVE"
    case "values":
      return before?.isSymbol("(") == true || before?.isWord("all") == true ? nil : "VALUES"
    // It has the word of a clause.
    case "distinct":
      return before?.isWord("is") == true || before?.isWord("not") == true
        ? "IS DISTINCT FROM" : nil
    default: return nil
    }
  }

  /// Words behind which an expression begins or goes on.
  private static let operators: Set<String> = [
    "all", "and", "between", "by", "case", "distinct", "else", "from", "glob", "having", "in", "is",
    "like", "not", "on", "or", "select", "then", "when", "where",
  ]

  /// Whether what stands behind a token can only be an operator or an alias.
  static func endsExpression(_ token: SQLToken) -> Bool {
    switch token.kind {
    case .symbol: token.isSymbol(")")
    case .word: !operators.contains(token.text.asciiLowercased)
    default: true
    }
  }
}

extension ArraySlice<SQLToken> {
  /// Whether it is nothing but a name, with those before it: `player.score`.
  var isName: Bool {
    !count.isMultiple(of: 2)
      && zip(indices, self).allSatisfy { index, token in
        (index - startIndex).isMultiple(of: 2) ? token.name != nil : token.isSymbol(".")
      }
  }

  /// The tokens of the name that begins here, as far as it goes: `main.player.score`.
  var qualifiedName: SelectText.Tokens {
    var end = startIndex + 1
    while end + 1 < endIndex, self[end].isSymbol("."), self[end + 1].name != nil { end += 2 }
    return prefix(upTo: end)
  }

  /// A name as it is spelled, without quotes.
  var spelled: String { map { $0.name ?? $0.text }.joined() }

  /// The place of the parenthesis that closes one before these tokens.
  var firstOutside: Int? {
    var depth = 0
    return firstIndex { token in
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      return depth < 0
    }
  }

  /// The place of the parenthesis that closes the first one.
  var closing: Int? { firstIndex(where: Self.endsPair()) }

  /// The place of the parenthesis that the last one closes.
  var opening: Int? { lastIndex(where: Self.endsPair()) }

  /// Whether a token is outside all parentheses, when it has been asked about those between a first one and it.
  private static func endsPair() -> (SQLToken) -> Bool {
    var depth = 0
    return { token in
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      return depth == 0
    }
  }
}
