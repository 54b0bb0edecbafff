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
  /// As of which it is.
  private(set) var moments: [Value]
  private var states: [QueryState]
  /// The places of the lines that are returned.
  private let range: Range<Int>

  /// - Throws: ``NotMaintainable``.
  init(_ query: PlannedQuery, asOf moments: [Value]) throws {
    let bounds = try query.bounds()
    self.query = query
    self.moments = moments
    states = try query.plans.map { try QueryState($0, bounds: bounds) }
    range = states[0].range
  }

  /// Its approximate size in memory.
  var byteCount: Int { states.reduce(0) { $0 + $1.byteCount } }

  /// How many rows or groups it holds.
  var count: Int { states.reduce(0) { $0 + $1.count } }

  /// Reads it in the open transaction.
  ///
  /// - Parameter limit: The most bytes that it may have.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite.
  mutating func fill(_ connection: Connection, limit: Int) throws {
    let parameters = query.parameters + moments
    var room = limit
    _ = try forEachState { _, plan, state in
      try StateReader(connection, plan, parameters).fill(&state, limit: room)
      room -= state.byteCount
      return true
    }
  }

  /// Brings it up to date.
  ///
  /// - Parameter rows: The changed rows, each once.
  /// - Returns: Whether any line of the result differs.
  /// - Throws: ``NotMaintainable``; `DatabaseError` from SQLite. Then it is unknown how much was applied.
  /// - Complexity: O(rows), and what SQLite takes to join them.
  mutating func apply(_ rows: [PendingChanges.Row], _ connection: Connection) throws -> Bool {
    let parameters = query.parameters + moments
    return try forEachState { query, plan, state in
      try StateReader(connection, plan, parameters).apply(rows, places: query.places, to: &state)
    }
  }

  /// Brings it to later moments, in the same snapshot.
  ///
  /// - Returns: Whether any line of the result differs.
  /// - Throws: As ``apply(_:_:)``.
  /// - Complexity: O(rows between), where an index finds them.
  mutating func move(to later: [Value], _ connection: Connection) throws -> Bool {
    let (before, after) = (query.parameters + moments, query.parameters + later)
    moments = later
    return try forEachState { query, plan, state in
      try StateReader(connection, plan, before).move(
        to: StateReader(connection, plan, after), places: query.places, &state)
    }
  }

  /// The rows of the result.
  ///
  /// - Returns: `nil` when SQLite alone knows in which order it returns rows that are tied, or which of two that are equal.
  /// - Complexity: O(lines up to LIMIT · SELECTs).
  func rows() -> [[Value]]? {
    guard query.isSorted else {
      // Each SELECT has one line, or groups in the order of their key: there are no ties.
      let lines = states.map(\.lines.lines).joined()
      return lines.dropFirst(range.lowerBound).prefix(range.count).map(\.outputs)
    }
    let lines = query.operators.combine(states.map(\.lines), upTo: range.upperBound)
    return lines?.outputs(in: range, before: states.lazy.compactMap(\.end))
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
