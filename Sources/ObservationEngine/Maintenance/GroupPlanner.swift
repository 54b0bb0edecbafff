/// Plans a query with aggregates, GROUP BY or DISTINCT, which groups by all columns of the result.
struct GroupPlanner {
  /// What it groups by.
  private struct Key {
    let text: String
    /// As ``normal(_:)`` has it.
    let words: [String]
    /// `nil` when it isn't certain.
    let collation: Collation?
  }

  let select: SelectText
  let sources: QuerySources
  /// The order of groups that are tied, if it is known.
  let groupOrder: GroupOrder?
  /// Whether another SELECT reads its groups, so that they need no order.
  let isPart: Bool
  /// What is read of each row, behind its weight.
  private(set) var list: [String] = []
  private(set) var isDescending: [Bool] = []
  /// How many terms of the order are the statement's own.
  private(set) var sortedCount = 0
  private var shape = MaintenancePlan.GroupShape()
  private var keys: [Key] = []
  /// How many of them the SQL groups by; those behind them must be the same for all rows of a group.
  private var explicitCount = 0
  /// Why the query runs if they aren't.
  private var determined: NotMaintainable?
  /// Whether what isn't grouped is taken from the row of the only `min` or `max`.
  private var carries = false
  private var arguments: [String] = []
  private var calls: [String: Int] = [:]
  private var expressions: [String] = []

  init(select: SelectText, sources: QuerySources, groupOrder: GroupOrder?, isPart: Bool) {
    self.select = select
    self.sources = sources
    self.groupOrder = groupOrder
    self.isPart = isPart
  }

  mutating func plan() throws -> MaintenancePlan.GroupShape {
    guard
      !isPart && (select.isDistinct || !select.groups.isEmpty)
        || !select.outputs.contains(where: \.isStar)
    else { throw NotMaintainable("a column that is neither grouped nor aggregated") }
    carries = !select.groups.isEmpty && hasSoleExtremum
    keys = try select.isDistinct ? distinctKeys() : select.groups.map { try groupKey($0) }
    explicitCount = keys.count
    shape.keyCollations = try keys.map { key in
      guard let collation = key.collation else { throw QuerySources.uncertainCollation }
      return collation
    }
    guard select.having == nil || !keys.isEmpty else {
      throw NotMaintainable("HAVING without GROUP BY")
    }
    shape.outputs =
      try select.isDistinct
      ? keys.indices.map { .key($0) } : select.outputs.flatMap { try sources(of: $0) }
    if select.order.isEmpty {
      let isCertain = isPart || hasImpliedOrder
      guard isCertain || groupOrder != nil else {
        throw NotMaintainable("its groups have no order: add ORDER BY")
      }
      shape.order = (0..<explicitCount).map { .key($0) }
      isDescending = groupOrder?.isDescending ?? shape.order.map { _ in false }
      shape.orderCollations = shape.keyCollations
      sortedCount = isCertain ? explicitCount : 0
    } else {
      let collations = try outputCollations()
      for term in select.order {
        let position = try select.position(of: term.expression, among: shape.outputs.count)
        let first = shape.order.count
        let collation: Collation?
        if let position {
          shape.order.append(shape.outputs[position])
          collation = collations[position]
        } else {
          let expression = select.aliased(term.expression)?.expression ?? term.expression
          shape.order.append(try source(expression))
          collation = sources.collation(of: expression, [sources.scope])
        }
        isDescending += term.directions
        if term.nulls != nil {
          shape.order.insert(.isNull(shape.order[first]), at: first)
          shape.orderCollations.append(.binary)
        }
        guard let collation = term.collation ?? collation else {
          throw QuerySources.uncertainCollation
        }
        shape.orderCollations.append(collation)
      }
      sortedCount = shape.order.count
      if let groupOrder {
        shape.order += (0..<explicitCount).map { .key($0) }
        isDescending += groupOrder.isDescending
        shape.orderCollations += shape.keyCollations
      }
    }
    if let having = select.having {
      let text = try NotMaintainable.at(having) { try finishing(having) }
      expressions.append("(\(text)) IS TRUE")
      shape.having = expressions.count - 1
    }
    if !shape.carried.isEmpty {
      shape.carrier = shape.aggregates.firstIndex { $0.function == .min || $0.function == .max }
    }
    shape.keyCount = keys.count
    shape.determined = determined.map { .init(groupedCount: explicitCount, refusal: $0) }
    list = keys.map(\.text) + arguments
    if list.isEmpty { list = ["1"] }
    if !expressions.isEmpty {
      shape.finishSQL = "SELECT " + expressions.joined(separator: ", ")
      if !shape.finished.isEmpty {
        let table = MaintainedTable(computed: "keys", shape.finished.map(\.column))
        shape.finishTable = table
        shape.finishSQL! += " FROM \(table.sqlName)"
      }
    }
    return shape
  }

