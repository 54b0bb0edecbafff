/// A SELECT from a single name, with a WHERE clause.
struct SimpleSelect {
  let schema: String?
  let table: String
  let alias: String?
  /// The conditions that must all be true of a row.
  let conjuncts: [ArraySlice<SQLToken>]
  /// SQLite's index of each parameter, by its byte offset.
  private let parameters: [Int: Int]

  /// Words that, anywhere, make a query more than a simple scan of one table; and a function that
  /// returns a row's position on the disk, which depends on other rows.
  private static let strangers: Set<String> = [
    "select", "from", "where", "with", "values", "union", "intersect", "except", "join", "over",
    "window", "sqlite_offset",
  ]
  /// Words that are values, even if a table has a column of that name.
  private static let values: Set<String> = [
    "null", "current_date", "current_time", "current_timestamp",
  ]
  /// Words that end a WHERE clause.
  private static let clauses: Set<String> = ["group", "having", "order", "limit"]

  init?(_ tokens: [SQLToken]) {
    guard tokens.first?.isWord("select") == true,
      tokens.allSatisfy({ $0.kind != .invalid && !$0.isSymbol(";") }),
      Self.count(tokens, of: "select") == 1, Self.count(tokens, of: "from") == 1,
      let from = tokens.firstIndex(where: { $0.isWord("from") }),
      let selected = Self.depths(tokens[..<from]), selected.last == 0
    else { return nil }
    var rest = tokens[(from + 1)...]
    guard let first = rest.popFirst()?.name else { return nil }
    var names = [first]
    if rest.first?.isSymbol(".") == true {
      rest.removeFirst()
      guard let second = rest.popFirst()?.name else { return nil }
      names.append(second)
    }
    var alias: String?
    if rest.first?.isWord("as") == true {
      rest.removeFirst()
      guard let name = rest.popFirst()?.name else { return nil }
      alias = name
    } else if let name = rest.first?.name, rest.first?.isWord("where") == false {
      alias = name
      rest.removeFirst()
    }
    guard rest.popFirst()?.isWord("where") == true else { return nil }
    guard !rest.contains(where: Self.isStranger),
      !tokens[1..<from].contains(where: Self.isStranger),
      let depths = Self.depths(rest), depths.last == 0
    else { return nil }
    let end = zip(rest.indices, depths).first { index, depth in
      depth == 0 && rest[index].kind == .word
        && Self.clauses.contains(rest[index].text.asciiLowercased)
    }
    guard let conjuncts = Self.conjuncts(rest[..<(end?.0 ?? rest.endIndex)]) else { return nil }
    schema = names.count == 2 ? names[0] : nil
    table = names[names.count - 1]
    self.alias = alias
    self.conjuncts = conjuncts
    guard let numbering = try? ParameterNumbering(tokens) else { return nil }
    parameters = numbering.numbers
  }

  private static func isStranger(_ token: SQLToken) -> Bool {
    token.kind == .word && strangers.contains(token.text.asciiLowercased)
  }

  private static func count(_ tokens: [SQLToken], of keyword: String) -> Int {
    tokens.count { $0.isWord(keyword) }
  }

  /// How many parentheses are open after each token; `nil` when one is closed that wasn't open.
  private static func depths(_ tokens: ArraySlice<SQLToken>) -> [Int]? {
    var depth = 0
    var depths: [Int] = []
    for token in tokens {
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      if depth < 0 { return nil }
      depths.append(depth)
    }
    return depths
  }
}

// MARK: - The WHERE clause

extension SimpleSelect {
  /// The operands of an expression's ANDs, with parenthesised conjunctions opened.
  ///
  /// - Returns: `nil` when the expression is not a conjunction, or may not be one.
  private static func conjuncts(_ expression: ArraySlice<SQLToken>) -> [ArraySlice<SQLToken>]? {
    guard let depths = depths(expression), depths.last == 0 else { return nil }
    var parts: [ArraySlice<SQLToken>] = []
    var start = expression.startIndex
    // The AND of a BETWEEN doesn't conjoin.
    var openBetweens = 0
    for (index, depth) in zip(expression.indices, depths) where depth == 0 {
      guard expression[index].kind == .word else { continue }
      switch expression[index].text.asciiLowercased {
      // The ANDs and equations inside a CASE aren't conjuncts.
      case "or", "case", "end": return nil
      case "between": openBetweens += 1
      case "and" where openBetweens > 0: openBetweens -= 1
      case "and":
        parts.append(expression[start..<index])
        start = index + 1
      default: break
      }
    }
    parts.append(expression[start...])
    return parts.flatMap { part -> [ArraySlice<SQLToken>] in
      guard let inner = insideParentheses(part) else { return [part] }
      // Anything else in parentheses, an OR for instance, is one operand of no recognised form.
      return conjuncts(inner) ?? []
    }
  }

