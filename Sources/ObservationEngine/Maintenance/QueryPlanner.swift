/// A query that can be maintained: its plans, and what of the rows of its tables must be known.
struct PlannedQuery: Sendable {
  let sql: String
  /// Those of its SELECTs; for most queries one.
  let plans: [MaintenancePlan]
  /// Those of the scalar subqueries that parameters stand for, each of one column.
  let scalars: [MaintenancePlan]
  /// What stands between the SELECTs.
  let operators: CompoundQuery.Operators
  /// Whether SQLite merges what the SELECTs return, in an order; otherwise they follow each other.
  let isSorted: Bool
  let parameters: [Value]
  /// The columns that no plan has, because they follow from the places of the lines.
  let ranking: Ranking?
  /// How many columns each of its ``Ranking/functions`` stands for.
  let widths: [Int]
  /// What SQLite evaluates over the lines of its only plan.
  let surroundings: Surroundings?
  /// What any of the plans reads, each table once.
  let tables: [MaintainedTable]
  /// What the query reads of each table.
  let parts: [Region.Part]
  /// The columns that it reads, by their places in each table; in the order in which changed rows have them.
  let places: [[Int]]
  /// The names of the columns of its result.
  let columns: [String]
  /// Of the schema that it was made for.
  let schemaVersion: Int64?
  /// The query with parameters in place of its moments.
  let wholeText: String

  /// The SQL of the moments that its state is as of.
  var moments: [String] { plans[0].moments }

  /// The query plan from which sums follow, where a state has the rows that are added up in order.
  let visitingPlan: [VisitingOrder.Step]?
  /// The query plan from which it follows how rows come that are tied, or which of them LIMIT takes in a part; `nil` when neither
  /// is known.
  let tiePlan: [VisitingOrder.Step]?

  /// Whether a term of a WHERE can fail.
  var hasFailingTerms: Bool { (plans + scalars).contains { !$0.sources.root.failingTerms.isEmpty } }

  /// Whether sums are exact as long as not too many rows have come: ``Dependencies/Rule/mostRows``.
  var limitsRowCount: Bool { (plans + scalars).contains(where: \.limitsRowCount) }

  /// What must be known of the changes of its tables.
  var interests: [(table: TableID, columns: Set<String>)] {
    tables.indices.filter { !tables[$0].isPart }.map { index in
      let table = tables[index]
      return (table.id, Set(places[index].map { table.columns[$0].foldedName }))
    }
  }

  /// What LIMIT and OFFSET say.
  ///
  /// - Throws: ``NotMaintainable`` when they are no integers.
  func bounds() throws -> (first: Int, end: Int?) { try bounds(of: plans[0]) }

  /// What they say of the only row of a scalar subquery.
  ///
  /// - Throws: ``NotMaintainable`` when they are no integers.
  func bounds(ofScalar plan: MaintenancePlan) throws -> (first: Int, end: Int?) {
    let (first, end) = try bounds(of: plan)
    return (first, min(end ?? .max, first == .max ? first : first + 1))
  }

  private func bounds(of plan: MaintenancePlan) throws -> (first: Int, end: Int?) {
    let offset = try max(0, plan.offset.map { try number($0) } ?? 0)
    guard let limit = try plan.limit.map({ try number($0) }), limit >= 0 else {
      return (offset, nil)
    }
    return (offset, MaintenancePlan.end(of: limit, from: offset))
  }

  private func number(_ bound: SelectText.Bound) throws -> Int {
    switch bound {
    case .number(let number): return number
    case .parameter(let index):
      guard index <= parameters.count, case .integer(let number) = parameters[index - 1] else {
        throw NotMaintainable("its LIMIT is no integer")
      }
      return Int(number)
    }
  }

