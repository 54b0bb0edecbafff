/// Reads what maintaining a SELECT needs, on one connection.
struct StateReader {
  let connection: Connection
  let plan: MaintenancePlan
  /// The values of the query's parameters, in their order, of its moments, and of its scalar subqueries.
  let parameters: [Value]

  init(_ connection: Connection, _ plan: MaintenancePlan, _ parameters: [Value]) {
    self.connection = connection
    self.plan = plan
    self.parameters = parameters
  }

  /// The moments of a query at the present time.
  static func moments(_ query: PlannedQuery, _ connection: Connection) throws -> [Value] {
    guard !query.moments.isEmpty else { return [] }
    let sql = "SELECT \(query.moments.joined(separator: ", "))"
    return try connection.withEngineStatement(sql) { statement throws(DatabaseError) in
      for (index, value) in query.parameters.enumerated()
      where index < statement.parameterNames.count {
        try statement.bind(value, at: Int32(index + 1))
      }
      _ = try statement.step()
      return statement.row
    }
  }

  /// Brings a state up to date.
  ///
  /// - Parameter places: Where the values of a changed row stand among the columns of its table, by table.
  /// - Returns: Whether any line of the result differs.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite.
  /// - Complexity: O(rows), and what SQLite takes to join them.
  func apply(
    _ rows: [PendingChanges.Row], places: [[Int]], to state: inout QueryState
  ) throws -> Bool {
    var deltas: [Int: DeltaTable] = [:]
    defer { for delta in deltas.values { delta.rows = [] } }
    let rows = rows + (try applyParts(rows, places, to: &state))
    for row in rows where plan.sources.leaves.contains(row.table) {
      let delta: DeltaTable
      if let known = deltas[row.table] {
        delta = known
      } else {
        delta = try self.delta(row.table)
        deltas[row.table] = delta
      }
      try append(row.old, -1, row, places[row.table], to: delta)
      try append(row.new, 1, row, places[row.table], to: delta)
    }
    let changed = plan.sources.leaves.indices.filter { deltas[plan.sources.leaves[$0]] != nil }
    guard !changed.isEmpty else { return false }
    let others = try giveParts(state, besides: changed)
    defer { for table in others { table.rows = [] } }
    switch plan.method {
    case .terms: return try state.apply(try terms(changed), finish, addingUp: addUp)
    case .counted(let join):
      return try apply(join, found: terms(changed), alone: alone(join, changed), to: &state)
    case .owner(let owner): return try applyOwners(owner, changed, &deltas, to: &state)
    case .partitions(let partitions): return try apply(partitions, changed, to: &state)
    }
  }

  /// Brings the states of the parts up to date.
  ///
  /// - Returns: The rows of the parts that changed.
  private func applyParts(
    _ rows: [PendingChanges.Row], _ places: [[Int]], to state: inout QueryState
  ) throws -> [PendingChanges.Row] {
    var found: [PendingChanges.Row] = []
    for (index, part) in plan.sources.parts.enumerated() {
      let own = rows.compactMap { row in
        part.tables[row.table].map {
          PendingChanges.Row(table: $0, key: row.key, old: row.old, new: row.new)
        }
      }
      guard !own.isEmpty else { continue }
      var inner = part.plan.sources.tables.map { Array($0.columns.indices) }
      for (outer, place) in part.tables { inner[place] = places[outer] }
      _ = try StateReader(connection, part.plan, parameters).apply(
        own, places: inner, to: &state.parts[index])
      found += self.rows(state.parts[index].takeChanges(), of: part.table)
    }
    return found
  }

  /// Gives SQL all rows of the parts to read.
  ///
  /// - Parameter changed: The leaves that changed, if changed rows stand for one of them in all that is read.
  /// - Returns: The tables that have them.
  /// - Complexity: O(rows of the parts that are read).
  private func giveParts(_ state: QueryState, besides changed: [Int] = []) throws -> [DeltaTable] {
    func isRead(_ table: Int) -> Bool {
      // What changed alone is read as changed rows alone.
      guard case .terms = plan.method, changed.count == 1 else { return true }
      return plan.sources.leaves[changed[0]] != table
    }
    let parts = zip(plan.sources.parts, state.parts).filter { isRead($0.0.table) }
      .map { ($0.table, $1.partRows) }
    let series = plan.sources.series.enumerated().filter { isRead($1.table) }
      .map { ($1.table, state.rows(ofSeries: $0)) }
    return try (parts + series).map { table, rows in
      let table = plan.sources.tables[table]
      let whole = try connection.deltaTable(of: table.allRowsID, table.deltaColumns, size: .large)
      guard let all = whole else {
        throw NotMaintainable("the schema has a table of the name of a part")
      }
      all.rows = rows
      return all
    }
  }

