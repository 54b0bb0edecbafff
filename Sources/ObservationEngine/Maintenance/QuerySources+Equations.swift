// MARK: SELECTs in expressions

extension QuerySources {
  mutating func add(
    _ subquery: SelectText.Subquery, of select: SelectText, _ scopes: [Scope], _ context: Context,
    _ meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws {
    let inner = subquery.select
    guard inner.limit == nil || Self.mayHaveLimit(subquery) else {
      throw NotMaintainable("LIMIT in a part of it")
    }
    let within = Context(depth: context.depth + 1, outer: scopes, isInExpression: true)
    let first = leaves.count
    _ = try part(inner, within, meaning)
    switch subquery.use {
    case .exists: break
    case .value:
      guard inner.groups.isEmpty, inner.outputs.count == 1,
        AggregateCall.first(in: inner.outputs[0].expression) != nil
          || looksUp(inner, members(of: inner, from: first), scopes)
          || hasFirst(inner, members(of: inner, from: first), scopes)
      else {
        guard inner.limit != nil || !inner.order.isEmpty, !inner.isGrouped else {
          throw NotMaintainable("a SELECT of several rows as a value")
        }
        guard looseness == .none else { throw Self.isLooseInExpression }
        throw NotMaintainable(
          "a SELECT as a value whose first row isn't certain: end its ORDER BY with the key")
      }
    case .list(let operand):
      guard let operand, inner.outputs.count == 1, let output = inner.outputs.first else { return }
      let members = members(of: inner, from: first)
      let isSimple = inner.sources.allSatisfy { source in
        if case .table(_, let name) = source.origin {
          tables.contains { $0.id == TableID(name: name) }
        } else {
          false
        }
      }
      let isGrouped =
        !inner.groups.isEmpty
        || inner.expressions.contains { AggregateCall.first(in: $0) != nil }
      guard isSimple,
        !isGrouped
          || inner.groups.contains(where: { inner.text($0) == inner.text(output.expression) }),
        let from = resolve(output.expression, [members]), let to = resolve(operand, scopes),
        let edge = edge(from, to)
      else { return }
      let isRequired = isRequired(subquery, in: select)
      // NULL is in no list, but not in an empty one it isn't: then the rows that LEFT JOIN made up matter. In the list,
      // they make it matter for all rows.
      let isOptional = (scopes + [members]).contains { scope in
        scope.members.contains { [from.leaf, to.leaf].contains($0.leaf) && $0.isOptional }
      }
      guard isRequired || !isOptional else { return }
      dependencies.add(edge)
      if isRequired {
        lists.append(List(select: inner, column: inner.text(output.expression), operand: to))
      } else {
        // NULL in the list, or in the operand, makes the whole list matter.
        for column in [from, to] {
          guard let place = column.place else { continue }
          dependencies.add(
            Dependencies.Rule(table: leaves[column.leaf], place: place, kind: .notNull))
        }
      }
    }
  }

  /// The members of a SELECT in an expression: the leaves that it has added, from the first.
  private func members(of select: SelectText, from first: Int) -> Scope {
    var scope = Scope(
      members: zip(select.sources, first...).map { source, leaf in
        let table = leaf < leaves.count ? tables[leaves[leaf]] : nil
        let isTable = if case .table = source.origin { true } else { false }
        return Scope.Member(
          name: source.name, leaf: isTable ? leaf : nil, columns: table?.columns.map(\.name),
          isOptional: source.isOptional)
      })
    scope.aliases = Set(select.outputs.compactMap { $0.alias?.asciiLowercased })
    return scope
  }

  /// Whether a SELECT has one row at most: that of the rowid that a column around it has, as in
  /// `(SELECT name FROM team WHERE team.id = player.team)`.
  private func looksUp(_ select: SelectText, _ own: Scope, _ scopes: [Scope]) -> Bool {
    guard select.sources.count == 1, let leaf = own.members.first?.leaf, leaf == leaves.count - 1,
      case .table(_, let name) = select.sources[0].origin, !select.isGrouped,
      tables[leaves[leaf]].id == TableID(name: name)
    else { return false }
    return equations(of: select, own).contains { column, other in
      resolve(other, scopes) != nil
        && (column.place == nil || column.place == tables[leaves[leaf]].rowidPlace)
    }
  }

  /// Whether the use of a SELECT doesn't depend on how many rows LIMIT leaves of it.
  private static func mayHaveLimit(_ subquery: SelectText.Subquery) -> Bool {
    let (limit, offset) = (subquery.select.limit?.first, subquery.select.offset?.first)
    return switch subquery.use {
    case .value: [limit, offset].allSatisfy { $0 == nil || $0?.kind == .number }
    case .exists: offset == nil && limit.flatMap { Int($0.text) }.map { $0 > 0 } == true
    case .list: false
    }
  }

  /// Whether its order tells which row of a SELECT is the first: that of two rows is never the same.
  ///
  ///     (SELECT state FROM reading WHERE reading.sensor = sensor.id ORDER BY time DESC, id DESC LIMIT 1)
  private func hasFirst(_ select: SelectText, _ own: Scope, _ scopes: [Scope]) -> Bool {
    // By an equation of values that differ SQLite may take a column as sorted.
    guard !select.isGrouped, looseness == .none else { return false }
    var known = select.order.filter { $0.collation == nil }.compactMap { term in
      resolve(select.aliased(term.expression)?.expression ?? term.expression, [own])
    }
    // What is equal to a column around it is the same in all its rows.
    known += equations(of: select, own).filter { resolve($0.other, scopes) != nil }.map(\.own)
    return zip(select.sources, own.members).allSatisfy { source, member in
      guard let leaf = member.leaf, case .table(_, let name) = source.origin,
        tables[leaves[leaf]].id == TableID(name: name)
      else { return false }
      let table = tables[leaves[leaf]]
      let columns = known.filter { $0.leaf == leaf }
      guard !table.keyPlaces.isEmpty else {
        return columns.contains { $0.place == nil || $0.place == table.rowidPlace }
      }
      return table.keyPlaces.allSatisfy { place in
        columns.contains { $0.place == place && collation(of: $0) == .binary }
      }
    }
  }

  /// The columns of a SELECT in an expression that are those of something else, in all its rows.
  private func equations(
    of select: SelectText, _ own: Scope
  ) -> [(own: Column, other: SelectText.Tokens)] {
    (select.filter.map(Self.conjuncts) ?? []).flatMap { conjunct in
      guard let equals = conjunct.firstIndex(where: { $0.isSymbol("=") || $0.isSymbol("==") })
      else { return [(own: Column, other: SelectText.Tokens)]() }
      let sides = [conjunct[..<equals], conjunct[(equals + 1)...]]
      return zip(sides, sides.reversed()).compactMap { side, other in
        // An alias of its own goes before a column around it.
        guard let column = resolve(side, [own]), resolve(other, [own]) == nil,
          other.count > 1 || !own.aliases.contains(other.first?.name?.asciiLowercased ?? "")
        else { return nil }
        return (column, other)
      }
    }
  }

  /// Whether `column IN (SELECT …)` is one of the conditions that all must hold.
  private func isRequired(_ subquery: SelectText.Subquery, in select: SelectText) -> Bool {
    select.conditions.flatMap { Self.conjuncts($0) }.contains { conjunct in
      guard case .list(let operand?) = subquery.use, operand.startIndex == conjunct.startIndex,
        let start = conjunct.firstIndex(where: { $0.isSymbol("(") }), start == subquery.start,
        operand.endIndex == start - 1
      else { return false }
      return conjunct[start...].closing == conjunct.endIndex - 1
    }
  }

  /// What must hold for the aggregates of a SELECT in an expression, because all of it is computed again.
  mutating func addRules(_ select: SelectText, _ scope: Scope) throws {
    let isGrouped =
      !select.groups.isEmpty || select.expressions.contains { AggregateCall.first(in: $0) != nil }
    guard isGrouped else { return }
    // SQLite takes it for one of the SELECT around this one.
    for expression in select.conditions + select.groups + select.order.map(\.expression)
    where AggregateCall.first(in: expression) != nil { throw Self.isOfColumnsAround }
    // Equal values that differ are grouped and compared in the order of visits.
    var comparesValues = !select.groups.isEmpty
    for expression in select.outputs.map(\.expression) + [select.having].compactMap(\.self) {
      var rest = expression
      while let call = AggregateCall.first(in: rest) {
        try checkNoColumns(rest[..<call.range.lowerBound], scope, select)
        rest = rest[call.range.upperBound...]
        try checkIsOwn(call, scope)
        guard let function = call.function else {
          throw NotMaintainable("\(call.name)() in a SELECT in an expression")
        }
        comparesValues = comparesValues || function.sorts || call.isDistinct
        if function.sorts || call.isDistinct, let argument = call.argument {
          try checkIsBinary(argument, [scope], "aggregates")
        }
        guard function != .count, let argument = call.argument else { continue }
        guard let column = resolve(argument, [scope]), let place = column.place else {
          throw NotMaintainable("an aggregate of an expression in a SELECT in an expression")
        }
        let isReal = tables[leaves[column.leaf]].columns[place].affinity == .real
        let kind: Dependencies.Rule.Kind =
          switch function {
          case .min, .max: isReal ? .notZero : .notReal
          default: .smallWhole
          }
        dependencies.add(Dependencies.Rule(table: leaves[column.leaf], place: place, kind: kind))
      }
      try checkNoColumns(rest, scope, select)
    }
    guard looseness == .none || !comparesValues else { throw Self.isLooseInExpression }
  }

  private static let isLooseInExpression = NotMaintainable(
    "an equation of values of different types in a SELECT in an expression")

  /// Checks that a call is an aggregate of the SELECT in which it stands, not of one around it whose columns alone it
  /// names.
  private func checkIsOwn(_ call: AggregateCall, _ scope: Scope) throws {
    let names = [call.argument, call.filter].compactMap(\.self).flatMap(SelectText.names)
    guard names.isEmpty || names.contains(where: { resolve($0, [scope]) != nil }) else {
      throw Self.isOfColumnsAround
    }
  }

  private static let isOfColumnsAround = NotMaintainable(
    "an aggregate in a SELECT in an expression of columns around it")

  private func checkNoColumns(
    _ tokens: SelectText.Tokens, _ scope: Scope, _ select: SelectText
  ) throws {
    if select.groups.contains(where: { select.text($0) == select.text(tokens) }) { return }
    for token in tokens {
      guard let written = token.name else { continue }
      let name = written.asciiLowercased
      let isColumn =
        SelectText.rowidNames.contains(name)
        || scope.members.contains { member in
          member.columns?.contains { $0.asciiLowercased == name } != false
        }
      guard !isColumn else {
        throw NotMaintainable("\(written) is neither grouped nor aggregated")
      }
    }
  }

  // MARK: Edges

  struct Column: Hashable, Sendable {
    let leaf: Int
    /// `nil` for the rowid.
    let place: Int?
    let text: String
    /// The columns that it is in the other SELECTs of a UNION ALL: a moment is compared with all of them.
    var others: [Column] = []
  }

  /// - Returns: `nil` when it matters which of the two stands before the other: SQLite compares by the collation of that.
  private func edge(_ from: Column, _ to: Column) -> Dependencies.Edge? {
    guard let collation = collation(of: from), collation == self.collation(of: to) else {
      return nil
    }
    return Dependencies.Edge(from: from.leaf, to: to.leaf, condition: "\(from.text) = \(to.text)")
  }

  /// Adds what a condition says of which rows a changed row can concern.
  ///
  /// It says so of the rows of its own SELECT. What is around that one stays when nothing in it meets the condition:
  /// NOT EXISTS and `count(*) = 0` hold just then.
  ///
  /// - Parameter only: The source behind a LEFT JOIN whose condition it is: it restricts no other.
  mutating func addEdges(
    _ condition: SelectText.Tokens, of select: SelectText, _ scopes: [Scope], only: Scope.Member?
  ) {
    let own = scopes[0].members.reduce(into: Set()) { $0.formUnion($1.leaves) }
    func leads(_ leaf: Int) -> Bool {
      own.contains(leaf) && (only == nil || only!.leaves.contains(leaf))
    }
    for equation in Equation.all(in: condition, isNested: false) {
      noteLooseness(of: equation, scopes)
    }
    let conjuncts = Self.conjuncts(condition)
    for conjunct in conjuncts {
      guard let equals = conjunct.firstIndex(where: { $0.isSymbol("=") || $0.isSymbol("==") }),
        let left = origin(of: conjunct[..<equals], scopes),
        let right = origin(of: conjunct[(equals + 1)...], scopes), left.leaf != right.leaf
      else { continue }
      for (from, to) in [(left, right), (right, left)] where leads(from.leaf) {
        if let edge = edge(from, to) { dependencies.add(edge) }
      }
    }
    // No equation holds for the row that LEFT JOIN makes up. Other conditions can, and of these rows no edge knows.
    let ownDepth = only == nil ? 0 : 1
    for conjunct in conjuncts {
      guard let (text, leaves) = relation(conjunct, of: select, scopes) else { continue }
      for (from, to) in [(leaves[0], leaves[1]), (leaves[1], leaves[0])]
      where leads(from) && optionalDepths[from] == ownDepth && optionalDepths[to] == 0
        && !dependencies.edges.contains(where: { $0.from == from && $0.to == to })
      {
        dependencies.add(Dependencies.Edge(from: from, to: to, condition: "(\(text))"))
      }
    }
  }

  /// The SQL of a condition on the rows of two leaves that is no equation of columns: `date(sale.time) = day.d`.
  private func relation(
    _ condition: SelectText.Tokens, of select: SelectText, _ scopes: [Scope]
  ) -> (text: String, leaves: [Int])? {
    // A type is no column, whatever it is called.
    let others = ["select", "cast"]
    guard
      !condition.contains(where: { token in
        select.isStandIn(token) || others.contains { token.isWord($0) }
      }),
      KnownFunctions.firstFallible(in: condition) == nil, AggregateCall.first(in: condition) == nil
    else { return nil }
    var (text, rest) = ("", condition)
    var leaves: Set<Int> = []
    for name in SelectText.names(in: condition) where name.first?.kind != .string {
      guard let column = origin(of: name, scopes), column.others.isEmpty else {
        guard isPlainWord(name, scopes) else { return nil }
        continue
      }
      leaves.insert(column.leaf)
      text += "\(select.text(rest[..<name.startIndex])) \(column.text) "
      rest = rest[name.endIndex...]
    }
    return leaves.count == 2 ? (text + select.text(rest), leaves.sorted()) : nil
  }

  /// Whether tokens are a word of SQL, and mean no column.
  func isPlainWord(_ name: SelectText.Tokens, _ scopes: [Scope]) -> Bool {
    guard name.count == 1, let word = name.first, word.kind == .word,
      GroupPlanner.plainWords.contains(word.text.asciiLowercased)
    else { return false }
    return find(name, scopes) == nil
      && !scopes.contains { $0.aliases.contains(word.text.asciiLowercased) }
  }

  mutating func addUsing(_ names: SelectText.Tokens, _ scope: Scope) throws {
    guard let last = scope.members.last else { return }
    for name in names where name.name != nil {
      guard let left = scope.members.dropLast().first(where: { has(name.name!, $0) }) else {
        looseness = .texts
        continue
      }
      noteLooseness(origin(name.name!, left), origin(name.name!, last))
      if columnsHaveCollations {
        try checkAreAlike(
          origin(name.name!, left).flatMap(collation), origin(name.name!, last).flatMap(collation))
      }
      guard let from = column(name.name!, last), let to = column(name.name!, left),
        let edge = edge(from, to), let reverse = self.edge(to, from)
      else { continue }
      dependencies.add(edge)
      if !last.isOptional { dependencies.add(reverse) }
    }
  }

  /// The conditions that all must hold; none when that isn't certain.
  static func conjuncts(_ tokens: SelectText.Tokens) -> [SelectText.Tokens] {
    var tokens = tokens
    while tokens.first?.isSymbol("(") == true, tokens.last?.isSymbol(")") == true,
      let end = tokens.closing, end == tokens.endIndex - 1
    {
      tokens = tokens.dropFirst().dropLast()
    }
    var parts: [SelectText.Tokens] = []
    var (start, depth) = (tokens.startIndex, 0)
    // `a BETWEEN 1 AND 2` has an AND of its own.
    var betweens = 0
    for index in tokens.indices {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      guard depth == 0, tokens[index].kind == .word else { continue }
      switch tokens[index].text.asciiLowercased {
      case "or", "case": return []
      case "between": betweens += 1
      case "and" where betweens > 0: betweens -= 1
      case "and":
        parts.append(tokens[start..<index])
        start = index + 1
      default: break
      }
    }
    if start == tokens.startIndex { return [tokens] }
    parts.append(tokens[start...])
    return parts.flatMap { $0.first?.isSymbol("(") == true ? conjuncts($0) : [$0] }
  }

  /// The column of a leaf that `tokens` name; `nil` for any other expression, and when it isn't certain.
  func resolve(_ tokens: SelectText.Tokens, _ scopes: [Scope]) -> Column? {
    find(tokens, scopes).flatMap { column($0.name, $0.member) }
  }

  /// The same, also through SELECTs in FROM whose column it is: then it is compared as that of the leaf.
  func origin(of tokens: SelectText.Tokens, _ scopes: [Scope]) -> Column? {
    find(tokens, scopes).flatMap { origin($0.name, $0.member) }
  }

  /// The source whose column `tokens` name; `nil` for any other expression, and when it isn't certain.
  func find(
    _ tokens: SelectText.Tokens, _ scopes: [Scope]
  ) -> (name: String, member: Scope.Member)? {
    guard let last = tokens.last?.name else { return nil }
    if tokens.count == 3, tokens[tokens.startIndex + 1].isSymbol("."),
      let source = tokens.first?.name?.asciiLowercased
    {
      for scope in scopes {
        let found = scope.members.filter { $0.name.asciiLowercased == source }
        if found.isEmpty { continue }
        return found.count == 1 ? (last, found[0]) : nil
      }
      return nil
    }
    guard tokens.count == 1, tokens.first?.kind != .string else { return nil }
    for scope in scopes {
      let found = scope.members.filter { has(last, $0) }
      let folded = last.asciiLowercased
      if found.isEmpty, !SelectText.rowidNames.contains(folded), !scope.aliases.contains(folded) {
        continue
      }
      return found.count == 1 ? (last, found[0]) : nil
    }
    return nil
  }

  /// Whether a name without a table before it means the column of one source.
  func isOfOneSource(_ name: String) -> Bool {
    let found = scope.members.filter { has(name, $0) }
    return found.count == 1 && found[0].columns != nil
  }

  /// Whether a source has, or may have, a column of that name.
  func has(_ name: String, _ member: Scope.Member) -> Bool {
    guard let columns = member.columns else { return true }
    return columns.contains { $0.asciiLowercased == name.asciiLowercased }
  }

  func origin(_ name: String, _ member: Scope.Member) -> Column? {
    comparison(name, member).origin
  }

  /// The column of a leaf; `nil` for those of a SELECT in FROM.
  func column(_ name: String, _ member: Scope.Member) -> Column? {
    guard let leaf = member.leaf else { return nil }
    let table = tables[leaves[leaf]]
    let place = table.columns.firstIndex { $0.foldedName == name.asciiLowercased }
    guard place != nil || table.keyPlaces.isEmpty && table.identity[0] == name.asciiLowercased
    else { return nil }
    let text = place.map { table.columns[$0].name.quotedIdentifier } ?? table.identity[0]
    return Column(leaf: leaf, place: place, text: "\"k\(leaf)\".\(text)")
  }
}