  /// What a commit did to the rows that matter to the query.
  func change(_ changeset: Changeset) -> PendingChanges.Change {
    if let reason = changeset.everythingReason { return .unknown(reason: reason) }
    if changeset.mayHoldOthersRows { return .unknown(reason: "two commits can't be told apart") }
    var rows: [PendingChanges.Row] = []
    for index in parts.indices {
      switch changeset[tables[index].id] {
      case nil: break
      case .bulk(let reason)?: return .unknown(reason: reason)
      case .rows(let difference)?:
        guard difference.affects(parts[index]) else { continue }
        guard append(difference, of: index, to: &rows) else {
          return .unknown(reason: "its changed rows aren't known")
        }
      }
    }
    return .rows(rows)
  }

  /// At most so many rows that matter to the query are in a commit, as far as they are known.
  ///
  /// - Complexity: O(tables of the query).
  func mostRows(in changeset: Changeset) -> Int {
    parts.indices.reduce(0) { sum, index in
      guard case .rows(let difference)? = changeset[tables[index].id] else {
        return sum
      }
      return sum + difference.entries.count
    }
  }

  private func append(
    _ difference: RowDifference, of index: Int, to rows: inout [PendingChanges.Row]
  ) -> Bool {
    // Rows without their computed columns aren't handed on as rows; the query may read no such column.
    guard difference.interest.wantsRows || !difference.entries.isEmpty,
      difference.interest.rowids == nil
    else { return false }
    let table = tables[index]
    let folded = difference.columns.map(\.asciiLowercased)
    var indexes: [Int] = []
    for place in places[index] {
      guard let index = folded.firstIndex(of: table.columns[place].foldedName) else { return false }
      indexes.append(index)
    }
    rows.reserveCapacity(rows.count + difference.entries.count)
    for entry in difference.entries {
      switch (entry.key, table.keyPlaces.isEmpty) {
      case (.rowid, true), (.primaryKey, false): break
      default: return false
      }
      rows.append(
        PendingChanges.Row(
          table: index, key: entry.key, old: entry.old.map { old in indexes.map { old[$0] } },
          new: entry.new.map { new in indexes.map { new[$0] } }))
    }
    return true
  }
}

extension PlannedQuery {
  /// Plans a query as it is prepared on `connection`, in its open transaction.
  ///
  /// - Parameter keepsOrder: Whether its state is to have the rows that are added up, in the order in which SQLite visits them. It
  ///   has these wherever an aggregate depends on that order.
  /// - Throws: ``NotMaintainable``; `DatabaseError` when the query or the schema can't be read.
  /// - Complexity: A few statements that read the schema.
  init(_ key: QueryKey, keepsOrder: Bool = false, on connection: Connection) throws {
    try NotMaintainable.checkQuotes(key.sql, connection)
    try NotMaintainable.checkCollations(key.sql, connection)
    var planned = try Self.planned(key, keepsOrder, connection)
    if planned.lacksOrder, !keepsOrder { planned = try Self.planned(key, true, connection) }
    guard !planned.lacksOrder else {
      throw NotMaintainable("the order of the rows that it collects isn't known")
    }
    self = planned
  }

  private var lacksOrder: Bool { (plans + scalars).contains(where: \.lacksOrder) }

  private static func planned(
    _ key: QueryKey, _ keepsOrder: Bool, _ connection: Connection
  ) throws -> PlannedQuery {
    do {
      let compound = try SelectText.combined(in: key.sql)
      let (plans, scalars) = try plans(of: key, compound, keepsOrder: keepsOrder, connection)
      return try PlannedQuery(
        key, compound, plans: plans, scalars: scalars, surroundings: nil, connection)
    } catch let refusal as NotMaintainable {
      // Arguments can decide the plan, and so the order of the groups.
      guard key.arguments.isEmpty else { throw refusal }
      for candidate in Surroundings.candidates(in: key.sql, connection) {
        do {
          if let query = try surrounded(candidate(), key, keepsOrder, connection) { return query }
        } catch is NotMaintainable {
          // Then it is refused for what the query itself is refused for.
        }
      }
      throw refusal
    }
  }

