/// What a plan must know of a table that it reads.
struct MaintainedTable: Sendable {
  struct Column: Sendable {
    let name: String
    let foldedName: String
    let affinity: Affinity
    /// `nil` for one that isn't known, and for a column of ANY type.
    let collation: Collation?
    /// Whether it is generated, and not stored: no page has its values.
    var isComputed = false
  }

  /// A b-tree that is sorted by columns.
  struct Index: Sendable {
    struct Column: Sendable {
      enum Content: Sendable {
        case rowid
        /// By its place among the columns of the table.
        case column(Int)
        case expression
      }

      let content: Content
      let isDescending: Bool
      /// `nil` for one that isn't known.
      let collation: Collation?
    }

    let name: String
    /// Whether it is the table itself, which is WITHOUT ROWID.
    let isTable: Bool
    /// By which it is sorted, to the last that tells entries apart.
    let columns: [Column]
  }

  let id: TableID
  /// The name as declared.
  let name: String
  let columns: [Column]
  /// SQL names of what identifies a row: the rowid, or the primary key.
  let identity: [String]
  /// The columns of the primary key of a table without rowids, by their places.
  let keyPlaces: [Int]
  /// The column that is the rowid: INTEGER PRIMARY KEY.
  var rowidPlace: Int?
  /// Whether it has an index with a descending column.
  let hasDescendingIndex: Bool
  var indexes: [Index] = []
  /// The greatest rowid, which tells how many rows there may be; 0 for a table without rowids.
  var size: Int64 = 0

  /// Whether columns are generated, stored or not.
  var hasGeneratedColumns = false

  /// Whether it is the result of a part of the query, which has a state of its own.
  var isPart = false

  /// What SQL reads for its rows.
  var rowsID: TableID { isPart ? TableID(name: DeltaTable.name(for: allRowsID)) : id }
  /// Of a part: the table that has all of its rows.
  var allRowsID: TableID { TableID(name: "all of \(id.name)") }

  /// Under which SQL reads it.
  var sqlName: String {
    isPart
      ? rowsID.name.quotedIdentifier : "\(id.schema.quotedIdentifier).\(name.quotedIdentifier)"
  }

  /// Whether the tree of a table without rowids is sorted by BINARY.
  var isKeyBinary: Bool {
    indexes.first(where: \.isTable)?.columns.allSatisfy { $0.collation == .binary } ?? true
  }

  func column(_ name: String) -> Column? {
    let folded = name.asciiLowercased
    return columns.first { $0.foldedName == folded }
  }
}

extension MaintainedTable {
  /// The result of a part of a query.
  ///
  /// - Parameter keyCount: How many columns follow with the keys by which its lines are sorted.
  init(part number: Int, _ columns: [QuerySources.GroupColumn], keyCount: Int = 0) {
    let keys = [QuerySources.GroupColumn](
      repeating: .init(affinity: .blob, collation: .binary), count: keyCount)
    self.init(computed: "part \(number)", columns + keys)
  }

  /// Rows that are in no table of the file.
  ///
  /// - Parameter columns: After these it is named as well: those of other queries have other columns.
  init(computed name: String, _ columns: [QuerySources.GroupColumn]) {
    let types = columns.map { column in
      (column.affinity ?? .blob).rawValue
        + (column.collation == .binary ? "" : " \(column.collation.rawValue)")
    }
    let name = "\(name) of \(types.joined(separator: " "))"
    self.init(
      id: TableID(name: name), name: name,
      columns: columns.enumerated().map { place, column in
        Column(
          name: "c\(place)", foldedName: "c\(place)", affinity: column.affinity ?? .blob,
          collation: column.collation)
      }, identity: ["rowid"], keyPlaces: [], hasDescendingIndex: false)
    isPart = true
  }

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
    let keyPlaces: [Int] = if case .primaryKey(let places) = table.identity { places } else { [] }
    let indexes = try Self.indexes(table, isKeyed: !keyPlaces.isEmpty, connection)
    if !indexes.isEmpty,
      let column = table.columns.first(where: {
        $0.hasTruthAsDefault && Affinity(declared: $0.declaredType) == .text
      })
    {
      throw NotMaintainable(
        "indexes can differ from \(column.name), a text that is true by default")
    }
    self.init(
      id: id, name: table.name,
      columns: table.columns.map { column in
        Column(
          name: column.name, foldedName: column.foldedName,
          affinity: Affinity(declared: column.declaredType),
          collation: column.declaredType.asciiLowercased == "any"
            ? nil
            : connection.knownCollation(
              connection.collation(of: column.name, table.name, id.schema)),
          isComputed: column.isComputed)
      },
      identity: {
        if case .rowid(let alias) = table.identity { return [alias] }
        return keyPlaces.map { table.columns[$0].name.quotedIdentifier }
      }(),
      keyPlaces: keyPlaces,
      hasDescendingIndex: indexes.contains { $0.columns.contains(where: \.isDescending) },
      indexes: indexes)
    hasGeneratedColumns = table.hasGeneratedColumns
    guard keyPlaces.isEmpty else { return }
    if table.primaryKey.count == 1, try SchemaReader(connection).declaresRowid(id) {
      rowidPlace = table.columns.firstIndex { $0.name.isExactly(table.primaryKey[0]) }
    }
    let greatest = try connection.fetch(engine: "SELECT max(\(identity[0])) FROM \(sqlName)")
    if case .integer(let rowid)? = greatest.first?.first { size = rowid }
  }
}

