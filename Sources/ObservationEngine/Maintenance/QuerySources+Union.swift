/// SELECTs in FROM that are all rows of several.
///
///     FROM (SELECT home AS team, points FROM match UNION ALL SELECT away, 3 - points FROM match) AS result
///
/// What changes in it is the sum of what changes in each of its SELECTs. So where a leaf of one of them is replaced, the others
/// are left out, and where leaves of two are, nothing is left.
extension QuerySources {
  struct Union: Sendable {
    var parts: [Part] = []
    /// The columns of tables that its own columns are, by their folded names: those that all of its SELECTs have alike.
    var origins: [String: Column] = [:]
    /// Its columns that may not be compared by BINARY, of those that have no origin; folded.
    var uncertain: Set<String> = []
    /// Its columns whose affinity isn't certain, or isn't the same in all of its SELECTs; folded.
    var mixed: Set<String> = []
    /// The first leaf of each SELECT, and the one behind all.
    fileprivate(set) var bounds: [Int] = []
    /// How many columns tell the rows of any of its SELECTs apart, at most.
    fileprivate var identityCount = 0
  }

  mutating func union(
    _ selects: [SelectText], _ context: Context,
    _ meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws -> (node: Node, columns: [String]?) {
    guard !context.isInExpression else {
      throw NotMaintainable("UNION ALL in a SELECT in an expression")
    }
    var context = context
    context.isInUnion = true
    var union = Union(bounds: [leaves.count])
    for select in selects {
      try NotMaintainable.at(select.tokens) {
        let (node, columns) = try self.select(select, context, meaning)
        guard case .part(let part) = node, let columns else {
          throw NotMaintainable("a column of UNION ALL in FROM that has no name")
        }
        union.parts.append(part)
        union.bounds.append(leaves.count)
        union.identityCount = max(union.identityCount, render(part, 0, nil).identity.count)
        // The names are those of the first one.
        context.columns = columns
      }
    }
    for name in Set((context.columns ?? []).map(\.asciiLowercased)) { try unite(name, in: &union) }
    unions.append(
      zip(union.bounds, union.bounds.dropFirst()).map { first, end in
        (first..<end).reduce(0) { $0 | 1 << $1 }
      })
    return (.union(union), context.columns)
  }

  /// Finds how a column is compared.
  ///
  /// - Throws: ``NotMaintainable`` when SQLite may make integers REAL values as it reads them: those of a column that is
  ///   REAL in the first SELECT, if it has the rows of all in a table of its own.
  private func unite(_ name: String, in union: inout Union) throws {
    let origins = union.parts.map { $0.origins[name] }
    let collations = zip(union.parts, origins).map { part, origin -> Collation? in
      if let origin { return collation(of: origin) }
      return part.uncertain.contains(name) ? nil : .binary
    }
    let areCollatedAlike = collations[0] != nil && Set(collations).count == 1
    let known = origins.compactMap(\.self)
    if known.count == origins.count, areCollatedAlike,
      let affinity = try? affinity(of: known[0]),
      known.allSatisfy({ (try? self.affinity(of: $0)) == affinity })
    {
      var column = known[0]
      column.others = known.dropFirst().flatMap { [$0] + $0.others }
      union.origins[name] = column
      return
    }
    guard !known.contains(where: { (try? affinity(of: $0)) == .real }) else {
      throw NotMaintainable(
        "\(name) is a REAL column in one SELECT of UNION ALL in FROM, and something else in another: put + before it")
    }
    if !areCollatedAlike || collations[0] != .binary { union.uncertain.insert(name) }
    if !union.parts.allSatisfy({ $0.plain.contains(name) }) { union.mixed.insert(name) }
  }

  /// Checks that a SELECT compares none of the columns whose affinity only SQLite knows: it takes that of the first SELECT of
  /// a UNION ALL, but where a leaf of another one is replaced there is that one alone.
  func checkMixed(_ select: SelectText, _ scope: Scope, isInFrom: Bool) throws {
    var mixed = scope.members.reduce(into: Set()) { $0.formUnion($1.mixed) }
    guard !mixed.isEmpty else { return }
    func isMixed(_ tokens: SelectText.Tokens) -> Bool {
      tokens.contains { mixed.contains($0.name?.asciiLowercased ?? "") }
    }
    for output in select.outputs where isMixed(output.expression) {
      if let alias = output.alias { mixed.insert(alias.asciiLowercased) }
    }
    for piece in select.from {
      if case .between("USING", let names) = piece, isMixed(names) { throw Self.isMixed }
    }
    for expression in select.expressions {
      try NotMaintainable.at(expression) {
        // SELECTs around this one don't know of it.
        if expression.isName, !isInFrom || select.isGrouped { return }
        guard !isInFrom || select.isGrouped || expression.last?.isSymbol("*") != true else {
          throw Self.isMixed
        }
        var rest = expression
        while let call = AggregateCall.first(in: rest) {
          guard !isMixed(rest[..<call.range.lowerBound]), call.filter.map(isMixed) != true,
            call.arguments.allSatisfy({ $0.isName || !isMixed($0) })
          else { throw Self.isMixed }
          rest = rest[call.range.upperBound...]
        }
        guard !isMixed(rest) else { throw Self.isMixed }
      }
    }
  }

  private static let isMixed = NotMaintainable(
    "a column of UNION ALL in FROM whose type isn't the same in all of its SELECTs")

  /// The columns of a SELECT that have no affinity.
  func plainNames(_ select: SelectText, _ names: [String?], _ scope: Scope) -> Set<String> {
    guard names.count == select.outputs.count else { return [] }
    return Set(
      zip(select.outputs, names).compactMap { output, name in
        output.isStar || !Self.hasNoAffinity(output.expression) ? nil : name?.asciiLowercased
      })
  }

  /// Checks that nothing is beside a UNION ALL that isn't a sum of what changes.
  mutating func checkUnions() throws {
    guard !unions.isEmpty else { return }
    guard isLinear else {
      throw NotMaintainable("UNION ALL in FROM, beside LEFT JOIN or SELECTs in expressions")
    }
    // A column that meets an equation in one of the SELECTs has another name around them.
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
  /// What tells a row from those of all SELECTs.
  ///
  /// - Parameter columns: What tells it from others of its own SELECT.
  func identity(_ columns: [String], of number: Int) -> [String] {
    let rest = identityCount - columns.count
    return ["\(number)"] + columns + [String](repeating: "NULL", count: rest)
  }

  /// The SELECTs to read where some leaves are replaced, by their numbers.
  func read(replacing replaced: QuerySources.Leaves) -> [Int] {
    let changed = parts.indices.filter { number in
      (bounds[number]..<bounds[number + 1]).contains { replaced & 1 << $0 != 0 }
    }
    return changed.isEmpty ? Array(parts.indices) : changed
  }
}
