// MARK: - Reading rows

extension Connection {
  /// The row with a key; `nil` when there is none.
  ///
  ///     let player = try db.fetchOne(from: "player", key: 7)
  ///     let name = player?["name"]
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - key: A value for each column of the declared primary key, in its order.
  /// - Throws: `DatabaseError`: no such table, a table without a key.
  public func fetchOne(
    from table: String, key: any ValueConvertible...
  ) throws -> [String: Value]? {
    let columns = try primaryKey(of: table)
    let key = try Self.checkKey(key, for: columns, table: table)
    return try fetchAll(from: table, where: TableSQL.equals(columns, key)).first
  }

  /// The rows that satisfy a condition.
  ///
  ///     let best = try db.fetchAll(
  ///       from: "player", where: "score > \(least)", orderBy: "score DESC", limit: 10)
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - condition: An SQL expression; without one, all rows.
  ///   - arguments: A value for each of its parameters.
  ///   - order: SQL expressions, as after ORDER BY.
  ///   - limit: The maximum number of rows to return.
  ///   - offset: How many rows to skip first.
  /// - Throws: `DatabaseError`: no such table, an unknown column.
  /// - Complexity: O(rows) time and memory.
  public func fetchAll(
    from table: String, where condition: SQL? = nil, _ arguments: QueryArguments = [],
    orderBy order: SQL? = nil, limit: Int? = nil, offset: Int? = nil
  ) throws -> [[String: Value]] {
    let selection = RowSelection(
      where: condition, arguments, orderBy: order, limit: limit, offset: offset)
    return try explainingErrors(table: table) {
      let result = try fetchAll("\(raw: TableSQL(table).select())\(selection.sql)")
      return result.rows.map { values in
        Dictionary(zip(result.columns, values)) { first, _ in first }
      }
    }
  }

  /// How many rows satisfy a condition.
  ///
  /// - Throws: `DatabaseError`: no such table, an unknown column.
  public func count(
    of table: String, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) throws -> Int {
    try explainingErrors(table: table) {
      try fetch(.count(of: table, where: condition, arguments))
    }
  }

  /// Whether any row satisfies a condition.
  ///
  /// - Throws: `DatabaseError`: no such table, an unknown column.
  /// - Complexity: Reads up to the first such row.
  public func exists(
    in table: String, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) throws -> Bool {
    try explainingErrors(table: table) {
      try fetchOne(
        "SELECT 1 FROM \(identifier: table)\(SQL.whereClause(condition)) LIMIT 1", arguments,
        as: Int.self) != nil
    }
  }
}

// MARK: - Tables

extension Connection {
  /// Creates a table.
  ///
  ///     try db.create(
  ///       table: "player", columns: ["id": "INTEGER PRIMARY KEY", "name": "TEXT NOT NULL"])
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - columns: Type and constraints by column, in the order of declaration; names are quoted, the
  ///     rest is SQL.
  ///   - ifNotExists: Does nothing when there is such a table, whatever its columns.
  /// - Throws: `DatabaseError`.
  public func create(
    table: String, columns: KeyValuePairs<String, String>, ifNotExists: Bool = false
  ) throws {
    let declarations = columns.map { "\($0.key.quotedIdentifier) \($0.value)" }
    try RowContent.refuseDuplicates(columns.map(\.key), table)
    try execute(
      """
      CREATE TABLE \(raw: ifNotExists ? "IF NOT EXISTS" : "") \(identifier: table) \
      (\(raw: declarations.joined(separator: ", ")))
      """)
  }

  /// Removes a table with its rows.
  ///
  /// - Throws: `DatabaseError` when there is no such table, unless `ifExists`.
  public func drop(table: String, ifExists: Bool = false) throws {
    try execute("DROP TABLE \(raw: ifExists ? "IF EXISTS" : "") \(identifier: table)")
  }
}
