/// One SELECT, cut into its clauses. No expression is interpreted: each stays the text that it is.
///
///     SELECT team, count(*) AS n FROM player AS p WHERE score > ? GROUP BY team HAVING n > 1 ORDER BY n DESC LIMIT 10
///            └── outputs ─────┘      └─ sources ┘      └ filter ┘          └ groups ┘   └ having ┘  └ order ┘     └ limit
///
/// A SELECT in its FROM is cut as well, and stands where it stands, as does one that WITH names. A statement can be several
/// SELECTs (``CompoundQuery``).
///
/// Pure. Whatever it doesn't recognise, it refuses with the reason.
struct SelectText: Sendable {
  typealias Tokens = ArraySlice<SQLToken>

  /// A column of the result.
  struct Output {
    let expression: Tokens
    let alias: String?
    /// Whether it stands for all columns: `*` or `p.*`.
    var isStar: Bool { expression.last?.isSymbol("*") == true && expression.count != 2 }
    /// The name of the table in `p.*`.
    var starredName: String? { isStar && expression.count == 3 ? expression.first?.name : nil }

    /// The column's name: its alias, or that of the column that it is; `nil` when SQLite makes one of its text.
    var name: String? {
      if let alias { return alias }
      let isColumn =
        switch expression.count {
        case 1: true
        case 3: expression[expression.startIndex + 1].isSymbol(".")
        default: false
        }
      guard isColumn, !isStar, let name = expression.last?.name else { return nil }
      // SQLite names it as the INTEGER PRIMARY KEY, if there is one.
      return rowidNames.contains(name.asciiLowercased) ? nil : name
    }
  }

  /// What the rowid is called where no column is called so, folded.
  static let rowidNames = Set(SchemaReader.rowidNames)

  /// A term of ORDER BY.
  struct OrderTerm {
    let expression: Tokens
    let isDescending: Bool
    /// What COLLATE says.
    var collation: Collation?
    /// Where NULL comes, if that isn't where it comes anyway: first, or last behind DESC.
    var nulls: Nulls?

    enum Nulls { case first, last }

    /// Those of the keys by which rows are sorted: whether it is NULL comes before the value where that matters.
    var directions: [Bool] { (nulls.map { [$0 == .first] } ?? []) + [isDescending] }

    /// What stands behind the expression.
    var suffix: String {
      (collation.map { " COLLATE \($0.rawValue)" } ?? "") + (isDescending ? " DESC" : "")
        + (nulls.map { " NULLS \($0 == .first ? "FIRST" : "LAST")" } ?? "")
    }
  }

  /// What FROM consists of, in its order.
  enum SourcePart {
    case source(Source)
    /// A comma, `JOIN`, or a condition, as they were written.
    case between(String, Tokens)
  }

  /// A table, or a SELECT that stands for one.
  struct Source {
    indirect enum Origin {
      case table(schema: String?, name: String)
      case select(SelectText)
      /// All rows of several.
      case union([SelectText])
      case series(Series)
    }

    let origin: Origin
    let alias: String?
    /// The name that WITH gives to it.
    var named: String?
    /// The names that WITH gives to its columns.
    var columns: [String]?
    /// Whether LEFT JOIN lets rows through that it has no row for.
    var isOptional = false

    /// The name under which the SQL refers to it; empty for a SELECT without one.
    var name: String {
      if let alias { return alias }
      if case .table(_, let name) = origin { return name }
      return ""
    }

    /// The name of which SQLite's query plan has it: that of a table, of WITH, or of a view, whatever its alias; empty for a
    /// SELECT without one.
    var ownName: String {
      if case .table(_, let name) = origin { return name }
      return named ?? alias ?? ""
    }
  }

  /// A SELECT within an expression.
  struct Subquery {
    enum Use {
      case exists
      /// In `column IN (SELECT …)`; `nil` for another expression.
      case list(of: Tokens?)
      case value
    }

    let select: SelectText
    let use: Use
    /// The place of its parenthesis.
    let start: Int
  }

