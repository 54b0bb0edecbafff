extension Connection {
  /// How many rows the result of a query may have that is read row by row and still shared.
  private static let sharedRows = 100

  /// A cursor within a refresh for a caller that keeps no rows: it reads only the first one, or one
  /// after the other.
  ///
  /// A result of few rows is shared with equal queries, and may be kept up to date. The statement of a
  /// longer one is stepped, because all of it may take any time and memory.
  func openReadingAhead(_ sql: SQL) throws -> RowCursor {
    if let shared = sharedResult(of: sql.text, sql.arguments) {
      // Lent to record what it reads.
      return try withCachedStatement(sql.text, sql.arguments) { _ in
        RowCursor(try shared.get(), sql: sql.text, dateFormat: dateFormat)
      }
    }
    let room = fetchState.resultRoom
    let statement = try lend(sql.text, sql.arguments)
    var rows: [[Value]] = []
    // What follows the rows.
    let next: Result<Bool, DatabaseError>
    do {
      try statement.bind(sql.arguments)
      var hasRow = try statement.step()
      while hasRow, rows.count < Self.sharedRows, hasRoom(for: statement) {
        rows.append(try held(statement))
        hasRow = try statement.advance()
      }
      next = .success(hasRow)
    } catch {
      next = .failure(error)
    }
    let first = RowSet(columns: statement.columnNames, rows: rows)
    switch next {
    case .success(false):
      takeBack(statement)
      share(.success(first), of: sql.text, sql.arguments)
      return RowCursor(first, sql: sql.text, dateFormat: dateFormat)
    case .failure(let error) where rows.isEmpty:
      takeBack(statement)
      // A cancelled run says nothing about the next one.
      if error.code.primary != .interrupted { share(.failure(error), of: sql.text, sql.arguments) }
      throw error
    case .success(true), .failure:
      // The rows are dropped as they are read.
      fetchState.resultRoom = room
      noteUnshared(sql.text, sql.arguments)
      let rest = RowCursor(statement, of: self, after: next.map { _ in })
      guard !rows.isEmpty else { return rest }
      return RowCursor(first, sql: sql.text, dateFormat: dateFormat, rest: rest)
    }
  }

  /// Whether the current row of a statement fits into the memory for results.
  private func hasRoom(for statement: Statement) -> Bool {
    fetchState.resultRoom.map { statement.rowBytes <= $0 } ?? true
  }
}
