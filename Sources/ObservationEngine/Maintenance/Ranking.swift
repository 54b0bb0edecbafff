/// Columns that say at which place of an order a row is, as `rank() OVER (ORDER BY score DESC)` does of all rows.
///
///     SELECT name, rank() OVER (ORDER BY score DESC) AS place FROM player ORDER BY place LIMIT 10
///
/// The lines of the result are kept in the order of the window. So the places follow from the lines before, and no other row
/// is read: what is maintained is the SELECT without these columns, in this order.
struct Ranking: Sendable {
  enum Function: String, Sendable {
    case rank
    case denseRank = "dense_rank"
    case rowNumber = "row_number"
  }

  /// Those that the SELECT returns, in its order; `nil` for any other column, or `*`.
  let functions: [Function?]
  /// How many terms of the order they count by; those behind them sort rows of one place.
  let termCount: Int
  /// Whether the statement says how its rows are sorted; otherwise they come as SQLite has ranked them.
  let isSorted: Bool
  /// Whether nothing but the window sorts the rows, so that those of one place come as SQLite visits them.
  let isOfWindowAlone: Bool
  /// The names of columns of the result by which the statement sorts, folded. A column of `*` that is called so may go before.
  let names: Set<String>

  /// How many columns it has.
  var count: Int { functions.count { $0 != nil } }

  /// Takes the columns out of a SELECT, and sorts that as the window does.
  ///
  /// - Returns: `nil`, and the SELECT as it was, when it has no such columns, or the places of all rows have to be known.
  /// - Complexity: O(tokens).
  static func takeOut(of select: inout SelectText) -> Ranking? {
    // What isn't recognised stays, and is refused with its reason.
    guard !select.isDistinct, let calls = try? select.outputs.map(call),
      let terms = calls.lazy.compactMap({ $0?.order }).first,
      !select.order.contains(where: {
        $0.nulls != nil || $0.expression.contains { $0.isWord("over") }
      }),
      // Its positions would be those of other columns.
      !select.groups.contains(where: { $0.first?.kind == .number })
    else { return nil }
    let functions = calls.map { $0.flatMap { Function(rawValue: $0.name) } }
    let isAlike = zip(calls, functions).allSatisfy { call, function in
      guard let call else { return true }
      return function != nil && call.argument == nil && call.partition.isEmpty && !call.hasFrame
        && select.areEqual(call.order, terms)
    }
    guard isAlike, functions.contains(nil), terms.allSatisfy(select.isOfColumns),
      let behind = select.orderBehind(terms, functions)
    else { return nil }
    let ranking = Ranking(
      functions: functions, termCount: terms.count, isSorted: !select.order.isEmpty,
      isOfWindowAlone: behind.isEmpty,
      names: Set(
        select.order.filter { select.place(aliased: $0) != nil }.compactMap {
          $0.expression.first?.name?.asciiLowercased
        }))
    select = select.without(functions, sortedBy: terms + behind)
    return ranking
  }

  /// The call that a column is; `nil` when it calls no window function.
  private static func call(_ output: SelectText.Output) throws -> WindowCall? {
    let found = try WindowCall.all(in: output.expression)
    guard let first = found.first else { return nil }
    guard first.range == output.expression.indices, !first.order.isEmpty else {
      throw NotMaintainable("a window function without PARTITION BY")
    }
    return first
  }

  /// Puts the columns of places into rows that have the others.
  ///
  /// - Parameters:
  ///   - lines: All in their order.
  ///   - range: Those that are returned.
  ///   - widths: How many columns each of ``functions`` stands for.
  /// - Complexity: O(lines up to the end of the range).
  func rows(
    _ lines: SortedLines, in range: Range<Int>, widths: [Int]
  ) -> [[Value]] {
    var (rank, denseRank) = (0, 0)
    var rows: [[Value]] = []
    for place in 0..<min(range.upperBound, lines.count) {
      if place == 0 || !lines.areEqual(place - 1, place, upTo: termCount) {
        rank = place + 1
        denseRank += 1
      }
      guard place >= range.lowerBound else { continue }
      var rest = lines.lines[place].outputs[...]
      var row: [Value] = []
      for (function, width) in zip(functions, widths) {
        switch function {
        case .rank?: row.append(.integer(Int64(rank)))
        case .denseRank?: row.append(.integer(Int64(denseRank)))
        case .rowNumber?: row.append(.integer(Int64(place + 1)))
        case nil:
          row += rest.prefix(width)
          rest = rest.dropFirst(width)
        }
      }
      rows.append(row)
    }
    return rows
  }