extension MaintainedTable {
  private static func indexes(
    _ table: TableCatalog.Table, isKeyed: Bool, _ connection: Connection
  ) throws(DatabaseError) -> [Index] {
    let rows = try connection.fetch(
      engine: """
        SELECT i.name, i.origin, x.key, x.name, x.cid, x.desc, x.coll
        FROM pragma_index_list(?1, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS x
        ORDER BY i.seq, x.seqno
        """, [.text(table.name)])
    var found: [(name: String, isTable: Bool, columns: [Index.Column])] = []
    for row in rows {
      guard case .text(let name) = row[0] else { continue }
      let isTable = isKeyed && row[1] == "pk"
      if found.last?.name.isExactly(name) != true { found.append((name, isTable, [])) }
      // What isn't in the key of the table itself is its content.
      if isTable, row[2] == 0 { continue }
      let collation: Collation? =
        if case .text(let name) = row[6] {
          connection.knownCollation(name)
        } else {
          nil
        }
      let content: Index.Column.Content =
        switch (row[3], row[4]) {
        case (.text(let column), _):
          table.columns.firstIndex { $0.foldedName == column.asciiLowercased }.map { .column($0) }
            ?? .expression
        case (_, -1): .rowid
        default: .expression
        }
      found[found.count - 1].columns.append(
        Index.Column(
          content: content, isDescending: row[5] != 0,
          collation: row[4] == -1 ? .binary : collation))
    }
    return found.map { Index(name: $0.name, isTable: $0.isTable, columns: $0.columns) }
  }
}

extension Connection {
  /// - Returns: `nil` for a collation whose order isn't known, as that of an app which has the name of one of SQLite's.
  fileprivate func knownCollation(_ name: String) -> Collation? {
    let isOwn = options.collations.contains { $0.name.asciiLowercased == name.asciiLowercased }
    return isOwn ? nil : Collation(named: name)
  }
}

extension MaintainedTable {
  /// Those of the table that has its changed rows.
  var deltaColumns: [DeltaTable.Column] {
    columns.map { .init(name: $0.name, affinity: $0.affinity, collation: $0.collation) }
  }
}

extension QuerySources {
  /// Reads the facts of all tables and views that `select` names.
  ///
  /// - Parameter others: The tables of the SELECTs before it.
  /// - Throws: ``NotMaintainable``; `DatabaseError` when the schema can't be read.
  init(
    _ select: SelectText, after others: [MaintainedTable], _ connection: Connection
  ) throws {
    var words: [String] = []
    try self.init(select, after: others) { schema, name in
      let id = TableID(schema: schema ?? "main", name: name)
      guard id.isInMain else { throw NotMaintainable("\(id.schema) is another database") }
      if let sql = connection.catalog.viewDefinition(id) {
        try NotMaintainable.checkQuotes(sql, connection)
        let columns = try SchemaReader(connection).columns(of: name, in: "main").map(\.name)
        words += NotMaintainable.words(of: sql) + columns.map(\.asciiLowercased)
        let selects = try NotMaintainable.inView(name, Array(sql.utf8)) {
          try SelectText.selects(ofView: sql)
        }
        return .view(selects, columns: columns)
      }
      guard let table = connection.catalog.table(id) else {
        throw NotMaintainable("\(name) isn't an ordinary table")
      }
      let maintained = try MaintainedTable(table, id, connection)
      words += [id.name] + table.columns.map(\.foldedName) + maintained.indexes.map(\.name)
      return .table(maintained)
    }
    self.words = words
  }
}
