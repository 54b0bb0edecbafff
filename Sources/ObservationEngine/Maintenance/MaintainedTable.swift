/// What a plan must know of a table that it reads.
struct MaintainedTable: Sendable {
  struct Column: Sendable {
    let name: String
    let foldedName: String
    let affinity: Affinity
    let isBinary: Bool
  }

  let id: TableID
  /// The name as declared.
  let name: String
  let columns: [Column]
  /// SQL names of what identifies a row: the rowid, or the primary key.
  let identity: [String]
  /// The columns of the primary key of a table without rowids, by their places.
  let keyPlaces: [Int]
  /// Whether it has an index with a descending column.
  let hasDescendingIndex: Bool
  /// The greatest rowid, which tells how many rows there may be; 0 for a table without rowids.
  var size: Int64 = 0

  /// Under which SQL reads it.
  var sqlName: String { "\(id.schema.quotedIdentifier).\(name.quotedIdentifier)" }

  func column(_ name: String) -> Column? {
    let folded = name.asciiLowercased
    return columns.first { $0.foldedName == folded }
  }
}

extension MaintainedTable {
  /// Reads the facts of a table.
  ///
  /// - Throws: ``NotMaintainable``; `DatabaseError` when the schema can't be read.
  init(_ table: TableCatalog.Table, _ id: TableID, _ connection: Connection) throws {
    guard table.kind == .table else {
      throw NotMaintainable("\(table.name) isn't an ordinary table")
    }
    if let reason = table.untrackable { throw NotMaintainable(reason) }
    guard !id.name.hasPrefix("sqlite_") else {
      throw NotMaintainable("\(table.name) is a table of SQLite's own")
    }
    let directions = try connection.fetch(
      engine: """
        SELECT x.desc FROM pragma_index_list(?1, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS x
        WHERE x.key
        """, [.text(table.name)])
    let keyPlaces: [Int] = if case .primaryKey(let places) = table.identity { places } else { [] }
    self.init(
      id: id, name: table.name,
      columns: table.columns.map { column in
        Column(
          name: column.name, foldedName: column.foldedName,
          affinity: Affinity(declared: column.declaredType),
          isBinary: column.declaredType.asciiLowercased != "any"
            && connection.collation(of: column.name, table.name, id.schema) == "BINARY")
      },
      identity: {
        if case .rowid(let alias) = table.identity { return [alias] }
        return keyPlaces.map { table.columns[$0].name.quotedIdentifier }
      }(),
      keyPlaces: keyPlaces, hasDescendingIndex: directions.contains { $0.first != .integer(0) })
    guard keyPlaces.isEmpty else { return }
    let greatest = try connection.fetch(engine: "SELECT max(\(identity[0])) FROM \(sqlName)")
    if case .integer(let rowid)? = greatest.first?.first { size = rowid }
  }
}

extension QuerySources {
  /// Reads the facts of all tables and views that `select` names.
  ///
  /// - Throws: ``NotMaintainable``; `DatabaseError` when the schema can't be read.
  init(_ select: SelectText, _ connection: Connection) throws {
    try self.init(select) { schema, name in
      let id = TableID(schema: schema ?? "main", name: name)
      guard id.isInMain else { throw NotMaintainable("\(id.schema) is another database") }
      if let sql = connection.catalog.viewDefinition(id) {
        let columns = try SchemaReader(connection).columns(of: name, in: "main").map(\.name)
        return .view(try SelectText(sql), columns: columns)
      }
      guard let table = connection.catalog.table(id) else {
        throw NotMaintainable("\(name) isn't an ordinary table")
      }
      return .table(try MaintainedTable(table, id, connection))
    }
  }
}