  private static func surrounded(
    _ found: Surroundings.Found?, _ key: QueryKey, _ keepsOrder: Bool, _ connection: Connection
  ) throws -> PlannedQuery? {
    guard let found else { return nil }
    let compound = CompoundQuery(
      selects: [found.groups], operators: try CompoundQuery.Operators([]))
    let plan = try plan(of: key, found, keepsOrder: keepsOrder, connection)
    let query = try PlannedQuery(
      key, compound, plans: [plan], scalars: [], surroundings: found.surroundings, connection)
    try found.surroundings.check(
      columnCount: query.columns.count, query.tiePlan ?? [], plan.sources, connection)
    return query
  }

  private init(
    _ key: QueryKey, _ compound: CompoundQuery, plans: [MaintenancePlan],
    scalars: [MaintenancePlan], surroundings: Surroundings?, _ connection: Connection
  ) throws {
    let selects = compound.selects
    operators = compound.operators
    (self.plans, self.scalars, ranking) = (plans, scalars, compound.ranking)
    self.surroundings = surroundings
    widths = try compound.widths(plans[0].sources)
    visitingPlan = (plans + scalars).lazy.compactMap(\.visitingPlan).first
    tiePlan =
      try surroundings.map { _ in try Self.steps(of: key, connection) }
      ?? plans.lazy.compactMap { $0.tiePlan ?? $0.partTiePlan }.first
    isSorted = !selects[0].order.isEmpty || operators.makesSet
    tables = plans[plans.count - 1].sources.tables
    sql = key.sql
    schemaVersion = connection.schemaState.versions?["main"]
    let (region, names, columns) = try connection.withoutRecording {
      try connection.withCachedStatement(key.sql, key.arguments) {
        ($0.region(with: key.arguments), $0.parameterNames, $0.columnNames)
      }
    }
    self.columns = columns
    parameters = try key.arguments.values(ofParameters: names, sql: key.sql)
    wholeText = selects[0].wholeText
    // What its moments don't explain.
    let calls = SQLTokenizer.tokens(of: wholeText).compactMap(\.name?.asciiLowercased)
    let rest = QueryShape.timeDependence([wholeText], functions: Set(calls))
    if let reason = plans[0].moments.isEmpty
      ? region.timeDependence : rest.reason(arguments: key.arguments)
    {
      throw NotMaintainable("it depends on \(reason)")
    }
    guard !region.isFull, region.declarations.isEmpty,
      Set(region.parts.keys.filter { connection.catalog.viewDefinition($0) == nil })
        == Set(tables.filter { !$0.isPart }.map(\.id))
    else { throw NotMaintainable("it reads more than its tables") }
    var parts = tables.map { region.parts[$0.id] ?? Region.Part() }
    // The order depends on all columns of the trees.
    for (place, columns) in (plans + scalars).flatMap(\.visitedColumns) {
      let table = tables[place]
      parts[place].columns.formUnion(columns.map { table.columns[$0].foldedName })
    }
    self.parts = parts
    places = zip(tables, parts).map { table, part in
      table.columns.indices.filter {
        table.isPart || part.columns.contains(table.columns[$0].foldedName)
          || table.keyPlaces.contains($0)
      }
    }
    for (table, places) in zip(tables, places) {
      if let place = places.first(where: { table.columns[$0].collation == nil }) {
        throw NotMaintainable("\(table.columns[place].name) isn't compared by BINARY or NOCASE")
      }
      if let place = table.keyPlaces.first(where: {
        table.columns[$0].collation != .binary || !table.isKeyBinary
      }) {
        throw NotMaintainable("\(table.columns[place].name) is a key that isn't compared by BINARY")
      }
      if let column = places.lazy.map({ table.columns[$0] }).first(where: \.isComputed) {
        guard try Self.canCompute(table, connection) else {
          throw NotMaintainable("\(column.name) is computed when it is read")
        }
        // A value that was just computed can be marked as JSON, one of a changed row can't.
        let words = (plans + scalars).reduce(into: Set(calls)) { $0.formUnion($1.sources.words) }
        if !words.isDisjoint(with: Self.nesting) {
          throw NotMaintainable(
            "\(column.name) is computed when it is read, and may be JSON in JSON")
        }
      }
    }
    for (number, plan) in plans.enumerated() {
      try NotMaintainable.naming(number, of: plans.count) {
        try Self.check(
          plan,
          columnCount: surroundings.map { $0.lines.columns.count }
            ?? columns.count - (ranking?.count ?? 0), connection)
      }
    }
    for plan in scalars { try Self.check(plan, columnCount: 1, connection) }
    let ranks = (ranking?.functions ?? []).compactMap { $0?.rawValue }
    try Self.checkFunctions(Set(ranks).union(surroundings?.calls ?? []), connection)
    guard try connection.fetch(engine: "PRAGMA encoding").first?.first == .text("UTF-8") else {
      throw NotMaintainable("its texts are stored as UTF-16")
    }
    _ = try bounds()
    for plan in scalars { _ = try bounds(ofScalar: plan) }
  }

