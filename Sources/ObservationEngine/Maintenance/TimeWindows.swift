/// Queries that compare what rows hold with the present: `WHERE sold >= datetime('now', '-7 days')`.
///
/// An expression that depends on the time alone is a *moment*. It is taken out of the SQL, as a parameter, so that
/// a state is the result as of certain moments. When they change, only rows can matter whose values lie between the
/// old and the new moment, because all others compare with both alike. An index finds these.
///
///     sold >= datetime('now', '-7 days')     sold BETWEEN ?old AND ?new     leave the result
///     ├ subject    ├ bound                   └─ TimeWindow.condition
enum Moments {
  /// Puts a parameter in place of each moment, the same for those of the same text.
  ///
  /// - Parameter numbering: That of the parameters of the statement; those of moments follow.
  /// - Returns: The SQL of each moment.
  /// - Complexity: O(tokens), but for what nests.
  static func takeOut(
    of tokens: inout [SQLToken], _ bytes: [UInt8], _ numbers: inout [Int: Int], after count: Int
  ) -> [String] {
    var moments: [String] = []
    var index = 0
    while index < tokens.count {
      defer { index += 1 }
      guard let end = end(ofMomentAt: index, tokens) else { continue }
      let range = tokens[index].range.lowerBound..<tokens[end - 1].range.upperBound
      let text = tokens[index..<end].map { token in
        numbers[token.range.lowerBound].map { "?\($0)" }
          ?? String(decoding: bytes[token.range], as: UTF8.self)
      }.joined(separator: " ")
      if !moments.contains(text) { moments.append(text) }
      numbers[range.lowerBound] = count + 1 + moments.firstIndex(of: text)!
      tokens.replaceSubrange(
        index..<end, with: [SQLToken(kind: .parameter, text: text, range: range)])
    }
    return moments
  }

  private static let words: Set<String> = ["current_date", "current_time", "current_timestamp"]

  /// - Returns: `nil` when no moment begins there.
  private static func end(ofMomentAt start: Int, _ tokens: [SQLToken]) -> Int? {
    guard tokens[start].kind == .word else { return nil }
    let name = tokens[start].text.asciiLowercased
    if words.contains(name) { return start + 1 }
    guard KnownFunctions.dates[name] != nil, start + 1 < tokens.count,
      tokens[start + 1].isSymbol("(")
    else { return nil }
    var depth = 0
    for index in (start + 1)..<tokens.count {
      let token = tokens[index]
      switch token.kind {
      case .string, .number, .parameter: break
      case .symbol where token.isSymbol("("): depth += 1
      case .symbol where token.isSymbol(")"): depth -= 1
      case .symbol where [",", "||", "+", "-"].contains(token.text): break
      case .word where KnownFunctions.dates[token.text.asciiLowercased] != nil: break
      default: return nil
      }
      guard depth == 0 else { continue }
      let call = Array(tokens[start...index])
      return QueryShape.dependsOnTime(call) ? index + 1 : nil
    }
    return nil
  }
}

/// A comparison of rows with a moment, or with the value of a scalar subquery.
struct TimeWindow: Sendable, Equatable {
  /// The table whose values are compared, by its place among the leaves, and its name in the SQL.
  let leaf: Int
  let name: String
  /// Holds for rows that may compare otherwise with the later moments than with those before.
  let condition: String

  /// The numbers of the parameters that stand for what it compares with; empty when that isn't all that matters.
  let parameters: [Int]

  init(leaf: Int, name: String, condition: String, parameters: [Int] = []) {
    (self.leaf, self.name, self.condition) = (leaf, name, condition)
    self.parameters = parameters
  }

  /// Whether rows may compare otherwise with the values of all parameters later than with those before.
  func moves(from before: [Value], to later: [Value]) -> Bool {
    parameters.isEmpty || parameters.contains { before[$0 - 1] != later[$0 - 1] }
  }

  /// The rows of a table that lines are made of, of which `kept` has the keys.
  init(of leaf: Int, _ table: MaintainedTable, in kept: DeltaTable) {
    let keys = table.identity.map { "\"k\(leaf)\".\($0)" }.joined(separator: ", ")
    let columns = table.identity.indices.map { "c\($0)" }.joined(separator: ", ")
    self.init(
      leaf: leaf, name: "k\(leaf)",
      condition: "(\(keys)) IN (SELECT \(columns) FROM \(kept.name.quotedIdentifier))")
  }

  /// Reads `columns` of the rows that moments have passed.
  static func sql(of windows: [TimeWindow], _ table: MaintainedTable, columns: [String]) -> String {
    let parts = windows.map { window in
      """
      SELECT \((table.identity + columns).map { "\(window.name.quotedIdentifier).\($0)" }.joined(separator: ", ")) \
      FROM \(table.sqlName) AS \(window.name.quotedIdentifier) WHERE \(window.condition)
      """
    }
    return parts.joined(separator: " UNION ")
  }
}

