public import ObservationEngine

extension Connection {
  /// The values of a record by column, as they are written: dates in the format of the database,
  /// nested properties as JSON text.
  ///
  ///     let row = try db.values(of: player)  // ["id": 7, "name": "ada", "score": 41]
  ///
  /// - Throws: `DatabaseError` when the type's columns cannot be found, or a property cannot be stored.
  public func values<Element: Record>(of record: Element) throws -> [String: Value] {
    try RecordEncoder.row(of: record, dateFormat)
  }
}

extension Database {
  /// The values of a record by column, as this database writes them; nothing is read or written.
  ///
  ///     let row = try database.values(of: player)
  ///
  /// - Throws: As `Connection.values(of:)`.
  public func values<Element: Record>(of record: Element) throws -> [String: Value] {
    try RecordEncoder.row(of: record, configuration.dateFormat)
  }
}

extension RecordEncoder {
  fileprivate static func row<Element: Record>(
    of record: Element, _ dateFormat: DateFormat
  ) throws -> [String: Value] {
    let shape = try RecordShape.of(Element.self)
    let values = try values(of: record, shape, dateFormat)
    return Dictionary(uniqueKeysWithValues: zip(shape.columns.map(\.name), values))
  }
}