  /// The functions that treat an argument otherwise when another function marked it as JSON: see "Interface Overview" in
  /// https://www.sqlite.org/json1.html
  private static let nesting = Set(
    [
      "array", "array_insert", "group_array", "group_object", "insert", "object", "quote",
      "replace", "set",
    ].flatMap { ["json_" + $0, "jsonb_" + $0] })

  /// Whether the rows that commits changed have the columns that are computed when they are read.
  private static func canCompute(
    _ table: MaintainedTable, _ connection: Connection
  ) throws -> Bool {
    let declared = try SchemaReader(connection).columns(of: table.name, in: table.id.schema)
    guard let declaration = try ComputedColumns.Declaration(of: table.name, declared, connection)
    else { return false }
    return (try? ComputedColumns(declaration)) != nil
  }

  private static func check(
    _ plan: MaintenancePlan, columnCount: Int, _ connection: Connection
  ) throws {
    let known = Set(plan.sources.read.flatMap { $0.columns.map(\.foldedName) })
      .union(plan.sources.seriesColumns)
    guard plan.timeColumns.isSubset(of: known),
      plan.timeColumns.isDisjoint(with: plan.sources.computedNames)
    else { throw NotMaintainable("a time that is computed") }
    guard columnCount == plan.outputCount else {
      throw NotMaintainable("its columns aren't recognised")
    }
    try checkFunctions(plan.sources.calls, connection)
  }

  /// The plans of the SELECTs, and those of the scalar subqueries that they depend on.
  ///
  /// Where a scalar subquery is used in another way than a state can follow, it stays what it is: a part of the SQL.
  private static func plans(
    of key: QueryKey, _ compound: CompoundQuery, keepsOrder: Bool, _ connection: Connection
  ) throws -> (plans: [MaintenancePlan], scalars: [MaintenancePlan]) {
    let places = try compound.valueSubqueries().filter { place in
      do {
        return try connection.withEngineStatement(compound.alone(place)) { _ in true }
      } catch {
        // It names what is around it.
        return false
      }
    }
    guard !places.isEmpty else {
      return (try plans(of: key, compound, after: [], keepsOrder: keepsOrder, connection), [])
    }
    do {
      let compound = try SelectText.combined(in: key.sql, takingOut: places)
      let scalars = try scalarPlans(of: key, compound, keepsOrder: keepsOrder, connection)
      let plans = try plans(
        of: key, compound, after: scalars, keepsOrder: keepsOrder, connection)
      // A column around it that is called so goes before the word.
      let words = ["true", "false"]
      guard
        !compound.scalars.contains(where: {
          $0.tokens.contains { words.contains($0.name?.asciiLowercased ?? "") }
        })
          || plans.allSatisfy({ plan in
            !plan.sources.tables.contains { $0.columns.contains { words.contains($0.foldedName) } }
          })
      else { throw NotMaintainable("a column that is named as a truth value") }
      return (plans, scalars)
    } catch let refusal as NotMaintainable {
      guard compound.selects.allSatisfy({ !$0.from.isEmpty }) else { throw refusal }
      return (try plans(of: key, compound, after: [], keepsOrder: keepsOrder, connection), [])
    }
  }

