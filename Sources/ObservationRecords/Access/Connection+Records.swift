public import ObservationEngine

// MARK: - Tables

extension Connection {
  /// Creates the table of a record type: a column for each property, NOT NULL unless it is optional,
  /// and the primary key.
  ///
  ///     try db.create(Player.self, ifNotExists: true)
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - ifNotExists: Does nothing when there is such a table, whatever its columns.
  /// - Throws: `DatabaseError`: the table exists, or the type's columns cannot be found.
  public func create<Element: Record>(_ type: Element.Type, ifNotExists: Bool = false) throws {
    let shape = try RecordShape.of(type)
    try execute(SQL(raw: shape.creation(ifNotExists: ifNotExists, dateFormat: dateFormat)))
  }

  /// Removes the table of a record type with its rows.
  ///
  /// - Throws: `DatabaseError` when there is no such table, unless `ifExists`.
  public func drop<Element: Record>(_ type: Element.Type, ifExists: Bool = false) throws {
    try drop(table: type.tableName, ifExists: ifExists)
  }
}

// MARK: - Changing one row

extension Connection {
  /// Inserts a record.
  ///
  ///     let ada = try db.insert(Player(id: nil, name: "ada", score: 41))
  ///     print(ada.id!)
  ///
  /// - Returns: The record; if its optional rowid was `nil`, with the number that SQLite assigned.
  ///   It remains `nil` when the table doesn't number its rows by this column (`INT PRIMARY KEY` in
  ///   place of `INTEGER PRIMARY KEY`), and when SQLite inserted no row: the table ignores conflicts
  ///   (`ON CONFLICT IGNORE`), or a trigger refused the row (`RAISE(IGNORE)`) or runs in place of
  ///   the insertion. A property of a generated column isn't written, and stays as it is: fetch the record to read it.
  /// - Throws: `DatabaseError`: a constraint, for instance an existing key.
  @discardableResult
  public func insert<Element: Record>(_ record: Element) throws -> Element {
    let shape = try RecordShape.of(Element.self)
    let values = try RecordEncoder.values(of: record, shape, dateFormat)
    return try insert(record, values, shape)
  }

  private func insert<Element: Record>(
    _ record: Element, _ values: [Value], _ shape: RecordShape
  ) throws -> Element {
    guard let column = shape.numberedColumn, values[column] == .null else {
      let written = try written(values, shape)
      try executeRow(written.shape.statements.insert, written.values, table: shape.table)
      return record
    }
    var (written, others) = try written(values, shape)
    others.remove(at: written.key[0])
    let count = try executeRow(written.statements.insertWithoutKey, others, table: shape.table)
    // Otherwise the last rowid is that of an earlier row, or of no property of this one.
    guard count > 0, try isRowid(shape.columns[column].name, ofTable: shape.table) else {
      return record
    }
    var numbered = values
    numbered[column] = .integer(lastInsertedRowid)
    return try decode(numbered, shape)
  }

  /// Inserts a record, or updates the row that already has the same key (an UPSERT).
  ///
  ///     try db.insertOrUpdate(player)
  ///
  /// Triggers and foreign keys see an insertion or an update, never a deletion as with REPLACE. A view, which has no
  /// UPSERT, gets an UPDATE if there is such a row, and an INSERT if not.
  ///
  /// - Returns: The record, with its number as from `insert(_:)`.
  /// - Throws: `DatabaseError`: a constraint, a type without a key.
  @discardableResult
  public func insertOrUpdate<Element: Record>(_ record: Element) throws -> Element {
    let shape = try RecordShape.of(Element.self)
    try shape.requireKey()
    let values = try RecordEncoder.values(of: record, shape, dateFormat)
    if let column = shape.numberedColumn, values[column] == .null {
      return try insert(record, values, shape)
    }
    if try writingLimits(of: shape.table).isView {
      return try updateRow(values, shape) ? record : insert(record, values, shape)
    }
    let written = try written(values, shape)
    try executeRow(written.shape.statements.insertOrUpdate, written.values, table: shape.table)
    return record
  }

  /// Updates the row that has the same key, or inserts the record when there is none.
  ///
  /// - Returns: The record, with its number as from `insert(_:)`.
  /// - Throws: `DatabaseError`: a constraint, a type without a key.
  @discardableResult
  public func updateOrInsert<Element: Record>(_ record: Element) throws -> Element {
    let shape = try RecordShape.of(Element.self)
    try shape.requireKey()
    let values = try RecordEncoder.values(of: record, shape, dateFormat)
    if try updateRow(values, shape) { return record }
    return try insert(record, values, shape)
  }

  /// Updates all columns of the row that has the record's key.
  ///
  ///     player.score += 1
  ///     try db.update(player)
  ///
  /// - Throws: `DatabaseError` with code `notFound` when there is no such row; a constraint; a type
  ///   without a key.
  public func update<Element: Record>(_ record: Element) throws {
    let shape = try RecordShape.of(Element.self)
    try shape.requireKey()
    let values = try RecordEncoder.values(of: record, shape, dateFormat)
    guard try updateRow(values, shape) else {
      throw Self.noSuchRow(in: shape.table, sql: shape.statements.update)
    }
  }

  /// - Returns: Whether there was such a row.
  private func updateRow(_ values: [Value], _ shape: RecordShape) throws -> Bool {
    let (shape, values) = try written(values, shape)
    let key = shape.key.map { values[$0] }
    guard !shape.statements.update.isEmpty else {
      return try exists(in: shape.table, where: TableSQL.equals(shape.keyNames, key))
    }
    let others = values.indices.filter { !shape.key.contains($0) }.map { values[$0] }
    return try hitsRow(
      SQL(raw: shape.statements.update, QueryArguments(values: others + key)), table: shape.table,
      where: TableSQL.equals(shape.keyNames, key))
  }

  /// What is written of a record: all columns but those that the table generates.
  private func written(
    _ values: [Value], _ shape: RecordShape
  ) throws -> (shape: RecordShape, values: [Value]) {
    let generated = try writingLimits(of: shape.table).generated
    guard !generated.isEmpty else { return (shape, values) }
    let kept = values.indices.filter { index in
      shape.key.contains(index) || !generated.contains(shape.columns[index].name.asciiLowercased)
    }
    return (shape.restricted(to: kept), kept.map { values[$0] })
  }

  /// Deletes the row that has the record's key.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: `DatabaseError`: a constraint, a type without a key.
  @discardableResult
  public func delete<Element: Record>(_ record: Element) throws -> Bool {
    let shape = try RecordShape.of(Element.self)
    try shape.requireKey()
    let values = try RecordEncoder.values(of: record, shape, dateFormat)
    return try deleteRow(shape, key: shape.key.map { values[$0] })
  }

  /// - Returns: Whether there was such a row.
  func deleteRow(_ shape: RecordShape, key: [Value]) throws -> Bool {
    try hitsRow(
      SQL(raw: shape.statements.delete, QueryArguments(values: key)), table: shape.table,
      where: TableSQL.equals(shape.keyNames, key))
  }

  /// A record from the values of its columns.
  func decode<Element: Record>(_ values: [Value], _ shape: RecordShape) throws -> Element {
    let result = RowSet(columns: shape.columns.map(\.name), rows: [values])
    let cursor = RowCursor(result, sql: shape.statements.select, dateFormat: dateFormat)
    let decoder = RowDecoder(cursor, Element.self, naming: Element.columnNaming)
    defer { decoder.finish() }
    _ = try cursor.next()
    return try decoder.decode(Element.self)
  }
}