extension SelectText {
  /// A comparison of rows with a moment or a scalar subquery.
  struct ComparisonWithStandIn {
    let subject: Tokens
    /// What it is compared with, now and later.
    fileprivate let (old, new): (String, String)
    /// The numbers of the parameters in that.
    let parameters: [Int]

    /// Holds for what compares otherwise later, or may.
    ///
    /// - Parameter subject: What is compared, in SQL.
    func condition(_ subject: String) -> String {
      "(\(subject)) BETWEEN \(old) AND \(new) OR (\(subject)) BETWEEN \(new) AND \(old)"
    }
  }

  /// The comparisons with moments and scalar subqueries in an expression, but for those in SELECTs within it.
  ///
  /// - Throws: ``NotMaintainable`` for one that is used in another way.
  func comparisonsWithStandIns(in expression: Tokens) throws -> [ComparisonWithStandIn] {
    var found: [ComparisonWithStandIn] = []
    let inner = try subqueryRanges(in: expression)
    for index in expression.indices
    where isStandIn(expression[index]) && !inner.contains(where: { $0.contains(index) }) {
      guard let comparison = Comparison(expression, around: index, isStandIn) else {
        throw NotMaintainable(
          isScalar(expression[index])
            ? "it uses a SELECT in an expression other than by comparing a column with it"
            : "it depends on the time other than by comparing a column with it")
      }
      let bound = expression[comparison.bound]
      // Two numbers can add up to infinity, and infinity less infinity is NULL.
      guard
        !isScalar(expression[index])
          || bound.count(where: { $0.kind == .symbol && ["+", "-", "*"].contains($0.text) }) < 2
      else { throw NotMaintainable("it compares with a value and several numbers") }
      found.append(
        ComparisonWithStandIn(
          subject: expression[comparison.subject],
          old: text(bound), new: text(bound, later: true),
          parameters: bound.filter(isStandIn).compactMap(parameter)))
    }
    return found
  }

  /// Whether an expression of a SELECT with groups is computed from their aggregates alone, once for each group.
  ///
  /// - Parameter isAlias: Whether a name is that of a column of the result alone.
  /// - Complexity: O(tokens).
  func isOfAggregatesAlone(
    _ expression: Tokens, _ isAlias: (String) -> Bool = { _ in false }
  ) -> Bool {
    var rest = expression
    while let call = AggregateCall.first(in: rest) {
      guard Self.namesNoColumn(rest[..<call.range.lowerBound], isAlias) else { return false }
      rest = rest[call.range.upperBound...]
    }
    return Self.namesNoColumn(rest, isAlias)
  }

  private static func namesNoColumn(_ tokens: Tokens, _ isAlias: (String) -> Bool) -> Bool {
    tokens.indices.allSatisfy { index in
      guard let name = tokens[index].name else { return true }
      let isCall = index + 1 < tokens.endIndex && tokens[index + 1].isSymbol("(")
      return tokens[index].kind == .word
        && (isCall || GroupPlanner.plainWords.contains(name.asciiLowercased)) || isAlias(name)
    }
  }

  /// Where in an expression `subject < bound` or the like stands, whose bound is made of moments and constants.
  private struct Comparison {
    var subject: Range<Int>
    var bound: Range<Int>

    private static let symbols: Set<String> = ["<", "<=", ">", ">=", "=", "==", "<>", "!="]
    /// What can stand before and behind a comparison that is an operand of nothing but AND, OR, and NOT.
    private static let openings: Set<String> = [
      "and", "or", "not", "when", "then", "else", "where", "on", "distinct",
    ]
    private static let closings: Set<String> = ["and", "or", "then", "when", "else", "end"]

