extension Connection {
  /// Runs a statement that the library composed, and adds a remedy to SQLite's error.
  @discardableResult
  package func executeRow(_ sql: SQL, table: String) throws -> Int {
    try explainingErrors(table: table) { try execute(sql) }
  }

  /// Runs a statement that the library composed with arguments, and adds a remedy to SQLite's
  /// error.
  @discardableResult
  package func executeRow(_ sql: String, _ values: [Value], table: String) throws -> Int {
    try executeRow(SQL(raw: sql, QueryArguments(values: values)), table: table)
  }

  /// Sets columns of the row with a key.
  ///
  /// - Returns: Whether there was such a row.
  package func updateRow(
    in table: String, set values: [String: (any ValueConvertible)?], where key: SQL
  ) throws -> Bool {
    let sql = try TableSQL(table).update(RowContent(values, table: table), where: key)
    return try hitsRow(sql, table: table, where: key)
  }

  /// Runs an UPDATE or DELETE of the row with a key.
  ///
  /// - Returns: Whether there was such a row. SQLite doesn't count the rows of a view, for which triggers run.
  package func hitsRow(_ sql: SQL, table: String, where key: SQL) throws -> Bool {
    guard try writingLimits(of: table).isView else { return try executeRow(sql, table: table) > 0 }
    let isPresent = try exists(in: table, where: key)
    try executeRow(sql, table: table)
    return isPresent
  }

  /// Runs `body`, and adds to SQLite's errors what the user can do about them.
  package func explainingErrors<Output>(table: String, _ body: () throws -> Output) throws -> Output
  {
    do {
      return try body()
    } catch let error as DatabaseError {
      guard let remedy = remedy(for: error, table: table) else { throw error }
      throw DatabaseError(
        code: error.code, message: "\(error.message); \(remedy)", sql: error.sql,
        offset: error.offset)
    }
  }

  private func remedy(for error: DatabaseError, table: String) -> String? {
    let message = error.message
    if message.hasPrefix("no such column") || message.includes(" has no column named") {
      // A remedy that can't be found must not replace the error.
      let columns = (try? columnNames(of: table)) ?? []
      return columns.isEmpty ? nil : "\(table) has \(columns.joined(separator: ", "))"
    }
    if message.hasPrefix("no such table") { return "create it first" }
    switch error.code.rawValue {
    // SQLITE_CONSTRAINT_PRIMARYKEY and _ROWID.
    case 1555, 2579: return "a row with this key exists already; insertOrUpdate updates it"
    // SQLITE_CONSTRAINT_UNIQUE: an upsert by the primary key would not help, because the conflict
    // is in another key.
    case 2067: return "another row has the same value there; update or delete that one"
    // SQLITE_CONSTRAINT_NOTNULL.
    case 1299: return "give the column a value"
    default: return nil
    }
  }

  /// The columns of a table in declared order; none when there is no such table.
  package func columnNames(of table: String) throws(DatabaseError) -> [String] {
    try settableColumns(of: table).map(\.name)
  }

  /// The declared primary key of a table, in its order.
  ///
  /// - Throws: `DatabaseError` when there is no such table, or it declares none.
  package func primaryKey(of table: String) throws(DatabaseError) -> [String] {
    let columns = try settableColumns(of: table)
    guard !columns.isEmpty else {
      throw DatabaseError(code: .error, message: "no such table: \(table); create it first")
    }
    let key = columns.filter { $0.keyPosition > 0 }
      .sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
    guard !key.isEmpty else {
      throw DatabaseError(
        code: .misuse,
        message: "\(table) declares no primary key: name the rows by a condition instead")
    }
    return key
  }

  /// The columns that a statement can write, in declared order.
  private func settableColumns(
    of table: String
  ) throws(DatabaseError) -> [SchemaReader.Column] {
    try SchemaReader(self).columns(of: table, in: nil).filter { $0.visibility == .ordinary }
  }

  /// The error for a row that must exist but doesn't.
  ///
  /// - Parameter sql: The statement that did not find it; empty for a table with nothing but a key,
  ///   where none can update.
  package static func noSuchRow(in table: String, sql: String) -> DatabaseError {
    DatabaseError(
      code: .notFound,
      message: "\(table) has no row with this key; insertOrUpdate inserts it",
      sql: sql.isEmpty ? nil : sql)
  }

  /// Checks that a key has as many values as columns.
  package static func checkKey(
    _ values: [any ValueConvertible], for key: [String], table: String
  ) throws(DatabaseError) -> [Value] {
    guard values.count == key.count else {
      throw DatabaseError(
        code: .misuse,
        message: """
          the key of \(table) is (\(key.joined(separator: ", "))): \
          \(key.count == 1 ? "1 value" : "\(key.count) values") expected, \(values.count) given
          """)
    }
    var converted: [Value] = []
    for value in values { converted.append(try value.toValue()) }
    return converted
  }
}
