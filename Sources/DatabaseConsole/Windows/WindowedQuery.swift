internal import ObservationEngine
internal import Synchronization

/// A query that returns a window of its result when the result is long, and all rows when it is not.
///
/// The window can be moved while the query is observed. Its rows, and how many there are in all, are
/// always those of one snapshot.
///
/// ## Guarantees
/// - A result that is not long comes as it is, whatever the window says of order and filter.
/// - Rows come as the query itself would return them, or sorted so that equal ones keep that order.
///
/// ## Limits
/// - A query that cannot stand in parentheses (PRAGMA, EXPLAIN) keeps its order, whatever the window
///   says; so does one that is to be sorted by a column which it does not have.
/// - A filter evaluates every row.
final class WindowedQuery: Sendable {
  /// Counts of rows from which on another way is taken.
  struct Limits: Sendable {
    /// A result with no more rows is loaded as a whole.
    var whole = 10_000
    /// Up to so many rows SQLite sorts a LIMIT's rows in a small tree, which is quicker than to sort all;
    /// beyond, it is ten times slower.
    var shallow = 20_000
    /// So many rows are passed over without asking where the result ends.
    var near = 2_000
  }

  private struct State {
    var window = RowWindow()
    /// Counts how often the window was moved.
    var moves = 0
    /// What is cached about a long result; `nil` for one that is not long.
    var memory: WindowReading.Memory?
    /// How long it took to count a long result.
    var countDuration = Duration.zero
    /// How long it took to read a window of this kind; `nil` when that is not known.
    var windowDuration: Duration?
  }

  let query: Query<RowSet>
  private let limits: Limits
  private let state = Mutex(State())

  init(_ query: Query<RowSet>, limits: Limits = Limits()) {
    self.query = query
    self.limits = limits
  }

  /// How long the next fetch will take; `nil` when that is unknown.
  ///
  /// - Parameter isUnchanged: Whether nothing was committed since the last fetch: then the rows need not be
  ///   counted again.
  func estimate(isUnchanged: Bool) -> Duration? {
    state.withLock { state in
      guard let memory = state.memory, let window = state.windowDuration else { return nil }
      return isUnchanged && memory.mark != nil ? window : state.countDuration + window
    }
  }

  /// What the last fetch found out for the next one.
  var memory: WindowReading.Memory? { state.withLock { $0.memory } }

  /// Has the next fetch read these rows.
  ///
  /// A fetch that is reading other rows continues with these, in the same snapshot.
  func show(_ window: RowWindow) {
    let former = state.withLock { state in
      // A filter takes as long as it takes to read every row.
      if window.filter != nil || state.window.filter != nil || window.sort != state.window.sort {
        state.windowDuration = nil
      }
      state.moves += 1
      defer { state.window = window }
      return state.window
    }
    // Its filter is the application's, which must not be released under the lock.
    withExtendedLifetime(former) {}
  }

  /// - Throws: `DatabaseError`.
  /// - Complexity: O(window) while nothing is committed and the order of the rows is that of a key;
  ///   otherwise SQLite steps through the result. O(window) memory.
  func fetch(_ connection: Connection) throws -> RowSet {
    let state = state.withLock { $0 }
    if let shared = try shared(connection) { return held(shared, connection) }
    if state.memory == nil,
      let result = try WindowReading.whole(query, limit: limits.whole, connection)
    {
      return held(result, connection)
    }
    // What the result depends on is what the query itself reads, however its rows are found.
    let (columns, isSteady) = try connection.withCachedStatement(query.sql, query.arguments) {
      ($0.columnNames, $0.isSteady(query.arguments))
    }
    return try connection.withoutRecording {
      let reading = WindowReading(
        connection: connection, query: query, limits: limits, columns: columns,
        sql: WindowSQL(query.sql, query.arguments, columnCount: columns.count))
      return try fetch(state, reading, isSteady ? connection.snapshotMark : nil)
    }
  }

