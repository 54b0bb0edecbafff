/// A call of a window function: `rank() OVER (PARTITION BY team ORDER BY score DESC)`.
///
/// A row that changes can change what such a function returns for each row of its partition, and for no others. So these
/// partitions alone are evaluated again.
struct WindowCall {
  /// In lower case.
  let name: String
  /// The first one.
  let argument: SelectText.Tokens?
  let partition: [SelectText.Tokens]
  let order: [SelectText.OrderTerm]
  /// Whether it says which rows around a row count.
  let hasFrame: Bool
  /// From the name to the last parenthesis.
  let range: Range<Int>

  /// Those that aren't aggregates.
  static let functions: Set<String> = [
    "cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "ntile",
    "percent_rank", "rank", "row_number",
  ]

  /// The calls in an expression.
  ///
  /// - Throws: ``NotMaintainable`` when one isn't recognised.
  /// - Complexity: O(tokens · calls).
  static func all(in expression: SelectText.Tokens) throws -> [WindowCall] {
    try expression.indices.filter { expression[$0].isWord("over") }.map { place in
      try WindowCall(overAt: place, in: expression)
    }
  }

  private init(overAt place: Int, in expression: SelectText.Tokens) throws {
    let unknown = NotMaintainable("its window function isn't recognised")
    var before = expression[..<place]
    guard var inner = Self.takeLast(&before) else { throw unknown }
    if before.last?.isWord("filter") == true {
      before.removeLast()
      guard let arguments = Self.takeLast(&before) else { throw unknown }
      inner = arguments
    }
    guard let name = before.last, name.kind == .word else { throw unknown }
    self.name = name.text.asciiLowercased
    argument = inner.isEmpty ? nil : try SelectText.list(inner).first
    guard KnownFunctions.aggregates.contains(self.name) || Self.functions.contains(self.name)
    else { throw NotMaintainable("it calls \(name.text)()") }
    var behind = expression[(place + 1)...]
    guard behind.first?.isSymbol("(") == true else { throw NotMaintainable("a named window") }
    let window = try SelectText.takeParentheses(&behind)
    let clauses = try Self.clauses(window)
    partition = try clauses.partition.map { try SelectText.list($0) } ?? []
    order = try clauses.order.map { try SelectText.list($0).map(SelectText.orderTerm) } ?? []
    guard order.allSatisfy({ $0.nulls == nil }) else {
      throw NotMaintainable("NULLS FIRST or LAST in a window")
    }
    hasFrame = clauses.hasFrame
    range = (before.endIndex - 1)..<behind.startIndex
  }

  /// Takes `( … )` from the end, and returns what is within.
  private static func takeLast(_ tokens: inout SelectText.Tokens) -> SelectText.Tokens? {
    guard tokens.last?.isSymbol(")") == true else { return nil }
    guard let start = tokens.opening else { return nil }
    defer { tokens = tokens[..<start] }
    return tokens[(start + 1)..<(tokens.endIndex - 1)]
  }

  /// Cuts `PARTITION BY a, b ORDER BY c ROWS …`.
  private static func clauses(
    _ tokens: SelectText.Tokens
  ) throws -> (partition: SelectText.Tokens?, order: SelectText.Tokens?, hasFrame: Bool) {
    let frames = ["rows", "range", "groups"]
    var starts: [(word: String, place: Int)] = []
    var depth = 0
    for index in tokens.indices {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      guard depth == 0, tokens[index].kind == .word else { continue }
      // A column, as in `t.rows`.
      if index > tokens.startIndex, tokens[index - 1].isSymbol(".") { continue }
      let word = tokens[index].text.asciiLowercased
      if ["partition", "order"].contains(word), index + 1 < tokens.endIndex,
        tokens[index + 1].isWord("by")
      {
        starts.append((word, index))
      } else if frames.contains(word) {
        starts.append(("frame", index))
        break
      }
    }
    guard (starts.first?.place ?? tokens.endIndex) == tokens.startIndex else {
      throw NotMaintainable("a named window")
    }
    var found: [String: SelectText.Tokens] = [:]
    for (number, start) in starts.enumerated() {
      let end = number + 1 < starts.count ? starts[number + 1].place : tokens.endIndex
      found[start.word] = tokens[(start.place + (start.word == "frame" ? 1 : 2))..<end]
    }
    return (found["partition"], found["order"], found["frame"] != nil)
  }
}

/// The partitions of the window functions of a SELECT.
struct WindowPartitions: Sendable {
  /// The expressions that tell them apart, in SQL.
  let columns: [String]
  /// SQL that is 1 for a row where what a function returns depends on the order in which SQLite reads tied rows.
  let doubt: String
  /// The functions that ``doubt`` calls.
  static let calls: Set<String> = ["count", "dense_rank", "typeof"]
  /// The columns of the SELECT that can be in doubt, folded.
  private var doubtful: Set<String> = []
  /// Those of them that are one row_number().
  private var numbers: Set<String> = []

  static let isInDoubt = NotMaintainable("a window function depends on the order of tied rows")

