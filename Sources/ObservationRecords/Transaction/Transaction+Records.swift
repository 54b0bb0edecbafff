public import ObservationEngine

// MARK: - Whole records

extension Transaction {
  /// Inserts a record.
  ///
  ///     try await database.commit([.add(ada), .add(bob)])
  ///
  /// It fails when the key exists already. It doesn't return the number of an optional rowid: read
  /// the record, or use a closure with `Connection.insert(_:)`.
  public static func add<Element: Record>(_ record: Element) -> Transaction {
    Transaction { try $0.insert(record) }
  }

  /// Updates all columns of the row that has the record's key.
  ///
  /// It fails when there is no such row.
  public static func update<Element: Record>(_ record: Element) -> Transaction {
    Transaction { try $0.update(record) }
  }

  /// Inserts a record, or updates the row that has the same key.
  public static func save<Element: Record>(_ record: Element) -> Transaction {
    Transaction { try $0.insertOrUpdate(record) }
  }

  /// Deletes the row that has the record's key, if there is one.
  public static func delete<Element: Record>(_ record: Element) -> Transaction {
    Transaction { try $0.delete(record) }
  }
}

// MARK: - Parts of records

extension Transaction {
  /// Changes a record, and updates the columns that then differ.
  ///
  ///     let cheer = Transaction.update(player) { $0.score += 1 }
  ///     try await database.commit(cheer.refreshing())
  ///
  /// Other columns keep what other writers stored there. With `refreshing()` the change applies to
  /// the record as it is in the database at that time.
  ///
  /// It fails when there is no such row.
  ///
  /// - Parameters:
  ///   - record: The record, as it was read.
  ///   - change: Runs in the transaction; an error that it throws undoes everything.
  public static func update<Element: Record>(
    _ record: Element, _ change: @escaping @Sendable (inout Element) throws -> Void
  ) -> Transaction {
    Transaction { connection, refreshes in
      let base = refreshes ? try connection.latest(record) : record
      var changed = base
      try change(&changed)
      let shape = try RecordShape.of(Element.self)
      let before = try RecordEncoder.values(of: base, shape, connection.dateFormat)
      let after = try RecordEncoder.values(of: changed, shape, connection.dateFormat)
      let generated = try connection.writingLimits(of: shape.table).generated
      let differing = before.indices.filter { index in
        before[index] != after[index]
          && !generated.contains(shape.columns[index].name.asciiLowercased)
      }
      try connection.set(
        differing.map { (shape.columns[$0].name, after[$0]) }, ofRowWith: before, shape)
    }
  }

  /// Sets one property of a record, and updates its column.
  ///
  ///     try await database.commit(.set(\.score, 42, on: player))
  ///
  /// The column is written even if the given record already has that value. If a property is stored
  /// as JSON, setting a part of it writes the whole property from the record; with `refreshing()`,
  /// from the database.
  ///
  /// It fails when there is no such row, or no column holds the property.
  public static func set<Element: Record, Property: Sendable>(
    _ property: any WritableKeyPath<Element, Property> & Sendable, _ value: Property,
    on record: Element
  ) -> Transaction {
    Transaction { connection, refreshes in
      let base = refreshes ? try connection.latest(record) : record
      let shape = try RecordShape.of(Element.self)
      let values = try PropertyColumns(shape, connection.dateFormat)
        .values(setting: property, to: value, on: base)
      let key = try RecordEncoder.values(of: base, shape, connection.dateFormat)
      try connection.set(values, ofRowWith: key, shape)
    }
  }

  /// Sets one property of all records that satisfy a condition.
  ///
  ///     try await database.commit(.set(\Player.score, 0, where: "team = ?", ["red"]))
  ///
  /// It fails when the property is only a part of its column, for example of one stored as JSON.
  ///
  /// - Parameters:
  ///   - property: A stored property of the record type.
  ///   - value: Its new value.
  ///   - condition: An SQL expression over the columns; `nil` for all records.
  ///   - arguments: A value for each parameter of the condition.
  public static func set<Element: Record, Property: Encodable & Sendable>(
    _ property: any WritableKeyPath<Element, Property> & Sendable, _ value: Property,
    where condition: SQL?, _ arguments: QueryArguments = []
  ) -> Transaction {
    Transaction { connection in
      let shape = try RecordShape.of(Element.self)
      let values = try PropertyColumns(shape, connection.dateFormat)
        .values(setting: property, to: value)
      try connection.updateAll(
        in: shape.table, set: Dictionary(values) { $1 }, where: condition, arguments)
    }
  }
}

extension Connection {
  /// The record as it is in the database now.
  fileprivate func latest<Element: Record>(_ record: Element) throws -> Element {
    let shape = try RecordShape.of(Element.self)
    try shape.requireKey()
    let values = try RecordEncoder.values(of: record, shape, dateFormat)
    guard let latest = try fetchOne(Element.self, keyValues: shape.key.map { values[$0] }) else {
      throw Self.noSuchRow(in: shape.table, sql: shape.statements.selectByKey)
    }
    return latest
  }

  /// Sets columns of the row with the key in `values`.
  fileprivate func set(
    _ columns: [(String, Value)], ofRowWith values: [Value], _ shape: RecordShape
  ) throws {
    try shape.requireKey()
    let condition = TableSQL.equals(shape.keyNames, shape.key.map { values[$0] })
    let isPresent =
      columns.isEmpty
      ? try exists(in: shape.table, where: condition)
      : try updateRow(in: shape.table, set: Dictionary(columns) { $1 }, where: condition)
    if !isPresent { throw Self.noSuchRow(in: shape.table, sql: shape.statements.update) }
  }
}
