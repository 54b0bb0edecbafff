/// A query whose result has a Swift type: SQL, arguments, and how to decode.
///
///     let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
///     let names = Query.list("SELECT name FROM player ORDER BY score DESC") { row in
///       try row.decode(0, as: String.self)
///     }
///
/// Queries with the same SQL and arguments run once per refresh, whatever they decode to.
public struct Query<Output: Sendable>: Sendable {
  /// Exactly one statement that only reads.
  public let sql: String
  /// A value for each parameter.
  public let arguments: QueryArguments
  private let decode: @Sendable (RowSet) throws -> Output

  /// A query decoded by `decode` from its whole result.
  public init(
    _ sql: String, _ arguments: QueryArguments = [],
    decode: @escaping @Sendable (RowSet) throws -> Output
  ) {
    self.sql = sql
    self.arguments = arguments
    self.decode = decode
  }

  func fetch(_ connection: Connection) throws -> Output {
    try decode(connection.fetchAll(sql, arguments))
  }
}

extension Query {
  /// A query for one value: the first column of the first row.
  public static func scalar(
    _ sql: String, _ arguments: QueryArguments = [], as type: Output.Type = Output.self
  ) -> Query where Output: ValueConvertible {
    Query(sql, arguments) { result in
      guard let value = result.rows.first?.first else {
        throw DatabaseError(code: .mismatch, message: "the query returned no row", sql: sql)
      }
      return try Row(columns: result.columns, values: [value]).decode(0, as: type)
    }
  }

  /// A query for a list, decoded row by row.
  public static func list<Element>(
    _ sql: String, _ arguments: QueryArguments = [],
    element: @escaping @Sendable (Row) throws -> Element
  ) -> Query where Output == [Element] {
    Query(sql, arguments) { result in
      try result.rows.map { try element(Row(columns: result.columns, values: $0)) }
    }
  }

  /// A query for its rows as they are.
  public static func rows(_ sql: String, _ arguments: QueryArguments = []) -> Query
  where Output == RowSet {
    Query(sql, arguments) { $0 }
  }
}