  /// Evaluates the rows of the owner again that the deltas concern.
  private func applyOwners(
    _ owner: MaintenancePlan.Owner, _ changed: [Int], _ deltas: inout [Int: DeltaTable],
    to state: inout QueryState
  ) throws -> Bool {
    let table = plan.sources.leaves[owner.leaf]
    let delta = try deltas[table] ?? self.delta(table)
    deltas[table] = delta
    let owners = try self.owners(owner, changed, delta)
    let facts = plan.sources.tables[table]
    delta.rows = owners.map { owner in
      var values = [Value](repeating: .null, count: facts.columns.count)
      for (place, key) in zip(facts.keyPlaces, owner) { values[place] = key }
      let rowid: Int64 =
        if facts.keyPlaces.isEmpty, case .integer(let id)? = owner.first { id } else { 0 }
      return DeltaTable.Row(weight: 0, rowid: rowid, values: values)
    }
    var evaluated: [QueryState.EvaluatedRow] = []
    try forEachRow(owner.sql, reading: readable, count: plan.columnCount) { evaluated.append($0) }
    return try state.replace(owners, with: evaluated, finish, addingUp: addUp)
  }

  /// Applies what a counted LEFT JOIN finds more or less.
  ///
  /// - Parameters:
  ///   - found: What comes and goes of the inner join.
  ///   - alone: What comes and goes of the rows before it, as if it found nothing for them.
  private func apply(
    _ join: MaintenancePlan.CountedJoin, found: [QueryState.EvaluatedRow],
    alone: [QueryState.EvaluatedRow], to state: inout QueryState
  ) throws -> Bool {
    func keys(_ row: QueryState.EvaluatedRow) -> ArraySlice<Value> {
      row[(join.places.lowerBound + 1)..<(join.places.upperBound + 1)]
    }
    var changes: [ArraySlice<Value>: Int64] = [:]
    for row in found { changes[keys(row), default: 0] += QueryState.weight(of: row) }
    let before = changes.keys.reduce(into: [:]) { $0[$1] = state.matches(of: $1) }
    for (keys, change) in changes where change != 0 { try state.note(matches: change, of: keys) }
    var rows = found
    for row in alone {
      let keys = keys(row)
      let count =
        QueryState.weight(of: row) < 0
        ? before[keys] ?? state.matches(of: keys) : state.matches(of: keys)
      if count == 0 { rows.append(row) }
    }
    // Those that are what they were, and for which it has found the first row, or none any longer.
    let known = Set(alone.map(keys))
    let others = before.filter { keys, count in
      (count == 0) != (state.matches(of: keys) == 0) && !known.contains(keys)
    }
    if !others.isEmpty {
      let table = try self.keys(Array(others.keys), count: join.places.count)
      defer { table.rows = [] }
      try forEachRow(
        join.keyedSQL, reading: readable.union([TableID(name: table.name)]), count: plan.columnCount
      ) { row in
        let isGone = others[keys(row)] == 0
        rows.append([isGone ? -1 : 1] + row.dropFirst())
      }
    }
    return try state.apply(rows, finish, addingUp: addUp)
  }

  /// What comes and goes of the rows before a counted LEFT JOIN, as if that found nothing for them.
  private func alone(
    _ join: MaintenancePlan.CountedJoin, _ changed: [Int]
  ) throws -> [QueryState.EvaluatedRow] {
    // SQL names its table.
    _ = try delta(plan.sources.leaves[join.leaf])
    let changed = changed.filter { $0 != join.leaf }
    var evaluated: [QueryState.EvaluatedRow] = []
    for leaves in try sets(of: changed) {
      try forEachRow(plan.aloneSQL(leaves, join), reading: readable, count: plan.columnCount) {
        evaluated.append($0)
      }
    }
    return Self.consolidated(evaluated)
  }

