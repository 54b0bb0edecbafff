internal import CSQLite

/// The changed rows of a table as a table that SQL on one connection can read in its place.
///
/// Nothing is written to provide them: the table is virtual, and its rows are the array that it was given last. So
/// there is nothing to clean up, and no statement of the user sees a change of `changes()` or of the schema.
///
/// It has the columns of the table in their order, with the same affinities and collations, the rowid, and
/// a hidden column with the weight of each row: 1 for one that there is now, -1 for one that there was.
/// Rows that are looked up by the value of a column are found by a ``DeltaIndex`` from the second time on.
///
/// Confined to its connection's thread of execution.
package final class DeltaTable {
  /// A version of a changed row.
  package struct Row: Sendable {
    package let weight: Int64
    package let rowid: Int64
    /// In the order of the table's columns. Those that no query reads are NULL.
    package let values: [Value]

    package init(weight: Int64, rowid: Int64, values: [Value]) {
      self.weight = weight
      self.rowid = rowid
      self.values = values
    }
  }

  struct Column {
    let name: String
    let affinity: Affinity
    /// `nil` for one that no query compares.
    var collation: Collation? = .binary
  }

  /// What SQLite is to expect of it where it joins it.
  enum Size {
    /// A few rows, which it had better read first.
    case small
    /// As many rows as a table may have.
    case large
    /// Rows that nothing is joined with, in their order.
    case alone
  }

  /// The hidden column with the weight.
  package static let weightColumn = "livequery weight"

  /// The name of the table in SQL.
  package let name: String

  /// The name in SQL of the changed rows of a table.
  package static func name(for table: TableID) -> String { "livequery delta \(table.name)" }

  /// The rows that it has now.
  package var rows: [Row] = [] {
    didSet { (lookups, indexes) = (0, [:]) }
  }
  private var lookups = 0
  /// By column.
  private var indexes: [Int: DeltaIndex] = [:]
  private let size: Size
  private let declaration: String
  private let columnCount: Int
  private unowned let connection: Connection

  fileprivate init(
    name: String, columns: [Column], size: Size, connection: Connection
  ) throws(DatabaseError) {
    self.name = name
    self.size = size
    self.connection = connection
    columnCount = columns.count
    let list = columns.map { column in
      let collation = column.collation ?? .binary
      return """
        \(column.name.quotedIdentifier) \(column.affinity.rawValue) COLLATE \(collation.rawValue)
        """
    }
    declaration = """
      CREATE TABLE x(\(list.joined(separator: ", ")), \
      \(Self.weightColumn.quotedIdentifier) INTEGER HIDDEN)
      """
    let result = sqlite3_create_module_v2(
      connection.handle, name, Self.module, Unmanaged.passUnretained(self).toOpaque(), nil)
    guard result == SQLITE_OK else { throw connection.error(result, sql: nil) }
  }

  /// Removes the table; no statement may read it any more.
  fileprivate func remove() {
    sqlite3_create_module_v2(connection.handle, name, nil, nil, nil)
  }

  /// The places of all rows whose value in a column may equal `value`; `nil` for all rows.
  private func places(where column: Int, equals value: Value) -> [Int]? {
    lookups += 1
    // Without an index, one lookup costs the same.
    guard lookups > 1 else { return nil }
    if indexes[column] == nil { indexes[column] = DeltaIndex(rows, column: column) }
    return indexes[column]?.rows(for: value)
  }

  /// Offers SQLite to look rows up by the first column that it compares with something that it knows.
  private func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>) {
    let isLarge = size == .large
    info.pointee.estimatedCost = isLarge ? 100_000 : 2
    info.pointee.estimatedRows = isLarge ? 100_000 : 2
    guard size != .alone else { return }
    for place in 0..<Int(info.pointee.nConstraint) {
      let constraint = info.pointee.aConstraint[place]
      guard constraint.usable != 0, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ),
        (0..<columnCount).contains(Int(constraint.iColumn)),
        let collation = sqlite3_vtab_collation(info, Int32(place)),
        Collation(named: String(cString: collation)) != nil
      else { continue }
      info.pointee.aConstraintUsage[place].argvIndex = 1
      info.pointee.idxNum = constraint.iColumn + 1
      info.pointee.estimatedCost = 1
      info.pointee.estimatedRows = 1
      return
    }
  }

  // MARK: - The module

  /// A table as SQLite holds it. SQLite uses the first part, and hands it back.
  private struct Table {
    var base: sqlite3_vtab
    var delta: Unmanaged<DeltaTable>
  }

  private struct Cursor {
    var base: sqlite3_vtab_cursor
    let delta: Unmanaged<DeltaTable>
    /// The rows that it visits; `nil` for all.
    var places: [Int]?
    var index = 0

    var isAtEnd: Bool {
      index >= places?.count ?? delta.takeUnretainedValue().rows.count
    }
    var place: Int { places?[index] ?? index }
  }

  /// SQLite keeps the pointer for as long as any connection is open: it is made once, and never freed.
  ///
  /// Proof of `nonisolated(unsafe)`: it is written before it is shared, and SQLite only reads it.
  private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.iVersion = 1
    // Without xCreate the table is there by the module's name alone.
    module.xConnect = { handle, context, _, _, table, _ in
      let delta = Unmanaged<DeltaTable>.fromOpaque(context!)
      let result = sqlite3_declare_vtab(handle, delta.takeUnretainedValue().declaration)
      guard result == SQLITE_OK else { return result }
      let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      made.initialize(to: Table(base: sqlite3_vtab(), delta: delta))
      table!.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { table, info in
      UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).pointee.delta
        .takeUnretainedValue().plan(info!)
      return SQLITE_OK
    }
    module.xOpen = { table, cursor in
      let delta = UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).pointee.delta
      let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      made.initialize(to: Cursor(base: sqlite3_vtab_cursor(), delta: delta))
      cursor!.pointee =
        UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { cursor in
      DeltaTable.cursor(cursor).deinitialize(count: 1).deallocate()
      return SQLITE_OK
    }
    module.xFilter = { cursor, number, _, count, values in
      let cursor = DeltaTable.cursor(cursor)
      cursor.pointee.index = 0
      cursor.pointee.places =
        count == 0
        ? nil
        : cursor.pointee.delta.takeUnretainedValue().places(
          where: Int(number) - 1, equals: Value(values![0]))
      return SQLITE_OK
    }
    module.xNext = { cursor in
      DeltaTable.cursor(cursor).pointee.index += 1
      return SQLITE_OK
    }
    module.xEof = { cursor in DeltaTable.cursor(cursor).pointee.isAtEnd ? 1 : 0 }
    module.xColumn = { cursor, context, column in
      let cursor = DeltaTable.cursor(cursor)
      let delta = cursor.pointee.delta.takeUnretainedValue()
      let row = delta.rows[cursor.pointee.place]
      if Int(column) == delta.columnCount {
        sqlite3_result_int64(context, row.weight)
      } else {
        delta.give(row.values[Int(column)], to: context!)
      }
      return SQLITE_OK
    }
    module.xRowid = { cursor, rowid in
      let cursor = DeltaTable.cursor(cursor)
      let delta = cursor.pointee.delta.takeUnretainedValue()
      rowid!.pointee = delta.rows[cursor.pointee.place].rowid
      return SQLITE_OK
    }
    let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    kept.initialize(to: module)
    return UnsafePointer(kept)
  }()

  private static func cursor(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<Cursor> {
    UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
  }

  private func give(_ value: Value, to context: OpaquePointer) {
    // Rows that were read hold no dates, which alone can fail.
    try? value.becomeResult(of: context, dateFormat: connection.dateFormat)
  }
}

