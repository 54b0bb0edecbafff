extension Connection {
  /// Runs a query and decodes its rows by position as they come.
  ///
  ///     let players = try db.fetchAll("SELECT id, name FROM player WHERE score > \(least)") { row in
  ///       try Player(id: row[0], name: row[1])
  ///     }
  ///
  /// - Parameters:
  ///   - sql: Exactly one statement.
  ///   - arguments: A value for each of its parameters.
  ///   - decode: Reads the columns that it needs; it may run other queries meanwhile.
  /// - Throws: `DatabaseError`, or what `decode` throws.
  /// - Complexity: O(rows) time and memory; the values of a row are read once and not stored.
  @inlinable
  public func fetchAll<Element>(
    _ sql: SQL, _ arguments: QueryArguments = [],
    decode: (borrowing StatementRow) throws -> Element
  ) throws -> [Element] {
    let cursor = try openCursor(sql, arguments)
    defer { cursor.close() }
    let row = StatementRow(cursor)
    var elements: [Element] = []
    while try cursor.next() { elements.append(try decode(row)) }
    return elements
  }

  /// Runs a query and decodes its first row; `nil` when there is none.
  ///
  ///     let player = try db.fetchOne("SELECT id, name FROM player WHERE id = \(id)") { row in
  ///       try Player(id: row[0], name: row[1])
  ///     }
  ///
  /// - Throws: `DatabaseError`, or what `decode` throws.
  /// - Complexity: O(1) rows, apart from what SQLite needs to find the first. Within an observation up to
  ///   100 rows are read, and a longer result isn't kept up to date: `LIMIT 1` helps.
  @inlinable
  public func fetchOne<Element>(
    _ sql: SQL, _ arguments: QueryArguments = [],
    decode: (borrowing StatementRow) throws -> Element
  ) throws -> Element? {
    let cursor = try openCursor(sql, arguments, keepsRows: false)
    defer { cursor.close() }
    return try cursor.next() ? decode(StatementRow(cursor)) : nil
  }

  /// Runs a query and calls `body` with each row, keeping none.
  ///
  /// Within a refresh, a result of more than 100 rows isn't shared with equal queries, and its
  /// query runs again after each commit that concerns it.
  ///
  ///     try db.forEachRow("SELECT name FROM player") { row in try print(row[0] as String) }
  ///
  /// - Throws: `DatabaseError`, or what `body` throws; then the remaining rows are not read.
  @inlinable
  public func forEachRow(
    _ sql: SQL, _ arguments: QueryArguments = [],
    _ body: (borrowing StatementRow) throws -> Void
  ) throws {
    var next: RowCursor? = try openCursor(sql, arguments, keepsRows: false)
    while let cursor = next {
      defer { cursor.close() }
      let row = StatementRow(cursor)
      while try cursor.next() { try body(row) }
      next = cursor.takeRest()
    }
  }

  /// A cursor over the rows of a query, before the first.
  ///
  /// - Parameter keepsRows: Whether the caller keeps what it reads of all rows. If not, the cursor
  ///   may have only the first rows, and ``RowCursor/takeRest()`` the others.
  @usableFromInline
  package func openCursor(
    _ sql: SQL, _ arguments: QueryArguments, keepsRows: Bool = true
  ) throws -> RowCursor {
    // Within a refresh equal queries run once, whatever they decode to.
    if fetchState.sharedResults != nil {
      guard keepsRows else { return try openReadingAhead(sql.with(arguments)) }
      return RowCursor(try fetchAll(sql, arguments), sql: sql.text, dateFormat: dateFormat)
    }
    let sql = sql.with(arguments)
    let statement = try lend(sql.text, sql.arguments)
    do { try statement.bind(sql.arguments) } catch {
      takeBack(statement)
      throw error
    }
    return RowCursor(statement, of: self)
  }
}