  private(set) var isDistinct: Bool
  private(set) var outputs: [Output]
  let from: [SourcePart]
  /// Where FROM ends, in the bytes of the statement.
  private let endOfFrom: Int
  let filter: Tokens?
  private(set) var groups: [Tokens]
  let having: Tokens?
  private(set) var order: [OrderTerm]
  /// How many rows at most, and how many to pass over: one token each, a number or a parameter.
  private(set) var limit: Tokens?
  private(set) var offset: Tokens?
  /// All of it, from SELECT on.
  let tokens: Tokens
  /// How many parameters the statement has, with those that stand for its moments and its scalar subqueries.
  var parameterCount: Int { statement.parameterCount }
  /// The expressions that depend on the time alone. The parameters that stand for them follow the user's.
  var moments: [String] { statement.moments }
  /// How many of the parameters, the last ones, stand for moments and scalar subqueries.
  var standInCount: Int { statement.standInCount }
  private let statement: Statement

  /// The statement that it is or is a part of.
  struct Statement {
    let bytes: [UInt8]
    /// The numbers of its parameters by their places.
    let numbers: [Int: Int]
    /// How many parameters it has, with those that stand for moments and scalar subqueries.
    let parameterCount: Int
    let moments: [String]
    let standInCount: Int
    let tokens: [SQLToken]
    /// What WITH names.
    var named: [String: (select: Tokens, columns: [String]?)] = [:]
    var mustNotUseNames = false
    /// Those of what WITH names that this is a part of, folded.
    var unfolded: Set<String> = []

    func isStandIn(_ token: SQLToken) -> Bool {
      (numbers[token.range.lowerBound] ?? 0) > parameterCount - standInCount
    }

    func text(_ tokens: Tokens, later: Bool = false, inserting insertions: [Insertion] = [])
      -> String
    {
      var (text, end) = ("", tokens.first?.range.lowerBound ?? 0)
      for token in tokens {
        // With the blanks as they are: they are in the name that SQLite gives to a column without one.
        if end < token.range.lowerBound {
          text += String(decoding: bytes[end..<token.range.lowerBound], as: UTF8.self)
        }
        for insertion in insertions where insertion.start == token.range.lowerBound { text += "(" }
        if let number = numbers[token.range.lowerBound] {
          text += "?\(number + (later && isStandIn(token) ? standInCount : 0))"
        } else {
          text += String(decoding: bytes[token.range], as: UTF8.self)
        }
        end = token.range.upperBound
        for insertion in insertions where insertion.end == end { text += insertion.text }
      }
      return text
    }
  }

  /// The SELECTs of which a view has all rows.
  ///
  /// - Throws: ``NotMaintainable``.
  /// - Complexity: O(length).
  static func selects(ofView sql: String) throws -> [SelectText] {
    let query = try combined(in: sql)
    if query.selects.count > 1 { try checkIsUnion(query.selects, query.operators.all) }
    guard query.ranking == nil else {
      throw NotMaintainable("a window function without PARTITION BY")
    }
    return query.selects
  }

  /// Checks that several SELECTs are a source of a query: all rows of each.
  static func checkIsUnion(
    _ selects: [SelectText], _ operators: [CompoundQuery.Operator]
  ) throws {
    if let other = operators.first(where: { $0 != .unionAll }) { throw isInPart(other) }
    guard let last = selects.last, last.order.isEmpty, last.limit == nil else {
      throw NotMaintainable("UNION ALL with ORDER BY or LIMIT in a part of it")
    }
  }

  private static func isInPart(_ inside: CompoundQuery.Operator) -> NotMaintainable {
    NotMaintainable("\(inside.rawValue) in a part of it")
  }

