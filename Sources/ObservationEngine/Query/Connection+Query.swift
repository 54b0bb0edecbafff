extension Connection {
  /// Runs a query and returns the first column of its first row.
  ///
  ///     let score = try db.fetchOne("SELECT score FROM player WHERE id = ?", [7], as: Int?.self)
  ///
  /// Without a row an optional is `nil`.
  ///
  /// - Throws: `DatabaseError`, also when there is no row for a type that is not optional, or the value does
  ///   not fit `Output`.
  public func fetchOne<Output: ValueConvertible>(
    _ sql: String, _ arguments: QueryArguments = [], as type: Output.Type = Output.self
  ) throws -> Output {
    try Query.scalar(sql, arguments, as: type).fetch(self)
  }

  /// Runs a query and returns its result.
  ///
  /// - Throws: `DatabaseError`, or what the query's own decoding throws.
  public func fetch<Output>(_ query: Query<Output>) throws -> Output {
    try query.fetch(self)
  }
}
