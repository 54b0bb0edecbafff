extension Connection {
  /// Lends a cached statement of the engine itself to `body`; region recording and commit
  /// accounting ignore it.
  func withEngineStatement<Result>(
    _ sql: String, _ body: (Statement) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let wasRunning = isRunningEngineSQL
    isRunningEngineSQL = true
    defer { isRunningEngineSQL = wasRunning }
    let kind = cacheKind
    let statement: Statement
    if let cached = statements.caches[kind].take(sql) {
      statement = cached
    } else {
      statement = try prepare(sql)
      statements.caches[kind].adopt(statement)
    }
    defer {
      statement.reset()
      statements.caches[kind].put(statement)
    }
    return try body(statement)
  }

  /// Runs SQL of the engine itself; region recording and commit accounting ignore it.
  func execute(engine sql: String) throws(DatabaseError) {
    _ = try fetch(engine: sql)
  }

  /// Runs SQL of the engine itself and returns its rows.
  package func fetch(engine sql: String, _ arguments: [Value] = []) throws(DatabaseError)
    -> [[Value]]
  {
    try withEngineStatement(sql) { statement throws(DatabaseError) in
      for (index, value) in arguments.enumerated() {
        try statement.bind(value, at: Int32(index + 1))
      }
      var rows: [[Value]] = []
      while try statement.step() { rows.append(try held(statement)) }
      return rows
    }
  }

  /// The program that SQLite would run for a query with these arguments: the rows of EXPLAIN.
  ///
  /// - Throws: `DatabaseError` when the query does not compile.
  package func instructions(
    of sql: String, _ arguments: QueryArguments
  ) throws(DatabaseError) -> [[Value]] {
    try withEngineStatement("EXPLAIN " + sql) { statement throws(DatabaseError) in
      try statement.bind(arguments)
      var rows: [[Value]] = []
      while try statement.step() { rows.append(try held(statement)) }
      return rows
    }
  }
}
