import DatabaseConsole
import ObservationEngine

extension ScopeReader {
  /// The sources of a query's rows.
  struct Sources {
    var tables: [NamedTables.Table] = []
    /// The subqueries, and whether they are in FROM.
    var queries: [(range: Range<Int>, isSource: Bool)] = []
    /// Whether a table is named at the cursor.
    var isTablePlace = false
  }

  /// Words after which no table is named until the next FROM or JOIN.
  private static let ends: Set<String> = [
    "where", "group", "having", "window", "order", "limit", "returning", "set", "values",
  ]

  /// The tables that one part of a query names, wherever the cursor is: tables after it are in
  /// scope too.
  func sources(of core: Range<Int>, _ context: Context) -> Sources {
    var found = Sources()
    var expects = false
    var isInFrom = false
    var fromDepth = 0
    var next = core.lowerBound
    var isCursorSeen = false
    for place in own(core) where place.index >= next {
      let index = place.index
      if !isCursorSeen, index >= cursor {
        found.isTablePlace = expects
        isCursorSeen = true
      }
      if place.isQuery {
        let query = index + 1..<min(close(of: index), core.upperBound)
        found.queries.append((query, expects))
        guard expects else { continue }
        let (alias, end) = alias(at: query.upperBound + 1)
        let isDeep = context.depth >= Self.maximumDepth
        let table = SQLVocabulary.Table(
          name: alias ?? "", kind: "query", columns: isDeep ? [] : columns(of: query, context))
        found.tables.append(NamedTables.Table(table: table, alias: alias))
        (expects, next) = (false, end)
      } else if tokens[index].isSymbol("(") {
        // FROM (a JOIN b …)
        if expects { fromDepth = place.depth + 1 }
      } else if tokens[index].isSymbol(")") {
        fromDepth = min(fromDepth, place.depth)
        expects = false
      } else if tokens[index].isSymbol(",") {
        expects = isInFrom && place.depth <= fromDepth
      } else if expects, let (table, end) = table(at: index, context) {
        found.tables.append(table)
        (expects, next) = (false, end)
      } else {
        switch word(index) {
        case "from" where word(index - 1) != "distinct" || word(index - 2) == "select":
          (expects, isInFrom, fromDepth) = (true, true, place.depth)
        case "join": expects = true
        case "into", "update": expects = word(index + 1) != "set"
        // UPDATE OR IGNORE t
        case "or" where expects: next = index + 2
        case let keyword:
          if Self.ends.contains(keyword), place.depth <= fromDepth { isInFrom = false }
          expects = false
        }
      }
    }
    if !isCursorSeen { found.isTablePlace = expects }
    return found
  }

  /// The table named at an index, and where the text after it starts.
  ///
  /// - Parameter aliasNeedsAs: Whether only AS introduces an alias.
  func table(
    at index: Int, _ context: Context, aliasNeedsAs: Bool = false
  ) -> (table: NamedTables.Table, end: Int)? {
    guard tokens.indices.contains(index), let name = tokens[index].name else { return nil }
    let folded = name.asciiLowercased
    var table =
      context.expressions.first { $0.name.asciiLowercased == folded } ?? known[folded]
      ?? functions[folded]
    // A keyword is a name if there is such a table, as far as SQLite allows it.
    guard table != nil || !isKeyword(index) else { return nil }
    var end = index + 1
    if tokens.indices.contains(end + 1), tokens[end].isSymbol("."),
      let own = tokens[end + 1].name, !isKeyword(end + 1)
    {
      table =
        vocabulary.tables.first {
          $0.schema.asciiLowercased == folded && $0.name.asciiLowercased == own.asciiLowercased
        } ?? SQLVocabulary.Table(name: own)
      end += 2
    } else if tokens.indices.contains(end), tokens[end].isSymbol("("), !aliasNeedsAs {
      table = functions[folded] ?? SQLVocabulary.Table(name: name, kind: "function")
      end = close(of: end) + 1
    }
    let (alias, next) =
      aliasNeedsAs && word(end) != "as" ? (nil, end) : self.alias(at: end)
    return (
      NamedTables.Table(table: table ?? SQLVocabulary.Table(name: name), alias: alias), next
    )
  }

  /// The alias at an index, with or without AS, and where the text after it starts.
  private func alias(at index: Int) -> (alias: String?, end: Int) {
    let place = word(index) == "as" ? index + 1 : index
    guard tokens.indices.contains(place), let name = tokens[place].name, !isKeyword(place) else {
      return (nil, index)
    }
    return (name, place + 1)
  }

  private func isKeyword(_ index: Int) -> Bool {
    tokens[index].kind == .word && SQLKeywords.contains(tokens[index].text)
  }
}
