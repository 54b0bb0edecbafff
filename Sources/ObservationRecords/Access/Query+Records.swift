public import ObservationEngine

extension Query {
  /// A query for a list of a `Codable` type, with columns named after the coding keys.
  ///
  ///     let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC", as: Best.self)
  ///     for try await players in database.observe(best) { show(players) }
  ///
  /// Within a refresh, equal SQL with equal arguments runs once, whatever it is decoded to.
  public static func rows<Element: Decodable>(
    _ sql: SQL, _ arguments: QueryArguments = [], as type: Element.Type,
    columns naming: ColumnNaming = .verbatim
  ) -> Query where Output == [Element] {
    let sql = sql.with(arguments)
    return Query(sql, run: { try $0.fetchAll(sql, as: type, columns: naming) })
  }

  /// A query for the records that satisfy a condition.
  ///
  ///     let best = try Query.all(Player.self, where: "score > ?", [40], orderBy: "score DESC")
  ///     for try await players in database.observe(best) { show(players) }
  ///
  /// - Throws: `DatabaseError` when the type's columns cannot be found.
  public static func all<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = [],
    orderBy order: SQL? = nil, limit: Int? = nil, offset: Int? = nil
  ) throws -> Query where Output == [Element] {
    let selection = RowSelection(
      where: condition, arguments, orderBy: order, limit: limit, offset: offset)
    let select = try RecordShape.of(type).statements.select
    return .rows("\(raw: select)\(selection.sql)", as: type, columns: type.columnNaming)
  }

  /// A query for the number of records that satisfy a condition.
  ///
  ///     let count = Query.count(Player.self, where: "score > ?", [40])
  public static func count<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) -> Query where Output == Int {
    .count(of: type.tableName, where: condition, arguments)
  }
}
