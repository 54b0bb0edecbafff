/// SELECTs in FROM that are all rows of several.
///
///     FROM (SELECT home AS team, points FROM match UNION ALL SELECT away, 3 - points FROM match) AS result
///
/// What changes in it is the sum of what changes in each of its SELECTs. So where a leaf of one of them is replaced, the others
/// are left out, and where leaves of two are, nothing is left.
extension QuerySources {
  struct Union: Sendable {
    var parts: [Part] = []
    /// The leaves of each part.
    fileprivate(set) var leaves: [Leaves] = []
    /// How many columns tell the rows of any part apart, at most.
    fileprivate var identityCount = 0
    /// The columns of tables that its own columns are, by their folded names: those that all parts have alike.
    fileprivate(set) var origins: [String: Column] = [:]
    /// Its columns that are expressions in all parts, folded; see ``Part/plain``.
    fileprivate(set) var plain: Set<String> = []
    /// All others, folded: how they are compared isn't certain.
    fileprivate(set) var mixed: Set<String> = []
    /// Those that may not be compared by BINARY.
    fileprivate(set) var uncertain: Set<String> = []
  }

  mutating func union(
    _ selects: [SelectText], _ context: Context,
    _ meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws -> (node: Node, columns: [String]?) {
    guard !context.isInExpression else {
      throw NotMaintainable("UNION ALL in a SELECT in an expression")
    }
    var context = context
    var union = Union()
    for select in selects {
      try NotMaintainable.at(select.tokens) {
        let (first, unionCount) = (leaves.count, unions.count)
        let (node, columns) = try self.select(select, context, meaning)
        guard case .part(let part) = node, let columns,
          Set(columns.map(\.asciiLowercased)).count == columns.count
        else {
          throw NotMaintainable("UNION ALL in FROM whose columns haven't each a name of their own")
        }
        union.parts.append(part)
        union.leaves.append((first..<leaves.count).reduce(0) { $0 | 1 << $1 })
        let keys = (first..<leaves.count).reduce(0) { $0 + tables[leaves[$1]].identity.count }
        // One within it has the number of its part as well.
        union.identityCount = max(union.identityCount, keys + unions.count - unionCount)
        // The names are those of the first one.
        context.columns = columns
      }
    }
    for name in context.columns ?? [] { try unite(name.asciiLowercased, in: &union) }
    unions.append(union.leaves)
    return (.union(union), context.columns)
  }

  /// Finds how a column is compared.
  ///
  /// - Throws: ``NotMaintainable`` when SQLite may make integers REAL values as it reads them: those of a column that is
  ///   REAL in one part, if it has the rows of all in a table of its own.
  private func unite(_ name: String, in union: inout Union) throws {
    if union.parts.allSatisfy({ $0.plain.contains(name) }) {
      union.plain.insert(name)
      return
    }
    // The table that has the lines of groups says nothing of what has no affinity.
    let origins = union.parts.map { $0.plain.contains(name) ? nil : $0.origins[name] }
    let known = origins.compactMap(\.self)
    let affinities = known.map { try? affinity(of: $0) }
    let collations = Set(
      origins.map { $0.map { collation(of: $0) } ?? .binary })
    if known.count == origins.count, let affinity = affinities[0], collations.count == 1,
      collations.first != .some(nil), affinities.allSatisfy({ $0 == affinity })
    {
      var column = known[0]
      for other in known.dropFirst() { column.others += [other] + other.others }
      union.origins[name] = column
      return
    }
    let mayBeReal =
      affinities.contains { $0 == nil || $0 == .real }
      || zip(union.parts, origins).contains { $1 == nil && !$0.plain.contains(name) }
    guard !mayBeReal else {
      throw NotMaintainable(
        "\(name) isn't the same kind of column in all SELECTs of UNION ALL in FROM: put + before each"
      )
    }
    union.mixed.insert(name)
    if collations != [.binary] { union.uncertain.insert(name) }
  }

  /// Checks that a SELECT doesn't compare ``Union/mixed`` columns. SQLite may compare them by the affinity of the first
  /// part of the UNION ALL, but where a leaf of another part is replaced, that part stands alone.
  func checkMixed(_ select: SelectText, _ scope: Scope, isInFrom: Bool) throws {
    var mixed = scope.members.reduce(into: Set()) { $0.formUnion($1.mixed) }
    guard !mixed.isEmpty else { return }
    func isMixed(_ tokens: SelectText.Tokens) -> Bool {
      tokens.contains { mixed.contains($0.name?.asciiLowercased ?? "") }
    }
    for output in select.outputs
    where isMixed(output.expression) && !Self.hasNoAffinity(output.expression) {
      if let alias = output.alias { mixed.insert(alias.asciiLowercased) }
    }
    for piece in select.from {
      if case .between("USING", let names) = piece, isMixed(names) { throw Self.isMixed }
    }
    for expression in select.expressions {
      try NotMaintainable.at(expression) {
        var (rest, outside, inside) = (expression, [SelectText.Tokens](), [SelectText.Tokens]())
        while let call = AggregateCall.first(in: rest) {
          outside.append(rest[..<call.range.lowerBound])
          inside += call.arguments + [call.filter].compactMap(\.self)
          rest = rest[call.range.upperBound...]
        }
        outside.append(rest)
        // What stands around calls is one expression: `(kind, max(day)) = ('match', ?)`.
        let isCompared =
          outside.contains(where: isMixed) && outside.contains(where: Self.compares)
          || inside.contains { isMixed($0) && Self.compares($0) }
        guard !isCompared else { throw Self.isMixed }
      }
    }
    // What is around a SELECT in FROM isn't told which of its columns are mixed.
    guard isInFrom, !select.isGrouped else { return }
    let hands = select.outputs.contains { output in
      output.isStar || isMixed(output.expression) && !Self.hasNoAffinity(output.expression)
    }
    guard !hands else { throw Self.isMixed }
  }

  private static let isMixed = NotMaintainable(
    "a column of UNION ALL in FROM whose type isn't the same in all of its SELECTs")

  /// Whether something in an expression may compare values, so that their affinities and collations matter.
  private static func compares(_ expression: SelectText.Tokens) -> Bool {
    let words = ["between", "collate", "glob", "in", "like", "match", "max", "min", "nullif"]
    return expression.indices.contains { place in
      let (token, behind) = (expression[place], expression[(place + 1)...])
      if token.isWord("case") { return behind.first?.isWord("when") != true }
      if token.isWord("is") {
        let operand = behind.first?.isWord("not") == true ? behind.dropFirst().first : behind.first
        return operand?.isWord("null") != true
      }
      return token.kind == .symbol && token.text.contains { "=<>".contains($0) }
        || words.contains { token.isWord($0) }
    }
  }

  /// The columns of a SELECT that have no affinity, and are compared by BINARY; folded.
  func plainNames(_ select: SelectText, _ names: [String?], _ scope: Scope) -> Set<String> {
    let found = select.outputs.flatMap { output -> [Bool] in
      guard output.isStar else { return [isPlain(output.expression, scope)] }
      let wanted = output.starredName?.asciiLowercased
      return scope.members.filter { wanted == nil || $0.name.asciiLowercased == wanted }
        .flatMap { member in
          (member.columns ?? []).map { member.plain.contains($0.asciiLowercased) }
        }
    }
    guard found.count == names.count else { return [] }
    let folded = names.map { $0?.asciiLowercased }
    return Set(
      zip(folded, found).compactMap { name, isPlain in
        isPlain && folded.count(where: { $0 == name }) == 1 ? name : nil
      })
  }

  func isPlain(_ expression: SelectText.Tokens, _ scope: Scope) -> Bool {
    guard expression.isName, let name = expression.last?.name else {
      return Self.hasNoAffinity(expression) && collation(of: expression, [scope]) == .binary
    }
    let members = scope.members.filter { member in
      has(name, member)
        && (expression.count == 1
          || expression.first?.name?.asciiLowercased == member.name.asciiLowercased)
    }
    return members.count == 1 && members[0].plain.contains(name.asciiLowercased)
  }

  /// Checks that nothing is beside a UNION ALL that isn't a sum of what changes.
  mutating func checkUnions() throws {
    guard !unions.isEmpty else { return }
    guard isLinear else {
      throw NotMaintainable("UNION ALL in FROM, beside LEFT JOIN or SELECTs in expressions")
    }
    // ``equatedColumns`` has the columns of the parts, but a SELECT around them sorts by those of the UNION ALL.
    if looseness == .numbers { looseness = .texts }
  }

  // MARK: Rendering

  /// Whether a leaf is read where some are replaced.
  func isRead(_ leaf: Int, replacing replaced: Leaves) -> Bool {
    unions.allSatisfy { parts in
      guard let own = parts.first(where: { $0 & 1 << leaf != 0 }) else { return true }
      return own & replaced != 0 || parts.allSatisfy { $0 & replaced == 0 }
    }
  }

  /// Whether a row can be made of rows of all of these leaves.
  func canMeet(_ leaves: Leaves) -> Bool {
    unions.allSatisfy { parts in parts.count { $0 & leaves != 0 } < 2 }
  }
}

extension QuerySources.Union {
  /// The leaf under whose number its rows have what tells them apart.
  var firstLeaf: Int { leaves[0].trailingZeroBitCount }

  /// What tells a row from those of all parts.
  ///
  /// - Parameter columns: What tells it from others of its own part.
  func identity(_ columns: [String], of number: Int) -> [String] {
    let rest = identityCount - columns.count
    return ["\(number)"] + columns + [String](repeating: "NULL", count: rest)
  }

  /// The parts to read where some leaves are replaced, by their numbers.
  func read(replacing replaced: QuerySources.Leaves) -> [Int] {
    let changed = parts.indices.filter { leaves[$0] & replaced != 0 }
    return changed.isEmpty ? Array(parts.indices) : changed
  }
}
