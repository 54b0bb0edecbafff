/// What is kept of a query so that changed rows bring its result up to date: a state of each SELECT that UNION ALL, UNION,
/// INTERSECT and EXCEPT combine. Most queries have one.
///
///     SELECT 'players', count(*) FROM player      a state of one line ──┐
///     UNION ALL                                                         ├─▶ 2 rows
///     SELECT 'bots', count(*) FROM bot            a state of one line ──┘
///
/// Without ORDER BY, UNION ALL returns what each SELECT does, one after the other. With ORDER BY, SQLite sorts each and
/// merges them; then LIMIT leaves no more lines of each than the result can have. The other operators make a set of what the
/// SELECTs return, of which all lines are kept.
///
/// Not shared: the refresh that evaluates the query owns it meanwhile.
struct ResultState: Sendable {
  let query: PlannedQuery
  /// The moments as of which it is.
  private(set) var moments: [Value]
  /// Those as of which the states of the SELECTs are, and the values of the scalar subqueries.
  private var standIns: [Value]
  private var states: [QueryState]
  private var scalars: [QueryState]
  /// Whether the SELECTs have the values that the scalar subqueries have now. Of rows that are tied only SQLite knows
  /// which one is the value.
  private var hasScalars = true
  /// The places of the lines that are returned.
  private let range: Range<Int>

  /// - Throws: ``NotMaintainable``.
  init(_ query: PlannedQuery, asOf moments: [Value]) throws {
    let bounds = try query.bounds()
    self.query = query
    self.moments = moments
    standIns = moments + query.scalars.map { _ in .null }
    states = try query.plans.map { try QueryState($0, bounds: bounds) }
    scalars = try query.scalars.map { try QueryState($0, bounds: query.bounds(ofScalar: $0)) }
    range = states[0].range
  }

  /// Its approximate size in memory.
  var byteCount: Int { [states, scalars].joined().reduce(0) { $0 + $1.byteCount } }

  /// How many rows or groups it holds.
  var count: Int { [states, scalars].joined().reduce(0) { $0 + $1.count } }

  /// Reads it in the open transaction.
  ///
  /// - Parameter limit: The most bytes that it may have.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite.
  mutating func fill(_ connection: Connection, limit: Int) throws {
    var room = limit
    for number in scalars.indices {
      try reader(of: query.scalars[number], connection, moments)
        .fill(&scalars[number], limit: room)
      room -= scalars[number].byteCount
    }
    guard let values = try scalarValues() else {
      throw NotMaintainable("rows with equal order keys, of which one is a value")
    }
    standIns = moments + values
    let standIns = standIns
    _ = try forEachState { query, plan, state in
      try StateReader(connection, plan, query.parameters + standIns).fill(&state, limit: room)
      room -= state.byteCount
      return true
    }
  }

  /// Brings it up to date, but for what follows from other values of the scalar subqueries: ``move(to:_:)`` does that.
  ///
  /// - Parameter rows: The changed rows, each once.
  /// - Returns: Whether ``rows(_:)`` may return something else than before.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite. Then it is unknown how much was applied.
  /// - Complexity: O(rows), and what SQLite takes to join them.
  mutating func apply(_ rows: [PendingChanges.Row], _ connection: Connection) throws -> Bool {
    let former = cut
    for number in scalars.indices {
      _ = try reader(of: query.scalars[number], connection, moments)
        .apply(rows, places: query.places, to: &scalars[number])
    }
    let parameters = query.parameters + standIns
    let hasChanged = try forEachState { query, plan, state in
      try StateReader(connection, plan, parameters).apply(rows, places: query.places, to: &state)
    }
    return hasChanged || cut != former
  }

  /// How parts of the SELECTs are cut by LIMIT.
  private var cut: QueryState.Cut { states.map(\.cut).max() ?? .certain }

