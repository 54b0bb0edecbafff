/// By which collations SQLite compares what a query sorts and groups by.
///
/// The SQL that is made of a query has its expressions and tables with the same collations, so what SQLite compares in there
/// needs no care. What Swift compares must be known.
extension QuerySources {
  /// By which collation SQLite compares the values of an expression.
  ///
  /// That of a column is handed through by names, parentheses, CAST and a plus; all else is compared by BINARY
  /// (`sqlite3ExprCollSeq`).
  ///
  /// - Returns: `nil` when it isn't certain.
  func collation(of expression: SelectText.Tokens, _ scopes: [Scope]) -> Collation? {
    guard columnsHaveCollations else { return .binary }
    var expression = expression
    while expression.count > 2, expression.first?.isSymbol("(") == true,
      expression.closing == expression.endIndex - 1
    {
      expression = expression.dropFirst().dropLast()
    }
    if expression.isName, let (name, member) = find(expression, scopes) {
      return comparison(name, member).collation
    }
    if !expression.isName, Self.isComputed(expression) { return .binary }
    let isCertain = SelectText.names(in: expression).allSatisfy { name in
      !mayBeCollated(name.last?.name ?? "", scopes)
    }
    return isCertain ? .binary : nil
  }

  /// The same of an expression that Swift compares by BINARY.
  ///
  /// - Throws: ``NotMaintainable`` unless SQLite does so as well.
  func checkIsBinary(_ expression: SelectText.Tokens, _ scopes: [Scope], _ use: String) throws {
    guard collation(of: expression, scopes) == .binary else {
      throw NotMaintainable("\(use) of texts that aren't compared by BINARY")
    }
  }

  /// Checks that SQLite compares the columns of each equation alike, whichever of them it starts from.
  ///
  /// From `b.s = a.s AND a.s = 'x'` SQLite infers `b.s = 'x'`, and compares that by b's own collation. So the rows that it finds
  /// depend on the order of the tables in its plan, and changed rows are joined in another order.
  ///
  /// - Throws: ``NotMaintainable``.
  func checkEquations(in condition: SelectText.Tokens, _ scopes: [Scope]) throws {
    guard columnsHaveCollations || condition.contains(where: { $0.isWord("collate") }) else {
      return
    }
    var plain = Array(condition)
    while let place = plain.firstIndex(where: { $0.isWord("collate") }) {
      plain.removeSubrange(place..<min(place + 2, plain.endIndex))
    }
    let saysCollate = plain.count < condition.count
    for equation in Equation.all(in: plain[...], isNested: false) where !equation.equatesNoColumns {
      guard !saysCollate else { throw Self.isOfTwoCollations }
      if case .name(let left) = equation.left, case .name(let right) = equation.right {
        try checkAreAlike(collation(of: left, scopes), collation(of: right, scopes))
      } else {
        let mayDiffer = SelectText.names(in: plain[...]).contains { name in
          mayBeCollated(name.last?.name ?? "", scopes)
        }
        guard !mayDiffer else { throw Self.isOfTwoCollations }
      }
    }
  }

  /// - Parameters: `nil` for what isn't certain.
  func checkAreAlike(_ left: Collation?, _ right: Collation?) throws {
    guard let left, left == right else { throw Self.isOfTwoCollations }
  }

  private static let isOfTwoCollations = NotMaintainable(
    "an equation of texts that may have different collations")

  static let uncertainCollation = NotMaintainable(
    "texts that may not be compared by BINARY or NOCASE")

  /// By which collation a column is compared; `nil` when that isn't known.
  func collation(of column: Column) -> Collation? {
    column.place.map { tables[leaves[column.leaf]].columns[$0].collation } ?? .binary
  }

  /// Checks what window functions compare that is evaluated again by partitions.
  func checkCollations(ofWindowsIn select: SelectText, _ scopes: [Scope]) throws {
    for call in try select.expressions.flatMap({ try WindowCall.all(in: $0) }) {
      for term in call.partition { try checkIsBinary(term, scopes, "partitions") }
      if ["min", "max"].contains(call.name), let argument = call.argument {
        try checkIsBinary(argument, scopes, "the least or greatest")
      }
    }
  }

  /// Checks what is grouped in a SELECT in an expression, of which SQLite returns any of those that are equal.
  func checkCollations(ofGroupsIn select: SelectText, _ scopes: [Scope]) throws {
    let columns = select.outputs.map(\.expression)
    let groups = try select.groups.flatMap { term in
      // A column's name goes before an alias, which isn't told apart here.
      try select.position(of: term, among: columns.count).map { [columns[$0]] }
        ?? [term] + [select.aliased(term)?.expression].compactMap(\.self)
    }
    for expression in groups + (select.isDistinct ? columns : []) {
      guard expression.last?.isSymbol("*") != true || !columnsHaveCollations else {
        throw Self.uncertainCollation
      }
      try checkIsBinary(expression, scopes, "groups")
    }
  }

  /// Whether any column is compared by another collation than BINARY.
  var columnsHaveCollations: Bool {
    tables.contains { $0.columns.contains { $0.collation != .binary } }
  }

  /// Whether a name can be that of a column which isn't compared by BINARY.
  private func mayBeCollated(_ name: String, _ scopes: [Scope]) -> Bool {
    let folded = name.asciiLowercased
    let isOfTable = tables.contains {
      $0.columns.contains { $0.foldedName == folded && $0.collation != .binary }
    }
    // An alias is a column of its own SELECT, of any kind.
    return isOfTable
      || scopes.contains { scope in
        scope.aliases.contains(folded)
          || scope.members.contains { $0.leaf == nil && mayBeCollated(folded, $0) }
      }
  }

  private func mayBeCollated(_ folded: String, _ part: Scope.Member) -> Bool {
    has(folded, part) && comparison(folded, part).collation != .binary
  }

  /// Whether an expression is a call, a CASE, or what `||` makes.
  private static func isComputed(_ expression: SelectText.Tokens) -> Bool {
    guard let first = expression.first, !first.isSymbol("+") else { return false }
    let handsThrough = ["cast", "likely", "unlikely", "likelihood", "select"]
    guard !handsThrough.contains(where: { first.isWord($0) }) else { return false }
    if first.kind == .word, expression.dropFirst().first?.isSymbol("(") == true,
      expression.dropFirst().closing == expression.endIndex - 1
    {
      return true
    }
    if first.isWord("case"), expression.last?.isWord("end") == true,
      expression.count(where: { $0.isWord("case") }) == 1
    {
      return true
    }
    var depth = 0
    return expression.contains { token in
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      return depth == 0 && token.isSymbol("||")
    }
  }
}
