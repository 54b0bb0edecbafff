/// Cutting the tokens of a SELECT into its clauses, and these into what they list.
extension SelectText {
  /// `WITH a AS (SELECT …), b AS (SELECT …)`
  static func takeNamed(_ tokens: inout Tokens, _ statement: inout Statement) throws {
    repeat {
      tokens.removeFirst()
      if tokens.first?.isWord("recursive") == true,
        let next = tokens.dropFirst().first, next.name != nil, !next.isWord("as")
      {
        tokens.removeFirst()
      }
      guard let name = tokens.popFirst()?.name else {
        throw NotMaintainable("its WITH isn't recognised")
      }
      var columns: [String]?
      if tokens.first?.isSymbol("(") == true {
        columns = try list(takeParentheses(&tokens)).map { column in
          guard column.count == 1, let name = column.first?.name else {
            throw NotMaintainable("its WITH isn't recognised")
          }
          return name
        }
      }
      guard tokens.popFirst()?.isWord("as") == true else {
        throw NotMaintainable("its WITH isn't recognised")
      }
      if tokens.first?.isWord("not") == true { tokens.removeFirst() }
      if tokens.first?.isWord("materialized") == true { tokens.removeFirst() }
      statement.named[name.asciiLowercased] = (try takeParentheses(&tokens), columns)
    } while tokens.first?.isSymbol(",") == true
  }

  /// Takes `( … )`, and returns what is within.
  static func takeParentheses(_ tokens: inout Tokens) throws -> Tokens {
    var depth = 0
    let end = tokens.firstIndex { token in
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      return depth == 0
    }
    guard tokens.first?.isSymbol("(") == true, let end else {
      throw NotMaintainable("its parentheses don't match")
    }
    let inner = tokens[(tokens.startIndex + 1)..<end]
    tokens = tokens[(end + 1)...]
    return inner
  }

  /// The clauses by the word that begins them.
  static func clauses(_ tokens: Tokens) throws -> [String: Tokens] {
    let words = ["from", "where", "group", "having", "order", "limit"]
    var found: [String: Tokens] = [:]
    var (name, start, depth, rank) = ("select", tokens.startIndex, 0, -1)
    for index in tokens.indices {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      guard depth == 0, tokens[index].kind == .word,
        let place = words.firstIndex(of: tokens[index].text.asciiLowercased)
      else { continue }
      guard place > rank else { throw NotMaintainable("its clauses aren't recognised") }
      found[name] = tokens[start..<index]
      (name, start, rank) = (words[place], index + 1, place)
      if name == "group" || name == "order" {
        guard start < tokens.endIndex, tokens[start].isWord("by") else {
          throw NotMaintainable("its clauses aren't recognised")
        }
        start += 1
      }
    }
    guard depth == 0 else { throw NotMaintainable("its parentheses don't match") }
    found[name] = tokens[start...]
    guard found.values.allSatisfy({ !$0.isEmpty }) else {
      throw NotMaintainable("its clauses aren't recognised")
    }
    return found
  }

  /// The parts of a list, between its commas.
  static func list(_ tokens: Tokens) throws -> [Tokens] {
    var parts: [Tokens] = []
    var (start, depth) = (tokens.startIndex, 0)
    for index in tokens.indices {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      guard depth == 0, tokens[index].isSymbol(",") else { continue }
      parts.append(tokens[start..<index])
      start = index + 1
    }
    parts.append(tokens[start...])
    guard parts.allSatisfy({ !$0.isEmpty }) else {
      throw NotMaintainable("its lists aren't recognised")
    }
    return parts
  }

  private static func named(_ expression: Tokens, _ alias: String) throws -> Output {
    // Elsewhere the words are constants, unless something has their name.
    guard !["true", "false"].contains(alias.asciiLowercased) else {
      throw NotMaintainable("a column that is named \(alias)")
    }
    return Output(expression: expression, alias: alias)
  }

  /// A term of ORDER BY or GROUP BY without its parentheses, which SQLite passes over before it looks for a position or an
  /// alias; as it does signs before a number (`sqlite3ExprIsInteger`).
  static func bare(_ term: Tokens) throws -> Tokens {
    var term = term
    while term.count > 2, term.first?.isSymbol("(") == true,
      !term[term.startIndex + 1].isWord("select")
    {
      var rest = term
      let inner = try takeParentheses(&rest)
      guard rest.isEmpty, try !inner.isEmpty && list(inner).count == 1 else { break }
      term = inner
    }
    let isConstant = term.allSatisfy { token in
      token.kind == .number || ["+", "-", "(", ")"].contains { token.isSymbol($0) }
    }
    guard term.count == 1 || !isConstant else { throw NotMaintainable("it sorts by a constant") }
    return term
  }