  private func fetch(
    _ state: State, _ reading: WindowReading, _ mark: SnapshotMark?
  ) throws -> RowSet {
    let known = mark.flatMap { mark in
      state.memory.flatMap { $0.mark?.isSame(as: mark) == true ? $0 : nil }
    }
    let start = SystemClock.monotonic()
    var memory = try known ?? WindowReading.Memory(mark: mark, all: reading.count())
    guard memory.all > limits.whole else {
      guard let result = try WindowReading.whole(query, reading.connection) else { return .empty }
      return held(result, reading.connection)
    }
    if known == nil {
      try reading.findOrder(&memory)
      let duration = Duration.nanoseconds(Int64(SystemClock.monotonic() - start))
      // Also if the fetch is cancelled while it reads the window.
      self.state.withLock {
        $0.memory = memory
        $0.countDuration = duration
      }
    }
    return try newestPart(reading, &memory)
  }

  /// The rows of the window. When it moves meanwhile, those of the place to which it has moved.
  private func newestPart(
    _ reading: WindowReading, _ memory: inout WindowReading.Memory
  ) throws -> RowSet {
    while true {
      let (window, moves) = state.withLock { ($0.window, $0.moves) }
      let hasMoved = { [self] in state.withLock { $0.moves != moves } }
      let start = SystemClock.monotonic()
      do {
        let result = try reading.connection.withBudget(hasMoved) {
          try part(window, reading, &memory)
        }
        let duration = Duration.nanoseconds(Int64(SystemClock.monotonic() - start))
        let isNewest = state.withLock { state in
          state.memory = memory
          if state.moves == moves { state.windowDuration = duration }
          return state.moves == moves
        }
        if isNewest { return result }
      } catch let error as DatabaseError where error.code.primary == .interrupted && hasMoved() {
        // If something else interrupted it, that ends the next attempt as well.
      }
    }
  }

  /// The result of an equal query in the same refresh, if it is not long.
  private func shared(_ connection: Connection) throws -> RowSet? {
    guard case .success(let rows)? = connection.sharedResult(of: query.sql, query.arguments),
      rows.rows.count <= limits.whole
    else { return nil }
    // Records what the query reads.
    return try connection.withCachedStatement(query.sql, query.arguments) { _ in rows }
  }

  /// Notes a result that is not long.
  private func held(_ result: RowSet, _ connection: Connection) -> RowSet {
    state.withLock { $0.memory = nil }
    connection.share(.success(result), of: query.sql, query.arguments)
    return result
  }

  private func part(
    _ window: RowWindow, _ reading: WindowReading, _ memory: inout WindowReading.Memory
  ) throws -> RowSet {
    var window = window
    if let sort = window.sort, !reading.columns.indices.contains(sort.column) { window.sort = nil }
    if window.filter != nil {
      let held = try reading.filtered(window, memory)
      return RowSet(
        columns: reading.columns, rows: held.held,
        part: .init(
          first: held.first, total: held.total, all: memory.all, window: window.number))
    }
    let count = min(window.count, memory.all)
    let first = min(window.first, memory.all - count)
    let range = first..<first + count
    let rows =
      if let sort = window.sort { try reading.page(range, sort, &memory) } else {
        try reading.page(range, &memory)
      }
    guard rows.count == count else {
      // Each run of random() gives another number of rows: all from one run, then.
      let held = try reading.filtered(window, memory)
      return RowSet(
        columns: reading.columns, rows: held.held,
        part: .init(
          first: held.first, total: held.total, all: held.total, window: window.number))
    }
    return RowSet(
      columns: reading.columns, rows: rows,
      part: .init(first: first, total: memory.all, all: memory.all, window: window.number))
  }
}

extension Statement {
  /// Whether its result is the same as long as nothing is committed to `main`.
  fileprivate func isSteady(_ arguments: QueryArguments) -> Bool {
    let region = region(with: arguments)
    return !region.isFull && region.timeDependence == nil
      && region.parts.keys.allSatisfy(\.isInMain)
  }
}
