/// A query whose result has a Swift type: SQL, arguments, and how to decode.
///
///     let count = Query.count(of: "player")
///     let best = Query.rows("SELECT name, score FROM player WHERE team = \(team)") { row in
///       try Player(name: row[0], score: row[1])
///     }
///
/// Queries with the same SQL and arguments run once per refresh, whatever they decode to.
public struct Query<Output: Sendable>: Sendable {
  /// Exactly one statement that only reads.
  package let sql: String
  /// A value for each parameter.
  package let arguments: QueryArguments
  private let run: @Sendable (Connection) throws -> Output

  /// A query decoded by `decode` from its whole result.
  package init(
    _ sql: SQL, _ arguments: QueryArguments = [],
    decode: @escaping @Sendable (RowSet) throws -> Output
  ) {
    let sql = sql.with(arguments)
    self.init(sql, run: { try decode($0.fetchAll(sql)) })
  }

  /// A query that `run` runs.
  ///
  /// - Parameter run: Runs exactly this SQL.
  @usableFromInline
  package init(_ sql: SQL, run: @escaping @Sendable (Connection) throws -> Output) {
    self.sql = sql.text
    self.arguments = sql.arguments
    self.run = run
  }

  func fetch(_ connection: Connection) throws -> Output { try run(connection) }
}

extension Query {
  /// A query for one value: the first column of the first row.
  ///
  ///     let best = Query.scalar("SELECT max(score) FROM player", as: Int.self)
  ///
  /// Without a row, or with NULL, the value is `nil`; see ``Connection/fetchOne(_:_:as:)``.
  public static func scalar<Scalar: ValueConvertible>(
    _ sql: SQL, _ arguments: QueryArguments = [], as type: Scalar.Type = Scalar.self
  ) -> Query where Output == Scalar? {
    let sql = sql.with(arguments)
    return Query(sql, run: { try $0.fetchOne(sql, as: type) })
  }

  /// A query for its rows as they are.
  public static func rows(_ sql: SQL, _ arguments: QueryArguments = []) -> Query
  where Output == RowSet {
    Query(sql, arguments, decode: { $0 })
  }

  /// A query for a list, decoded as the rows come.
  ///
  ///     let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC LIMIT 10") { row in
  ///       try Player(name: row[0], score: row[1])
  ///     }
  ///
  /// Within a refresh equal SQL and arguments still run once; see ``StatementRow``.
  @inlinable
  public static func rows<Element>(
    _ sql: SQL, _ arguments: QueryArguments = [],
    decode: @escaping @Sendable (borrowing StatementRow) throws -> Element
  ) -> Query where Output == [Element] {
    let sql = sql.with(arguments)
    return Query(sql, run: { try $0.fetchAll(sql, decode: decode) })
  }

  /// A query for the number of rows of a table, or of those for which a condition holds.
  ///
  ///     for try await count in database.observe(.count(of: "player", where: "score > \(least)")) {
  ///       print("\(count) good players")
  ///     }
  ///
  /// - Parameters:
  ///   - table: The name of a table or view, as it is: it is quoted.
  ///   - condition: SQL for after WHERE.
  ///   - arguments: A value for each parameter of the condition.
  public static func count(
    of table: String, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) -> Query where Output == Int {
    let sql: SQL = "SELECT count(*) FROM \(identifier: table)\(SQL.whereClause(condition))"
    return Query<Int?>.scalar(sql, arguments).map { $0 ?? 0 }
  }

  /// The same query, its result changed by `transform`.
  ///
  ///     let leader = Query.rows("SELECT name FROM player ORDER BY score DESC LIMIT 1").map { rows in
  ///       try rows.first?["name"] as String?
  ///     }
  ///
  /// - Parameter transform: Runs on the connection's thread after each fetch; the result has what it
  ///   throws as its error.
  public func map<Other>(
    _ transform: @escaping @Sendable (Output) throws -> Other
  ) -> Query<Other> {
    Query<Other>(SQL(raw: sql, arguments), run: { [self] in try transform(fetch($0)) })
  }
}
