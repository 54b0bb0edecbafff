/// What SQLite's plan may decide in place of the SQL: then the query runs.
///
/// Docs/decisions/0084-nothing-that-a-plan-decides.md has the reasons.
extension QuerySources {
  // MARK: Equations

  /// Kinds of affinity within which values that are equal are the same, or equal numbers.
  private enum AffinityClass {
    case number, text, none
  }

  private func affinityClass(of column: Column) -> AffinityClass {
    guard let place = column.place else { return .number }
    return switch tables[leaves[column.leaf]].columns[place].affinity {
    case .text: .text
    case .blob: .none
    case .integer, .real, .numeric: .number
    }
  }

  /// With which values that differ a column may meet an equation, because the other side has another affinity.
  enum Looseness: Int, Sendable, Comparable {
    case none
    /// SQLite makes texts numbers to compare them: '1.0' equals 1.
    case numbers
    /// It may also make numbers texts, of 15 digits: 0.3 and a number next to it equal '0.3'.
    case texts

    static func < (left: Looseness, right: Looseness) -> Bool { left.rawValue < right.rawValue }
  }

  mutating func noteLooseness(of equation: Equation, _ scopes: [Scope]) {
    switch (equation.left, equation.right) {
    case (.name(let left), .name(let right))
    where !isTruth(left, scopes) && !isTruth(right, scopes):
      noteLooseness(origin(of: left, scopes), origin(of: right, scopes))
    case (.name(let left), .name(let right)):
      let name = isTruth(left, scopes) ? right : left
      if origin(of: name, scopes) == nil { looseness = .texts }
    case (.name(let name), _) where equation.equatesNoColumns,
      (_, .name(let name)) where equation.equatesNoColumns:
      if origin(of: name, scopes) == nil { looseness = .texts }
    default: if !equation.equatesNoColumns { looseness = .texts }
    }
  }

  mutating func noteLooseness(_ left: Column?, _ right: Column?) {
    guard let left, let right else { return looseness = .texts }
    equatedColumns.formUnion([left, right])
    guard affinityClass(of: left) != affinityClass(of: right) else { return }
    looseness = max(looseness, isPart(left.leaf) || isPart(right.leaf) ? .texts : .numbers)
  }

  /// Whether SQLite may take a term of ORDER BY as sorted because of a loose equation: it is a column that meets one,
  /// perhaps through other equations. An expression is sorted in any case.
  func isSortedLoosely(_ term: SelectText.Tokens) -> Bool {
    guard looseness == .numbers else { return looseness == .texts }
    if term.isName { return origin(of: term, [scope]).map(equatedColumns.contains) ?? true }
    // SQLite looks through these.
    return term.first?.isSymbol("(") == true || term.contains { $0.name?.includes("likel") == true }
  }

  /// Whether it is `true` or `false`, and no column is called so.
  private func isTruth(_ tokens: SelectText.Tokens, _ scopes: [Scope]) -> Bool {
    guard tokens.count == 1, let word = tokens.first, word.kind == .word,
      word.isWord("true") || word.isWord("false")
    else { return false }
    let name = word.text.asciiLowercased
    return !scopes.contains { scope in
      scope.aliases.contains(name) || scope.members.contains { has(name, $0) }
    }
  }

  /// Whether conditions of a SELECT may equate two columns: SQLite may move them into a SELECT in its FROM.
  static func equatesColumns(_ select: SelectText) -> Bool {
    select.filter.map(equatesColumns) == true
      || select.from.contains { piece in
        switch piece {
        case .between("ON", let condition): equatesColumns(condition)
        case .between("USING", _): true
        case .between, .source: false
        }
      }
  }

  static func equatesColumns(_ condition: SelectText.Tokens) -> Bool {
    !Equation.all(in: condition).allSatisfy(\.equatesNoColumns)
  }

  private func isPart(_ leaf: Int) -> Bool { tables[leaves[leaf]].isPart }

  // MARK: Columns of SELECTs in FROM