  /// The SELECTs of a statement, of most one.
  ///
  /// The ORDER BY and the LIMIT behind several are those of each: SQLite sorts each by them too, before it merges their
  /// rows. Where the result is a set, each of them returns one.
  ///
  /// - Parameter scalars: Where the scalar subqueries are that parameters are to stand for, in the bytes of the statement.
  /// - Throws: ``NotMaintainable``.
  /// - Complexity: O(length).
  static func combined(
    in sql: String, takingOut scalars: [Range<Int>] = []
  ) throws -> CompoundQuery {
    var (statement, inside) = try Self.statement(of: sql, takingOut: scalars)
    var (pieces, between) = CompoundQuery.pieces(statement.tokens[...])
    let operators = try CompoundQuery.Operators(between)
    for (number, piece) in pieces.enumerated() {
      try NotMaintainable.naming(number, of: pieces.count) { try checkWords(piece) }
    }
    if statement.tokens.first?.isWord("with") == true { try takeNamed(&pieces[0], &statement) }
    var selects = try pieces.enumerated().map { number, piece in
      try NotMaintainable.naming(number, of: pieces.count) { try SelectText(piece, statement) }
    }
    let last = selects[selects.count - 1]
    let (order, limit, offset) = (last.order, last.limit, last.offset)
    for index in selects.indices {
      if operators.makesSet { selects[index].isDistinct = !selects[index].hasGroups }
      (selects[index].order, selects[index].limit) = (order, limit)
      selects[index].offset = offset
    }
    let found = try inside.map { tokens in
      try NotMaintainable.at(tokens[...]) { try SelectText(tokens[...], statement) }
    }
    let ranking = selects.count == 1 ? Ranking.takeOut(of: &selects[0]) : nil
    return CompoundQuery(
      selects: selects, operators: operators, scalars: found, ranking: ranking)
  }

  /// The SELECT that a statement is, with its window functions; `nil` for several.
  ///
  /// - Throws: ``NotMaintainable``.
  static func whole(_ sql: String) throws -> SelectText? {
    var (statement, _) = try Self.statement(of: sql)
    var (pieces, _) = CompoundQuery.pieces(statement.tokens[...])
    guard pieces.count == 1 else { return nil }
    try checkWords(pieces[0])
    if statement.tokens.first?.isWord("with") == true { try takeNamed(&pieces[0], &statement) }
    return try SelectText(pieces[0], statement)
  }

  /// The SELECTs in parentheses that are a table of FROM, or what WITH names, wherever they stand; but for those that
  /// aren't recognised.
  ///
  /// - Throws: ``NotMaintainable``.
  /// - Complexity: O(length · SELECTs).
  static func parts(of sql: String) throws -> [SelectText] {
    var (statement, _) = try Self.statement(of: sql)
    let tokens = statement.tokens[...]
    // What it names can hide a table.
    let isNested = zip(tokens, tokens.dropFirst()).contains {
      $0.isSymbol("(") && $1.isWord("with")
    }
    guard !isNested else { return [] }
    if tokens.first?.isWord("with") == true {
      var rest = tokens
      try takeNamed(&rest, &statement)
    }
    return tokens.indices.dropFirst().dropLast().compactMap { place in
      guard tokens[place].isSymbol("("), tokens[place + 1].isWord("select"),
        ["as", "from", "join", "materialized"].contains(where: { tokens[place - 1].isWord($0) })
          || tokens[place - 1].isSymbol(",")
      else { return nil }
      var rest = tokens[place...]
      guard let inside = try? takeParentheses(&rest), (try? checkWords(inside)) != nil else {
        return nil
      }
      return try? SelectText(inside, statement)
    }
  }

