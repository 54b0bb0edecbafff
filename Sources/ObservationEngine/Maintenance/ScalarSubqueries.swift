/// SELECTs in expressions that are one value for all rows: `score > (SELECT avg(score) FROM player)`.
///
/// One that names no column of what is around it, which SQLite calls a scalar subquery that isn't correlated, is taken
/// out of the SQL, as a parameter, and has a state of its own. So the state around it is the result as of certain
/// values, as it is as of ``Moments``: when a value changes, only rows can matter that compare otherwise with it, and what
/// is computed of each group is computed again.
///
///     SELECT team, count(*) * 100.0 / (SELECT count(*) FROM player) FROM player GROUP BY team
///     └▶ SELECT team, count(*) * 100.0 / ?1 …                        a state of groups, as of ?1
///     └▶ SELECT count(*) FROM player                                 a state of one line, which is ?1
enum ScalarSubqueries {
  /// Puts a parameter in place of each SELECT at `places`.
  ///
  /// - Parameters:
  ///   - places: In the bytes of the statement, with the parentheses; none within another.
  ///   - count: How many parameters the statement has already.
  /// - Returns: What is within the parentheses of each.
  /// - Complexity: O(tokens · places).
  static func takeOut(
    _ places: [Range<Int>], of tokens: inout [SQLToken], _ bytes: [UInt8],
    _ numbers: inout [Int: Int], after count: Int
  ) -> [[SQLToken]] {
    var (found, texts) = ([[SQLToken]](), [String]())
    for place in places {
      guard
        let start = tokens.firstIndex(where: { $0.range.lowerBound == place.lowerBound }),
        let end = tokens.firstIndex(where: { $0.range.upperBound == place.upperBound })
      else { continue }
      let inside = Array(tokens[(start + 1)..<end])
      let text = String(decoding: bytes[place], as: UTF8.self)
      // With parameters of its own, the same text can be another value.
      let isPlain = !inside.contains {
        $0.kind == .parameter && numbers[$0.range.lowerBound] != nil
      }
      let known = isPlain ? texts.firstIndex { $0.isExactly(text) } : nil
      if known == nil {
        found.append(inside)
        texts.append(text)
      }
      numbers[place.lowerBound] = count + 1 + (known ?? found.count - 1)
      tokens.replaceSubrange(
        start...end, with: [SQLToken(kind: .parameter, text: text, range: place)])
    }
    return found
  }
}

extension CompoundQuery {
  /// Where SELECTs stand as values in expressions, outside of others in expressions, with their parentheses; in the bytes of
  /// the statement.
  ///
  /// - Throws: ``NotMaintainable``.
  func valueSubqueries() throws -> [Range<Int>] {
    var found: [Range<Int>] = []
    for select in selects { try select.addValueSubqueries(to: &found) }
    // What WITH names can be read at several places. SQLite numbers them as they stand in the SQL.
    return found.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
      .sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Whether a scalar subquery that was taken out is all of the columns of the result in which it occurs, and occurs nowhere
  /// else.
  ///
  /// - Parameter number: That of the scalar subquery.
  func returns(scalar number: Int) -> Bool {
    let parameter = selects[0].scalarNumbers.lowerBound + number
    let columns = selects.flatMap { select in
      select.outputs.filter { output in
        output.expression.count == 1 && select.parameter(output.expression.first!) == parameter
      }
    }
    let aliases = columns.compactMap { $0.alias?.asciiLowercased }
    let isUsed = selects.contains { select in
      let expressions =
        select.conditions + [select.having].compactMap(\.self)
        + select.order.map(\.expression).filter { $0.count > 1 }
      return expressions.joined().contains { aliases.contains($0.name?.asciiLowercased ?? "") }
    }
    return !isUsed && columns.count == selects[0].count(ofParameter: parameter)
  }

  /// A SELECT of the statement by itself: with the WITH of the statement, if it has one.
  func alone(_ place: Range<Int>) -> String {
    let bytes = selects[0].bytes
    let start = selects[0].tokens.first?.range.lowerBound ?? 0
    let with = selects[0].hasWith ? bytes[..<start] : []
    return String(decoding: with + bytes[place.dropFirst().dropLast()], as: UTF8.self)
  }
}

extension SelectText {
  /// Whether it reads no table, and returns one row made of scalar subqueries.
  var isOfScalarsAlone: Bool {
    from.isEmpty && filter == nil && groups.isEmpty && having == nil && !isDistinct
      && standInCount > moments.count
      && (outputs.map(\.expression) + order.map(\.expression)).allSatisfy {
        AggregateCall.first(in: $0) == nil
      }
  }

  fileprivate func addValueSubqueries(to found: inout [Range<Int>]) throws {
    for expression in expressions {
      for range in try subqueryRanges(in: expression) {
        let before =
          range.lowerBound > expression.startIndex ? expression[range.lowerBound - 1] : nil
        guard before?.isWord("exists") != true, before?.isWord("in") != true else { continue }
        let inside = expression[range]
        guard let first = inside.first, let last = inside.last else { continue }
        found.append(first.range.lowerBound..<last.range.upperBound)
      }
    }
    for case .select(let inner) in sources.map(\.origin) where !inner.isGrouped {
      try inner.addValueSubqueries(to: &found)
    }
  }
}
