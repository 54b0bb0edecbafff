/// An equation in a condition, at whatever depth: `t.x = u.i`, `name IS NULL`.
///
/// SQLite takes conditions apart and moves them, also into a SELECT in FROM. A column that one of them equates needs no
/// sorting there. So it matters whether values can be equal that differ, as 5 and '5' can by their affinities.
struct Equation {
  enum Operand {
    /// A literal or a parameter, which have no affinity.
    case literal
    /// `x` or `t.x`.
    case name(SelectText.Tokens)
    /// What a function returns, or a SELECT of an aggregate. It has no affinity, and is no column.
    case call
    case other
  }

  let left: Operand
  let right: Operand

  /// Whether SQLite compares no two columns.
  ///
  /// A column's own affinity decides then, and values that are equal by it are equal to each other, too.
  var equatesNoColumns: Bool {
    switch (left, right) {
    case (.literal, .literal), (.literal, .name), (.name, .literal): true
    case (.call, .call), (.call, .literal), (.literal, .call): true
    case (.name, .call), (.call, .name): true
    default: false
    }
  }

  /// - Parameter isNested: Whether those of SELECTs in it count, too, whose names mean something else.
  /// - Complexity: O(tokens).
  static func all(in condition: SelectText.Tokens, isNested: Bool = true) -> [Equation] {
    var end = condition.startIndex
    return condition.indices.compactMap { place in
      let token = condition[place]
      if !isNested, token.isSymbol("("), condition[(place + 1)...].first?.isWord("select") == true {
        end = max(end, condition[place...].closing ?? condition.endIndex)
      }
      guard place >= end else { return nil }
      let isWord = token.isWord("is")
      guard isWord || token.isSymbol("=") || token.isSymbol("==") else { return nil }
      var rest = condition[(place + 1)...]
      while isWord, let word = rest.first, ["not", "distinct", "from"].contains(where: word.isWord)
      {
        rest = rest.dropFirst()
      }
      return Equation(left: operand(before: condition[..<place]), right: operand(after: rest))
    }
  }

  private static func operand(after tokens: SelectText.Tokens) -> Operand {
    guard let first = tokens.first else { return .other }
    var rest = tokens.dropFirst()
    var operand = Operand.other
    if ["+", "-"].contains(where: first.isSymbol), rest.first?.kind == .number {
      rest = rest.dropFirst()
      operand = .literal
    } else if isLiteral(first) {
      operand = .literal
    } else if first.isSymbol("("), let end = tokens.closing {
      rest = tokens[(end + 1)...]
      operand = isAggregate(tokens[..<end].dropFirst()) ? .call : .other
    } else if first.name != nil {
      if rest.first?.isSymbol("(") == true {
        guard let end = rest.closing else { return .other }
        rest = rest[(end + 1)...]
        operand = isOpaque(first) ? .call : .other
      } else {
        while rest.first?.isSymbol(".") == true, rest.dropFirst().first?.name != nil {
          rest = rest.dropFirst(2)
        }
        operand = .name(tokens[..<rest.startIndex])
      }
    }
    return rest.first.map { isWord($0, ending) || $0.isSymbol(")") || $0.isSymbol(",") } ?? true
      ? operand : .other
  }

  static func operand(before tokens: SelectText.Tokens) -> Operand {
    guard let last = tokens.last else { return .other }
    var rest = tokens.dropLast()
    var operand = Operand.other
    if last.isSymbol(")") {
      guard let start = tokens.opening else { return .other }
      rest = tokens[..<start]
      if isAggregate(tokens[(start + 1)...].dropLast()) {
        operand = .call
      } else {
        guard let name = rest.popLast() else { return .other }
        operand = isOpaque(name) ? .call : .other
      }
    } else if isLiteral(last) {
      operand = .literal
    } else if last.name != nil {
      while rest.last?.isSymbol(".") == true, rest.dropLast().last?.name != nil {
        rest = rest.dropLast(2)
      }
      operand = .name(tokens[rest.endIndex...])
    }
    return rest.last.map { isWord($0, beginning) || $0.isSymbol("(") || $0.isSymbol(",") } ?? true
      ? operand : .other
  }

  private static func isLiteral(_ token: SQLToken) -> Bool {
    switch token.kind {
    case .number, .string, .blob, .parameter: true
    // `true` and `false` may be columns.
    default: token.isWord("null")
    }
  }

  /// Whether it is `SELECT max(x) FROM …`.
  private static func isAggregate(_ tokens: SelectText.Tokens) -> Bool {
    let output = tokens.dropFirst()
    guard tokens.first?.isWord("select") == true, let name = output.first, isOpaque(name),
      output.dropFirst().first?.isSymbol("(") == true, let end = output.dropFirst().closing
    else { return false }
    return tokens[(end + 1)...].first?.isWord("from") == true
  }

  /// Whether it is the name of a function that SQLite doesn't replace by its argument, and that has no affinity.
  private static func isOpaque(_ name: SQLToken) -> Bool {
    name.kind == .word && !isWord(name, beginning + ending)
      && !isWord(
        name, ["cast", "in", "exists", "likely", "unlikely", "likelihood", "between", "is"])
  }

  private static func isWord(_ token: SQLToken, _ words: [String]) -> Bool {
    words.contains(where: token.isWord)
  }

  /// What can stand before an operand.
  private static let beginning = [
    "and", "case", "else", "not", "on", "or", "then", "when", "where",
  ]
  /// What can stand behind one.
  private static let ending = ["and", "else", "end", "or", "then", "when"]
}
