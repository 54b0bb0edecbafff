public import ObservationEngine

// The same operations, each call in its own transaction.

// MARK: - Changing one row

extension Database {
  /// Inserts a record in its own transaction.
  ///
  ///     let ada = try await database.insert(Player(id: nil, name: "ada", score: 41))
  ///
  /// - Returns: The record, with its number as from `Connection.insert(_:)`.
  /// - Throws: As `Connection.insert(_:)`, after rolling back.
  @discardableResult
  public func insert<Element: Record>(_ record: Element) async throws -> Element {
    try await write { try $0.insert(record) }
  }

  /// Updates all columns of the row that has the record's key, in its own transaction.
  ///
  /// - Throws: As `Connection.update(_:)`, after rolling back.
  public func update<Element: Record>(_ record: Element) async throws {
    try await write { try $0.update(record) }
  }

  /// Inserts a record, or updates the row that has the same key, in its own transaction.
  ///
  /// - Returns: The record, with its number as from ``insert(_:)``.
  /// - Throws: As `Connection.insertOrUpdate(_:)`, after rolling back.
  @discardableResult
  public func insertOrUpdate<Element: Record>(_ record: Element) async throws -> Element {
    try await write { try $0.insertOrUpdate(record) }
  }

  /// Updates the row that has the same key, or inserts the record when there is none, in its own
  /// transaction.
  ///
  /// - Returns: The record, with its number as from ``insert(_:)``.
  /// - Throws: As `Connection.updateOrInsert(_:)`, after rolling back.
  @discardableResult
  public func updateOrInsert<Element: Record>(_ record: Element) async throws -> Element {
    try await write { try $0.updateOrInsert(record) }
  }

  /// Deletes the row that has the record's key, in its own transaction.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: As `Connection.delete(_:)`, after rolling back.
  @discardableResult
  public func delete<Element: Record>(_ record: Element) async throws -> Bool {
    try await write { try $0.delete(record) }
  }

  /// Sets columns of the record with a key, in its own transaction.
  ///
  ///     try await database.updateOne(Player.self, key: 7, set: ["score": 42])
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: As `Connection.updateOne(_:key:set:)`, after rolling back.
  @discardableResult
  public func updateOne<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...,
    set values: [String: (any ValueConvertible)?]
  ) async throws -> Bool {
    try await write { try $0.updateOne(type, keyValues: key, set: values) }
  }

  /// Deletes the record with a key, in its own transaction.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: As `Connection.deleteOne(_:key:)`, after rolling back.
  @discardableResult
  public func deleteOne<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...
  ) async throws -> Bool {
    try await write { try $0.deleteOne(type, keyValues: key) }
  }
}

// MARK: - Changing many rows, and tables

extension Database {
  /// Sets columns of all records that satisfy a condition, in one transaction.
  ///
  /// - Returns: How many records satisfied it.
  /// - Throws: As `Connection.updateAll(_:set:where:_:)`, after rolling back.
  @discardableResult
  public func updateAll<Element: Record>(
    _ type: Element.Type, set values: [String: (any ValueConvertible)?],
    where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) async throws -> Int {
    try await write { try $0.updateAll(type, set: values, where: condition, arguments) }
  }

  /// Deletes all records that satisfy a condition, in one transaction.
  ///
  /// - Returns: How many records were deleted.
  /// - Throws: As `Connection.deleteAll(_:where:_:)`, after rolling back.
  @discardableResult
  public func deleteAll<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) async throws -> Int {
    try await write { try $0.deleteAll(type, where: condition, arguments) }
  }

  /// Creates the table of a record type, in its own transaction.
  ///
  /// - Throws: As `Connection.create(_:ifNotExists:)`.
  public func create<Element: Record>(
    _ type: Element.Type, ifNotExists: Bool = false
  ) async throws {
    try await write { try $0.create(type, ifNotExists: ifNotExists) }
  }

  /// Removes the table of a record type with its rows, in its own transaction.
  ///
  /// - Throws: As `Connection.drop(_:ifExists:)`.
  public func drop<Element: Record>(_ type: Element.Type, ifExists: Bool = false) async throws {
    try await write { try $0.drop(type, ifExists: ifExists) }
  }
}

// MARK: - Reading

extension Database {
  /// The record with a key, in the latest committed state; `nil` when there is none.
  ///
  ///     let ada = try await database.fetchOne(Player.self, key: 7)
  ///
  /// - Throws: As `Connection.fetchOne(_:key:)`.
  public func fetchOne<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...
  ) async throws -> Element? {
    try await read { try $0.fetchOne(type, keyValues: key) }
  }

  /// The first record that satisfies a condition, in an order and in the latest committed state; `nil`
  /// when there is none.
  ///
  /// - Throws: As `Connection.fetchOne(_:where:_:orderBy:)`.
  public func fetchOne<Element: Record>(
    _ type: Element.Type, where condition: SQL?, _ arguments: QueryArguments = [],
    orderBy order: SQL? = nil
  ) async throws -> Element? {
    try await read { try $0.fetchOne(type, where: condition, arguments, orderBy: order) }
  }

  /// The records that satisfy a condition, in the latest committed state.
  ///
  ///     let best = try await database.fetchAll(Player.self, where: "score > ?", [40])
  ///
  /// - Throws: As `Connection.fetchAll(_:where:_:orderBy:limit:offset:)`.
  public func fetchAll<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = [],
    orderBy order: SQL? = nil, limit: Int? = nil, offset: Int? = nil
  ) async throws -> [Element] {
    try await read {
      try $0.fetchAll(
        type, where: condition, arguments, orderBy: order, limit: limit, offset: offset)
    }
  }

  /// How many records satisfy a condition, in the latest committed state.
  ///
  /// - Throws: As `Connection.count(_:where:_:)`.
  public func count<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) async throws -> Int {
    try await read { try $0.count(type, where: condition, arguments) }
  }

  /// Whether any record satisfies a condition, in the latest committed state.
  ///
  /// - Throws: As `Connection.exists(_:where:_:)`.
  public func exists<Element: Record>(
    _ type: Element.Type, where condition: SQL? = nil, _ arguments: QueryArguments = []
  ) async throws -> Bool {
    try await read { try $0.exists(type, where: condition, arguments) }
  }

  /// Whether there is a record with a key, in the latest committed state.
  ///
  /// - Throws: As `Connection.exists(_:key:)`.
  public func exists<Element: Record>(
    _ type: Element.Type, key: any ValueConvertible...
  ) async throws -> Bool {
    try await read { try $0.exists(type, keyValues: key) }
  }
}
