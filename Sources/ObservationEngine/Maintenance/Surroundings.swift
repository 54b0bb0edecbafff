/// What is around the groups of a query: SQL that SQLite evaluates over their lines for each new value.
///
///     SELECT day, n, sum(n) OVER (ORDER BY day) FROM (SELECT date(at) AS day, count(*) AS n FROM sale GROUP BY day)
///     └▶ SELECT date(at) AS day, count(*) AS n FROM sale GROUP BY day                     a state of groups
///     └▶ SELECT day, n, sum(n) OVER (ORDER BY day) FROM (SELECT … FROM the lines of that)
///
/// So anything may be there that reads no other table: window functions of all groups, group_concat(), further SELECTs. The
/// lines come in the order in which SQLite has the groups, so that whatever depends on this order is what the query returns.
struct Surroundings: Sendable {
  let sql: String
  /// Has the lines in place of the groups.
  let lines: MaintainedTable
  /// Whether the SQL takes values for times, of which `now` would be one.
  let readsTimes: Bool
  /// The functions that it calls, in lower case.
  let calls: Set<String>

  private static let isUncertain = NotMaintainable("what is around its groups isn't certain")

  /// - Parameters:
  ///   - names: Those of the columns of the groups.
  ///   - around: The tokens of what is around the groups.
  ///   - text: Makes the SQL of a SELECT that stands for the groups.
  /// - Throws: ``NotMaintainable``.
  private init(
    _ groups: SelectText, _ sources: QuerySources, names: [String?], around: [SelectText.Tokens],
    _ text: (String) -> String
  ) throws {
    var (calls, readsTimes) = (Set<String>(), false)
    for tokens in around {
      // Other operators call functions of the app.
      guard !tokens.contains(where: { $0.isWord("regexp") || $0.isWord("match") }),
        !tokens.contains(where: groups.isStandIn)
      else { throw Self.isUncertain }
      // SQLite may look for it in the tables of the groups.
      guard QuerySources.patternsOfNumbers(in: tokens).isEmpty else {
        throw QuerySources.isPatternOfNumbers
      }
      // In the lines it would be a text.
      guard
        !KnownFunctions.hasJSON(tokens)
          || !groups.outputs.contains(where: { KnownFunctions.hasJSON($0.expression) })
      else { throw NotMaintainable("JSON of groups in JSON") }
      _ = try KnownFunctions.check(tokens)
      calls.formUnion(KnownFunctions.calls(tokens))
      readsTimes = readsTimes || tokens.contains(where: KnownFunctions.isDate)
    }
    (self.calls, self.readsTimes) = (calls, readsTimes)
    let columns = try sources.columns(ofLines: groups).map(\.column)
    // Its virtual table can be that of a part, too: each use gives it rows, and takes them away.
    lines = MaintainedTable(part: 0, columns)
    let list = zip(columns, names).enumerated().map { $1.0.sql($0, as: $1.1) }
    sql = text("SELECT \(list.joined(separator: ", ")) FROM \(lines.sqlName)")
  }

