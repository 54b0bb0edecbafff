// Rows as dictionaries, for tables whose columns are known only while the program runs. Keys are
// column names; those of the table's declared primary key identify a row.

// MARK: - Changing rows

extension Connection {
  /// Inserts a row.
  ///
  ///     let id = try db.insert(into: "player", ["name": "ada", "score": 41])
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - row: Values by column; the others take their defaults.
  /// - Returns: The rowid, which is the value of an `INTEGER PRIMARY KEY`; `nil` for a
  ///   `WITHOUT ROWID` table, and when SQLite inserted no row: the table ignores conflicts
  ///   (`ON CONFLICT IGNORE`), or a trigger refused the row (`RAISE(IGNORE)`) or runs in place of
  ///   the insertion.
  /// - Throws: `DatabaseError`: a constraint, an unknown column.
  @discardableResult
  public func insert(into table: String, _ row: [String: (any ValueConvertible)?]) throws -> Int64?
  {
    let content = try RowContent(row, table: table)
    let sql = TableSQL(table).insert(content.columns)
    let count = try executeRow(sql, content.values, table: table)
    // Otherwise it is the number of an earlier row.
    return count > 0 && hasRowids(table: table) ? lastInsertedRowid : nil
  }

  /// Inserts a row, or updates these columns of the row that has the same key (an UPSERT).
  ///
  ///     try db.insertOrUpdate(in: "player", ["id": 7, "score": 42])
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - row: Values by column.
  ///   - key: Columns with a uniqueness constraint; the declared primary key by default.
  /// - Throws: `DatabaseError`: a constraint that SQLite checks before it finds the existing row
  ///   (NOT NULL), an unknown column, a table without a key.
  public func insertOrUpdate(
    in table: String, _ row: [String: (any ValueConvertible)?], key: [String]? = nil
  ) throws {
    let content = try RowContent(row, table: table)
    let key = try key ?? primaryKey(of: table)
    try executeRow(
      TableSQL(table).insertOrUpdate(content.columns, key: key), content.values, table: table)
  }

  /// Updates these columns of the row that has the same key.
  ///
  ///     try db.update(in: "player", ["id": 7, "score": 42])
  ///
  /// - Throws: `DatabaseError`: with code `notFound` when there is no such row; a row that has only
  ///   the key; a constraint, an unknown column, a table without a key.
  public func update(in table: String, _ row: [String: (any ValueConvertible)?]) throws {
    let key = try primaryKey(of: table)
    let content = try RowContent(row, table: table).separating(key: key, table: table)
    guard !content.rest.columns.isEmpty else {
      throw DatabaseError(
        code: .misuse,
        message: "there is nothing to set in \(table): name at least one column besides the key")
    }
    let sql = TableSQL(table).update(content.rest.columns, key: key)
    guard try executeRow(sql, content.rest.values + content.key, table: table) > 0 else {
      throw Self.noSuchRow(in: table, sql: sql)
    }
  }

  /// Sets columns of the row with a key.
  ///
  ///     try db.updateOne(in: "player", key: 7, set: ["score": 42])
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: `DatabaseError`: nothing to set, a constraint, an unknown column.
  @discardableResult
  public func updateOne(
    in table: String, key: any ValueConvertible..., set values: [String: (any ValueConvertible)?]
  ) throws -> Bool {
    let columns = try primaryKey(of: table)
    let key = try Self.checkKey(key, for: columns, table: table)
    return try updateAll(in: table, set: values, where: TableSQL.equals(columns, key)) > 0
  }

  /// Sets columns of all rows that satisfy a condition.
  ///
  ///     try db.updateAll(in: "player", set: ["score": 0], where: "team = :team", ["team": "red"])
  ///
  /// - Returns: How many rows satisfied it.
  /// - Throws: `DatabaseError`: nothing to set, a constraint, an unknown column.
  @discardableResult
  public func updateAll(
    in table: String, set values: [String: (any ValueConvertible)?], where condition: SQL? = nil,
    _ arguments: QueryArguments = []
  ) throws -> Int {
    let content = try RowContent(values, table: table)
    let sql = try TableSQL(table).update(content, where: condition?.with(arguments))
    return try executeRow(sql, table: table)
  }

  /// Deletes the row that has the same key.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: `DatabaseError`: a constraint, a table without a key.
  @discardableResult
  public func delete(from table: String, _ row: [String: (any ValueConvertible)?]) throws -> Bool {
    let key = try primaryKey(of: table)
    let values = try RowContent(row, table: table).separating(key: key, table: table).key
    let sql = TableSQL(table).delete(key: key)
    return try executeRow(sql, values, table: table) > 0
  }

  /// Deletes the row with a key.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: `DatabaseError`: a constraint, a table without a key.
  @discardableResult
  public func deleteOne(from table: String, key: any ValueConvertible...) throws -> Bool {
    let columns = try primaryKey(of: table)
    let values = try Self.checkKey(key, for: columns, table: table)
    let sql = TableSQL(table).delete(key: columns)
    return try executeRow(sql, values, table: table) > 0
  }

  /// Deletes all rows that satisfy a condition.
  ///
  ///     try db.deleteAll(from: "player", where: "score < ?", [10])
  ///
  /// - Returns: How many rows were deleted.
  /// - Throws: `DatabaseError`: a constraint, an unknown column.
  @discardableResult
  public func deleteAll(
    from table: String, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) throws -> Int {
    let filter = SQL.whereClause(condition).with(arguments)
    return try executeRow("DELETE FROM \(identifier: table)\(filter)", table: table)
  }
}