  /// The steps of a query plan that read what is ranked: SQLite makes a SELECT of it, without a name.
  ///
  /// - Returns: `nil` when several SELECTs without a name read tables, since one in FROM can have none either.
  static func place(in plan: [VisitingOrder.Step]) -> VisitingOrder.Step.Place? {
    let unnamed = "(subquery-"
    let places = plan.compactMap { step -> String? in
      guard case .part(let name)? = step.place, name.hasPrefix(unnamed),
        let verb = ["SCAN ", "SEARCH "].first(where: { step.text.hasPrefix($0) }),
        !step.text.dropFirst(verb.count).hasPrefix(unnamed)
      else { return nil }
      return name
    }
    return Set(places).count == 1 ? .part(places[0]) : nil
  }
}

extension SelectText {
  fileprivate func areEqual(
    _ terms: some Collection<OrderTerm>, _ others: some Collection<OrderTerm>
  ) -> Bool {
    terms.count == others.count
      && zip(terms, others).allSatisfy {
        $0.isDescending == $1.isDescending && $0.collation == $1.collation
          && text($0.expression) == text($1.expression)
      }
  }

  /// Whether a term of a window's order means the same in ORDER BY, where a number is a position, and a name may be that of
  /// a column of the result.
  fileprivate func isOfColumns(_ term: OrderTerm) -> Bool {
    guard term.expression.count == 1, let token = term.expression.first else { return true }
    return token.name != nil && aliased(term.expression) == nil
  }

  /// The terms of ORDER BY that sort rows of one place.
  ///
  /// - Returns: `nil` when the rows aren't sorted by their places.
  fileprivate func orderBehind(
    _ terms: [OrderTerm], _ functions: [Ranking.Function?]
  ) -> [OrderTerm]? {
    guard let first = order.first else { return [] }
    var resolved: [OrderTerm] = []
    var places: [Int?] = []
    for term in order {
      // A position that is out of range is a number as well, and refused below.
      guard
        let place = try? position(of: term.expression, among: outputs.count) ?? place(aliased: term)
      else {
        guard term.expression.first?.kind != .number else { return nil }
        resolved.append(term)
        places.append(nil)
        continue
      }
      // Behind `*`, a position is that of another column.
      guard !outputs.contains(where: \.isStar) || term.expression.first?.kind != .number else {
        return nil
      }
      let found = OrderTerm(
        expression: outputs[place].expression, isDescending: term.isDescending,
        collation: term.collation)
      // It would be looked up once more.
      guard functions[place] != nil || isOfColumns(found) else { return nil }
      resolved.append(found)
      places.append(place)
    }
    var behind: ArraySlice<OrderTerm>
    if let place = places[0], let function = functions[place] {
      guard !first.isDescending else { return nil }
      // No two rows have the same number.
      if function == .rowNumber { return [] }
      behind = resolved.dropFirst()
    } else {
      guard areEqual(resolved.prefix(terms.count), terms) else { return nil }
      behind = resolved.dropFirst(terms.count)
    }
    let isOfOthers = places.suffix(behind.count).allSatisfy {
      $0.map { functions[$0] == nil } ?? true
    }
    // Rows of one place are numbered in another order.
    guard behind.isEmpty || isOfOthers && !functions.contains(.rowNumber) else { return nil }
    return Array(behind)
  }

  fileprivate func place(aliased term: OrderTerm) -> Int? {
    guard term.expression.count == 1, let name = term.expression.first?.name?.asciiLowercased else {
      return nil
    }
    return outputs.firstIndex { $0.alias?.asciiLowercased == name }
  }
}