  /// - Returns: `nil` when no expression of the SELECT calls a window function.
  /// - Throws: ``NotMaintainable``.
  init?(_ select: SelectText) throws {
    let calls = try select.expressions.flatMap { try WindowCall.all(in: $0) }
    guard let first = calls.first else { return nil }
    guard !select.isGrouped else { throw NotMaintainable("a window function over groups") }
    guard select.standInCount == 0 else {
      throw NotMaintainable("a window function, and it depends on the time")
    }
    let columns = first.partition.map { select.text($0) }
    guard !columns.isEmpty else {
      throw NotMaintainable("a window function without PARTITION BY")
    }
    guard calls.allSatisfy({ $0.partition.map { select.text($0) } == columns }) else {
      throw NotMaintainable("window functions with several PARTITION BY")
    }
    var doubts: [String] = []
    for call in calls {
      guard let doubt = Self.doubt(call, select, columns), !doubts.contains(doubt) else { continue }
      doubts.append(doubt)
    }
    self.columns = columns
    doubt = doubts.isEmpty ? "0" : doubts.map { "(\($0))" }.joined(separator: " OR ")
  }

  /// SQL that holds for rows of the partitions in a table.
  func isIn(_ table: String) -> String { QuerySources.isIn(columns, table) }

  /// Takes the names that the columns of the SELECT have for the one that reads them; `nil` for those without one.
  ///
  /// - Throws: ``NotMaintainable`` when a name isn't certain to be that of one column.
  mutating func name(_ names: [String?], of select: SelectText) throws {
    let folded = names.compactMap { $0?.asciiLowercased }
    guard Set(folded).count == names.count else {
      throw NotMaintainable("its columns aren't recognised")
    }
    let stars = select.outputs.count(where: \.isStar)
    guard stars < 2 else { throw NotMaintainable("several * beside a window function") }
    // `*` stands for the columns of its tables, of which none is in doubt.
    let starred = names.count - select.outputs.count + stars
    var rest = folded[...]
    for output in select.outputs {
      let own = rest.prefix(output.isStar ? starred : 1)
      rest = rest.dropFirst(own.count)
      if !output.isStar, let name = own.first { try add(name, output, select) }
    }
  }

  private mutating func add(
    _ name: String, _ output: SelectText.Output, _ select: SelectText
  ) throws {
    let calls = try WindowCall.all(in: output.expression)
    if calls.contains(where: { Self.doubt($0, select, columns) != nil }) { doubtful.insert(name) }
    if calls.count == 1, calls[0].name == "row_number", !calls[0].hasFrame,
      calls[0].range == output.expression.indices
    {
      numbers.insert(name)
    }
  }

  /// Checks that a condition lets the same rows through whatever the order of tied rows is, or one that is in doubt.
  ///
  /// Of tied rows, row_number() gives to each one of the same numbers. So a condition on the number alone lets one of
  /// them through, or none.
  ///
  /// - Throws: ``NotMaintainable``.
  func check(_ filter: SelectText.Tokens) throws {
    var names: Set<String> = []
    for index in filter.indices {
      guard let name = filter[index].name?.asciiLowercased else { continue }
      if filter[index].kind == .word, Self.reserved.contains(name) { continue }
      if index + 1 < filter.endIndex, filter[index + 1].isSymbol(".") { continue }
      names.insert(name)
    }
    guard
      names.isDisjoint(with: doubtful) || names.count == 1 && names.isSubset(of: numbers)
    else { throw Self.isInDoubt }
  }

  /// Words that can't be the name of a column, unless they are quoted, and call nothing.
  private static let reserved: Set<String> = ["and", "between", "in", "is", "not", "null", "or"]

  /// - Returns: `nil` when what the function returns never depends on that order.
  private static func doubt(
    _ call: WindowCall, _ select: SelectText, _ columns: [String]
  ) -> String? {
    let partition = "PARTITION BY \(columns.joined(separator: ", "))"
    func order(isReversed: Bool) -> String {
      let terms = call.order.map { term in
        select.text(term.expression) + (term.collation.map { " COLLATE \($0.rawValue)" } ?? "")
          + (term.isDescending != isReversed ? " DESC" : "")
      }
      return terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
    }
    let (forwards, backwards) = (order(isReversed: false), order(isReversed: true))
    // Of n values that differ, the i-th is the (n - i + 1)-th from the end: this is n.
    let hasTies = """
      dense_rank() OVER (\(partition)\(forwards)) + dense_rank() OVER (\(partition)\(backwards)) - 1 \
      <> count(*) OVER (\(partition))
      """
    let argument = "(\(call.argument.map { select.text($0) } ?? "1"))"
    if call.hasFrame { return hasTies }
    switch call.name {
    case "count", "rank", "dense_rank", "percent_rank", "cume_dist": return nil
    case "row_number":
      return """
        count(*) OVER (\(partition)\(forwards) RANGE BETWEEN CURRENT ROW AND CURRENT ROW) > 1
        """
    case "min", "max":
      // Of 1 and 1.0 it returns one.
      return """
        count(*) FILTER (WHERE typeof\(argument) = 'real') OVER (\(partition)) > 0 AND \(hasTies)
        """
    case "sum", "avg", "total":
      // In any order whole numbers add up to the same, as long as the sum is below 2^53.
      return """
        (count(*) OVER (\(partition)) > 1048576 OR count(*) FILTER (WHERE NOT (typeof\(argument) = 'null' \
        OR typeof\(argument) = 'integer' AND \(argument) BETWEEN -4294967296 AND 4294967296)) \
        OVER (\(partition)) > 0) AND \(hasTies)
        """
    default: return hasTies
    }
  }
}