  /// Notes how often columns of SELECTs in FROM that have no affinity occur in a condition, and which of them equal a
  /// constant by it.
  mutating func noteConstants(in condition: SelectText.Tokens, _ scope: Scope) {
    for name in SelectText.names(in: condition) {
      if let column = untyped(name, scope) { occurrences[column, default: 0] += 1 }
    }
    for conjunct in Self.conjuncts(condition) {
      let names = SelectText.names(in: conjunct).filter { find($0, [scope]) != nil }
      let equates = conjunct.contains { token in
        token.isSymbol("=") || token.isSymbol("==") || token.isWord("is") || token.isWord("in")
      }
      guard equates, names.count == 1, let column = untyped(names[0], scope) else { continue }
      constantColumns.insert(column)
    }
  }

  /// The column of a SELECT in FROM with a state that a name means, also through others, if it has no affinity.
  private func untyped(_ name: SelectText.Tokens, _ scope: Scope) -> Column? {
    guard let found = find(name, [scope]), let column = origin(found.name, found.member),
      isPart(column.leaf)
    else { return nil }
    if case .affinity = comparison(found.name, found.member).conversion { return nil }
    return column
  }

  /// Checks that no column of a SELECT in FROM that has no affinity equals a constant, and occurs in another condition: SQLite
  /// puts the constant in its place there, where it is a column, and 1 in place of 1.0 shows in `x / 2`.
  func checkConstants() throws {
    guard constantColumns.allSatisfy({ occurrences[$0, default: 0] < 2 }) else {
      throw NotMaintainable(
        "a column without a type that equals a constant and occurs in another condition")
    }
  }

  /// Checks that no rowid of a SELECT in FROM is read: SQLite may number its rows, as it has them.
  func checkRowids(_ expression: SelectText.Tokens, _ scope: Scope) throws {
    for name in SelectText.names(in: expression) {
      guard let last = name.last?.name, SelectText.rowidNames.contains(last.asciiLowercased) else {
        continue
      }
      let member = find(name, [scope])?.member ?? (name.count == 1 ? scope.members.first : nil)
      guard let member, member.leaf == nil, !has(last, member) else { continue }
      throw NotMaintainable("the rowid of a SELECT in FROM")
    }
  }

  // MARK: The order of visits

  /// How a SELECT is sorted, if that is by columns of tables.
  func sorting(_ select: SelectText, _ scope: Scope) -> [VisitingOrder.Loop] {
    var loops: [VisitingOrder.Loop] = []
    for term in select.order {
      var expression = select.aliased(term.expression)?.expression ?? term.expression
      if !select.outputs.contains(where: \.isStar),
        let place = try? select.position(of: expression, among: select.outputs.count)
      {
        expression = select.outputs[place].expression
      }
      guard term.nulls == nil, let column = resolve(expression, [scope]),
        let collation = term.collation ?? collation(of: column), !isPart(column.leaf)
      else { return [] }
      let table = tables[leaves[column.leaf]]
      let name =
        column.place.map { table.columns[$0].name.quotedIdentifier } ?? table.identity[0]
      loops.append(
        VisitingOrder.Loop(
          leaf: column.leaf,
          columns: [
            .init(
              name: name, place: column.place, isDescending: term.isDescending,
              collation: collation)
          ]))
    }
    return loops
  }

  /// Whether a SELECT is sorted by what identifies the rows of each table, so that no two of its rows are tied.
  func isTotal(_ select: SelectText) -> Bool {
    let sorted = select.order.compactMap { term in
      term.collation == nil
        ? resolve(select.aliased(term.expression)?.expression ?? term.expression, [scope]) : nil
    }
    return leaves.indices.allSatisfy { leaf in
      let table = tables[leaves[leaf]]
      return sorted.contains { column in
        guard column.leaf == leaf, let place = column.place else { return column.leaf == leaf }
        return table.rowidPlace == place || table.keyPlaces == [place]
      }
    }
  }