  /// The statement, and what is within the parentheses of the scalar subqueries that are taken out.
  private static func statement(
    of sql: String, takingOut scalars: [Range<Int>] = []
  ) throws -> (Statement, scalars: [[SQLToken]]) {
    var tokens = SQLTokenizer.tokens(of: sql)
    while tokens.last?.isSymbol(";") == true { tokens.removeLast() }
    guard tokens.first?.isWord("select") == true || tokens.first?.isWord("with") == true else {
      throw NotMaintainable("it isn't a SELECT")
    }
    guard let numbering = try? ParameterNumbering(tokens) else {
      throw NotMaintainable("its parameters aren't recognised")
    }
    let bytes = Array(sql.utf8)
    var numbers = numbering.numbers
    let moments = Moments.takeOut(of: &tokens, bytes, &numbers, after: numbering.names.count)
    let count = numbering.names.count + moments.count
    let inside = ScalarSubqueries.takeOut(scalars, of: &tokens, bytes, &numbers, after: count)
    guard tokens.allSatisfy({ $0.kind != .invalid && !$0.isSymbol(";") }) else {
      throw NotMaintainable("it isn't one statement")
    }
    return (
      Statement(
        bytes: bytes, numbers: numbers, parameterCount: count + inside.count, moments: moments,
        standInCount: moments.count + inside.count, tokens: tokens), inside
    )
  }

  /// The same SELECT in another order.
  func sorted(by order: [OrderTerm]) -> SelectText {
    var select = self
    select.order = order
    return select
  }

  /// The same SELECT without some of its columns, in another order.
  func without(_ columns: [Ranking.Function?], sortedBy order: [OrderTerm]) -> SelectText {
    var select = sorted(by: order)
    select.outputs = zip(outputs, columns).filter { $1 == nil }.map(\.0)
    return select
  }

  /// What it groups, with other columns and without an order.
  func grouping(by groups: [Tokens], returning outputs: [Output]) -> SelectText {
    var select = sorted(by: [])
    (select.groups, select.outputs) = (groups, outputs)
    (select.limit, select.offset) = (nil, nil)
    return select
  }

  /// The tokens of the statement that aren't its own.
  var tokensAround: [SQLToken] {
    let start = tokens.first?.range.lowerBound ?? 0
    let end = tokens.last?.range.upperBound ?? 0
    return statement.tokens.filter { $0.range.upperBound <= start || $0.range.lowerBound >= end }
  }

  /// The SQL of the statement, with another text in place of this SELECT.
  func statement(replacedBy text: String) -> String {
    let start = tokens.first?.range.lowerBound ?? 0
    let end = tokens.last?.range.upperBound ?? 0
    return String(decoding: statement.bytes[..<start], as: UTF8.self) + text
      + String(decoding: statement.bytes[end...], as: UTF8.self)
  }

  /// - Parameter tokens: From SELECT on.
  init(_ tokens: Tokens, _ statement: Statement) throws {
    self.statement = statement
    self.tokens = tokens
    guard tokens.first?.isWord("select") == true else {
      throw NotMaintainable(
        tokens.first?.isWord("values") == true ? "VALUES" : "its FROM isn't recognised")
    }
    if let inside = CompoundQuery.pieces(tokens).operators.first { throw Self.isInPart(inside) }
    var tokens = tokens.dropFirst()
    isDistinct = tokens.first?.isWord("distinct") == true
    if isDistinct || tokens.first?.isWord("all") == true { tokens.removeFirst() }
    let clauses = try Self.clauses(tokens)
    for name in ["select", "from", "where", "group", "having"] {
      // What SQLite alone evaluates of each row is its own affair.
      let isSQLites = name == "from" || name == "where"
      guard let clause = clauses[name],
        !isSQLites || clause.contains(where: statement.isStandIn)
      else { continue }
      try Self.checkHasNoCollate(clause)
    }
    outputs = try Self.list(clauses["select"] ?? []).map { output in
      try NotMaintainable.at(output) { try Self.output(output) }
    }
    from = try clauses["from"].map { try Self.sources($0, statement) } ?? []
    endOfFrom = clauses["from"]?.last?.range.upperBound ?? 0
    filter = clauses["where"]
    groups =
      try clauses["group"].map {
        try Self.list($0).map { term in try NotMaintainable.at(term) { try Self.bare(term) } }
      } ?? []
    having = clauses["having"]
    order =
      try clauses["order"].map { clause in
        try Self.list(clause).map { term in
          let term = Self.orderTerm(term)
          try Self.checkHasNoCollate(term.expression)
          return OrderTerm(
            expression: try NotMaintainable.at(term.expression) { try Self.bare(term.expression) },
            isDescending: term.isDescending, collation: term.collation, nulls: term.nulls)
        }
      } ?? []
    (limit, offset) = try Self.bounds(clauses["limit"])
  }