  /// Whether each key is certain to be compared by BINARY.
  var keysAreBinary: [Bool] { keys.map { $0.collation == .binary } }

  /// Of each column of the result; `nil` for those that aren't certain.
  private func outputCollations() throws -> [Collation?] {
    try select.outputs.flatMap { output in
      output.isStar
        ? try starredKeys(output).map(\.collation)
        : [sources.collation(of: output.expression, [sources.scope])]
    }
  }

  /// Whether a column of the result may not be compared by BINARY.
  func hasCollatedOutputs() throws -> Bool {
    try outputCollations().contains { $0 != .binary }
  }

  private func groupKey(_ term: SelectText.Tokens) throws -> Key {
    let expression = try grouped(by: term)
    // It would be taken for what is computed of each group.
    guard !expression.contains(where: select.isStandIn) || !select.isOfAggregatesAlone(expression)
    else { throw NotMaintainable("it groups by a value that is the same for all rows") }
    return key(expression)
  }

  private func distinctKeys() throws -> [Key] {
    guard select.groups.isEmpty, select.having == nil,
      !select.outputs.contains(where: { AggregateCall.first(in: $0.expression) != nil })
    else { throw NotMaintainable("DISTINCT of aggregates") }
    // SQLite returns each as soon as it finds it.
    guard isPart || !select.order.isEmpty else {
      throw NotMaintainable("its rows have no order: add ORDER BY")
    }
    return try select.outputs.flatMap { output -> [Key] in
      try output.isStar ? starredKeys(output) : [key(output.expression)]
    }
  }

  /// The columns that `*` or `p.*` stands for.
  private func starredKeys(_ output: SelectText.Output) throws -> [Key] {
    try sources.columns(output).map { column in
      let words =
        sources.isUnique(column.name)
        ? [Self.quoted(column.name)]
        : [Self.quoted(column.source.name), ".", Self.quoted(column.name)]
      return Key(
        text: column.text, words: words,
        collation: sources.comparison(column.name, column.source).collation)
    }
  }

  private func key(_ expression: SelectText.Tokens) -> Key {
    Key(
      text: select.text(expression), words: normal(expression),
      collation: sources.collation(of: expression, [sources.scope]))
  }

  /// The expression by which a term of GROUP BY groups. A column's name goes before an alias.
  func grouped(by term: SelectText.Tokens) throws -> SelectText.Tokens {
    if let place = try select.position(of: term, among: select.outputs.count) {
      guard !select.outputs.contains(where: \.isStar) else {
        throw NotMaintainable("it groups by a position, next to *")
      }
      return select.outputs[place].expression
    }
    if term.count == 1, let name = term.first?.name, !sources.hasColumn(name),
      let output = select.aliased(term)
    {
      return output.expression
    }
    return term
  }

  /// Whether the order of groups is certain without ORDER BY: as SQLite's sorter or an index delivers them, so by one key
  /// ascending, unless an index is descending. With several keys an index, or the rowid, may come first that isn't the
  /// first key.
  private var hasImpliedOrder: Bool {
    explicitCount == 0 || explicitCount == 1 && !sources.hasDescendingIndex
  }