  /// Brings it to later moments, and to what the scalar subqueries are as of these, in the same snapshot.
  ///
  /// - Returns: Whether ``rows(_:)`` may return something else than before.
  /// - Throws: As ``apply(_:_:)``.
  /// - Complexity: O(rows between), where an index finds them; and O(groups), where something is computed of each from
  ///   these values.
  mutating func move(to later: [Value], _ connection: Connection) throws -> Bool {
    guard later != moments || !scalars.isEmpty else { return false }
    for number in scalars.indices where later != moments {
      let plan = query.scalars[number]
      _ = try reader(of: plan, connection, moments).move(
        to: reader(of: plan, connection, later), places: query.places, &scalars[number])
    }
    moments = later
    guard let values = try scalarValues() else {
      defer { hasScalars = false }
      return hasScalars
    }
    let hadScalars = hasScalars
    hasScalars = true
    guard moments + values != standIns else { return !hadScalars }
    let (before, after) = (query.parameters + standIns, query.parameters + moments + values)
    standIns = moments + values
    let former = cut
    let hasMoved = try forEachState { query, plan, state in
      try StateReader(connection, plan, before).move(
        to: StateReader(connection, plan, after), places: query.places, &state)
    }
    return hasMoved || !hadScalars || cut != former
  }

  /// The rows of the result, and whether their order follows from the query plan, not from the SQL alone.
  typealias Rows = (rows: [[Value]], followPlan: Bool)

  /// - Returns: `nil` when SQLite alone knows in which order it returns rows that are tied, or which of two that are equal.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite, which evaluates what is around groups.
  /// - Complexity: O(lines up to LIMIT · SELECTs).
  func rows(_ connection: Connection) throws -> Rows? {
    guard cut < .unknown else { return nil }
    if let surroundings = query.surroundings {
      // Whatever it makes of them can depend on the order of the groups.
      return (
        try surroundings.rows(over: states[0].lines, query.parameters + moments, connection), true
      )
    }
    guard hasScalars, let found = query.ranking.map(ranked) ?? lines() else { return nil }
    guard !found.areTied || found.isPlanned else { return nil }
    return (found.rows, found.areTied || cut == .planned)
  }

  /// The lines that are returned, whether some of them are tied, and whether the query plan says in which order these come.
  private typealias Lines = (rows: [[Value]], areTied: Bool, isPlanned: Bool)

  private func ranked(by ranking: Ranking) -> Lines {
    let lines = states[0].lines
    return (
      ranking.rows(lines, in: range, widths: query.widths),
      lines.areTied(in: range, before: [states[0].end].compactMap(\.self)),
      query.plans[0].tiePlan != nil
    )
  }

  private func lines() -> Lines? {
    guard query.isSorted else {
      let results = states.map { state in
        state.lines.outputs(in: 0..<state.lines.count, before: [state.end].compactMap(\.self))
      }
      let rows = results.lazy.map(\.rows).joined().dropFirst(range.lowerBound).prefix(range.count)
      return (
        Array(rows), results.contains(where: \.areTied),
        zip(results, query.plans).allSatisfy { !$0.areTied || $1.tiePlan != nil }
      )
    }
    let lines = query.operators.combine(states.map(\.lines), upTo: range.upperBound)
    guard let found = lines?.outputs(in: range, before: states.lazy.compactMap(\.end)) else {
      return nil
    }
    return (found.rows, found.areTied, query.plans.allSatisfy { $0.tiePlan != nil })
  }

  /// Reads a scalar subquery, which depends on no other.
  private func reader(
    of plan: MaintenancePlan, _ connection: Connection, _ moments: [Value]
  ) -> StateReader {
    StateReader(connection, plan, query.parameters + moments + query.scalars.map { _ in .null })
  }

  /// - Returns: `nil` when one of them is that of one of several tied rows.
  private func scalarValues() throws -> [Value]? {
    var values: [Value] = []
    for state in scalars {
      let ends = [state.end].compactMap(\.self)
      let (rows, areTied) = state.lines.outputs(in: state.range, before: ends)
      guard !areTied, state.cut == .certain else { return nil }
      let value = rows.first?.first ?? .null
      guard value.isFaithful else { throw NotMaintainable("a text that may not be UTF-8") }
      guard !QueryShape.isNow(value) else { throw NotMaintainable("a time that is now") }
      values.append(value)
    }
    return values
  }

  /// - Parameter body: Returns whether any line of the SELECT differs.
  /// - Returns: Whether any line of the result does.
  private mutating func forEachState(
    _ body: (PlannedQuery, MaintenancePlan, inout QueryState) throws -> Bool
  ) throws -> Bool {
    var hasChanged = false
    for number in states.indices {
      try NotMaintainable.naming(number, of: states.count) {
        if try body(query, query.plans[number], &states[number]) { hasChanged = true }
      }
    }
    return hasChanged
  }
}