  /// The SQL of some tokens, its parameters numbered as in the whole statement.
  ///
  /// - Parameters:
  ///   - later: Whether further parameters stand for its moments and scalar subqueries: those of a later time.
  ///   - insertions: What else stands in it.
  func text(_ tokens: Tokens, later: Bool = false, inserting insertions: [Insertion] = []) -> String
  {
    statement.text(tokens, later: later, inserting: insertions)
  }

  /// One more condition of a SELECT within a text.
  struct Insertion: Sendable {
    /// Where its WHERE begins, if it has one, and where the condition comes; in the bytes of the statement.
    fileprivate let start: Int?
    fileprivate let end: Int
    fileprivate let text: String
  }

  /// Adds a condition to this SELECT in the text of one that it is a part of.
  func inserting(_ condition: String) -> Insertion {
    guard let first = filter?.first, let last = filter?.last else {
      return Insertion(start: nil, end: endOfFrom, text: " WHERE \(condition)")
    }
    return Insertion(
      start: first.range.lowerBound, end: last.range.upperBound, text: ") AND \(condition)")
  }

  /// The bytes of the statement that it is or is a part of.
  var bytes: [UInt8] { statement.bytes }

  /// Whether a parameter stands for a moment or a scalar subquery: what it is can change while the rows stay.
  func isStandIn(_ token: SQLToken) -> Bool { statement.isStandIn(token) }

  /// The numbers of the parameters that stand for scalar subqueries: the last ones.
  var scalarNumbers: Range<Int> {
    (parameterCount - standInCount + moments.count + 1)..<(parameterCount + 1)
  }

  /// Whether a parameter stands for a scalar subquery.
  func isScalar(_ token: SQLToken) -> Bool { parameter(token).map(scalarNumbers.contains) ?? false }

  /// Whether the statement begins with WITH.
  var hasWith: Bool { !statement.named.isEmpty }

  /// All of the statement, with parameters in place of its moments.
  var wholeText: String { text(statement.tokens[...]) }

  /// The number of the parameter that `token` is, from 1; `nil` when it is none.
  func parameter(_ token: SQLToken) -> Int? { statement.numbers[token.range.lowerBound] }

  /// How often a parameter occurs in the whole statement.
  func count(ofParameter number: Int) -> Int {
    statement.tokens.count { parameter($0) == number }
  }

  /// What it reads, in the order of FROM.
  var sources: [Source] {
    from.compactMap { if case .source(let source) = $0 { source } else { nil } }
  }

  /// Those of ON, and that of WHERE.
  var conditions: [Tokens] {
    from.compactMap { if case .between("ON", let condition) = $0 { condition } else { nil } }
      + [filter].compactMap(\.self)
  }

  /// All parts in which expressions stand, but for those of SELECTs in FROM.
  var expressions: [Tokens] {
    outputs.map(\.expression) + conditions + [having].compactMap(\.self) + groups
      + order.map(\.expression)
  }

  /// The SELECTs in an expression, but for those that stand in them.
  ///
  /// - Throws: ``NotMaintainable``.
  func subqueries(in expression: Tokens) throws -> [Subquery] {
    var found: [Subquery] = []
    var rest = expression
    while let start = Self.subquery(in: rest) {
      let before = expression[..<start]
      var tail = rest[start...]
      // What WITH names is gone from the SQL that is made of the expression.
      var outside = statement
      outside.mustNotUseNames = true
      let inside = try Self.takeParentheses(&tail)
      let select = try NotMaintainable.at(inside) { try SelectText(inside, outside) }
      let use: Subquery.Use =
        if before.last?.isWord("exists") == true {
          .exists
        } else if before.last?.isWord("in") == true {
          .list(of: Self.operand(before.dropLast()))
        } else {
          .value
        }
      found.append(Subquery(select: select, use: use, start: start))
      rest = tail
    }
    return found
  }

