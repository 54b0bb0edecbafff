public import ObservationEngine

// The same operations, each call in its own transaction.

extension Database {
  /// Inserts a record in its own transaction.
  ///
  ///     let ada = try await database.insert(Player(id: nil, name: "ada", score: 41))
  ///
  /// - Returns: The record; if its optional rowid was `nil`, with the number that SQLite assigned.
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

  /// Deletes the row that has the record's key, in its own transaction.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: As `Connection.delete(_:)`, after rolling back.
  @discardableResult
  public func delete<Element: Record>(_ record: Element) async throws -> Bool {
    try await write { try $0.delete(record) }
  }

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
}
