internal import ObservationEngine

/// Restores the rows of a transaction as they were before it.
///
///     look at each row: is it as the transaction left it? ─▶ delete what it left ─▶ insert what was
///
/// All rows are deleted before any is inserted, so that unique values which rows have exchanged
/// never collide.
struct Inverse {
  private let record: UndoRecord
  /// The participle for a refusal's message: `undone`, `redone`.
  private let participle: String
  private let connection: Connection

  init(of record: UndoRecord, participle: String = "undone", on connection: Connection) {
    self.record = record
    self.participle = participle
    self.connection = connection
  }

  /// Undoes the transaction within the open one, without triggers and foreign keys.
  ///
  /// - Parameter checksForeignKeys: Whether to refuse if a row would refer to a missing row.
  /// - Throws: `DatabaseError` with the reason; the caller rolls back.
  func apply(checksForeignKeys: Bool) throws {
    for table in record.tables { try check(table) }
    let related = checksForeignKeys ? try relatedTables() : []
    let broken = try violations(in: related)
    let before = connection.totalChanges
    var expected = 0
    for table in record.tables { expected += try delete(table) }
    for table in record.tables { expected += try insert(table) }
    guard connection.totalChanges - before == Int64(expected) else {
      throw refused("a temporary trigger changes further rows")
    }
    if let orphan = try violations(in: related).subtracting(broken).first {
      throw refused(
        "a row of \(orphan.table) would refer to a row of \(orphan.parent) that is gone")
    }
  }

  private func refused(_ reason: String) -> DatabaseError {
    DatabaseError(
      code: .aborted, message: "tx \(record.commit.ordinal) cannot be \(participle): \(reason)")
  }

  // MARK: Rows

  private func check(_ table: UndoRecord.Table) throws {
    let columns = table.difference.columns
    guard let known = connection.catalog.table(table.id),
      known.columns.map(\.name) == columns || known.storedColumns.map(\.name) == columns
    else {
      throw refused("\(table.id) has another form now")
    }
    guard known.kind != .shadow else {
      throw refused("\(table.id) belongs to a virtual table, which keeps it itself")
    }
    let names = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(target(table, known)) WHERE \(condition(known))"
    for entry in table.difference.entries {
      let now = try connection.fetch(engine: sql, keyValues(entry.key)).first
      guard now != entry.new else { continue }
      let what =
        now == nil ? "gone" : entry.new == nil ? "there again" : "changed by a later transaction"
      throw refused("row \(describe(entry.key)) of \(table.id) is \(what)")
    }
  }

  private func delete(_ table: UndoRecord.Table) throws -> Int {
    guard let known = connection.catalog.table(table.id) else { return 0 }
    let sql = "DELETE FROM \(target(table, known)) WHERE \(condition(known))"
    var count = 0
    for entry in table.difference.entries where entry.new != nil {
      guard try connection.execute(SQL(raw: sql, QueryArguments(values: keyValues(entry.key)))) == 1
      else {
        throw refused("row \(describe(entry.key)) of \(table.id) stands for another one too")
      }
      count += 1
    }
    return count
  }

  private func insert(_ table: UndoRecord.Table) throws -> Int {
    guard let known = connection.catalog.table(table.id) else { return 0 }
    // SQLite generates the others again.
    let generated = Set(known.columns.filter(\.isGenerated).map(\.name))
    let columns = table.difference.columns
    let places = columns.indices.filter { !generated.contains(columns[$0]) }
    var names = places.map { columns[$0].quotedIdentifier }
    // The rowid first: a column that is its alias gets the same value.
    if case .rowid(let alias) = known.identity { names.insert(alias, at: 0) }
    let parameters = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    // ABORT, whatever the table's conflict clause: REPLACE would delete the newer row.
    let sql =
      "INSERT OR ABORT INTO \(target(table, known))(\(names.joined(separator: ", "))) "
      + "VALUES (\(parameters))"
    var count = 0
    for entry in table.difference.entries {
      guard let old = entry.old else { continue }
      var values = places.map { old[$0] }
      if case .rowid(let rowid) = entry.key { values.insert(.integer(rowid), at: 0) }
      do {
        try connection.execute(SQL(raw: sql, QueryArguments(values: values)))
      } catch let error as DatabaseError where error.code.primary == .constraint {
        throw refused(error.message + ", by a row that is newer")
      }
      count += 1
    }
    return count
  }

  private func target(_ table: UndoRecord.Table, _ known: TableCatalog.Table) -> String {
    "\(table.id.schema.quotedIdentifier).\(known.name.quotedIdentifier)"
  }

  private func condition(_ table: TableCatalog.Table) -> String {
    switch table.identity {
    case .rowid(let alias): "\(alias) = ?1"
    case .primaryKey(let columns):
      columns.enumerated().map { "\(table.columns[$1].name.quotedIdentifier) = ?\($0 + 1)" }
        .joined(separator: " AND ")
    }
  }

  private func keyValues(_ key: RowChange.Key) -> [Value] {
    switch key {
    case .rowid(let rowid): [.integer(rowid)]
    case .primaryKey(let values): values
    }
  }

  private func describe(_ key: RowChange.Key) -> String {
    keyValues(key).map { value in
      switch value {
      case .null: "NULL"
      case .integer(let number): String(number)
      case .real(let number): number.sqliteText
      case .text(let text): "'\(text.prefix(40))'"
      case .blob: "BLOB"
      case .date(let date): "\(date)"
      }
    }.joined(separator: ", ")
  }

  // MARK: Foreign keys

  /// The changed tables and those that refer to them, by schema and name.
  private func relatedTables() throws -> [(schema: String, name: String)] {
    var related: [(schema: String, name: String)] = []
    for schema in Set(record.tables.map(\.id.schema)).sorted() {
      let changed = Set(record.tables.filter { $0.id.schema == schema }.map(\.id.name))
      let reader = SchemaReader(connection)
      for child in try reader.tables(in: schema) where child.kind == .table {
        let parents = try reader.foreignKeys(of: child.name, in: schema).map(
          \.parent.asciiLowercased)
        let isChanged = changed.contains(child.id.name)
        if !parents.isEmpty, isChanged || !changed.isDisjoint(with: parents) {
          related.append((schema, child.name))
        }
      }
    }
    return related
  }

  private func violations(
    in tables: [(schema: String, name: String)]
  ) throws -> Set<SchemaReader.Violation> {
    let reader = SchemaReader(connection)
    return try tables.reduce(into: []) { all, table in
      all.formUnion(try reader.violations(in: table.schema, table: table.name))
    }
  }
}
