extension Query where Output == Int {
  /// A query for the number of rows of a table, or of those for which a condition holds.
  ///
  ///     for try await count in database.observe(.count(of: "player", where: "score > ?", [40])) {
  ///       print("\(count) good players")
  ///     }
  ///
  /// - Parameters:
  ///   - table: The name of a table or view, as it is: it is quoted.
  ///   - condition: SQL for after WHERE.
  ///   - arguments: A value for each parameter of the condition.
  public static func count(
    of table: String, where condition: String? = nil, _ arguments: QueryArguments = []
  ) -> Query {
    let filter = condition.map { " WHERE \($0)" } ?? ""
    return scalar("SELECT count(*) FROM \(table.quotedIdentifier)\(filter)", arguments)
  }
}

extension Query {
  /// A query for its first row, decoded; `nil` when there is none.
  ///
  ///     let best = Query.first("SELECT name FROM player ORDER BY score DESC LIMIT 1") { row in
  ///       try row.decode(0, as: String.self)
  ///     }
  ///
  /// Say LIMIT 1: all rows are fetched that the SQL gives. For all of them there is
  /// ``list(_:_:element:)``.
  public static func first<Element>(
    _ sql: String, _ arguments: QueryArguments = [],
    element: @escaping @Sendable (Row) throws -> Element
  ) -> Query where Output == Element? {
    Query(
      sql, arguments,
      decode: { result in
        try result.rows.first.map { try element(Row(columns: result.columns, values: $0)) }
      })
  }
}
