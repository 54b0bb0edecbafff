/// A call of an aggregate within an expression: `count(*)`, `count(DISTINCT team)`, `sum(score) FILTER (WHERE won)`.
struct AggregateCall {
  /// As it is spelled.
  let name: String
  /// `nil` for one that SQLite computes of all rows, as `group_concat()`.
  let function: MaintenancePlan.Aggregate.Function?
  /// Those within the parentheses; none for `count(*)`.
  let arguments: [SelectText.Tokens]
  let isDistinct: Bool
  /// The condition of FILTER.
  let filter: SelectText.Tokens?
  /// From the name to the last parenthesis.
  let range: Range<Int>

  /// `nil` for `count(*)`.
  var argument: SelectText.Tokens? { arguments.first }

  /// The first call in `tokens`, of those that aren't within another.
  static func first(in tokens: SelectText.Tokens) -> AggregateCall? {
    var index = tokens.startIndex - 1
    while index + 2 < tokens.endIndex {
      index += 1
      // The aggregates of a SELECT within it are its own.
      if tokens[index].isSymbol("("), tokens[index + 1].isWord("select"),
        let end = tokens[index...].closing
      {
        index = end
        continue
      }
      let name = tokens[index].text.asciiLowercased
      let function = MaintenancePlan.Aggregate.Function(rawValue: name)
      guard tokens[index].kind == .word, tokens[index + 1].isSymbol("("),
        function != nil || KnownFunctions.collecting.contains(name)
      else { continue }
      guard let end = tokens[(index + 1)...].closing else { return nil }
      var inner = tokens[(index + 2)..<end]
      let isDistinct = inner.first?.isWord("distinct") == true
      if isDistinct { inner.removeFirst() }
      let arguments = inner.isEmpty ? [] : (try? SelectText.list(inner)) ?? []
      // min() and max() of several values are functions of one row.
      if arguments.count > 1, function != nil { continue }
      let isAll = arguments.isEmpty || inner.count == 1 && inner.first?.isSymbol("*") == true
      var (last, filter) = (end, SelectText.Tokens?.none)
      if end + 3 < tokens.endIndex, tokens[end + 1].isWord("filter"),
        tokens[end + 3].isWord("where"), let close = tokens[(end + 2)...].closing
      {
        (last, filter) = (close, tokens[(end + 4)..<close])
      }
      // That is a window function.
      if last + 1 < tokens.endIndex, tokens[last + 1].isWord("over") { continue }
      return AggregateCall(
        name: tokens[index].text, function: function, arguments: isAll ? [] : arguments,
        isDistinct: isDistinct, filter: filter, range: index..<(last + 1))
    }
    return nil
  }
}

extension SelectText {
  /// The first call that can depend on the order of the rows.
  var firstInOrder: Tokens {
    for expression in outputs.map(\.expression) + [having].compactMap(\.self)
      + order.map(\.expression)
    {
      var rest = expression
      while let call = AggregateCall.first(in: rest) {
        if call.function?.addsUp != false { return rest[call.range] }
        rest = rest[call.range.upperBound...]
      }
    }
    return []
  }
}