    init?(_ tokens: Tokens, around standIn: Int, _ isStandIn: (SQLToken) -> Bool) {
      func token(_ index: Int) -> SQLToken? { tokens.indices.contains(index) ? tokens[index] : nil }
      func isConstant(_ index: Int) -> Bool {
        token(index).map { $0.kind == .number || $0.kind == .parameter } ?? false
      }
      func isSign(_ index: Int) -> Bool {
        token(index).map { $0.isSymbol("+") || $0.isSymbol("-") } ?? false
      }
      // What is NULL at one time and not at another one isn't found, and infinity times 0 is NULL, as
      // is infinity less infinity. One factor makes no infinity of a moment.
      var hasFactor = false
      func isFactor(_ index: Int) -> Bool {
        guard !hasFactor, let token = token(index), token.kind == .number,
          let value = Double(token.text)
        else {
          return false
        }
        return value > 0 && value < 1e15
      }
      /// The last token of the product of constants that begins at `start`.
      func product(from start: Int) -> Int? {
        var end = start
        if isSymbol(start, "(") {
          guard var inner = product(from: start + 1) else { return nil }
          while isSign(inner + 1), let next = product(from: inner + 2) { inner = next }
          guard isSymbol(inner + 1, ")") else { return nil }
          end = inner + 1
        } else if !isConstant(start) {
          return nil
        }
        return isSymbol(end + 1, "*") ? product(from: end + 2) : end
      }
      func isComparison(_ index: Int) -> Bool {
        token(index).map { $0.kind == .symbol && Self.symbols.contains($0.text) } ?? false
      }
      func isWord(_ index: Int, _ word: String) -> Bool { token(index)?.isWord(word) ?? false }
      func isSymbol(_ index: Int, _ symbol: String) -> Bool {
        token(index)?.isSymbol(symbol) ?? false
      }

      var (low, high) = (standIn, standIn)
      while true {
        if isSign(high + 1), let end = product(from: high + 2) {
          high = end
        } else if isSymbol(high + 1, "*"), isFactor(high + 2) {
          (high, hasFactor) = (high + 2, true)
        } else if isSign(low - 1), isConstant(low - 2) {
          low -= 2
        } else if isSymbol(low - 1, "*"), isFactor(low - 2) {
          (low, hasFactor) = (low - 2, true)
        } else if isSymbol(low - 1, "("), isWord(low - 2, "cast"), isWord(high + 1, "as"),
          token(high + 2)?.kind == .word, isSymbol(high + 3, ")")
        {
          (low, high) = (low - 2, high + 3)
        } else if isSymbol(low - 1, "("), isSymbol(high + 1, ")"),
          token(low - 2).map({
            $0.kind == .symbol || Self.openings.contains($0.text.asciiLowercased)
          })
            ?? true
        {
          (low, high) = (low - 1, high + 1)
        } else {
          break
        }
      }

      func opens(_ index: Int) -> Bool {
        guard let token = token(index) else { return true }
        return token.isSymbol("(") || token.isSymbol(",")
          || token.kind == .word && Self.openings.contains(token.text.asciiLowercased)
            && !SelectText.endsInOperator(tokens[...index])
      }
      func closes(_ index: Int) -> Bool {
        guard let token = token(index) else { return true }
        return token.isSymbol(")") || token.isSymbol(",")
          || token.kind == .word && Self.closings.contains(token.text.asciiLowercased)
      }
      /// The column or call that ends before `end`.
      func operand(before end: Int) -> Range<Int>? {
        guard var start = token(end - 1).map({ _ in end - 1 }) else { return nil }
        if isSymbol(start, ")") {
          var depth = 0
          while let token = token(start) {
            if token.isSymbol(")") { depth += 1 }
            if token.isSymbol("(") { depth -= 1 }
            if depth == 0 { break }
            start -= 1
          }
          guard token(start - 1)?.kind == .word, !opens(start - 1) else { return nil }
          return (start - 1)..<end
        }
        guard token(start)?.name != nil else { return nil }
        if isSymbol(start - 1, "."), token(start - 2)?.name != nil { start -= 2 }
        return start..<end
      }
      /// The column or call that begins at `start`.
      func operand(from start: Int) -> Range<Int>? {
        guard token(start)?.name != nil else { return nil }
        if isSymbol(start + 1, "(") {
          var (depth, end) = (0, start + 1)
          while let token = token(end) {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0 { return start..<(end + 1) }
            end += 1
          }
          return nil
        }
        if isSymbol(start + 1, "."), token(start + 2)?.name != nil { return start..<(start + 3) }
        return start..<(start + 1)
      }

      bound = low..<(high + 1)
      if isComparison(low - 1), closes(high + 1), let subject = operand(before: low - 1),
        opens(subject.lowerBound - 1)
      {
        self.subject = subject
        return
      }
      if isComparison(high + 1), opens(low - 1), let subject = operand(from: high + 2),
        closes(subject.upperBound)
      {
        self.subject = subject
        return
      }
      // `a BETWEEN low AND high`, where either may be the bound.
      var between = low - 1
      if isWord(between, "and") {
        between -= 1
        while isConstant(between) || isSign(between) || token(between)?.kind == .string
          || ["(", ")", "*"].contains(where: { isSymbol(between, $0) })
        {
          between -= 1
        }
        guard closes(high + 1) else { return nil }
      } else if !isWord(high + 1, "and") {
        return nil
      }
      guard isWord(between, "between") else { return nil }
      if isWord(between - 1, "not") { between -= 1 }
      guard let subject = operand(before: between), opens(subject.lowerBound - 1) else {
        return nil
      }
      self.subject = subject
    }
  }
}
