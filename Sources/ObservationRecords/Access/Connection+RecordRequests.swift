public import ObservationEngine

// MARK: - Reading

extension Connection {
  /// The record with a key; `nil` when there is none.
  ///
  ///     let ada = try db.fetchOne(Player.self, key: 7)
  ///     let stay = try db.fetchOne(Stay.self, key: "FR", 1789)    // of a composite key, in its order
  ///
  /// - Throws: `DatabaseError`: no such table, a column that does not fit, a type without a key, a
  ///   key with a different number of values.
  public func fetchOne<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...
  ) throws -> Element? {
    try fetchOne(type, keyValues: key)
  }

  func fetchOne<Element: Record>(
    _ type: Element.Type, keyValues: [any ValueConvertible]
  ) throws -> Element? {
    let shape = try RecordShape.of(type)
    try shape.requireKey()
    let values = try Self.checkKey(keyValues, for: shape.keyNames, table: shape.table)
    return try explainingErrors(table: shape.table) {
      let sql = SQL(raw: shape.statements.selectByKey, QueryArguments(values: values))
      return try fetchOne(sql, as: type, columns: type.columnNaming)
    }
  }

  /// The first record that satisfies a condition, in an order; `nil` when there is none.
  ///
  ///     let leader = try db.fetchOne(Player.self, where: "team = \(team)", orderBy: "score DESC")
  ///
  /// - Throws: As ``fetchAll(_:where:_:orderBy:limit:offset:)``.
  public func fetchOne<Element: Record>(
    _ type: Element.Type, where condition: SQL?, _ arguments: QueryArguments = [],
    orderBy order: SQL? = nil
  ) throws -> Element? {
    try fetchAll(type, where: condition, arguments, orderBy: order, limit: 1).first
  }

  /// The records that satisfy a condition.
  ///
  ///     let best = try db.fetchAll(
  ///       Player.self, where: "team = :team AND score > :least", ["team": "red", "least": 40],
  ///       orderBy: "score DESC", limit: 10)
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - condition: An SQL expression over the columns; without one, all records.
  ///   - arguments: A value for each of its parameters.
  ///   - order: SQL expressions, as after ORDER BY.
  ///   - limit: The maximum number of records to return.
  ///   - offset: How many records to skip first.
  /// - Throws: `DatabaseError`: no such table, an unknown column, a column that does not fit.
  /// - Complexity: O(records) time and memory.
  public func fetchAll<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = [],
    orderBy order: SQL? = nil, limit: Int? = nil, offset: Int? = nil
  ) throws -> [Element] {
    let shape = try RecordShape.of(type)
    let selection = RowSelection(
      where: condition, arguments, orderBy: order, limit: limit, offset: offset)
    return try explainingErrors(table: shape.table) {
      try fetchAll(
        "\(raw: shape.statements.select)\(selection.sql)", as: type, columns: type.columnNaming)
    }
  }

  /// How many records satisfy a condition.
  ///
  /// - Throws: `DatabaseError`: no such table, an unknown column.
  public func count<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) throws -> Int {
    try count(of: type.tableName, where: condition, arguments)
  }

  /// Whether any record satisfies a condition.
  ///
  ///     if try db.exists(Player.self, where: "name = ?", ["ada"]) { … }
  ///
  /// - Throws: `DatabaseError`: no such table, an unknown column.
  /// - Complexity: Reads up to the first such record.
  public func exists<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) throws -> Bool {
    try exists(in: type.tableName, where: condition, arguments)
  }

  /// Whether there is a record with a key.
  ///
  /// - Throws: `DatabaseError`: no such table, a type without a key.
  public func exists<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...
  ) throws -> Bool {
    try exists(type, keyValues: key)
  }

  func exists<Element: Record>(
    _ type: Element.Type, keyValues: [any ValueConvertible]
  ) throws -> Bool {
    let shape = try RecordShape.of(type)
    try shape.requireKey()
    let values = try Self.checkKey(keyValues, for: shape.keyNames, table: shape.table)
    return try exists(in: shape.table, where: TableSQL.equals(shape.keyNames, values))
  }
}

// MARK: - Changing many rows

extension Connection {
  /// Sets columns of the record with a key.
  ///
  ///     try db.updateOne(Player.self, key: 7, set: ["score": 42])
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: `DatabaseError`: nothing to set, a constraint, an unknown column, a type without a key.
  @discardableResult
  public func updateOne<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...,
    set values: [String: (any ValueConvertible)?]
  ) throws -> Bool {
    try updateOne(type, keyValues: key, set: values)
  }

  func updateOne<Element: Record>(
    _ type: Element.Type, keyValues: [any ValueConvertible],
    set values: [String: (any ValueConvertible)?]
  ) throws -> Bool {
    let shape = try RecordShape.of(type)
    try shape.requireKey()
    let key = try Self.checkKey(keyValues, for: shape.keyNames, table: shape.table)
    return try updateRow(
      in: shape.table, set: values, where: TableSQL.equals(shape.keyNames, key))
  }

  /// Sets columns of all records that satisfy a condition.
  ///
  ///     try db.updateAll(Player.self, set: ["score": 0], where: "team = ?", ["red"])
  ///
  /// - Returns: How many records satisfied it.
  /// - Throws: `DatabaseError`: nothing to set, a constraint, an unknown column.
  @discardableResult
  public func updateAll<Element: Record>(
    _ type: Element.Type, set values: [String: (any ValueConvertible)?],
    where condition: SQL? = nil,
    _ arguments: QueryArguments = []
  ) throws -> Int {
    try updateAll(in: type.tableName, set: values, where: condition, arguments)
  }

  /// Deletes the record with a key.
  ///
  ///     try db.deleteOne(Player.self, key: 7)
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: `DatabaseError`: a constraint, a type without a key.
  @discardableResult
  public func deleteOne<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...
  ) throws -> Bool {
    try deleteOne(type, keyValues: key)
  }

  func deleteOne<Element: Record>(
    _ type: Element.Type, keyValues: [any ValueConvertible]
  ) throws -> Bool {
    let shape = try RecordShape.of(type)
    try shape.requireKey()
    let values = try Self.checkKey(keyValues, for: shape.keyNames, table: shape.table)
    return try deleteRow(shape, key: values)
  }

  /// Deletes all records that satisfy a condition.
  ///
  ///     try db.deleteAll(Player.self, where: "score < ?", [10])
  ///
  /// - Returns: How many records were deleted.
  /// - Throws: `DatabaseError`: a constraint, an unknown column.
  @discardableResult
  public func deleteAll<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) throws -> Int {
    try deleteAll(from: type.tableName, where: condition, arguments)
  }
}
