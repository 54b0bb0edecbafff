/// Rows that are in no table: of constants and moments alone.
///
///     WITH RECURSIVE day(d) AS (
///       SELECT date('now', '-29 days') UNION ALL SELECT date(d, '+1 day') FROM day WHERE d < date('now')
///     ) SELECT d, count(sale.id) FROM day LEFT JOIN sale ON date(sale.time) = d GROUP BY d
///
/// They are few, and no commit changes them. So they are read once, and again when a moment among them is another one.
extension SelectText {
  struct Series: Sendable {
    /// Returns them in their order.
    let sql: String
    let columns: [String]
    /// The numbers of the parameters in it that stand for moments.
    let standIns: Set<Int>
    let calls: Set<String>
  }
}

extension SelectText.Series {
  /// - Parameters:
  ///   - tokens: What is within the parentheses of FROM, or of WITH.
  ///   - name: That by which it reads itself, if WITH gives it one.
  ///   - columns: The names that WITH gives to its columns.
  /// - Returns: `nil` when it reads a table, or something else that WITH names.
  /// - Throws: ``NotMaintainable``.
  init?(
    _ tokens: SelectText.Tokens, named name: String? = nil, columns: [String]? = nil,
    _ statement: SelectText.Statement
  ) throws {
    let pieces = CompoundQuery.pieces(tokens).selects
    guard Self.readsNoTable(tokens, itself: name), let first = pieces.first,
      first.first?.isWord("select") == true || first.first?.isWord("values") == true
    else { return nil }
    // How they are compared is up to columns, CAST and COLLATE alone. Where SQLite joins them it may leave ORDER BY out. What
    // OFFSET passes over isn't known. JSON is another thing than a text until it is stored.
    let refused = ["cast", "collate", "likelihood", "likely", "offset", "order", "unlikely"]
    if let word = tokens.first(where: { token in refused.contains { token.isWord($0) } }) {
      throw NotMaintainable("\(word.text) in rows without a table")
    }
    if let limit = tokens.firstIndex(where: { $0.isWord("limit") }), tokens.endIndex != limit + 2 {
      throw NotMaintainable("LIMIT in rows without a table")
    }
    guard !KnownFunctions.hasJSON(tokens) else {
      throw NotMaintainable("JSON in rows without a table")
    }
    // For what it calls, VALUES is a SELECT.
    _ = try KnownFunctions.check(
      tokens.map { token in
        token.isWord("values")
          ? SQLToken(kind: .word, text: "select", range: token.range) : token
      }[...])
    calls = KnownFunctions.calls(tokens)
    self.columns = try columns ?? Self.columns(of: first)
    // Those that SQLite names otherwise: by their number, or not at all.
    let others = SelectText.rowidNames.union(["true", "false"])
    let folded = Set(self.columns.map(\.asciiLowercased))
    guard folded.count == self.columns.count, folded.isDisjoint(with: others) else {
      throw NotMaintainable("its columns aren't recognised")
    }
    standIns = Set(
      tokens.filter(statement.isStandIn).compactMap { statement.numbers[$0.range.lowerBound] })
    let text = statement.text(tokens)
    guard let name else {
      sql = "SELECT * FROM (\(text))"
      return
    }
    let list = columns.map { "(\($0.map(\.quotedIdentifier).joined(separator: ", ")))" } ?? ""
    let quoted = name.quotedIdentifier
    sql = "WITH RECURSIVE \(quoted)\(list) AS (\(text)) SELECT * FROM \(quoted)"
  }

  /// Whether each FROM names the rows themselves, and nothing else.
  private static func readsNoTable(_ tokens: SelectText.Tokens, itself name: String?) -> Bool {
    tokens.indices.allSatisfy { place in
      guard tokens[place].isWord("from") else { return !tokens[place].isWord("join") }
      var rest = tokens[(place + 1)...]
      guard let name, let read = rest.popFirst()?.name, read.asciiLowercased == name.asciiLowercased
      else { return false }
      let clauses = ["where", "group", "union", "intersect", "except", "order", "limit"]
      if rest.first?.name != nil, !clauses.contains(where: { rest.first?.isWord($0) == true }) {
        rest.removeFirst(rest.first?.isWord("as") == true ? min(2, rest.count) : 1)
      }
      return rest.first.map { next in clauses.contains { next.isWord($0) } } ?? true
    }
  }

  /// The names of the columns of the first SELECT: that of VALUES has those that SQLite makes.
  private static func columns(of select: SelectText.Tokens) throws -> [String] {
    var rest = select.dropFirst()
    if select.first?.isWord("values") == true {
      return try SelectText.list(SelectText.takeParentheses(&rest)).indices.map {
        "column\($0 + 1)"
      }
    }
    if rest.first?.isWord("distinct") == true || rest.first?.isWord("all") == true {
      rest.removeFirst()
    }
    return try SelectText.list(SelectText.clauses(rest)["select"] ?? []).map { output in
      guard let name = try SelectText.output(output).name else {
        throw NotMaintainable("its columns aren't recognised")
      }
      return name
    }
  }
}