  private static func insideParentheses(
    _ expression: ArraySlice<SQLToken>
  ) -> ArraySlice<SQLToken>? {
    guard expression.count > 2, expression.first?.isSymbol("(") == true,
      let depths = depths(expression), depths.firstIndex(of: 0) == depths.count - 1
    else { return nil }
    return expression.dropFirst().dropLast()
  }

  /// The restriction that a conjunct states by itself.
  func restriction(_ conjunct: ArraySlice<SQLToken>) -> StatedRestriction? {
    var rest = conjunct
    if let column = takeColumn(&rest) {
      guard let comparison = rest.popFirst() else { return nil }
      if comparison.isWord("in") { return listed(rest).map { restriction(column, $0) } }
      guard comparison.isSymbol("=") || comparison.isSymbol("==") || comparison.isWord("is"),
        let operand = takeOperand(&rest), rest.isEmpty
      else { return nil }
      return restriction(column, [operand])
    }
    guard let operand = takeOperand(&rest), let comparison = rest.popFirst(),
      comparison.isSymbol("=") || comparison.isSymbol("=="),
      let column = takeColumn(&rest), rest.isEmpty
    else { return nil }
    return restriction(column, [operand])
  }

  private func restriction(_ column: String, _ operands: [StatedRestriction.Operand])
    -> StatedRestriction
  {
    StatedRestriction(schema: schema, table: table, column: column, operands: operands)
  }

  /// `(X, Y, …)` and nothing else.
  private func listed(_ tokens: ArraySlice<SQLToken>) -> [StatedRestriction.Operand]? {
    guard var rest = Self.insideParentheses(tokens) else { return nil }
    var operands: [StatedRestriction.Operand] = []
    while let operand = takeOperand(&rest) {
      operands.append(operand)
      guard let comma = rest.popFirst() else { return operands }
      guard comma.isSymbol(",") else { return nil }
    }
    return nil
  }

  /// A column, by itself or after the table's name or alias.
  private func takeColumn(_ tokens: inout ArraySlice<SQLToken>) -> String? {
    guard let first = tokens.first?.name else { return nil }
    var rest = tokens.dropFirst()
    guard rest.first?.isSymbol(".") == true else {
      if tokens.first?.kind == .word, Self.values.contains(first.asciiLowercased) { return nil }
      tokens = rest
      return first
    }
    rest.removeFirst()
    guard first.asciiLowercased == (alias ?? table).asciiLowercased,
      let column = rest.popFirst()?.name
    else { return nil }
    tokens = rest
    return column
  }

  private func takeOperand(_ tokens: inout ArraySlice<SQLToken>) -> StatedRestriction.Operand? {
    var rest = tokens
    guard var token = rest.popFirst() else { return nil }
    var sign = ""
    if token.isSymbol("-") || token.isSymbol("+") {
      sign = token.text
      guard let next = rest.popFirst(), next.kind == .number else { return nil }
      token = next
    }
    let operand: StatedRestriction.Operand
    switch token.kind {
    case .string: operand = .literal(.text(token.text))
    case .number:
      // Beyond 64 bits, with a fraction or an exponent, it is a REAL. Hexadecimal isn't recognised.
      guard let number = Int64(sign + token.text) else { return nil }
      operand = .literal(.integer(number))
    case .parameter:
      let index = parameters[token.range.lowerBound] ?? 0
      guard index > 0 else { return nil }
      operand = .parameter(index: index, name: token.text == "?" ? nil : token.text)
    default: return nil
    }
    tokens = rest
    return operand
  }
}
