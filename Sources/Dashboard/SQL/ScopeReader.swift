import DatabaseConsole
import ObservationEngine

/// Reads a statement that may be unfinished or wrong, as far as names require it: its nested
/// queries, the sources of each, and their names.
///
/// Parentheses around a query form a place of their own; all others belong to the query around
/// them.
struct ScopeReader {
  /// What a query sees of its surroundings.
  struct Context {
    /// Common table expressions, the newest first.
    var expressions: [SQLVocabulary.Table] = []
    /// Tables of the queries around it, the nearest first.
    var outer: [[NamedTables.Table]] = []
    /// How many queries are around it.
    var depth = 0
  }

  /// A token of a query itself, not of a subquery.
  struct Place {
    let index: Int
    /// Its depth in parentheses of this query.
    let depth: Int
    /// Whether it opens a subquery.
    let isQuery: Bool
  }

  /// Queries nested more deeply than in practice are not read.
  static let maximumDepth = 30

  let tokens: [SQLToken]
  /// How many tokens precede the word being typed; -1 when that does not matter.
  private(set) var cursor: Int
  let vocabulary: SQLVocabulary
  let known: [String: SQLVocabulary.Table]
  /// Functions that can be called in FROM.
  let functions: [String: SQLVocabulary.Table]
  /// The index of the closing parenthesis for each opening one; the end of the text for an unclosed
  /// one.
  private let closing: [Int: Int]