  private static func scalarPlans(
    of key: QueryKey, _ compound: CompoundQuery, keepsOrder: Bool, _ connection: Connection
  ) throws -> [MaintenancePlan] {
    var plans: [MaintenancePlan] = []
    for (number, select) in compound.scalars.enumerated() {
      let plan = try NotMaintainable.at(select.tokens) {
        var sources = try QuerySources(
          select, after: plans.last?.sources.tables ?? [], connection)
        try keepOrder(keepsOrder, in: &sources, of: key, connection)
        try sources.checkIsValue(of: select, isCompared: !compound.returns(scalar: number))
        let plan = try MaintenancePlan(select, sources, isScalar: true)
        guard keepsOrder, !plan.summands.isEmpty else { return plan }
        return try MaintenancePlan(
          select, sources,
          visiting: visiting(
            key, of: .scalar(number), sources, connection, scalarCount: compound.scalars.count),
          addsUpInOrder: true)
      }
      plans.append(plan)
    }
    return plans
  }

  private static func plans(
    of key: QueryKey, _ compound: CompoundQuery, after scalars: [MaintenancePlan], keepsOrder: Bool,
    _ connection: Connection
  ) throws -> [MaintenancePlan] {
    let selects = compound.selects
    let others = scalars.last?.sources.tables ?? []
    let words = scalars.flatMap(\.sources.words)
    var sources: [QuerySources] = []
    for (number, select) in selects.enumerated() {
      try NotMaintainable.naming(number, of: selects.count) {
        sources.append(
          try QuerySources(select, after: sources.last?.tables ?? others, connection))
        try keepOrder(keepsOrder, in: &sources[number], of: key, connection)
      }
    }
    try NotMaintainable.checkSpelling(
      NotMaintainable.words(of: key.sql) + words + sources.flatMap(\.words))
    // One SELECT can be sorted by anything, several by columns of the first.
    var order = selects.count > 1 ? try sources[0].positions(selects[0]) : selects[0].order
    if order.isEmpty, compound.operators.makesSet {
      guard try connection.sortsSets(key.sql) else {
        throw NotMaintainable("its rows have no order: add ORDER BY")
      }
      order = try sources[0].allPositions(selects[0])
    }
    let ranking = compound.ranking
    // SQLite can take their SELECTs for some of the statement's own.
    let hasUnions = sources.contains { !$0.unions.isEmpty }
    let plans = try selects.indices.map { number in
      try NotMaintainable.naming(number, of: selects.count) {
        let (select, sources) = (selects[number].sorted(by: order), sources[number])
        func place() throws -> VisitingOrder.Step.Place {
          guard selects.count == 1 || !hasUnions else {
            throw VisitingOrder.unknown("UNION ALL in FROM")
          }
          guard ranking != nil else { return .select(number) }
          guard let place = Ranking.place(in: try steps(of: key, connection)) else {
            throw VisitingOrder.unknown("its window functions")
          }
          return place
        }
        func visits() throws -> VisitingOrder {
          guard !compound.operators.makesSet else {
            throw VisitingOrder.unknown("several SELECTs make a set")
          }
          return try visiting(key, of: place(), sources, connection)
        }
        // Several that are sorted are merged, which leaves ties in an order of its own. So do window functions.
        let hasOwnTies =
          (selects.count == 1 || order.isEmpty) && sources.partitions == nil
          && ranking?.isOfWindowAlone != false
        let isTotal = ranking?.isSorted != false && sources.isTotal(select)
        guard select.isGrouped else {
          let order = hasOwnTies && !isTotal ? try ifKnown(visits) : nil
          return try ranked(
            MaintenancePlan(select, sources, visiting: order), by: ranking, select)
        }
        let groups =
          hasOwnTies
          ? try ifKnown {
            try GroupOrder(steps(of: key, connection), of: place(), select, sources, visits)
          } ?? nil : nil
        return try ranked(
          plan(select, sources, groups, keepsOrder: keepsOrder, visits), by: ranking, select)
      }
    }
    // The first one that has a collation decides how SQLite compares the rows of all.
    guard
      plans.count == 1
        || plans.allSatisfy({
          !$0.foldsKeys && !(compound.operators.makesSet && $0.hasCollatedOutputs)
        }) && order.allSatisfy({ $0.collation == nil })
    else { throw NotMaintainable("several SELECTs of texts that aren't compared by BINARY") }
    return plans
  }