  /// Where the SELECTs in an expression stand.
  func subqueryRanges(in expression: Tokens) throws -> [Range<Int>] {
    var found: [Range<Int>] = []
    var rest = expression
    while let start = Self.subquery(in: rest) {
      rest = rest[start...]
      _ = try Self.takeParentheses(&rest)
      found.append(start..<rest.startIndex)
    }
    return found
  }

  /// The place of the parenthesis of the first SELECT in an expression.
  private static func subquery(in expression: Tokens) -> Int? {
    expression.indices.dropLast().first {
      expression[$0].isSymbol("(") && expression[$0 + 1].isWord("select")
    }
  }

  /// The column at the end of `tokens`, if all of an operand is one; NOT may stand behind it.
  private static func operand(_ tokens: Tokens) -> Tokens? {
    var tokens = tokens
    if tokens.last?.isWord("not") == true { tokens.removeLast() }
    var start = tokens.endIndex - 1
    if start - 2 >= tokens.startIndex, tokens[start - 1].isSymbol(".") { start -= 2 }
    guard start >= tokens.startIndex, tokens[start].name != nil else { return nil }
    if start > tokens.startIndex {
      let before = tokens[start - 1]
      guard
        ["and", "or", "not", "when", "then", "else"].contains(where: { before.isWord($0) })
          || before.isSymbol("("), !endsInOperator(tokens[..<start])
      else { return nil }
    }
    return tokens[start...]
  }

  /// The words of an expression that call nothing, each with the name of the table before it: its columns, and words of
  /// SQL.
  static func names(in expression: Tokens) -> [Tokens] {
    expression.indices.compactMap { index in
      let next = index + 1 < expression.endIndex ? expression[index + 1] : nil
      guard expression[index].name != nil, next?.isSymbol("(") != true, next?.isSymbol(".") != true
      else { return nil }
      let isQualified = index - 2 >= expression.startIndex && expression[index - 1].isSymbol(".")
      return expression[(isQualified ? index - 2 : index)...index]
    }
  }

  /// Whether what follows `tokens` is an operand of BETWEEN or IS NOT, which bind as IN and `=` do: what stands behind such
  /// an operand is applied to all of it.
  static func endsInOperator(_ tokens: Tokens) -> Bool {
    guard let last = tokens.last else { return false }
    if last.isWord("not") { return tokens.dropLast().last?.isWord("is") == true }
    guard last.isWord("and") else { return false }
    // How many AND of a BETWEEN are still to come, within each parenthesis or CASE.
    var (open, isOfBetween) = ([0], false)
    for token in tokens {
      if token.isSymbol("(") || token.isWord("case") {
        open.append(0)
      } else if token.isSymbol(")") || token.isWord("end"), open.count > 1 {
        open.removeLast()
      } else if token.isWord("between") {
        open[open.count - 1] += 1
      } else if token.isWord("and") {
        isOfBetween = open[open.count - 1] > 0
        if isOfBetween { open[open.count - 1] -= 1 }
      }
    }
    return isOfBetween
  }

  /// Whether its rows are groups.
  var isGrouped: Bool { isDistinct || hasGroups }

  /// Whether it has aggregates or GROUP BY, or returns one row because it reads no table.
  var hasGroups: Bool {
    !groups.isEmpty || having != nil || from.isEmpty
      || (outputs.map(\.expression) + order.map(\.expression)).contains {
        AggregateCall.first(in: $0) != nil
      }
  }

  /// Why it is more than rows of its sources that are filtered and projected; `nil` when it isn't.
  var reasonAgainstMerging: String? {
    if isDistinct { return "DISTINCT in a part of it" }
    if isGrouped { return "a part of it has aggregates" }
    return nil
  }
}
