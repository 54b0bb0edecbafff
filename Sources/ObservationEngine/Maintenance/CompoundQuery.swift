/// The SELECTs of a statement, and how their rows become those of the result.
///
///     SELECT name FROM player UNION SELECT name FROM bot EXCEPT SELECT name FROM banned
///     └──── selects[0] ─────┘ │     └── selects[1] ──┘   │    └───── selects[2] ──────┘
///                             operators[0]               operators[1]
///
/// With any operator but UNION ALL, the result is a set of rows, and so is what each SELECT gives to it. A row is in it,
/// or not, depending on which of the SELECTs return it.
struct CompoundQuery {
  enum Operator: String, Sendable {
    case unionAll = "UNION ALL"
    case union = "UNION"
    case intersect = "INTERSECT"
    case except = "EXCEPT"
  }

  /// Of most statements one.
  let selects: [SelectText]
  let operators: Operators
  /// The SELECTs in expressions that parameters stand for; see ``ScalarSubqueries``.
  var scalars: [SelectText] = []
  /// The columns that its only SELECT no longer has.
  var ranking: Ranking?

  /// What stands between the SELECTs, in their order.
  struct Operators: Sendable {
    let all: [Operator]

    var first: Operator? { all.first }

    /// - Throws: ``NotMaintainable`` when some rows of the result can occur twice and others can't.
    init(_ all: [Operator]) throws {
      self.all = all
      if let first = all.first(where: { $0 != .unionAll }), all.last == .unionAll {
        throw NotMaintainable("UNION ALL behind \(first.rawValue)")
      }
    }

    /// Whether each row occurs once.
    var makesSet: Bool { all.contains { $0 != .unionAll } }

    /// Whether a row is in the result.
    ///
    /// - Parameter isIn: Whether each of the SELECTs returns it.
    /// - Complexity: O(SELECTs).
    func contains(_ isIn: [Bool]) -> Bool {
      zip(all, isIn.dropFirst()).reduce(isIn[0]) { found, next in
        switch next.0 {
        case .unionAll, .union: found || next.1
        case .intersect: found && next.1
        case .except: found && !next.1
        }
      }
    }
  }
}

extension CompoundQuery {
  /// How many columns each of the ranking's stands for; none without one.
  ///
  /// - Parameter sources: Those of the only SELECT.
  func widths(_ sources: QuerySources) throws -> [Int] {
    guard let ranking else { return [] }
    var rest = selects[0].outputs[...]
    return try ranking.functions.map { function in
      guard function == nil, let output = rest.popFirst(), output.isStar else { return 1 }
      return try sources.columns(output).count
    }
  }

  /// Cuts a statement at what stands between its SELECTs.
  ///
  /// - Complexity: O(length).
  static func pieces(
    _ tokens: SelectText.Tokens
  ) -> (selects: [SelectText.Tokens], operators: [Operator]) {
    var (selects, operators) = ([SelectText.Tokens](), [Operator]())
    var (start, depth) = (tokens.startIndex, 0)
    for index in tokens.indices {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      guard depth == 0, let found = operation(tokens[index...]) else { continue }
      selects.append(tokens[start..<index])
      operators.append(found)
      start = index + (found == .unionAll ? 2 : 1)
    }
    return (selects + [tokens[start...]], operators)
  }

  /// The operator that `tokens` begin with.
  static func operation(_ tokens: SelectText.Tokens) -> Operator? {
    guard let first = tokens.first else { return nil }
    if first.isWord("union") {
      return tokens.dropFirst().first?.isWord("all") == true ? .unionAll : .union
    }
    if first.isWord("intersect") { return .intersect }
    return first.isWord("except") ? .except : nil
  }
}

extension CompoundQuery.Operators {
  /// Makes the lines of the result from those of the SELECTs.
  ///
  /// - Parameters:
  ///   - results: The lines of each SELECT, sorted alike; all that it has, if the result is a set.
  ///   - end: How many lines of the result are needed, besides those that are tied with the last of them.
  /// - Returns: `nil` when two rows are equal, but stored in two ways (`1` and `1.0`): only SQLite knows which it returns.
  /// - Complexity: O(lines up to the end · SELECTs); O(1) for one SELECT.
  func combine(_ results: [SortedLines], upTo end: Int) -> SortedLines? {
    guard results.count > 1 else { return results[0] }
    var merge = SortedLines.Merge(results)
    var combined = SortedLines(like: results[0])
    let isSet = makesSet
    while combined.count <= end, let run = merge.next() {
      if isSet {
        guard append(run, to: &combined, of: results.count) else { return nil }
      } else {
        for (_, line) in run { combined.append(line) }
      }
    }
    return combined
  }

  /// - Parameter run: All lines with the same order keys.
  private func append(
    _ run: [SortedLines.Merge.Element], to combined: inout SortedLines, of count: Int
  ) -> Bool {
    var rest = run[...]
    if run.count > 1 { rest = run.sorted { $0.line.compareOutputs($1.line) < 0 }[...] }
    while let first = rest.first {
      let same = rest.prefix { $0.line.compareOutputs(first.line) == 0 }
      guard same.allSatisfy({ $0.line.outputs == first.line.outputs }) else { return false }
      var isIn = [Bool](repeating: false, count: count)
      for (number, _) in same { isIn[number] = true }
      if contains(isIn) { combined.append(first.line) }
      rest = rest.dropFirst(same.count)
    }
    return true
  }
}