  init(_ tokens: [SQLToken], cursor: Int, _ vocabulary: SQLVocabulary) {
    self.tokens = tokens
    self.cursor = cursor
    self.vocabulary = vocabulary
    known = Dictionary(
      vocabulary.tables.map { ($0.name.asciiLowercased, $0) },
      uniquingKeysWith: { first, _ in first })
    functions = Dictionary(
      vocabulary.tableFunctions.map { ($0.name.asciiLowercased, $0) },
      uniquingKeysWith: { first, _ in first })
    var closing: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") { open.append(index) }
      if token.isSymbol(")"), let start = open.popLast() { closing[start] = index }
    }
    for start in open { closing[start] = tokens.count }
    self.closing = closing
  }

  /// The same statement read as a whole, independently of the cursor.
  var withoutCursor: ScopeReader {
    var reader = self
    reader.cursor = -1
    return reader
  }

  func close(of open: Int) -> Int { closing[open] ?? tokens.count }

  /// The scope at the cursor.
  func statement() -> StatementScope {
    var start = 0
    while start < tokens.count, ["explain", "query", "plan"].contains(word(start)) { start += 1 }
    let whole = start..<tokens.count
    switch word(start) {
    case "select", "values", "with", "insert", "replace", "update", "delete":
      return read(whole, Context())
    case "create":
      if let head = TriggerHead(self, from: start) { return head.scope() }
      // CREATE VIEW v AS SELECT …
      let query = whole.first { ["select", "values", "with"].contains(word($0)) }
      if let query, query > 0, word(query - 1) == "as", cursor >= query {
        return read(query..<tokens.count, Context())
      }
    default: break
    }
    return StatementScope(levels: [NamedTables(tokens, vocabulary).tables])
  }

  /// The keyword or name at an index, folded; empty for anything else.
  func word(_ index: Int) -> String {
    guard tokens.indices.contains(index), tokens[index].kind == .word else { return "" }
    return tokens[index].text.asciiLowercased
  }

  /// The tokens of a query itself.
  func own(_ range: Range<Int>) -> [Place] {
    var places: [Place] = []
    var depth = 0
    var index = range.lowerBound
    while index < range.upperBound {
      if tokens[index].isSymbol(")") { depth = max(0, depth - 1) }
      let isOpen = tokens[index].isSymbol("(")
      let isQuery =
        isOpen && index + 1 < range.upperBound
        && ["select", "values", "with"].contains(word(index + 1))
      places.append(Place(index: index, depth: depth, isQuery: isQuery))
      if isOpen, !isQuery { depth += 1 }
      index = isQuery ? min(close(of: index) + 1, range.upperBound) : index + 1
    }
    return places
  }

  // MARK: Queries

  /// The scope at the cursor, which is within `range`.
  func read(_ range: Range<Int>, _ context: Context) -> StatementScope {
    var context = context
    let (body, inner) = takeExpressions(range, &context)
    if let inner { return read(inner, context) }
    if ["insert", "replace"].contains(word(body.lowerBound)) { return readInsert(body, context) }
    let core = cores(body).first { cursor <= $0.upperBound } ?? body
    let sources = sources(of: core, context)
    if let query = sources.queries.first(where: { contains($0.range) }),
      context.depth < Self.maximumDepth
    {
      context.depth += 1
      // A subquery in FROM does not see the other tables there.
      if !query.isSource { context.outer.insert(sources.tables, at: 0) }
      return read(query.range, context)
    }
    var tables = sources.tables
    if ["update", "delete"].contains(word(core.lowerBound)), isBehind("returning", in: core) {
      // RETURNING lists columns of the changed table.
      tables = Array(tables.prefix(1))
    }
    var scope = StatementScope(levels: [tables] + context.outer)
    scope.expressions = context.expressions
    scope.isTablePlace = sources.isTablePlace
    scope.results = resultNames(of: core)
    return scope
  }

  private func readInsert(_ range: Range<Int>, _ context: Context) -> StatementScope {
    let top = own(range).filter { $0.depth == 0 }
    guard let into = top.first(where: { word($0.index) == "into" })?.index,
      let (target, end) = table(at: into + 1, context, aliasNeedsAs: true), cursor > into + 1
    else {
      var scope = StatementScope(levels: context.outer)
      scope.isTablePlace = word(cursor - 1) == "into"
      return scope
    }
    func first(_ words: Set<String>, after: Int) -> Int? {
      top.first { $0.index >= after && words.contains(word($0.index)) }?.index
    }
    let source = first(["select", "values", "with", "default"], after: end) ?? range.upperBound
    let returning = first(["returning"], after: source) ?? range.upperBound
    let conflict =
      top.first {
        $0.index >= source && word($0.index) == "on" && word($0.index + 1) == "conflict"
      }?
      .index ?? returning
    let list = top.first { $0.index >= end && $0.index < source && tokens[$0.index].isSymbol("(") }
    if cursor <= source, let list, cursor > list.index, cursor <= close(of: list.index) {
      var scope = StatementScope(levels: [[target]])
      let present = Set(
        tokens[list.index..<min(close(of: list.index), tokens.count)]
          .compactMap { $0.name?.asciiLowercased })
      scope.listed = target.table.columns.filter { !present.contains($0.name.asciiLowercased) }
      return scope
    }
    if cursor <= source { return StatementScope(levels: context.outer) }
    if cursor > returning { return StatementScope(levels: [[target]]) }
    guard cursor > conflict else { return read(source..<min(conflict, returning), context) }
    let excluded = NamedTables.Table(table: target.table, alias: "excluded")
    var inner = context
    inner.outer.insert([target, excluded], at: 0)
    let action = conflict..<returning
    if let query = sources(of: action, inner).queries.first(where: { contains($0.range) }) {
      return read(query.range, inner)
    }
    return StatementScope(levels: inner.outer)
  }

  func contains(_ range: Range<Int>) -> Bool {
    range.lowerBound <= cursor && cursor <= range.upperBound
  }

  private func isBehind(_ keyword: String, in range: Range<Int>) -> Bool {
    own(range).contains { $0.depth == 0 && $0.index < cursor && word($0.index) == keyword }
  }

  /// The parts of a compound query: each has tables of its own.
  func cores(_ range: Range<Int>) -> [Range<Int>] {
    var cores: [Range<Int>] = []
    var start = range.lowerBound
    for place in own(range)
    where place.depth == 0 && ["union", "intersect", "except"].contains(word(place.index)) {
      cores.append(start..<place.index)
      start = place.index + 1
      if word(start) == "all" { start += 1 }
    }
    return cores + [min(start, range.upperBound)..<range.upperBound]
  }

  /// Removes the WITH clause from a query.
  ///
  /// - Returns: The rest, and the query of the expression that contains the cursor; then `context`
  ///   is that query's.
  func takeExpressions(
    _ range: Range<Int>, _ context: inout Context
  ) -> (body: Range<Int>, inner: Range<Int>?) {
    guard word(range.lowerBound) == "with" else { return (range, nil) }
    var index = range.lowerBound + 1
    if word(index) == "recursive" { index += 1 }
    while index < range.upperBound, let name = tokens[index].name {
      index += 1
      var names: [String]?
      if index < range.upperBound, tokens[index].isSymbol("("), word(index + 1) != "select" {
        names = tokens[index..<min(close(of: index), range.upperBound)].compactMap(\.name)
        index = close(of: index) + 1
      }
      while ["as", "not", "materialized"].contains(word(index)), index < range.upperBound {
        index += 1
      }
      guard index < range.upperBound, tokens[index].isSymbol("(") else { break }
      let query = index + 1..<min(close(of: index), range.upperBound)
      index = min(close(of: index) + 1, range.upperBound)
      let isInner = contains(query) && context.depth < Self.maximumDepth
      // Its first SELECT does not name the expression itself.
      let columns =
        names.map { $0.map { SQLVocabulary.Column(name: $0) } }
        ?? (context.depth < Self.maximumDepth ? self.columns(of: query, context) : [])
      context.expressions.insert(
        SQLVocabulary.Table(name: name, kind: "query", columns: columns), at: 0)
      if isInner {
        context.depth += 1
        return (index..<range.upperBound, query)
      }
      guard index < range.upperBound, tokens[index].isSymbol(",") else { break }
      index += 1
    }
    return (min(index, range.upperBound)..<range.upperBound, nil)
  }
}