  /// Evaluates the partitions again to which changed rows belong, or did.
  private func apply(
    _ partitions: MaintenancePlan.Partitions, _ changed: [Int], to state: inout QueryState
  ) throws -> Bool {
    let count = partitions.places.count
    var keys: Set<ArraySlice<Value>> = []
    for leaves in try sets(of: changed) {
      try forEachRow(plan.deltaSQL(leaves), reading: readable, count: count) { key in
        guard key.allSatisfy({ $0 != .null }) else {
          throw NotMaintainable("what changed is in a partition of NULL")
        }
        try QueryState.checkPartition(key)
        keys.insert(key[...])
        guard keys.count <= PendingChanges.rowLimit else {
          throw NotMaintainable("what changed concerns too many rows")
        }
      }
    }
    guard !keys.isEmpty else { return false }
    guard let table = try connection.deltaTable(of: partitions.table, Self.columns(count)) else {
      throw NotMaintainable("the schema has a table of the name of the partitions")
    }
    table.rows = keys.map { DeltaTable.Row(weight: 0, rowid: 0, values: Array($0)) }
    defer { table.rows = [] }
    var evaluated: [QueryState.EvaluatedRow] = []
    try forEachRow(
      partitions.sql, reading: readable.union([TableID(name: table.name)]), count: plan.columnCount
    ) { evaluated.append($0) }
    return try state.replace(keys, with: evaluated, finish, addingUp: addUp)
  }

  /// Brings a state from the moments and scalar subqueries of this reader to those of a later one, in the same snapshot.
  ///
  /// With D for the rows between the old and the new values, what comes and goes is what D yields as of the new
  /// values less what it yields as of the old ones; all other rows yield the same.
  ///
  /// - Returns: Whether any line of the result differs.
  /// - Throws: As ``apply(_:places:to:)``.
  /// - Complexity: O(rows between), where an index finds them; and O(groups), where something is computed of each from
  ///   these values.
  func move(
    to later: StateReader, places: [[Int]], _ state: inout QueryState
  ) throws -> Bool {
    let hasOtherSeries = try apply(
      changesOfSeries(until: later, &state), places: places, to: &state)
    let hasMoved = try moveRows(to: later, places: places, &state) || hasOtherSeries
    guard case .groups(let shape) = plan.shape, shape.finishesStandIns else { return hasMoved }
    return try state.finishAgain(later.finish) || hasMoved
  }

  /// Has the parts that read no table have the rows that they have later.
  ///
  /// - Returns: What changed in them.
  private func changesOfSeries(
    until later: StateReader, _ state: inout QueryState
  ) throws -> [PendingChanges.Row] {
    var changed: [PendingChanges.Row] = []
    for (index, part) in plan.sources.series.enumerated()
    where part.series.standIns.contains(where: { parameters[$0 - 1] != later.parameters[$0 - 1] }) {
      let changes = state.take(try later.rows(of: part.series), ofSeries: index)
      changed += rows(changes, of: part.table)
    }
    return changed
  }

  /// What changed in a table of the query's own.
  private func rows(_ changes: [QueryState.Change], of table: Int) -> [PendingChanges.Row] {
    changes.map { change in
      PendingChanges.Row(table: table, key: .rowid(change.id), old: change.old, new: change.new)
    }
  }

  /// Reads rows that are in no table.
  private func rows(of series: SelectText.Series) throws -> [[Value]] {
    var rows: [[Value]] = []
    // A query can read the first ones of endlessly many.
    let sql = "\(series.sql) LIMIT \(QueryState.lineLimit + 1)"
    try forEachRow(sql, reading: [], isExactly: true, count: series.columns.count) { values in
      guard rows.count < QueryState.lineLimit else {
        throw NotMaintainable("more than \(QueryState.lineLimit) rows without a table")
      }
      guard values.allSatisfy(\.isFaithful) else {
        throw NotMaintainable("a text that may not be UTF-8")
      }
      guard !values.contains(where: QueryShape.isNow) else { throw NotMaintainable(Self.now) }
      rows.append(values)
    }
    return rows
  }