  /// Evaluates the SQL.
  ///
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite.
  /// - Complexity: That of the SQL, of which each scan reads all lines.
  func rows(
    over lines: SortedLines, _ parameters: [Value], _ connection: Connection
  ) throws -> [[Value]] {
    let table = try table(connection)
    if readsTimes, lines.lines.contains(where: { $0.outputs.contains(where: QueryShape.isNow) }) {
      throw NotMaintainable("a time that is now")
    }
    table.rows = lines.lines.enumerated().map { number, line in
      DeltaTable.Row(weight: 1, rowid: Int64(number), values: line.outputs)
    }
    defer { table.rows = [] }
    return try connection.withEngineStatement(sql) { statement throws(DatabaseError) in
      for (index, value) in parameters.enumerated() where index < statement.parameterNames.count {
        try statement.bind(value, at: Int32(index + 1))
      }
      var rows: [[Value]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }

  private func table(_ connection: Connection) throws -> DeltaTable {
    guard let table = try connection.deltaTable(of: lines.allRowsID, lines.deltaColumns) else {
      throw NotMaintainable("the schema has a table of the name of a part")
    }
    return table
  }

  /// Checks that the SQL reads the lines alone, and each SELECT in it nothing else: a join could read them in an order of its
  /// own, and so does the query where SQLite makes an index of its groups.
  ///
  /// - Parameters:
  ///   - columnCount: How many columns the query has.
  ///   - plan: The query plan of the query.
  ///   - sources: What its groups are made of.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite.
  func check(
    columnCount: Int, _ plan: [VisitingOrder.Step], _ sources: QuerySources,
    _ connection: Connection
  ) throws {
    let makesIndex = plan.contains { step in
      step.text.includes(" USING AUTOMATIC ") && !step.reads(sources)
    }
    guard !makesIndex else { throw Self.isUncertain }
    let name = try table(connection).name
    let isAlone: Bool
    do {
      isAlone = try connection.withEngineStatement(sql) { statement in
        Set(statement.region.parts.keys) == [TableID(name: name)]
          && statement.columnNames.count == columnCount
      }
    } catch {
      guard error.code.primary == .error else { throw error }
      // The SQL names something that isn't a column of the groups.
      isAlone = false
    }
    guard isAlone else { throw Self.isUncertain }
    var reading: Set<Value> = []
    for step in try connection.fetch(engine: "EXPLAIN QUERY PLAN \(sql)") {
      guard case .text(let text)? = step.last else { continue }
      let isSearch = text.hasPrefix("SEARCH ")
      guard isSearch || text.hasPrefix("SCAN ") else { continue }
      // For the only min() or max(), SQLite calls a scan a search.
      guard !isSearch || text.includes(" VIRTUAL TABLE "), reading.insert(step[1]).inserted else {
        throw Self.isUncertain
      }
    }
  }
}

// MARK: - Finding them

extension Surroundings {
  /// A query in two.
  struct Found {
    let surroundings: Surroundings
    /// The SELECT that groups.
    let groups: SelectText
    let sources: QuerySources
    /// The terms by which SQLite sorts the groups for their windows. Only their number and directions matter: if there are as
    /// many as terms of GROUP BY, the groups are sorted in these directions.
    let order: [SelectText.OrderTerm]
  }

  /// The groups of a query around which there is nothing that reads tables, as far as they are recognised.
  ///
  /// - Returns: What makes each of them; it throws ``NotMaintainable`` when that can't be done, and `DatabaseError` from SQLite.
  static func candidates(
    in sql: String, _ connection: Connection
  ) -> [() throws -> Found?] {
    let parts = (try? SelectText.parts(of: sql)) ?? []
    return [{ try SelectText.whole(sql).flatMap { try ofWindows(in: $0, connection) } }]
      + parts.map { part in { try around(part, connection) } }
      + parts.map { part in { try ofWindows(in: part, isPart: true, connection) } }
  }

  /// What is around a SELECT in FROM, or one that WITH names.
  private static func around(_ part: SelectText, _ connection: Connection) throws -> Found? {
    guard part.hasGroups, !part.isDistinct, part.order.isEmpty, part.limit == nil,
      !part.outputs.contains(where: \.isStar), !part.from.isEmpty
    else { return nil }
    let tokens = definitions(part.tokensAround)
    let names = part.outputs.map(\.name)
    // Only columns of the groups are looked through for times that are now.
    let times = try KnownFunctions.check(tokens)
    let isComputed = tokens.count { $0.isWord("select") } > 1
    guard
      times.isEmpty && !tokens.contains(where: KnownFunctions.isDate)
        || !isComputed && times.isSubset(of: names.compactMap { $0?.asciiLowercased })
    else { throw isUncertain }
    let sources = try QuerySources(part, after: [], connection)
    let surroundings = try Surroundings(
      part, sources, names: names, around: [tokens], part.statement(replacedBy:))
    return Found(surroundings: surroundings, groups: part, sources: sources, order: [])
  }

  /// Tokens without those that look like calls in `WITH sums(day, n) AS MATERIALIZED (`.
  private static func definitions(_ tokens: [SQLToken]) -> SelectText.Tokens {
    var tokens = tokens
    tokens.removeAll { $0.isWord("materialized") }
    for place in tokens.indices.reversed().dropFirst(2)
    where tokens[place].name != nil && tokens[place + 1].isSymbol("(") {
      let rest = tokens[(place + 1)...]
      guard let end = rest.closing, end + 2 < tokens.endIndex, tokens[end + 1].isWord("as"),
        tokens[end + 2].isSymbol("(")
      else { continue }
      tokens.remove(at: place)
    }
    return tokens[...]
  }

  /// The windows of a SELECT that groups, which SQLite evaluates over the groups.
  ///
  ///     SELECT team, count(*) * 1.0 / sum(count(*)) OVER () FROM player GROUP BY team
  ///     └▶ SELECT team, count(*) FROM player GROUP BY team
  ///     └▶ SELECT "0", "1" * 1.0 / sum("1") OVER () FROM the lines of that
  ///
  /// - Parameter isPart: Whether the SELECT is one in FROM, or one that WITH names: then what is around it is so as well.
  private static func ofWindows(
    in select: SelectText, isPart: Bool = false, _ connection: Connection
  ) throws -> Found? {
    let expressions = select.outputs.map(\.expression) + select.order.map(\.expression)
    let around = isPart ? [definitions(select.tokensAround)] : []
    let calls = try expressions.flatMap { try WindowCall.all(in: $0) }
    let aliases = select.outputs.compactMap { $0.alias?.asciiLowercased }
    guard !calls.isEmpty, around.allSatisfy({ !$0.contains(where: KnownFunctions.isDate) }),
      !select.groups.isEmpty, !select.isDistinct,
      !select.outputs.contains(where: \.isStar),
      // Names within have a meaning of their own.
      !expressions.joined().contains(where: { $0.isWord("select") }),
      // HAVING means the first one.
      select.having == nil || Set(aliases).count == aliases.count
    else { return nil }
    // What its names mean, without its columns.
    let plain = try QuerySources(
      select.grouping(by: [], returning: []), after: [], connection)
    let planner = GroupPlanner(select: select, sources: plain, groupOrder: nil, isPart: true)
    var cutter = try Cutter(
      planner: planner, keys: select.groups.map { try planner.grouped(by: $0) })
    // As the column of another SELECT, an expression is compared by BINARY alone.
    guard !plain.columnsHaveCollations || cutter.keys.allSatisfy(\.isName) else {
      throw isUncertain
    }
    let columns = try select.outputs.map { output in
      let name = output.alias ?? (isPart ? output.name : nil)
      return try cutter.text(output.expression) + (name.map { " AS \($0.quotedIdentifier)" } ?? "")
    }
    let terms = try select.order.map { term in
      let isPlain =
        try select.aliased(term.expression) != nil
        || select.position(of: term.expression, among: select.outputs.count) != nil
      return (isPlain ? select.text(term.expression) : try cutter.text(term.expression))
        + term.suffix
    }
    var end = ""
    if !terms.isEmpty { end += " ORDER BY \(terms.joined(separator: ", "))" }
    if let limit = select.limit { end += " LIMIT \(select.text(limit))" }
    if let offset = select.offset { end += " OFFSET \(select.text(offset))" }
    let groups = select.grouping(by: cutter.keys, returning: cutter.outputs)
    let sources = try QuerySources(groups, after: [], connection)
    let surroundings = try Surroundings(
      groups, sources, names: groups.outputs.indices.map(Cutter.name),
      around: expressions + around
    ) { lines in
      let text = "SELECT \(columns.joined(separator: ", ")) FROM (\(lines))\(end)"
      return isPart ? select.statement(replacedBy: text) : text
    }
    return Found(
      surroundings: surroundings, groups: groups, sources: sources,
      order: try innermostOrder(calls, select))
  }

  /// The terms by which SQLite sorts the groups for their windows. Of several that differ, it isn't known which one comes
  /// first.
  private static func innermostOrder(
    _ calls: [WindowCall], _ select: SelectText
  ) throws -> [SelectText.OrderTerm] {
    let orders = calls.map { call in
      call.partition.map { SelectText.OrderTerm(expression: $0, isDescending: false) } + call.order
    }
    let texts = orders.map { order in
      order.map {
        select.text($0.expression) + ($0.collation?.rawValue ?? "")
          + ($0.isDescending ? " DESC" : "")
      }
    }
    if Set(texts).count == 1 { return orders[0] }
    let leavesGroupsAscending = orders.allSatisfy { order in
      order.count != select.groups.count || order.allSatisfy { !$0.isDescending }
    }
    guard leavesGroupsAscending else { throw isUncertain }
    return []
  }

  /// Cuts expressions at what its groups return: their keys and aggregates.
  private struct Cutter {
    let planner: GroupPlanner
    let keys: [SelectText.Tokens]
    private let words: [[String]]
    private(set) var outputs: [SelectText.Output]
    private var aggregates: [[String]: Int] = [:]

    init(planner: GroupPlanner, keys: [SelectText.Tokens]) throws {
      self.planner = planner
      self.keys = keys
      words = keys.map(planner.normal)
      outputs = keys.map { SelectText.Output(expression: $0, alias: nil) }
      // HAVING may use an alias.
      for output in planner.select.outputs where output.alias != nil {
        let own = planner.normal(output.expression)
        if let key = words.firstIndex(of: own) {
          outputs[key] = SelectText.Output(expression: keys[key], alias: output.alias)
        } else if let call = AggregateCall.first(in: output.expression),
          call.range == output.expression.indices
        {
          _ = place(of: output.expression, alias: output.alias)
        }
      }
    }

    /// The name of a column of the groups, which no column of a table has.
    static func name(_ place: Int) -> String { "livequery group \(place)" }

    private mutating func place(of call: SelectText.Tokens, alias: String? = nil) -> Int {
      let own = planner.normal(call)
      if let known = aggregates[own] { return known }
      outputs.append(SelectText.Output(expression: call, alias: alias))
      aggregates[own] = outputs.count - 1
      return outputs.count - 1
    }

    /// The SQL of an expression over the columns of the groups.
    mutating func text(_ expression: SelectText.Tokens) throws -> String {
      var (parts, rest, index) = ([String](), expression, expression.startIndex)
      while index < expression.endIndex {
        let end: Int
        let place: Int
        if let call = AggregateCall.first(in: expression[index...]), call.range.lowerBound == index
        {
          (place, end) = (self.place(of: expression[call.range]), call.range.upperBound)
        } else if let key = planner.key(in: expression, at: index, among: words) {
          (place, end) = key
        } else {
          index += 1
          continue
        }
        parts += [try left(rest[..<index]), Self.name(place).quotedIdentifier]
        (rest, index) = (expression[end...], end)
      }
      parts.append(try left(rest))
      return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The SQL of what is around keys and aggregates. A column that is left would be found nowhere, or mean an alias.
    private func left(_ tokens: SelectText.Tokens) throws -> String {
      let hasColumn = SelectText.names(in: tokens).contains { name in
        planner.sources.hasColumn(name.last?.name ?? "")
      }
      guard !hasColumn else { throw Surroundings.isUncertain }
      return planner.select.text(tokens)
    }
  }
}
