extension Connection {
  /// Runs a query and returns the first column of its first row.
  ///
  ///     let score = try db.fetchOne("SELECT score FROM player WHERE id = \(id)", as: Int.self)
  ///
  /// - Returns: `nil` without a row, and for NULL. Asked for as an optional type, NULL is a value:
  ///   `as: Int?.self` returns an `Int??`.
  /// - Throws: `DatabaseError`, also when the value does not fit `Output`.
  /// - Complexity: O(1) rows, apart from what SQLite needs to find the first. Within an observation up to
  ///   100 rows are read, and a longer result isn't kept up to date: `LIMIT 1` helps.
  public func fetchOne<Output: ValueConvertible>(
    _ sql: SQL, _ arguments: QueryArguments = [], as type: Output.Type = Output.self
  ) throws -> Output? {
    let cursor = try openCursor(sql, arguments, keepsRows: false)
    defer { cursor.close() }
    guard try cursor.next() else { return nil }
    let value = try cursor.value(0)
    if let output = Output.fromValue(value, in: dateFormat) { return output }
    guard value == .null else { throw cursor.misfit(0, type) }
    return nil
  }

  /// Runs a query and returns its result.
  ///
  /// - Throws: `DatabaseError`, or what the query's own decoding throws.
  public func fetch<Output>(_ query: Query<Output>) throws -> Output {
    try query.fetch(self)
  }
}