  /// Checks that a SELECT in FROM of one in an expression returns the same rows in whatever order SQLite visits those
  /// of its tables: it has another plan where the expression is evaluated for some rows alone.
  func checkIsIndependentOfVisits(_ select: SelectText, _ scope: Scope) throws {
    guard select.limit == nil else {
      throw NotMaintainable("LIMIT in FROM of a SELECT in an expression")
    }
    guard select.isGrouped else { return }
    // Of values that are equal, the first one is returned.
    let keys = select.isDistinct ? select.outputs.map(\.expression) : select.groups
    let isCertain =
      looseness == .none
      && keys.allSatisfy { key in
        guard let column = resolve(key, [scope]) else { return false }
        guard let place = column.place else { return true }
        let table = tables[leaves[column.leaf]]
        return !table.isPart && table.columns[place].collation == .binary
          && [.integer, .numeric, .text].contains(table.columns[place].affinity)
      }
    guard isCertain, !select.outputs.contains(where: \.isStar) else {
      throw NotMaintainable(
        "DISTINCT or groups of values that may differ, in FROM of a SELECT in an expression")
    }
  }

  // MARK: Patterns

  /// Checks that SQLite finds with an index what it finds without one.
  ///
  /// It reads `name LIKE 'In%'` as a range of texts where an index has them in order. Infinity is a number in there, but
  /// matches: as a text it is `Inf`. So does 1.0e+20 match `1.0e%`.
  func checkPatterns(_ expression: SelectText.Tokens, _ scopes: [Scope]) throws {
    for place in Self.patternsOfNumbers(in: expression) {
      let before = expression[..<place]
      guard case .name(let name) = Equation.operand(before: before),
        let column = origin(of: name, scopes), affinityClass(of: column) == .text
      else { throw Self.isPatternOfNumbers }
    }
  }

  static let isPatternOfNumbers = NotMaintainable("a pattern that numbers may match")

  /// Where LIKE and GLOB stand whose patterns numbers may match.
  static func patternsOfNumbers(in expression: SelectText.Tokens) -> [Int] {
    expression.indices.filter { place in
      let isGlob = expression[place].isWord("glob")
      // Only what is to be found is read as a range.
      return (isGlob || expression[place].isWord("like"))
        && mayMatchNumbers(expression[(place + 1)...], isGlob: isGlob)
        && expression[..<place].last?.isWord("not") != true
    }
  }

  private static func mayMatchNumbers(_ rest: SelectText.Tokens, isGlob: Bool) -> Bool {
    // The value of a parameter may be any pattern.
    guard let pattern = rest.first, pattern.kind == .string else { return true }
    let wildcards = isGlob ? "*?[" : "%_"
    var rest = String(pattern.text.prefix { !wildcards.contains($0) }).asciiLowercased[...]
    guard !rest.isEmpty, rest != "-" else { return false }
    if rest.first == "-" { rest = rest.dropFirst() }
    if "inf".hasPrefix(rest) { return true }
    // `1.0e` begins 1.0e+20, and isn't a number itself: for those SQLite reads no range.
    let digits: Set<Character> = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
    let number = rest.prefix { digits.contains($0) || $0 == "." }
    return !number.isEmpty && ["e", "e+", "e-"].contains(rest.dropFirst(number.count))
  }

  // MARK: Lists

  /// Checks that `x IN (…)` leaves x as it is, in a SELECT with groups.
  ///
  /// For a column of REAL values, SQLite makes a whole number an integer there, in the register from which the column is
  /// returned: 0.0 becomes 0, depending on the plan.
  func checkLists(_ expression: SelectText.Tokens, _ scopes: [Scope]) throws {
    for place in expression.indices where expression[place].isWord("in") {
      var before = expression[..<place]
      if before.last?.isWord("not") == true { before.removeLast() }
      switch Equation.operand(before: before) {
      case .literal, .call: continue
      case .name(let name):
        guard let column = origin(of: name, scopes), !isPart(column.leaf) else { break }
        guard let index = column.place else { continue }
        if tables[leaves[column.leaf]].columns[index].affinity != .real { continue }
      case .other: break
      }
      throw NotMaintainable("IN of what may be a REAL value, in a SELECT with groups")
    }
  }
}