  private func moveRows(
    to later: StateReader, places: [[Int]], _ state: inout QueryState
  ) throws -> Bool {
    var windows = plan.sources.windows.filter { $0.moves(from: parameters, to: later.parameters) }
    guard !windows.isEmpty || plan.computing != nil else { return false }
    try checkBounds(of: windows, until: later)
    let others = try giveParts(state)
    var deltas: [Int: DeltaTable] = [:]
    var lines: DeltaTable?
    defer { for delta in deltas.values + others + [lines].compactMap(\.self) { delta.rows = [] } }
    if let computing = plan.computing {
      let table = plan.sources.tables[plan.sources.leaves[computing.leaf]]
      let places = computing.place..<(computing.place + table.identity.count)
      let kept = try keys(state.lines.lines.map { $0.identity[places] }, count: places.count)
      lines = kept
      windows.append(TimeWindow(of: computing.leaf, table, in: kept))
    }
    for (table, windows) in Dictionary(grouping: windows, by: { plan.sources.leaves[$0.leaf] }) {
      let rows = try rows(in: windows, of: table, places[table], until: later, reading: lines)
      guard !rows.isEmpty else { continue }
      let delta = try self.delta(table)
      delta.rows = rows
      deltas[table] = delta
    }
    let changed = plan.sources.leaves.indices.filter { deltas[plan.sources.leaves[$0]] != nil }
    guard !changed.isEmpty else { return false }
    switch plan.method {
    case .terms:
      let rows = try Self.consolidated(Self.gone(terms(changed)) + later.terms(changed))
      return try state.apply(rows, finish, addingUp: addUp)
    case .counted(let join):
      return try later.apply(
        join, found: Self.consolidated(Self.gone(terms(changed)) + later.terms(changed)),
        alone: Self.consolidated(
          Self.gone(alone(join, changed)) + later.alone(join, changed)), to: &state)
    case .owner(let owner):
      return try later.applyOwners(owner, changed, &deltas, to: &state)
    case .partitions: throw NotMaintainable("a window function, and it depends on the time")
    }
  }

  /// Gives SQL some keys to read.
  private func keys(_ keys: [ArraySlice<Value>], count: Int) throws -> DeltaTable {
    guard
      let table = try connection.deltaTable(
        of: MaintenancePlan.keyTable(count), Self.columns(count))
    else {
      throw NotMaintainable("the schema has a table of the name of the keys of lines")
    }
    table.rows = keys.map { DeltaTable.Row(weight: 0, rowid: 0, values: Array($0)) }
    return table
  }

  /// Checks that what compares otherwise as of `later` is between the old and the new values of what it compares with.
  private func checkBounds(of windows: [TimeWindow], until later: StateReader) throws {
    for place in Set(windows.flatMap(\.parameters)).map({ $0 - 1 })
    where parameters[place] != later.parameters[place] {
      for value in [parameters[place], later.parameters[place]] {
        switch value {
        case .null: throw NotMaintainable("what it compares with is NULL, or was")
        // Subtracted from it, infinity would be NULL.
        case .real(let number) where number.isInfinite:
          throw NotMaintainable("what it compares with is infinite, or was")
        default: break
        }
      }
    }
  }

  /// The rows of a table that compare otherwise as of `later`, as rows that come.
  private func rows(
    in windows: [TimeWindow], of table: Int, _ places: [Int], until later: StateReader,
    reading lines: DeltaTable?
  ) throws -> [DeltaTable.Row] {
    let facts = plan.sources.tables[table]
    let names = places.map { facts.columns[$0].name.quotedIdentifier }
    let keyCount = facts.identity.count
    let moments = later.parameters.suffix(plan.standInCount)
    var rows: [DeltaTable.Row] = []
    try forEachRow(
      TimeWindow.sql(of: windows, facts, columns: names),
      reading: readable.union(lines.map { [TableID(name: $0.name)] } ?? []),
      count: keyCount + names.count, moments
    ) { row in
      guard rows.count < PendingChanges.rowLimit else {
        throw NotMaintainable("too many rows are between two moments")
      }
      var values = [Value](repeating: .null, count: facts.columns.count)
      for (place, value) in zip(places, row.dropFirst(keyCount)) { values[place] = value }
      guard values.allSatisfy(\.isFaithful) else {
        throw NotMaintainable("a text that may not be UTF-8")
      }
      let rowid: Int64 =
        if facts.keyPlaces.isEmpty, case .integer(let id) = row[0] { id } else { 0 }
      rows.append(DeltaTable.Row(weight: 1, rowid: rowid, values: values))
    }
    return rows
  }