extension Connection {
  /// The table for the changed rows of `table`; made on first use, and again when the schema has changed.
  ///
  /// - Returns: `nil` when the schema has a table of its name.
  func deltaTable(
    of table: TableID, _ columns: @autoclosure () -> [DeltaTable.Column],
    size: DeltaTable.Size = .alone
  ) throws(DatabaseError) -> DeltaTable? {
    if let known = schemaState.deltaTables[table] { return known }
    let name = DeltaTable.name(for: table)
    guard catalog.table(TableID(name: name)) == nil else { return nil }
    let made = try DeltaTable(name: name, columns: columns(), size: size, connection: self)
    schemaState.deltaTables[table] = made
    // SQLite declares it when a statement first names it, and reports that as a change of the schema.
    let hasSeenSchemaChange = authorizer.hasSeenSchemaChange
    defer { authorizer.hasSeenSchemaChange = hasSeenSchemaChange }
    _ = try prepareForEngine("SELECT 1 FROM \(name.quotedIdentifier)")
    return made
  }

  private func prepareForEngine(_ sql: String) throws(DatabaseError) -> Statement {
    let wasRunning = isRunningEngineSQL
    isRunningEngineSQL = true
    defer { isRunningEngineSQL = wasRunning }
    return try prepare(sql)
  }

  /// Forgets them; the statements that read them were forgotten before.
  func forgetDeltaTables() {
    for delta in schemaState.deltaTables.values { delta.remove() }
    schemaState.deltaTables = [:]
  }
}