  private static func ranked(
    _ plan: MaintenancePlan, by ranking: Ranking?, _ select: SelectText
  ) throws -> MaintenancePlan {
    guard let ranking else { return plan }
    let starred = try select.outputs.filter(\.isStar).flatMap { try plan.sources.columns($0) }
    if let column = starred.first(where: { ranking.names.contains($0.name.asciiLowercased) }) {
      throw NotMaintainable("it sorts by \(column.name), which several columns are named")
    }
    guard plan.sources.looseness == .none else {
      throw NotMaintainable("a window function, and an equation of values of different types")
    }
    guard !ranking.isSorted else { return plan }
    guard plan.tiePlan != nil else {
      throw NotMaintainable("its rows have no order: add ORDER BY")
    }
    return plan.unsorted
  }

  /// The plan of groups around which SQLite evaluates the rest.
  private static func plan(
    of key: QueryKey, _ found: Surroundings.Found, keepsOrder: Bool, _ connection: Connection
  ) throws -> MaintenancePlan {
    var (groups, sources) = (found.groups, found.sources)
    try keepOrder(keepsOrder, in: &sources, of: key, connection)
    try NotMaintainable.checkSpelling(NotMaintainable.words(of: key.sql) + sources.words)
    let isUncertain = NotMaintainable("groups whose order isn't certain")
    guard sources.looseness == .none, sources.partitions == nil else { throw isUncertain }
    let steps = try steps(of: key, connection)
    guard let place = VisitingOrder.place(of: sources, in: steps) else { throw isUncertain }
    func visits() throws -> VisitingOrder { try visiting(key, of: place, sources, connection) }
    let order = try GroupOrder(
      steps, of: place, groups.sorted(by: found.order), sources, visits)
    guard order != nil || groups.groups.isEmpty else { throw isUncertain }
    let plan = try plan(groups, sources, order, keepsOrder: keepsOrder, visits)
    do {
      try connection.withEngineStatement(plan.stateSQL(count: nil)) { _ in }
    } catch {
      guard error.code.primary == .error else { throw error }
      // By itself the SELECT doesn't compile: it refers to what is around it.
      throw isUncertain
    }
    return plan
  }

  /// - Parameter visits: In which order SQLite visits the rows of the groups.
  private static func plan(
    _ select: SelectText, _ sources: QuerySources, _ groups: GroupOrder?, keepsOrder: Bool,
    _ visits: () throws -> VisitingOrder
  ) throws -> MaintenancePlan {
    let plan = try MaintenancePlan(select, sources, groupOrder: groups)
    let addsUp = keepsOrder && !plan.summands.isEmpty
    guard addsUp || plan.carriesColumns else { return plan }
    // Where columns alone are carried, it isn't certain without the order which ones, if rows are tied.
    let order = addsUp ? try NotMaintainable.at(select.firstInOrder, visits) : try ifKnown(visits)
    return try MaintenancePlan(
      select, sources, visiting: order, addsUpInOrder: addsUp, groupOrder: groups)
  }