  /// The rows that come and go in what the query groups or sorts, with their weights, each once.
  private func terms(_ changed: [Int]) throws -> [QueryState.EvaluatedRow] {
    var evaluated: [QueryState.EvaluatedRow] = []
    for leaves in try sets(of: changed) {
      try forEachRow(
        plan.deltaSQL(leaves), reading: plan.sources.tables(replacing: leaves), isExactly: true,
        count: plan.columnCount
      ) { evaluated.append($0) }
    }
    return changed.count > 1 ? Self.consolidated(evaluated) : evaluated
  }

  /// Each set of leaves that changed, but for the empty one, and those whose rows never meet.
  private func sets(of changed: [Int]) throws -> [QuerySources.Leaves] {
    var sets: [QuerySources.Leaves] = [0]
    for leaf in changed {
      sets += sets.map { $0 | 1 << leaf }.filter(plan.sources.canMeet)
      guard sets.count <= Self.setLimit else {
        throw NotMaintainable("too many of its tables changed at once")
      }
    }
    return Array(sets.dropFirst())
  }

  /// The keys of the owner's rows that changed rows concern.
  private func owners(
    _ owner: MaintenancePlan.Owner, _ changed: [Int], _ delta: DeltaTable
  ) throws -> Set<ArraySlice<Value>> {
    var found: Set<ArraySlice<Value>> = []
    let places = plan.sources.tables[plan.sources.leaves[owner.leaf]].keyPlaces
    for leaf in changed {
      if leaf == owner.leaf {
        found.formUnion(
          delta.rows.map { row in
            places.isEmpty ? [.integer(row.rowid)] : places.map { row.values[$0] }[...]
          })
        continue
      }
      guard let sql = owner.dirtySQL[leaf] else {
        let table = plan.sources.tables[plan.sources.leaves[leaf]]
        let name = table.isPart ? "a part of it" : table.name
        throw NotMaintainable("what changed in \(name) can concern all rows")
      }
      try forEachRow(sql, reading: readable, count: owner.places.count) { found.insert($0[...]) }
      guard found.count <= PendingChanges.rowLimit else {
        throw NotMaintainable("what changed concerns too many rows")
      }
    }
    return found
  }

  /// All tables of the query, and their changed rows.
  private var readable: Set<TableID> {
    plan.sources.tables(replacing: 0).union(plan.sources.tables(replacing: .max))
  }

  /// More terms aren't worth it: those of five tables, and the empty one.
  private static let setLimit = 32

  /// The terms of a join have rows that cancel each other.
  private static func consolidated(
    _ rows: [QueryState.EvaluatedRow]
  ) -> [QueryState.EvaluatedRow] {
    var weights: [ArraySlice<Value>: Int64] = [:]
    for row in rows {
      guard case .integer(let weight) = row[0] else { continue }
      weights[row.dropFirst(), default: 0] += weight
    }
    return weights.compactMap { values, weight in
      weight == 0 ? nil : [.integer(weight)] + values
    }
  }

  /// What comes as what goes, and the reverse.
  private static func gone(_ rows: [QueryState.EvaluatedRow]) -> [QueryState.EvaluatedRow] {
    rows.map { [.integer(-QueryState.weight(of: $0))] + $0.dropFirst() }
  }

  /// Columns that take values as they are.
  private static func columns(_ count: Int) -> [DeltaTable.Column] {
    (0..<count).map { .init(name: "c\($0)", affinity: .blob) }
  }

  private func delta(_ table: Int) throws -> DeltaTable {
    let table = plan.sources.tables[table]
    guard let delta = try connection.deltaTable(of: table.id, table.deltaColumns, size: .small)
    else {
      throw NotMaintainable("the schema has a table of the name of the changed rows")
    }
    return delta
  }