  static func output(_ tokens: Tokens) throws -> Output {
    guard let last = tokens.last, let name = last.name, tokens.count > 1 else {
      return Output(expression: tokens, alias: nil)
    }
    let before = tokens[tokens.endIndex - 2]
    if before.isWord("as") {
      guard tokens.count > 2 else { throw NotMaintainable("its columns aren't recognised") }
      return try named(tokens.dropLast(2), name)
    }
    // The END of a CASE, and the operators ISNULL and NOTNULL, are no aliases.
    let isEnd =
      last.isWord("end")
      && tokens.count { $0.isWord("case") } == tokens.count { $0.isWord("end") }
    guard !isEnd, !["null", "isnull", "notnull"].contains(where: { last.isWord($0) }) else {
      return Output(expression: tokens, alias: nil)
    }
    // `a * b` ends in a column, `count(*) n` in an alias.
    guard endsExpression(before) else { return Output(expression: tokens, alias: nil) }
    return try named(tokens.dropLast(), name)
  }

  static func orderTerm(_ tokens: Tokens) -> OrderTerm {
    var (tokens, isDescending) = (tokens, false)
    var nulls: OrderTerm.Nulls?
    /// Whether that many tokens at the end may be words about the order: behind a point they are a column, as in `t.desc`.
    func endsInWords(_ count: Int) -> Bool {
      tokens.count > count && !tokens[tokens.endIndex - count - 1].isSymbol(".")
    }
    if endsInWords(2), tokens[tokens.endIndex - 2].isWord("nulls"), let last = tokens.last,
      last.isWord("first") || last.isWord("last")
    {
      nulls = last.isWord("first") ? .first : .last
      tokens.removeLast(2)
    }
    if endsInWords(1), let last = tokens.last, last.isWord("desc") || last.isWord("asc") {
      isDescending = last.isWord("desc")
      tokens.removeLast()
    }
    if nulls == (isDescending ? .last : .first) { nulls = nil }
    guard let collation = collation(behind: tokens) else {
      return OrderTerm(expression: tokens, isDescending: isDescending, nulls: nulls)
    }
    return OrderTerm(
      expression: tokens.dropLast(2), isDescending: isDescending, collation: collation, nulls: nulls
    )
  }

  /// The collation that a term ends with, if it is one of all that stands before: of `a || b COLLATE NOCASE` it is one of `b`.
  private static func collation(behind tokens: Tokens) -> Collation? {
    let operand = tokens.dropLast(2)
    guard tokens.dropLast().last?.isWord("collate") == true, let last = tokens.last?.name,
      let collation = Collation(named: last)
    else { return nil }
    let isOne =
      operand.count == 1 || operand.isName
      || operand.first?.isSymbol("(") != true && operand.dropFirst().closing == operand.endIndex - 1
    return isOne ? collation : nil
  }

  // MARK: FROM

  private static let joins: Set<String> = ["join", "inner", "cross", "left"]
  private static let notAliases: Set<String> = joins.union(["on", "using", "not", "outer"])

  static func sources(_ tokens: Tokens, _ statement: Statement) throws -> [SourcePart] {
    var (rest, parts) = (tokens, [SourcePart]())
    var isOptional = false
    while true {
      var source = try takeSource(&rest, statement)
      source.isOptional = isOptional
      parts.append(.source(source))
      if rest.first?.isWord("on") == true {
        rest.removeFirst()
        let condition = takeCondition(&rest)
        guard !condition.isEmpty else { throw NotMaintainable("its FROM isn't recognised") }
        parts.append(.between("ON", condition))
      } else if rest.first?.isWord("using") == true {
        rest.removeFirst()
        let start = rest.startIndex
        let names = try takeParentheses(&rest)
        guard !names.contains(where: { $0.kind == .string }) else {
          throw NotMaintainable("a name in single quotes")
        }
        parts.append(.between("USING", tokens[start..<rest.startIndex]))
      }
      guard let next = rest.popFirst() else { return parts }
      isOptional = next.isWord("left")
      if next.isSymbol(",") {
        parts.append(.between(",", []))
        continue
      }
      // CROSS JOIN would keep SQLite from reading the changed rows first.
      var word = next
      if word.isWord("inner") || word.isWord("cross") || isOptional {
        word = rest.popFirst() ?? word
        if isOptional, word.isWord("outer") { word = rest.popFirst() ?? word }
      }
      guard word.isWord("join") else { throw NotMaintainable("its FROM isn't recognised") }
      parts.append(.between(isOptional ? "LEFT JOIN" : "JOIN", []))
    }
  }

