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
    fileprivate(set) var columns: [PartColumn] = []
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
    union.columns = try (context.columns ?? []).enumerated().map { place, name in
      let comparisons = union.parts.map { $0.columns[place].comparison }
      return PartColumn(name: name, comparison: try Self.united(comparisons, name))
    }
    unions.append(union.leaves)
    return (.union(union), context.columns)
  }

  /// How a column is compared that is so in each of its SELECTs.
  ///
  /// - Throws: ``NotMaintainable`` when SQLite may make integers REAL values as it reads them: those of a column that is
  ///   REAL in one part, if it has the rows of all in a table of its own.
  private static func united(_ parts: [Comparison], _ name: String) throws -> Comparison {
    var united = parts[0]
    if parts.allSatisfy(\.isPlain) {
      united.origin = nil
      return united
    }
    let columns = parts.filter { $0.origin != nil && !$0.isPlain }
    if columns.count == parts.count, case .affinity = united.conversion, united.collation != nil,
      columns.allSatisfy({
        $0.conversion == united.conversion && $0.collation == united.collation
      })
    {
      for other in columns.dropFirst().compactMap(\.origin) {
        united.origin?.others += [other] + other.others
      }
      return united
    }
    let mayBeReal = parts.contains { part in
      if part.isPlain { return false }
      guard part.origin != nil, case .affinity(let affinity) = part.conversion else { return true }
      return affinity == .real
    }
    guard !mayBeReal else {
      throw NotMaintainable(
        "\(name) isn't the same kind of column in all SELECTs of UNION ALL in FROM: put + before each"
      )
    }
    let isBinary = parts.allSatisfy { $0.collation == .binary }
    return Comparison(conversion: .mixed, collation: isBinary ? .binary : nil)
  }

  /// Checks that a SELECT doesn't compare columns whose affinity is mixed. SQLite may compare them by the affinity of the first
  /// part of the UNION ALL, but where a leaf of another part is replaced, that part stands alone.
  func checkMixed(_ select: SelectText, _ scope: Scope, isInFrom: Bool) throws {
    let columns = scope.members.flatMap(\.parts).filter { $0.comparison.conversion == .mixed }
    var mixed = Set(columns.compactMap(\.name?.asciiLowercased))
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
