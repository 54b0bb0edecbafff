internal import CSQLite

extension Connection {
  /// Runs a statement to its end and returns its rows.
  ///
  /// - Parameters:
  ///   - sql: Exactly one statement.
  ///   - arguments: A value for each of its parameters.
  /// - Throws: `DatabaseError`.
  /// - Complexity: O(rows) time and memory.
  public func fetchAll(_ sql: String, _ arguments: QueryArguments = []) throws -> RowSet {
    let key = QueryKey(sql: sql, arguments: arguments)
    if let shared = fetchState.sharedResults?[key] {
      return try withCachedStatement(sql, arguments) { _ in try shared.get() }
    }
    do {
      let rows = try fetchUnshared(sql, arguments)
      fetchState.sharedResults?[key] = .success(rows)
      return rows
    } catch let error as DatabaseError {
      // A cancelled run says nothing about the next one.
      if error.code.primary != .interrupted { fetchState.sharedResults?[key] = .failure(error) }
      throw error
    }
  }

  private func fetchUnshared(_ sql: String, _ arguments: QueryArguments) throws -> RowSet {
    try withCachedStatement(sql, arguments) { statement in
      try statement.bind(arguments)
      var rows: [[Value]] = []
      if try statement.step() {
        repeat { rows.append(try held(statement)) } while try statement.advance()
      }
      return RowSet(columns: statement.columnNames, rows: rows)
    }
  }

  /// Runs one statement for its effect.
  ///
  /// - Returns: The number of rows that it inserted, updated or deleted itself.
  /// - Throws: `DatabaseError`.
  @discardableResult
  public func execute(_ sql: String, _ arguments: QueryArguments = []) throws -> Int {
    try withCachedStatement(sql, arguments) { statement in
      try statement.bind(arguments)
      let before = sqlite3_total_changes64(handle)
      do { while try statement.step() {} } catch { throw reported(error) }
      return sqlite3_total_changes64(handle) == before ? 0 : Int(sqlite3_changes64(handle))
    }
  }

  /// Runs several statements without parameters, in order, up to the first that fails.
  ///
  /// - Throws: `DatabaseError`.
  public func execute(script: String) throws {
    try checkUse()
    var start = 0
    let end = script.utf8.count
    while start < end {
      let next = try prepareNext(script, from: start)
      if let statement = next.statement {
        do { while try statement.step() {} } catch { throw reported(error) }
      } else if next.end >= end || next.end == start {
        return
      }
      start = next.end
    }
  }
}