  private mutating func sources(
    of output: SelectText.Output
  ) throws -> [MaintenancePlan.GroupShape.Source] {
    guard output.isStar else { return [try source(output.expression)] }
    return try starredKeys(output).map { column in
      if let key = keys.firstIndex(where: { $0.words == column.words }) { return .key(key) }
      return ungrouped(
        column, NotMaintainable("\(column.text) is neither grouped nor aggregated"))
    }
  }

  private mutating func source(
    _ expression: SelectText.Tokens
  ) throws -> MaintenancePlan.GroupShape.Source {
    let words = normal(expression)
    if let key = keys.firstIndex(where: { $0.words == words }) { return .key(key) }
    return try NotMaintainable.at(expression) {
      if let call = AggregateCall.first(in: expression), call.range == expression.indices {
        return .aggregate(try aggregate(call))
      }
      if canBeDetermined(expression), let name = column(in: expression) {
        return ungrouped(
          key(expression),
          expression.isName
            ? Self.isNotGrouped(name)
            : NotMaintainable("an expression of \(name.spelled) that differs within a group"))
      }
      expressions.append(try finishing(expression))
      return .expression(expressions.count - 1)
    }
  }

  /// What isn't grouped: that of the row that has the least or greatest value, or else the same for all rows of a group.
  ///
  /// - Parameter refusal: Why the query runs where it isn't the same.
  private mutating func ungrouped(
    _ value: Key, _ refusal: NotMaintainable
  ) -> MaintenancePlan.GroupShape.Source {
    if carries {
      shape.carried.append(place(ofArgument: value.text))
      return .carried(shape.carried.count - 1)
    }
    keys.append(value)
    determined = determined ?? refusal
    return .key(keys.count - 1)
  }

  /// Whether it has one call of `min` or `max`, perhaps in several places: then columns that aren't grouped are those of the
  /// row that has the least or greatest value (SQLite's manual, "Bare columns in an aggregate query"). It must be certain
  /// that SQLite evaluates it: its parser leaves out `0 AND max(score)` and `max(score) IN ()`.
  private var hasSoleExtremum: Bool {
    let expressions =
      select.outputs.map(\.expression) + [select.having].compactMap(\.self)
      + select.order.map(\.expression)
    var found: Set<String> = []
    for expression in expressions {
      let mayVanish = expression.contains { $0.isWord("and") || $0.isWord("in") }
      var rest = expression
      while let call = AggregateCall.first(in: rest) {
        if call.function == .min || call.function == .max {
          guard !mayVanish, call.filter == nil, !call.isDistinct, let argument = call.argument
          else { return false }
          found.insert("\(call.function == .min) \(select.text(argument))")
        }
        rest = rest[call.range.upperBound...]
      }
    }
    return found.count == 1
  }

  /// Whether what isn't grouped, as in `SELECT c.id, c.name, sum(o.price) … GROUP BY c.id`, may be the same for all rows of
  /// each group: then SQLite can return that of any row.
  private func canBeDetermined(_ expression: SelectText.Tokens) -> Bool {
    !select.groups.isEmpty && AggregateCall.first(in: expression) == nil
      && expression.indices.allSatisfy { place in
        !expression[place].isWord("select") && !select.isStandIn(expression[place])
          && aliased(expression, place) == nil
      }
  }