  /// - Returns: `nil` when an order isn't known.
  private static func ifKnown<Order>(_ order: () throws -> Order) throws -> Order? {
    do { return try order() } catch is NotMaintainable { return nil }
  }

  private static func keepOrder(
    _ keepsOrder: Bool, in sources: inout QuerySources, of key: QueryKey, _ connection: Connection
  ) throws {
    try sources.keepOrder(keepsOrder) { part, inner in
      try ifKnown {
        let plan = try steps(of: key, connection)
        guard let place = part.place(in: plan) else {
          throw VisitingOrder.unknown("a SELECT in FROM without a name")
        }
        func visits() throws -> VisitingOrder { try visiting(key, of: place, inner, connection) }
        let groups = try ifKnown { try GroupOrder(plan, of: place, part.select, inner, visits) }
        return (try ifKnown(visits), groups ?? nil)
      } ?? (nil, nil)
    }
  }

  /// The order in which SQLite visits the rows of one of the SELECTs.
  ///
  /// - Parameter scalarCount: How many scalar subqueries there are, if it is one.
  private static func visiting(
    _ key: QueryKey, of place: VisitingOrder.Step.Place, _ sources: QuerySources,
    _ connection: Connection, scalarCount: Int? = nil
  ) throws -> VisitingOrder {
    let plan = try steps(of: key, connection)
    var parts: [Int: VisitingOrder.Part] = [:]
    for part in sources.parts {
      parts[part.table] = try order(of: part, key, plan, connection)
    }
    for part in sources.series {
      guard case .part(let name)? = part.place(in: plan) else { continue }
      let place = part.series.columns.count
      parts[part.table] = VisitingOrder.Part(
        name: name, columns: [.init(name: "\"c\(place)\"", place: place, isDescending: false)])
    }
    if let scalarCount {
      // Otherwise it isn't certain which is which.
      let found = Set(
        plan.compactMap { if case .scalar(let number)? = $0.place { number } else { nil } })
      guard found.count == scalarCount else {
        throw VisitingOrder.unknown("its SELECTs in expressions")
      }
    }
    guard var backwards = try connection.treesReadBackwards(key.sql) else {
      throw VisitingOrder.unknown("it reads backwards")
    }
    // Each is read once: those of a part are known in its own order.
    for part in sources.parts {
      backwards.subtract((part.plan.visiting?.loops ?? []).compactMap(\.tree))
    }
    return try VisitingOrder(
      plan, of: place, sources,
      automatic: plan.contains { $0.text.includes(" USING AUTOMATIC ") }
        ? connection.automaticIndexes(key.sql) : [:],
      backwards: backwards, parts: parts)
  }

  /// The order in which the rows of a SELECT in FROM come: with LIMIT as it sorts them, otherwise by what its groups are
  /// grouped by, if it returns that.
  private static func order(
    of part: QuerySources.StatePart, _ key: QueryKey, _ plan: [VisitingOrder.Step],
    _ connection: Connection
  ) throws -> VisitingOrder.Part? {
    guard let place = part.place(in: plan), case .part(let name) = place else { return nil }
    if part.plan.limit != nil {
      guard part.plan.tiePlan != nil else { return nil }
      return VisitingOrder.Part(
        name: name,
        columns: part.plan.isDescending.enumerated().map { number, isDescending in
          let place = part.columns.count + number
          return .init(name: "\"c\(place)\"", place: place, isDescending: isDescending)
        })
    }
    // SQLite sorts it, although the SELECT around it has no such order.
    guard part.select.order.isEmpty else { return nil }
    let groups = try ifKnown {
      try GroupOrder(plan, of: place, part.select, part.plan.sources) {
        try visiting(key, of: place, part.plan.sources, connection)
      }
    }
    guard let isDescending = groups??.isDescending, case .groups(let shape) = part.plan.shape else {
      return nil
    }
    var columns: [VisitingOrder.Column] = []
    for (number, isDescending) in isDescending.enumerated() {
      guard let place = shape.outputs.firstIndex(of: .key(number)) else { return nil }
      columns.append(
        .init(
          name: "\"c\(place)\"", place: place, isDescending: isDescending,
          collation: shape.keyCollations[number]))
    }
    return VisitingOrder.Part(name: name, columns: columns)
  }

