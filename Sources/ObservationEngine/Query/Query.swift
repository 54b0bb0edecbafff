/// A query whose result has a Swift type: SQL, arguments, and how to decode.
///
///     let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
///     let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC") { row in
///       try Player(name: row[0], score: row[1])
///     }
///
/// Queries with the same SQL and arguments run once per refresh, whatever they decode to.
public struct Query<Output: Sendable>: Sendable {
  /// Exactly one statement that only reads.
  public let sql: String
  /// A value for each parameter.
  public let arguments: QueryArguments
  private let run: @Sendable (Connection) throws -> Output

  /// A query decoded by `decode` from its whole result.
  public init(
    _ sql: String, _ arguments: QueryArguments = [],
    decode: @escaping @Sendable (RowSet) throws -> Output
  ) {
    self.init(sql, arguments) { (connection: Connection) in
      try decode(connection.fetchAll(sql, arguments))
    }
  }

  /// A query that `run` runs.
  ///
  /// - Parameter run: Runs exactly this SQL with these arguments.
  @usableFromInline
  package init(
    _ sql: String, _ arguments: QueryArguments,
    run: @escaping @Sendable (Connection) throws -> Output
  ) {
    self.sql = sql
    self.arguments = arguments
    self.run = run
  }

  func fetch(_ connection: Connection) throws -> Output { try run(connection) }
}

/// `Optional`, found at run time.
private protocol OptionalScalar {
  static var absent: Self { get }
}

extension Optional: OptionalScalar {
  fileprivate static var absent: Wrapped? { nil }
}

extension Query {
  /// A query for one value: the first column of the first row.
  ///
  ///     let best = Query.scalar("SELECT max(score) FROM player WHERE name = ?", ["eve"], as: Int?.self)
  ///
  /// Without a row an optional is `nil`, as with a row that holds NULL; any other type is an error.
  public static func scalar(
    _ sql: String, _ arguments: QueryArguments = [], as type: Output.Type = Output.self
  ) -> Query where Output: ValueConvertible {
    Query(sql, arguments) { result in
      guard let value = result.rows.first?.first else {
        if let none = (Output.self as? any OptionalScalar.Type)?.absent as? Output { return none }
        throw DatabaseError(code: .mismatch, message: "the query returned no row", sql: sql)
      }
      return try Row(columns: result.columns, values: [value]).decode(0, as: type)
    }
  }

  /// A query for a list, decoded row by row from rows that may be kept.
  ///
  /// ``rows(_:_:decode:)`` costs less.
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
    Query(sql, arguments) { (result: RowSet) in result }
  }

  /// A query for a list, decoded by position as the rows come.
  ///
  ///     let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC LIMIT 10") { row in
  ///       try Player(name: row[0], score: row[1])
  ///     }
  ///
  /// Within a refresh equal SQL and arguments still run once; see ``StatementRow``.
  @inlinable
  public static func rows<Element>(
    _ sql: String, _ arguments: QueryArguments = [],
    decode: @escaping @Sendable (borrowing StatementRow) throws -> Element
  ) -> Query where Output == [Element] {
    Query(sql, arguments, run: { try $0.fetchAll(sql, arguments, decode: decode) })
  }
}