  /// The SQL of an expression that is computed of each group: with parameters in place of its aggregates, columns of
  /// ``MaintenancePlan/GroupShape/finished`` in place of its keys, and the columns of the result in place of their aliases.
  ///
  /// - Parameter isInJSON: Whether it is an argument of a function to which JSON is another thing than a text.
  private mutating func finishing(
    _ expression: SelectText.Tokens, isInJSON: Bool = false
  ) throws -> String {
    if expression.contains(where: select.isStandIn) { shape.finishesStandIns = true }
    var (parts, rest, index) = ([String](), expression, expression.startIndex)
    while index < expression.endIndex {
      guard let (text, end) = try finished(expression, at: index, isInJSON) else {
        index += 1
        continue
      }
      parts += [select.text(rest[..<index]), text]
      (rest, index) = (expression[end...], end)
    }
    parts.append(select.text(rest))
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// What begins at a place and isn't computed as it stands, and where it ends.
  private mutating func finished(
    _ expression: SelectText.Tokens, at place: Int, _ isInJSON: Bool
  ) throws -> (text: String, end: Int)? {
    let rest = expression[place...]
    if rest.first?.isWord("as") == true {
      // What follows up to the end of CAST is a type, whatever columns there are.
      let end = rest.firstOutside ?? rest.endIndex
      return (select.text(rest[..<end]), end)
    }
    if let call = AggregateCall.first(in: rest), call.range.lowerBound == place {
      let parameter = "?\(select.parameterCount + 1 + (try aggregate(call)))"
      // As a parameter it is a text.
      let around = expression[..<place] + rest[call.range.upperBound...]
      let isJSON = try isJSON(
        call, rest[call.range], isTaken: isInJSON || KnownFunctions.callsJSON(around[...]))
      return (isJSON ? "json(\(parameter))" : parameter, call.range.upperBound)
    }
    if let output = aliased(expression, place) {
      let isInJSON = isInJSON || KnownFunctions.callsJSON(expression)
      return ("(\(try finishing(output.expression, isInJSON: isInJSON)))", place + 1)
    }
    if let word = rest.first, word.kind == .word,
      Self.plainWords.contains(word.text.asciiLowercased), sources.hasColumn(word.text),
      rest.dropFirst().first?.isSymbol(".") != true
    {
      throw NotMaintainable("a column that is named as a word of SQL")
    }
    if let (key, end) = key(
      in: expression, at: place, among: keys.prefix(explicitCount).map(\.words))
    {
      return (try column(of: .key(key), rest[..<end]), end)
    }
    if rest.first?.isSymbol("(") == true, rest.dropFirst().first?.isWord("select") == true {
      throw NotMaintainable("a SELECT in what is computed of each group")
    }
    guard isColumn(expression, place) else { return nil }
    let name = rest.qualifiedName
    let refusal = Self.isNotGrouped(name)
    guard canBeDetermined(name) else { throw refusal }
    return (try column(of: ungrouped(key(name), refusal), name), name.endIndex)
  }

  /// The SQL of a key, or of a carried column, in what is computed of each group: a column that is compared as it is.
  private mutating func column(
    of source: MaintenancePlan.GroupShape.Source, _ expression: SelectText.Tokens
  ) throws -> String {
    // As a column it has a collation, and JSON is a text.
    guard expression.isName || !sources.columnsHaveCollations && !KnownFunctions.hasJSON(expression)
    else { throw NotMaintainable("an expression of a key that isn't a column") }
    if let known = shape.finished.firstIndex(where: { $0.source == source }) {
      return shape.finished[known].column.sql(known, as: nil)
    }
    let column = try sources.groupColumn(expression)
    shape.finished.append((source, column))
    return column.sql(shape.finished.count - 1, as: nil)
  }

  /// Whether an aggregate returns what is JSON to a function around it.
  ///
  /// - Parameter isTaken: Whether there is such a function.
  /// - Throws: ``NotMaintainable`` when it isn't certain.
  private func isJSON(
    _ call: AggregateCall, _ tokens: SelectText.Tokens, isTaken: Bool
  ) throws -> Bool {
    if call.function == nil { return KnownFunctions.hasJSON(tokens.prefix(2)) }
    guard
      !isTaken || call.function != .min && call.function != .max
        || !KnownFunctions.hasJSON(tokens)
    else {
      throw NotMaintainable("an expression of the least or greatest JSON")
    }
    return false
  }

  /// The column of the result whose alias a token is. A column of a table goes before it.
  private func aliased(_ tokens: SelectText.Tokens, _ place: Int) -> SelectText.Output? {
    let token = tokens[place]
    let next = place + 1 < tokens.endIndex ? tokens[place + 1] : nil
    guard let name = token.name, !sources.hasColumn(name), next?.isSymbol("(") != true,
      next?.isSymbol(".") != true,
      token.kind != .word || !Self.plainWords.contains(name.asciiLowercased)
    else { return nil }
    let output = select.aliased(tokens[place...place])
    // Its own alias would mean itself.
    return output?.expression.contains { $0.range == token.range } == true ? nil : output
  }

  static let plainWords: Set<String> = [
    "and", "as", "between", "blob", "case", "cast", "else", "end", "false", "glob", "in", "int",
    "integer", "is", "isnull", "like", "not", "notnull", "null", "numeric", "or", "real", "text",
    "then", "true", "when",
  ]

  /// The same for expressions that are spelled alike but for letter case, blanks and the names of tables.
  func normal(_ tokens: SelectText.Tokens) -> [String] {
    var words: [String] = []
    var index = tokens.startIndex
    // Names in a SELECT can mean something else with a table before them.
    let isPlain = !tokens.contains { $0.isWord("select") }
    while index < tokens.endIndex {
      let token = tokens[index]
      if isPlain, index + 2 < tokens.endIndex, tokens[index + 1].isSymbol("."), token.name != nil,
        let column = tokens[index + 2].name, sources.isUnique(column)
      {
        index += 2
        continue
      }
      let isQuoted = token.kind == .quotedName
      words.append(token.name.map(isQuoted ? Self.quoted : Self.word) ?? select.text([token]))
      index += 1
    }
    return words
  }

  private static func word(_ name: String) -> String { "\"\(name.asciiLowercased)\"" }

  /// As ``word(_:)``, but for the name of a column that is a word of SQL without quotes.
  private static func quoted(_ name: String) -> String {
    word(plainWords.contains(name.asciiLowercased) ? "a column \(name)" : name)
  }

  /// Whether the name of a column, or that of its table, stands at a place.
  private func isColumn(_ tokens: SelectText.Tokens, _ place: Int) -> Bool {
    let token = tokens[place]
    guard let name = token.name else { return false }
    let isCall = place + 1 < tokens.endIndex && tokens[place + 1].isSymbol("(")
    let isPlain = token.kind == .word && (isCall || Self.plainWords.contains(name.asciiLowercased))
    return !isPlain || sources.hasColumn(name) && !isCall
  }

  /// The name of the first column in an expression.
  private func column(in expression: SelectText.Tokens) -> SelectText.Tokens? {
    expression.indices.first { isColumn(expression, $0) && aliased(expression, $0) == nil }.map {
      expression[$0...].qualifiedName
    }
  }

  private static func isNotGrouped(_ name: SelectText.Tokens) -> NotMaintainable {
    NotMaintainable("\(name.spelled) is neither grouped nor aggregated")
  }

  /// The key that begins at a place of an expression, and where it ends.
  ///
  /// - Parameter words: The ``normal(_:)`` forms of the keys.
  func key(
    in expression: SelectText.Tokens, at start: Int, among words: [[String]]
  ) -> (place: Int, end: Int)? {
    let before = start > expression.startIndex ? expression[start - 1] : nil
    guard before?.isSymbol(".") != true, before?.isWord("as") != true else { return nil }
    // The names of tables may stand before those of columns.
    let longest = 3 * (words.map(\.count).max() ?? 0)
    guard longest > 0 else { return nil }
    for end in (start + 1)...min(start + longest, expression.endIndex) {
      let own = expression[start..<end]
      guard let place = words.firstIndex(of: normal(own)) else { continue }
      let next = end < expression.endIndex ? expression[end] : nil
      let isCall =
        own.first?.kind == .word && own.count > 2
        && own.dropFirst().first?.isSymbol("(") == true && own.dropFirst().closing == end - 1
      if own.isName || isCall {
        guard next?.isSymbol("(") != true, next?.isSymbol(".") != true else { continue }
        return (place, end)
      }
      // Within another expression, operators may bind otherwise.
      let isApart = before.map { Self.begins($0) } ?? true && next.map { Self.ends($0) } ?? true
      if isApart { return (place, end) }
    }
    return nil
  }

  /// Whether an expression of its own can begin behind a token.
  private static func begins(_ token: SQLToken) -> Bool {
    token.isSymbol("(") || token.isSymbol(",") || token.isWord("by")
  }

  /// Whether one can end before a token.
  private static func ends(_ token: SQLToken) -> Bool {
    token.isSymbol(")") || token.isSymbol(",")
      || ["asc", "desc", "groups", "order", "range", "rows"].contains { token.isWord($0) }
  }

  private mutating func aggregate(_ call: AggregateCall) throws -> Int {
    if let inner = call.argument, AggregateCall.first(in: inner) != nil {
      throw NotMaintainable("an aggregate of an aggregate")
    }
    guard call.argument != nil || call.function == .count && !call.isDistinct else {
      throw NotMaintainable("\(call.name)() without an argument")
    }
    let function: MaintenancePlan.Aggregate.Function
    switch call.function {
    case .count? where call.isDistinct: function = .distinctCount
    // The least and the greatest of distinct values are those of all.
    case let known? where known.sorts || !call.isDistinct: function = known
    default: return try collection(call)
    }
    if function.sorts, let argument = call.argument {
      try sources.checkIsBinary(argument, [sources.scope], "\(call.name)()")
    }
    var text = call.argument.map { select.text($0) }
    // Aggregates pass over NULL.
    if let filter = call.filter {
      text = "CASE WHEN \(select.text(filter)) THEN \(text ?? "1") END"
    }
    let name = "\(function.rawValue)(\(text ?? "*"))"
    if let known = calls[name] { return known }
    let place: Int? = if let text { self.place(ofArgument: text) } else { nil }
    shape.aggregates.append(.accumulated(function, argument: place))
    calls[name] = shape.aggregates.count - 1
    return shape.aggregates.count - 1
  }

  /// An aggregate that SQLite computes of all rows of a group.
  private mutating func collection(_ call: AggregateCall) throws -> Int {
    guard !call.arguments.joined().contains(where: { $0.isWord("order") }) else {
      throw NotMaintainable("ORDER BY within an aggregate")
    }
    let hasJSON = call.arguments.contains(where: KnownFunctions.hasJSON)
    if call.isDistinct, let argument = call.argument {
      try sources.checkIsBinary(argument, [sources.scope], "\(call.name)() of DISTINCT values")
      guard !hasJSON else { throw NotMaintainable("\(call.name)() of DISTINCT JSON") }
    }
    var found = MaintenancePlan.Collection(
      call.isDistinct ? "\(call.name)(DISTINCT " : "\(call.name)(")
    for (number, argument) in call.arguments.enumerated() {
      if number > 0 { found.append(", ") }
      let text = select.text(argument)
      if argument.count == 1, [.string, .number].contains(argument[argument.startIndex].kind) {
        found.append(text)
      } else if KnownFunctions.placesOfJSON[call.name.asciiLowercased] == number,
        KnownFunctions.hasJSON(argument)
      {
        // In a table it is a text.
        found.append("json(", argument: place(ofArgument: "json_quote(\(text))"), ")")
      } else {
        found.append(argument: place(ofArgument: text))
      }
    }
    found.append(")")
    if let filter = call.filter {
      found.append(" FILTER (WHERE ", argument: place(ofArgument: select.text(filter)), ")")
    }
    let name = found.sql { "c\($0)" }
    if let known = calls[name] { return known }
    shape.aggregates.append(.collected(found))
    calls[name] = shape.aggregates.count - 1
    return shape.aggregates.count - 1
  }

  private mutating func place(ofArgument text: String) -> Int {
    if let known = arguments.firstIndex(of: text) { return known }
    arguments.append(text)
    return arguments.count - 1
  }
}