  private func append(
    _ values: [Value]?, _ weight: Int64, _ row: PendingChanges.Row, _ places: [Int],
    to delta: DeltaTable
  ) throws {
    guard let values else { return }
    let columns = plan.sources.tables[row.table].columns
    var all = [Value](repeating: .null, count: columns.count)
    for (place, value) in zip(places, values) {
      if case .text = value {
        guard value.isFaithful else { throw NotMaintainable("a text that may not be UTF-8") }
      }
      if plan.timeColumns.contains(columns[place].foldedName), QueryShape.isNow(value) {
        throw NotMaintainable(Self.now)
      }
      for rule in plan.sources.dependencies.rules
      where rule.table == row.table && rule.place == place && weight > 0 && !rule.holds(for: value)
      {
        throw NotMaintainable(rule.kind.rawValue)
      }
      all[place] = value
    }
    let rowid: Int64 = if case .rowid(let rowid) = row.key { rowid } else { 0 }
    delta.rows.append(DeltaTable.Row(weight: weight, rowid: rowid, values: all))
  }

  /// Reads the state in the open transaction.
  ///
  /// - Parameter limit: The most bytes that it may have.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite.
  func fill(_ state: inout QueryState, limit: Int) throws {
    try checkTimes()
    for rule in plan.sources.dependencies.rules {
      let table = plan.sources.tables[rule.table]
      let column = table.columns[rule.place].name.quotedIdentifier
      if try !connection.fetch(engine: rule.search(column, in: table.sqlName)).isEmpty {
        throw NotMaintainable(rule.kind.rawValue)
      }
    }
    for (index, part) in plan.sources.parts.enumerated() {
      try StateReader(connection, part.plan, parameters).fill(&state.parts[index], limit: limit)
    }
    for (index, part) in plan.sources.series.enumerated() {
      _ = state.take(try rows(of: part.series), ofSeries: index)
    }
    let parts = try giveParts(state)
    defer { for table in parts { table.rows = [] } }
    if case .counted(let join) = plan.method {
      let (keyCount, sources) = (join.places.count, plan.sources)
      var count = 0
      try forEachRow(
        join.countSQL, reading: sources.tables(replacing: 0), isExactly: true, count: keyCount + 1
      ) { row in
        guard case .integer(let matches) = row[keyCount] else { return }
        try state.note(matches: matches, of: row[..<keyCount])
        count += 1
        if count % 1_024 == 0 { try check(state, limit: limit) }
      }
    }
    if let totals = plan.totals, try fill(totals, &state, limit: limit) {
      return try state.didFill(finish, addingUp: addUp)
    }
    var count = 0
    let sql = plan.stateSQL(count: state.stateCount)
    try forEachRow(
      sql, reading: plan.sources.tables(replacing: 0), isExactly: true, count: plan.columnCount
    ) { row in
      try state.fill(row)
      count += 1
      if count % 1_024 == 0 { try check(state, limit: limit) }
    }
    try state.didFill(finish, addingUp: addUp)
  }

  /// Fills a state from the totals of its groups.
  ///
  /// - Returns: Whether they suffice; otherwise the state is as it was.
  private func fill(
    _ totals: GroupTotals, _ state: inout QueryState, limit: Int
  ) throws -> Bool {
    let empty = state
    do {
      var (suffice, count) = (true, 0)
      try forEachRow(
        totals.sql, reading: plan.sources.tables(replacing: 0), isExactly: true,
        count: totals.columnCount
      ) { row in
        guard suffice else { return }
        suffice = try state.fill(totals, row)
        count += 1
        if count % 1_024 == 0 { try check(state, limit: limit) }
      }
      if suffice { return true }
    } catch let error as DatabaseError where error.code.primary != .interrupted {
      // A sum can overflow that the query doesn't have.
    }
    state = empty
    return false
  }

  private func check(_ state: QueryState, limit: Int) throws {
    guard state.byteCount <= limit else {
      throw NotMaintainable("its state is larger than \(limit / 1_000_000) MB")
    }
  }

  private static let now = "a time that is now"

