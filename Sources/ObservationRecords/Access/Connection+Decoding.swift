public import ObservationEngine

extension Connection {
  /// Runs a query and decodes its rows as a `Codable` type, with columns named after the coding
  /// keys.
  ///
  ///     struct Best: Decodable { var name: String; var score: Int }
  ///     let best = try db.fetchAll("SELECT name, score FROM player", as: Best.self)
  ///
  /// A type that is coded as a single value takes the first column. For stored types, see
  /// ``ObservationRecords/Record``.
  ///
  /// - Parameters:
  ///   - sql: Exactly one statement.
  ///   - arguments: A value for each of its parameters.
  ///   - type: The type of a decoded row.
  ///   - naming: How columns are named after coding keys.
  /// - Throws: `DatabaseError` with code `mismatch` when a column is missing or does not fit, or an
  ///   error that the type's own initializer throws.
  /// - Complexity: O(rows) time and memory.
  public func fetchAll<Output: Decodable>(
    _ sql: SQL, _ arguments: QueryArguments = [], as type: Output.Type,
    columns naming: ColumnNaming = .verbatim
  ) throws -> [Output] {
    let cursor = try openCursor(sql, arguments)
    defer { cursor.close() }
    let decoder = RowDecoder(cursor, type, naming: naming)
    defer { decoder.finish() }
    var outputs: [Output] = []
    while try cursor.next() { outputs.append(try decoder.decode(type)) }
    return outputs
  }

  /// Runs a query and decodes its first row as a `Codable` type; `nil` when there is none.
  ///
  ///     let ada = try db.fetchOne("SELECT * FROM player WHERE id = \(id)", as: Player.self)
  ///
  /// For a type that is a single value, such as `Int`, use `fetchOne` of the module
  /// `ObservationEngine`.
  ///
  /// - Throws: As ``fetchAll(_:_:as:columns:)``.
  @_disfavoredOverload  // For a type that is both Decodable and a single value.
  public func fetchOne<Output: Decodable>(
    _ sql: SQL, _ arguments: QueryArguments = [], as type: Output.Type,
    columns naming: ColumnNaming = .verbatim
  ) throws -> Output? {
    let cursor = try openCursor(sql, arguments, keepsRows: false)
    defer { cursor.close() }
    let decoder = RowDecoder(cursor, type, naming: naming)
    defer { decoder.finish() }
    return try cursor.next() ? decoder.decode(type) : nil
  }
}
