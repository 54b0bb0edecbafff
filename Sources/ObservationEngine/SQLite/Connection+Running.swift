internal import CSQLite

extension Connection {
  /// Runs a statement to completion and returns its rows.
  ///
  /// - Parameters:
  ///   - sql: Exactly one statement.
  ///   - arguments: A value for each of its parameters.
  /// - Throws: `DatabaseError`.
  /// - Complexity: O(rows) time and memory.
  public func fetchAll(_ sql: SQL, _ arguments: QueryArguments = []) throws -> RowSet {
    var rows = try fetchResult(sql.with(arguments))
    // Not every source of results knows the format.
    rows.dateFormat = dateFormat
    return rows
  }

  private func fetchResult(_ sql: SQL) throws -> RowSet {
    if let shared = sharedResult(of: sql.text, sql.arguments) {
      return try withCachedStatement(sql.text, sql.arguments) { _ in try shared.get() }
    }
    do {
      let rows = try fetchUnshared(sql)
      share(.success(rows), of: sql.text, sql.arguments)
      return rows
    } catch let error as DatabaseError {
      // A cancelled run says nothing about the next one.
      if error.code.primary != .interrupted { share(.failure(error), of: sql.text, sql.arguments) }
      throw error
    }
  }

  private func fetchUnshared(_ sql: SQL) throws -> RowSet {
    try withCachedStatement(sql.text, sql.arguments) { statement in
      try statement.bind(sql.arguments)
      var rows: [[Value]] = []
      if try statement.step() {
        repeat { rows.append(try held(statement)) } while try statement.advance()
      }
      return RowSet(columns: statement.columnNames, rows: rows)
    }
  }

  /// Runs one statement for its effect.
  ///
  ///     try db.execute("INSERT INTO player(name, score) VALUES (?, ?)", [name, score])
  ///     try db.execute("UPDATE player SET score = \(score) WHERE name = \(name)")
  ///
  /// - Returns: The number of rows that the statement itself inserted, updated or deleted.
  /// - Throws: `DatabaseError`.
  @discardableResult
  public func execute(_ sql: SQL, _ arguments: QueryArguments = []) throws -> Int {
    try sql.arguments.isEmpty
      ? execute(sql.text, arguments) : execute(sql.text, sql.arguments.joined(with: arguments))
  }

  private func execute(_ text: String, _ arguments: QueryArguments) throws -> Int {
    let statement = try lend(text, arguments)
    defer { takeBack(statement) }
    try statement.bind(arguments)
    let before = sqlite3_total_changes64(handle)
    do { while try statement.step() {} } catch { throw reported(error) }
    return sqlite3_total_changes64(handle) == before ? 0 : Int(sqlite3_changes64(handle))
  }

  /// Runs several statements without parameters, in order, until one fails.
  ///
  /// - Parameter script: SQL text. Interpolated values become part of the text.
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
