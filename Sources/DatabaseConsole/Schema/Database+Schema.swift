package import ObservationEngine

extension Database {
  /// Describes the schema `main`, in one snapshot.
  ///
  /// - Complexity: A few statements per table.
  package func schema() async throws -> SchemaDescription {
    try await read { try SchemaDescription(reading: $0) }
  }

  /// Counts the rows of tables, each up to a limit. For larger tables it takes the span of the
  /// rowids, which needs no counting.
  ///
  /// It leaves out tables that can't be read, because they are gone or for another reason.
  ///
  /// - Complexity: O(`limit`) per table at most.
  package func rowCounts(
    of tables: [String], limit: Int64 = 100_000
  ) async throws -> [String: RowCount] {
    try await read { connection in
      var counts: [String: RowCount] = [:]
      for table in tables {
        try Task.checkCancellation()
        // A table that is gone, or can't be read, has no count; the others have theirs.
        counts[table] = try? connection.rowCount(of: table, limit: limit)
      }
      return counts
    }
  }

  /// The bytes that each table and index of the file occupies, by its name.
  ///
  /// - Throws: `DatabaseError` when this SQLite was built without the table `dbstat`.
  /// - Complexity: Reads the whole file.
  package func storageSizes() async throws -> [String: Int64] {
    try await read { connection in
      var sizes: [String: Int64] = [:]
      for row in try connection.fetch(
        engine: "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE")
      {
        if case .text(let name) = row[0], case .integer(let size) = row[1] { sizes[name] = size }
      }
      return sizes
    }
  }
}

extension Connection {
  /// Counts the rows of a table up to a limit; see ``Database/rowCounts(of:limit:)``.
  func rowCount(
    of name: String, in schema: String = "main", limit: Int64
  ) throws(DatabaseError) -> RowCount {
    let table = schema.quotedIdentifier + "." + name.quotedIdentifier
    // SQLite counts by the smallest index.
    let counted = try fetch(
      engine: "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT ?1)", [.integer(limit + 1)])
    guard case .integer(let count)? = counted.first?.first else { return .moreThan(limit) }
    if count <= limit { return .exact(count) }
    guard let rowid = catalog.table(TableID(schema: schema, name: name))?.rowidAlias,
      case .integer(let span)? = try fetch(
        engine: """
          SELECT (SELECT max(\(rowid)) FROM \(table)) - (SELECT min(\(rowid)) FROM \(table)) + 1
          """
      ).first?.first,
      // If an application draws rowids at random, their span means nothing.
      span >= count, span < count << 30
    else { return .moreThan(limit) }
    return .estimate(span)
  }
}

extension SchemaDescription {
  /// Describes `main`.
  fileprivate init(reading connection: Connection) throws(DatabaseError) {
    let reader = SchemaReader(connection)
    let declarations = try reader.declarations(in: "main").sorted { $0.name < $1.name }
    let triggers = Dictionary(
      grouping: declarations.filter { $0.kind == .trigger }, by: \.table.asciiLowercased)
    let statements = Dictionary(grouping: declarations, by: \.kind).mapValues { declarations in
      Dictionary(declarations.map { ($0.name, $0.sql) }) { $1 }
    }
    func statement(_ kind: SchemaReader.Declaration.Kind, _ name: String) -> String? {
      statements[kind]?[name] ?? nil
    }
    var tables: [Table] = []
    for entry in try reader.tables(in: "main") where !entry.isInternal {
      guard let kind = Table.Kind(rawValue: entry.kind.rawValue) else { continue }
      var table = Table(name: entry.name, kind: kind)
      table.isStrict = entry.isStrict
      table.sql = statement(kind == .view ? .view : .table, entry.name)
      table.triggers = (triggers[entry.name.asciiLowercased] ?? []).map {
        Trigger(name: $0.name, sql: $0.sql)
      }
      let known = connection.catalog.table(entry.id)
      table.rowid = known?.rowidAlias
      table.key = known?.primaryKey ?? []
      // One table that can't be described must not hide all others.
      do {
        table.columns = try reader.columns(of: entry.name, in: "main")
          .filter { $0.visibility != .hidden }.map(Column.init)
        table.foreignKeys = try reader.foreignKeys(of: entry.name, in: "main").map(ForeignKey.init)
        table.indexes = try reader.indexes(of: entry.name, in: "main").map {
          Index($0, sql: statement(.index, $0.name))
        }
      } catch {
        table.trouble = error.message
      }
      tables.append(table)
    }
    self.init(tables: tables, version: try reader.version(of: "main") ?? 0)
  }
}

extension SchemaDescription.Column {
  fileprivate init(_ column: SchemaReader.Column) {
    self.init(
      name: column.name, type: column.type, isNotNull: column.isNotNull,
      defaultValue: column.defaultValue, keyPosition: column.keyPosition,
      isGenerated: column.visibility == .generated)
  }
}

extension SchemaDescription.ForeignKey {
  fileprivate init(_ key: SchemaReader.ForeignKey) {
    let actions = [("ON DELETE", key.onDelete), ("ON UPDATE", key.onUpdate)]
      .filter { !$1.isEmpty && $1 != "NO ACTION" }.map { "\($0) \($1)" }
    self.init(
      columns: key.columns, table: key.parent, targets: key.targets,
      actions: actions.joined(separator: " "))
  }
}

extension SchemaDescription.Index {
  fileprivate init(_ index: SchemaReader.Index, sql: String?) {
    self.init(
      name: index.name, columns: index.columns, isUnique: index.isUnique,
      isPartial: index.isPartial, sql: sql)
  }
}