  /// Checks that no column of times says `now`: see ``QueryShape/isNow(_:)``.
  private func checkTimes() throws {
    for table in plan.sources.read where !table.isPart {
      for column in table.columns where plan.timeColumns.contains(column.foldedName) {
        let name = column.name.quotedIdentifier
        // The length of a text ends at its first NUL.
        let text = "CAST(\(name) AS TEXT)"
        let found = try connection.fetch(
          engine: """
            SELECT 1 FROM \(table.sqlName) WHERE typeof(\(name)) IN ('text', 'blob')
            AND lower(substr(\(text), 1, length(\(text)))) IN ('now', 'subsec', 'subsecond') LIMIT 1
            """)
        if !found.isEmpty { throw NotMaintainable(Self.now) }
      }
    }
  }

  /// Computes the expressions over aggregates and keys.
  func finish(_ aggregates: [Value], _ key: [Value]) throws -> [Value] {
    guard case .groups(let shape) = plan.shape, let sql = shape.finishSQL else { return [] }
    var keys: DeltaTable?
    if let table = shape.finishTable {
      guard let found = try connection.deltaTable(of: table.allRowsID, table.deltaColumns) else {
        throw NotMaintainable("the schema has a table of the name of a part")
      }
      let values = shape.finished.map { shape.value(of: $0.source, key, aggregates, []) }
      found.rows = [DeltaTable.Row(weight: 1, rowid: 0, values: values)]
      keys = found
    }
    defer { keys?.rows = [] }
    return try connection.withEngineStatement(sql) { statement throws(DatabaseError) in
      for (index, value) in (parameters.prefix(plan.parameterCount) + aggregates).enumerated()
      where index < statement.parameterNames.count {
        try statement.bind(value, at: Int32(index + 1))
      }
      _ = try statement.step()
      return statement.row
    }
  }

  /// Computes the sums over rows in the order in which SQLite visits them; only SQLite knows how it adds up.
  private func addUp(_ rows: [DeltaTable.Row]) throws -> [Value] {
    let count = plan.summands.count
    let id = TableID(name: "\(count) summands")
    guard let table = try connection.deltaTable(of: id, Self.columns(count)) else {
      throw NotMaintainable("the schema has a table of the name of the summands")
    }
    table.rows = rows
    defer { table.rows = [] }
    return try connection.withEngineStatement(plan.sumSQL(of: table.name)) {
      statement throws(DatabaseError) in
      _ = try statement.step()
      return statement.row
    }
  }

  /// Whether SQL reads tables that SQLite doesn't report: those of which USING alone compares columns.
  private func opens(_ tables: Set<TableID>, _ sql: String) throws -> Bool {
    if tables.isEmpty { return true }
    guard Connection.mayJoinByNames(sql) else { return false }
    return tables.isSubset(of: try connection.tablesOpened(by: sql).tables)
  }

  /// - Parameters:
  ///   - tables: Those that the SQL may read, and must read all of when it `isExactly` these; the same each time.
  ///   - count: How many columns it has.
  ///   - more: Values of further parameters.
  private func forEachRow(
    _ sql: String, reading tables: @autoclosure () -> Set<TableID>, isExactly: Bool = false,
    count: Int,
    _ more: ArraySlice<Value> = [], _ body: (QueryState.EvaluatedRow) throws -> Void
  ) throws {
    let result: Result<Void, any Error> = try connection.withEngineStatement(sql) {
      statement throws(DatabaseError) in
      let result = Result { () throws -> Void in
        if !statement.readsWhatItShould {
          let tables = tables()
          // A view is read as the tables below it.
          let read = Set(
            statement.region.parts.keys.filter {
              tables.contains($0) || connection.catalog.viewDefinition($0) == nil
            })
          guard statement.columnNames.count == count, read.isSubset(of: tables),
            try !isExactly || opens(tables.subtracting(read), sql)
          else { throw NotMaintainable("it reads something else in this form") }
          statement.readsWhatItShould = true
        }
        for (index, value) in (parameters + more).enumerated()
        where index < statement.parameterNames.count {
          try statement.bind(value, at: Int32(index + 1))
        }
        while try statement.step() { try body(statement.row) }
      }
      return result
    }
    try result.get()
  }
}