  /// Takes what stands behind ON, up to the next source.
  private static func takeCondition(_ tokens: inout Tokens) -> Tokens {
    var depth = 0
    let end =
      tokens.firstIndex { token in
        if token.isSymbol("(") { depth += 1 }
        if token.isSymbol(")") { depth -= 1 }
        return depth == 0
          && (token.isSymbol(",")
            || token.kind == .word && joins.contains(token.text.asciiLowercased))
      } ?? tokens.endIndex
    defer { tokens = tokens[end...] }
    return tokens[..<end]
  }

  private static func takeSource(_ tokens: inout Tokens, _ statement: Statement) throws -> Source {
    var origin: Source.Origin
    var given: String?
    var columns: [String]?
    if tokens.first?.isSymbol("(") == true {
      let inside = try takeParentheses(&tokens)
      origin =
        try Series(inside, statement).map(Source.Origin.series) ?? self.origin(inside, statement)
    } else {
      guard let first = tokens.popFirst()?.name else {
        throw NotMaintainable("its FROM isn't recognised")
      }
      if tokens.first?.isSymbol(".") == true {
        tokens.removeFirst()
        guard let second = tokens.popFirst()?.name else {
          throw NotMaintainable("its FROM isn't recognised")
        }
        origin = .table(schema: first, name: second)
      } else if let named = statement.named[first.asciiLowercased] {
        guard !statement.mustNotUseNames else {
          throw NotMaintainable("a SELECT in an expression reads what WITH names")
        }
        var outside = statement
        outside.named[first.asciiLowercased] = nil
        outside.unfolded.insert(first.asciiLowercased)
        let series = try Series(named.select, named: first, columns: named.columns, statement)
        origin = try series.map(Source.Origin.series) ?? self.origin(named.select, outside)
        (given, columns) = (first, named.columns)
      } else {
        // Within itself, it isn't the table of that name either.
        guard !statement.unfolded.contains(first.asciiLowercased) else {
          throw NotMaintainable("WITH RECURSIVE that reads a table")
        }
        origin = .table(schema: nil, name: first)
      }
      if tokens.first?.isSymbol("(") == true { throw NotMaintainable("a table-valued function") }
    }
    var alias = given
    if tokens.first?.isWord("as") == true {
      tokens.removeFirst()
      alias = tokens.popFirst()?.name
    } else if let token = tokens.first, let name = token.name,
      token.kind != .word || !notAliases.contains(name.asciiLowercased)
    {
      alias = name
      tokens.removeFirst()
    }
    return Source(origin: origin, alias: alias, named: given, columns: columns)
  }

  /// A SELECT in FROM, or several.
  private static func origin(_ tokens: Tokens, _ statement: Statement) throws -> Source.Origin {
    let (pieces, operators) = CompoundQuery.pieces(tokens)
    let selects = try pieces.map { piece in
      try NotMaintainable.at(piece) { try SelectText(piece, statement) }
    }
    guard selects.count > 1 else { return .select(selects[0]) }
    try NotMaintainable.at(tokens) { try checkIsUnion(selects, operators) }
    return .union(selects)
  }

  static func bounds(_ tokens: Tokens?) throws -> (limit: Tokens?, offset: Tokens?) {
    guard let tokens else { return (nil, nil) }
    let places = tokens.indices.filter { tokens[$0].isSymbol(",") || tokens[$0].isWord("offset") }
    let parts =
      places.first.map { [tokens[..<$0], tokens[($0 + 1)...]] } ?? [tokens]
    guard places.count < 2,
      parts.allSatisfy({ $0.count == 1 && [.number, .parameter].contains($0.first?.kind) })
    else { throw NotMaintainable("its LIMIT is an expression") }
    guard parts.count == 2 else { return (parts[0], nil) }
    // `LIMIT 20, 10` passes over 20.
    return tokens[places[0]].isSymbol(",") ? (parts[1], parts[0]) : (parts[0], parts[1])
  }
}