  /// The query plan, if an order follows from it.
  private static func steps(
    of key: QueryKey, _ connection: Connection
  ) throws -> [VisitingOrder.Step] {
    // What a parameter is bound to can decide the plan.
    guard key.arguments.isEmpty else { throw VisitingOrder.unknown("it has parameters") }
    return try connection.queryPlan(of: key.sql)
  }

  /// A connection may have functions of its own under the names of SQLite's.
  private static func checkFunctions(
    _ calls: Set<String>, _ connection: Connection
  ) throws {
    guard !calls.isEmpty else { return }
    let own = try connection.fetch(
      engine: "SELECT DISTINCT lower(name) FROM pragma_function_list WHERE NOT builtin")
    for case .text(let name)? in own.map(\.first) where calls.contains(name) {
      throw NotMaintainable("\(name)() isn't SQLite's own here")
    }
  }
}

extension NotMaintainable {
  /// Checks that nothing in double quotes is a text in one SELECT, and in another one that is made of it the name of a
  /// column; or the reverse.
  ///
  /// - Throws: ``NotMaintainable``.
  static func checkQuotes(_ sql: String, _ connection: Connection) throws(NotMaintainable) {
    guard connection.allowsQuotedStrings, sql.utf8.contains(UInt8(ascii: "\"")) else { return }
    throw NotMaintainable("double quotes, which can be texts in this file")
  }

  /// Checks that COLLATE names no collation of the app that has the name of one of SQLite's.
  ///
  /// - Throws: ``NotMaintainable``.
  static func checkCollations(_ sql: String, _ connection: Connection) throws(NotMaintainable) {
    guard connection.options.collations.contains(where: { Collation(named: $0.name) != nil }),
      SQLTokenizer.tokens(of: sql).contains(where: { $0.isWord("collate") })
    else { return }
    throw NotMaintainable("COLLATE, where SQLite's own collations have been replaced")
  }

  /// The words and texts of a statement, as planning compares them.
  static func words(of sql: String) -> [String] {
    SQLTokenizer.tokens(of: sql).flatMap { token in
      let words = [token.text] + (token.name.map { [$0] } ?? [])
      return words + words.map(\.asciiLowercased)
    }
  }

  /// Checks that planning, which compares as Swift does, doesn't take two words for one.
  ///
  /// - Throws: ``NotMaintainable``.
  static func checkSpelling(_ words: [String]) throws(NotMaintainable) {
    guard !words.hasEquivalents else {
      throw NotMaintainable("two of its words that differ only in how Unicode spells them")
    }
    // To Swift it belongs to what stands before it: `=` becomes another sign.
    let accents = words.compactMap(\.unicodeScalars.first).filter {
      $0.properties.canonicalCombiningClass != .notReordered
    }
    guard accents.isEmpty else { throw NotMaintainable("a name that begins with an accent") }
  }
}

extension Connection {
  /// Whether SQLite collects what several SELECTs return in a b-tree of all columns, or merges it by them: then the rows
  /// are sorted by the first column, then the second, and so on, without ORDER BY.
  fileprivate func sortsSets(_ sql: String) throws(DatabaseError) -> Bool {
    try queryPlan(of: sql).contains { step in
      step.text.hasSuffix(" USING TEMP B-TREE") || step.text.hasPrefix("MERGE (")
    }
  }
}
