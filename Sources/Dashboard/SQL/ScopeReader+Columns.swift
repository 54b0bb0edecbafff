import DatabaseConsole
import ObservationEngine

/// The names of a query's columns.
extension ScopeReader {
  /// The columns of a query's result; those named only by their expression are omitted.
  func columns(of query: Range<Int>, _ context: Context) -> [SQLVocabulary.Column] {
    var context = context
    context.depth += 1
    guard context.depth <= Self.maximumDepth else { return [] }
    let reader = withoutCursor
    let (body, _) = reader.takeExpressions(query, &context)
    guard let core = cores(body).first else { return [] }
    let items = self.items(of: core)
    if word(core.lowerBound) == "values" {
      return items.indices.map { SQLVocabulary.Column(name: "column\($0 + 1)") }
    }
    let sources = reader.sources(of: core, context).tables
    return items.flatMap { item -> [SQLVocabulary.Column] in
      guard let last = item.last else { return [] }
      if tokens[last].isSymbol("*"), item.count == 1 { return sources.flatMap(\.table.columns) }
      if tokens[last].isSymbol("*"), item.count >= 3, tokens[item[item.count - 2]].isSymbol(".") {
        let scope = StatementScope(levels: [sources])
        return tokens[item[item.count - 3]].name.flatMap(scope.table)?.columns ?? []
      }
      guard let name = self.name(of: item) else { return [] }
      let column = isReference(item) ? sources.lazy.compactMap { $0.table.column(name) }.first : nil
      return [SQLVocabulary.Column(name: name, type: column?.type ?? "")]
    }
  }

  /// The names that a SELECT gives to its results with AS: ORDER BY and others can use them.
  func resultNames(of core: Range<Int>) -> [String] {
    guard word(core.lowerBound) == "select" else { return [] }
    return items(of: core).compactMap { item in
      item.count > 2 && word(item[item.count - 2]) == "as" ? name(of: item) : nil
    }
  }

  /// The items of a SELECT, or the first row of VALUES: for each, the indexes of its own tokens.
  private func items(of core: Range<Int>) -> [[Int]] {
    let isValues = word(core.lowerBound) == "values"
    guard isValues || word(core.lowerBound) == "select" else { return [] }
    let depth = isValues ? 1 : 0
    var items: [[Int]] = [[]]
    for place in own(core).dropFirst() {
      let index = place.index
      if isValues, place.depth == 0, tokens[index].isSymbol(")") { break }
      if isValues, place.depth == 0 { continue }
      if !isValues, items.last?.isEmpty == true, ["distinct", "all"].contains(word(index)) {
        continue
      }
      if !isValues, place.depth == 0, ends(index) { break }
      if place.depth == depth, tokens[index].isSymbol(",") {
        items.append([])
      } else {
        items[items.count - 1].append(index)
      }
    }
    return items.filter { !$0.isEmpty }
  }

  /// Whether the list of a SELECT ends before a token.
  private func ends(_ index: Int) -> Bool {
    let word = word(index)
    // IS DISTINCT FROM
    if word == "from" { return self.word(index - 1) != "distinct" }
    return ["where", "group", "having", "window", "order", "limit"].contains(word)
  }

  /// SQLite's name of a result: its alias, or the column that it is.
  private func name(of item: [Int]) -> String? {
    guard let last = item.last, let name = tokens[last].name, !isWord(last) else { return nil }
    guard item.count > 1 else { return name }
    let before = item[item.count - 2]
    if word(before) == "as" || tokens[before].isSymbol(".") { return name }
    // `max(x) best`: an alias follows a complete expression.
    let isExpression =
      tokens[before].isSymbol(")") || word(before) == "end"
      || !isWord(before)
        && tokens[before].kind != .symbol && tokens[before].kind != .invalid
    // A subquery is one token here, its opening parenthesis.
    let isQuery = tokens[before].isSymbol("(") && close(of: before) < last
    return isExpression || isQuery ? name : nil
  }

  /// Whether a result is a plain column: `name`, `t.name`.
  private func isReference(_ item: [Int]) -> Bool {
    item.count == 1 || item.count == 3 && tokens[item[1]].isSymbol(".")
  }

  private func isWord(_ index: Int) -> Bool {
    tokens[index].kind == .word && SQLKeywords.contains(tokens[index].text)
  }
}

extension SQLVocabulary.Table {
  fileprivate func column(_ name: String) -> SQLVocabulary.Column? {
    let folded = name.asciiLowercased
    return columns.first { $0.name.asciiLowercased == folded }
  }
}
