/// How SQLite compares the columns of the SELECTs in FROM, by which what is around them sorts, groups and joins.
extension QuerySources {
  /// How SQLite compares the values of an expression, as far as that is known.
  struct Comparison: Sendable {
    enum Conversion: Sendable, Equatable {
      /// None: it has no affinity.
      case none
      case affinity(Affinity)
      /// That of some SELECT of a UNION ALL, which isn't the same in all of them.
      case mixed
      case unknown
    }

    /// The column of a table that it is.
    var origin: Column?
    /// Of what it is compared with.
    var conversion = Conversion.unknown
    /// `nil` when it isn't certain.
    var collation: Collation?

    /// Whether it has no affinity, and is compared by BINARY.
    var isPlain: Bool { conversion == .none && collation == .binary }

    /// The affinity, `nil` when it has none.
    ///
    /// - Throws: ``NotMaintainable`` when that isn't certain.
    func affinity() throws -> Affinity? {
      switch conversion {
      case .none: return nil
      case .affinity(let affinity): return affinity
      case .mixed, .unknown:
        throw NotMaintainable("a column of a part, or of groups, whose affinity isn't certain")
      }
    }
  }

  /// A column of a SELECT in FROM.
  struct PartColumn: Sendable {
    /// `nil` when it has none of its own.
    var name: String?
    let comparison: Comparison

    func isNamed(_ folded: String) -> Bool { name?.asciiLowercased == folded }
  }

  /// How a column of the result, or of a SELECT in FROM, is compared.
  func comparison(of expression: SelectText.Tokens, _ scope: Scope) -> Comparison {
    if expression.isName, let (name, member) = find(expression, [scope]) {
      return comparison(name, member)
    }
    return Comparison(
      conversion: Self.hasNoAffinity(expression) ? .none : .unknown,
      collation: collation(of: expression, [scope]))
  }

  /// How a column of a source is compared; nothing is known of a name that several have.
  func comparison(_ name: String, _ member: Scope.Member) -> Comparison {
    guard member.leaf == nil else {
      guard let column = column(name, member) else { return Comparison() }
      return Comparison(
        origin: column, conversion: conversion(of: column), collation: collation(of: column))
    }
    let folded = name.asciiLowercased
    let found = member.parts.filter { $0.isNamed(folded) }
    return found.count == 1 ? found[0].comparison : Comparison()
  }

  private func conversion(of column: Column) -> Comparison.Conversion {
    .affinity(column.place.map { tables[leaves[column.leaf]].columns[$0].affinity } ?? .integer)
  }

  /// Whether an expression that is no column is certain to have no affinity.
  static func hasNoAffinity(_ expression: SelectText.Tokens) -> Bool {
    // A plus takes it away, or adds something.
    if expression.first?.isSymbol("+") == true { return true }
    // These hand through the affinity of what they have within.
    let words = ["cast", "likely", "unlikely", "select"]
    return !expression.isName && expression.first?.isSymbol("(") != true
      && !expression.contains { token in words.contains { token.isWord($0) } }
  }

  // MARK: Of SELECTs that have a state

  /// A column of a SELECT that has a state, in a table that has its lines.
  struct GroupColumn: Sendable {
    /// `nil` when it has none.
    let affinity: Affinity?
    let collation: Collation

    /// How a SELECT reads it from the table.
    func sql(_ place: Int, as name: String?) -> String {
      // An expression has no affinity; a plus takes away that of the column.
      let text = affinity == nil ? "+c\(place)" : "c\(place)"
      return name.map { "\(text) AS \($0.quotedIdentifier)" } ?? text
    }

    /// How what is around the SELECT compares it.
    func comparison(_ place: Int, ofLeaf leaf: Int) -> Comparison {
      let text = "\(affinity == nil ? "+" : "")\"k\(leaf)\".c\(place)"
      return Comparison(
        origin: Column(leaf: leaf, place: place, text: text),
        conversion: affinity.map(Comparison.Conversion.affinity) ?? .none, collation: collation)
    }
  }

  /// - Throws: ``NotMaintainable`` when it isn't certain.
  private static func groupColumn(_ comparison: Comparison) throws -> GroupColumn {
    guard let collation = comparison.collation else { throw uncertainCollation }
    return GroupColumn(affinity: try comparison.affinity(), collation: collation)
  }

  /// The columns of a SELECT that has a state, which these sources are of.
  ///
  /// - Throws: ``NotMaintainable`` when it isn't certain how SQLite compares them.
  func columns(ofLines select: SelectText) throws -> [(column: GroupColumn, name: String?)] {
    try select.outputs.flatMap { output -> [(column: GroupColumn, name: String?)] in
      guard output.isStar else { return [(try groupColumn(output.expression), output.name)] }
      return try columns(output).map {
        (try Self.groupColumn(comparison($0.name, $0.source)), $0.name)
      }
    }
  }

  /// The same for one expression.
  func groupColumn(_ expression: SelectText.Tokens) throws -> GroupColumn {
    try Self.groupColumn(comparison(of: expression, scope))
  }
}
