internal import ObservationEngine

/// Reads rows of a query, on one connection and from one snapshot.
struct WindowReading {
  /// What is cached about a result until the next commit.
  struct Memory: Sendable {
    /// Its snapshot; `nil` for one that can't be compared.
    let mark: SnapshotMark?
    /// How many rows there are.
    let all: Int
    /// Whether SQLite sorts the rows.
    var isSorted = false
    /// Of what their order is the order, if that is known.
    var key: WindowSQL.Key?
    var positions: KeyPositions?
  }

  let connection: Connection
  let query: Query<RowSet>
  let limits: WindowedQuery.Limits
  let columns: [String]
  /// `nil` when the query cannot be put into another one.
  let sql: WindowSQL?

  // MARK: - All rows

  /// The result, in the query's own order; `nil` when it has more rows than `limit`.
  static func whole(
    _ query: Query<RowSet>, limit: Int = .max, _ connection: Connection
  ) throws -> RowSet? {
    try connection.withCachedStatement(query.sql, query.arguments) { statement in
      try statement.bind(query.arguments)
      var rows: [[Value]] = []
      var isRow = try statement.step()
      while isRow {
        guard rows.count < limit else { return nil }
        rows.append(try connection.held(statement))
        isRow = try statement.advance()
      }
      return RowSet(columns: statement.columnNames, rows: rows)
    }
  }

  /// How many rows there are.
  func count() throws -> Int {
    guard let sql else {
      var count = 0
      try forEachRow(query.sql, query.arguments) { _ in
        count += 1
        return true
      }
      return count
    }
    guard case .integer(let count)? = try rows(sql.count, query.arguments).first?.first else {
      return 0
    }
    return Int(count)
  }

  /// Finds out what order the query's is.
  func findOrder(_ memory: inout Memory) throws {
    guard let sql else { return }
    memory.isSorted = try connection.sorts(query.sql, query.arguments)
    guard !memory.isSorted else { return }
    memory.key = try connection.withCachedStatement(query.sql, query.arguments) {
      try connection.provenKey(of: $0, query.arguments, in: sql)
    }
    memory.positions = memory.key.map {
      KeyPositions(count: memory.all, isDescending: $0.isDescending)
    }
  }

  // MARK: - Some rows

  /// The rows at `range`, in the query's own order.
  ///
  /// - Complexity: O(rows) where the key of a row near the range is known; otherwise SQLite passes over
  ///   the rows before, or behind.
  func page(_ range: Range<Int>, _ memory: inout Memory) throws -> [[Value]] {
    guard !range.isEmpty else { return [] }
    // SQLite's sorter keeps equal rows in another order than a sort that has a LIMIT, and sorts all
    // quicker than it keeps many of the first.
    guard let sql, !memory.isSorted else { return try passing(range, query.sql) }
    if let key = memory.key, var positions = memory.positions {
      let rows = try page(range, by: key, &positions, sql)
      if rows.count == range.count {
        memory.positions = positions
        return rows
      }
    }
    let arguments = sql.arguments(query.arguments, count: range.count, first: range.lowerBound)
    return try rows(sql.page, arguments)
  }

  private func page(
    _ range: Range<Int>, by key: WindowSQL.Key, _ positions: inout KeyPositions, _ sql: WindowSQL
  ) throws -> [[Value]] {
    var start = positions.start(range)
    if start.skip > limits.near, !positions.knowsEnds {
      for (position, key) in [(0, key), (positions.count - 1, key.reversed)] {
        let arguments = sql.arguments(query.arguments, count: 1, first: 0)
        let end = try rows(sql.page(by: key, isBounded: false), arguments)
        remember(end.first, at: position, key, &positions)
      }
      start = positions.start(range)
    }
    let order = start.isBackward ? key.reversed : key
    let arguments = sql.arguments(
      query.arguments, count: range.count, first: start.skip, key: start.key)
    var rows = try rows(sql.page(by: order, isBounded: start.key != nil), arguments)
    if start.isBackward { rows.reverse() }
    remember(rows.first, at: range.lowerBound, key, &positions)
    remember(rows.last, at: range.upperBound - 1, key, &positions)
    return rows
  }

  private func remember(
    _ row: [Value]?, at position: Int, _ key: WindowSQL.Key, _ positions: inout KeyPositions
  ) {
    guard case .integer(let value)? = row?[key.column] else { return }
    positions.insert(.init(position: position, key: value))
  }

  /// The rows at `range` when they are sorted by the bytes of a column.
  func page(_ range: Range<Int>, _ sort: RowWindow.Sort, _ memory: inout Memory) throws -> [[Value]]
  {
    guard let sql else { return try page(range, &memory) }
    guard let key = memory.key else {
      guard range.upperBound > limits.shallow else {
        let arguments = sql.arguments(query.arguments, count: range.count, first: range.lowerBound)
        return try rows(sql.sortedPage(by: sort), arguments)
      }
      return try passing(range, sql.sorted(by: sort))
    }
    if sort.column == key.column {
      guard sort.isDescending != key.isDescending else { return try page(range, &memory) }
      let mirrored = (memory.all - range.upperBound)..<(memory.all - range.lowerBound)
      return try page(mirrored, &memory).reversed()
    }
    // From the end where that is nearer.
    let isBackward = memory.all - range.upperBound < range.lowerBound
    let wanted =
      isBackward
      ? (memory.all - range.upperBound)..<(memory.all - range.lowerBound) : range
    let text =
      isBackward
      ? sql.sorted(by: sort.reversed, key: key.reversed) : sql.sorted(by: sort, key: key)
    let found: [[Value]]
    if wanted.upperBound > limits.shallow, try connection.sorts(text, query.arguments) {
      found = try passing(wanted, text)
    } else {
      let arguments = sql.arguments(query.arguments, count: wanted.count, first: wanted.lowerBound)
      found = try rows(sql.limited(text), arguments)
    }
    return isBackward ? found.reversed() : found
  }

  /// The rows of the window that its filter lets through, of all rows.
  func filtered(_ window: RowWindow, _ memory: Memory) throws -> WindowRows {
    var text = query.sql
    if let sql, let sort = window.sort {
      text = memory.key.map { sql.sorted(by: sort, key: $0) } ?? sql.sorted(by: sort)
    }
    var held = WindowRows(first: window.first, count: window.count)
    try forEachRow(text, query.arguments) { statement in
      let row = statement.row
      if window.filter?(row) ?? true { held.append(row) }
      return true
    }
    return held
  }

  // MARK: - Statements

  /// Some of the rows of `text`: those before are stepped over.
  private func passing(_ range: Range<Int>, _ text: String) throws -> [[Value]] {
    var place = 0
    var rows: [[Value]] = []
    try forEachRow(text, query.arguments) { statement in
      if range.contains(place) { rows.append(try connection.held(statement)) }
      place += 1
      return place < range.upperBound
    }
    return rows
  }

  private func rows(_ text: String, _ arguments: QueryArguments) throws -> [[Value]] {
    var rows: [[Value]] = []
    try forEachRow(text, arguments) { statement in
      rows.append(try connection.held(statement))
      return true
    }
    return rows
  }

  /// - Parameter body: Says whether to go on.
  private func forEachRow(
    _ text: String, _ arguments: QueryArguments, _ body: (Statement) throws -> Bool
  ) throws {
    try connection.withCachedStatement(text, arguments) { statement in
      try statement.bind(arguments)
      var isRow = try statement.step()
      while isRow, try body(statement) { isRow = try statement.advance() }
    }
  }
}
