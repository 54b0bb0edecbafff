extension Database {
  /// Describes the schema `main`, in one snapshot.
  ///
  /// - Complexity: A few statements per table.
  package func schema() async throws -> SchemaDescription {
    try await read { connection in
      var reader = SchemaReader(connection: connection)
      return try reader.description()
    }
  }

  /// Counts the rows of tables, each up to a limit; beyond it, the span of the rowids is taken, which is
  /// looked up rather than counted.
  ///
  /// Tables that cannot be read, because they are gone or for another reason, are left out.
  ///
  /// - Complexity: O(`limit`) per table at most.
  package func rowCounts(
    of tables: [String], limit: Int64 = 100_000
  ) async throws -> [String: RowCount] {
    try await read { connection in
      var counts: [String: RowCount] = [:]
      for table in tables {
        try Task.checkCancellation()
        counts[table] = try? connection.rowCount(of: table, limit: limit)
      }
      return counts
    }
  }

  /// How many bytes each table and index of the file takes, by its name.
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
    // SQLite takes the smallest index that there is.
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
      // Rowids can be anything: whoever draws them at random has a span of no meaning.
      span >= count, span < count << 30
    else { return .moreThan(limit) }
    return .estimate(span)
  }
}

/// Reads a schema from SQLite's pragmas.
private struct SchemaReader {
  let connection: Connection
  /// The statements in the schema table, by type and name.
  private var statements: [String: [String: String]] = [:]

  init(connection: Connection) { self.connection = connection }

  mutating func description() throws(DatabaseError) -> SchemaDescription {
    var triggers: [String: [SchemaDescription.Trigger]] = [:]
    for row in try connection.fetch(
      engine: "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY name")
    {
      guard case .text(let type) = row[0], case .text(let name) = row[1] else { continue }
      let sql = Self.text(row[3])
      statements[type, default: [:]][name] = sql
      if type == "trigger", case .text(let table) = row[2] {
        triggers[table.asciiLowercased, default: []].append(
          SchemaDescription.Trigger(name: name, sql: sql))
      }
    }
    var tables: [SchemaDescription.Table] = []
    for row in try connection.fetch(
      engine: """
        SELECT name, type, strict FROM pragma_table_list
        WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
        """)
    {
      guard case .text(let name) = row[0], case .text(let type) = row[1],
        let kind = SchemaDescription.Table.Kind(rawValue: type)
      else { continue }
      var table = SchemaDescription.Table(name: name, kind: kind)
      table.isStrict = row[2] == 1
      table.sql = statements[kind == .view ? "view" : "table"]?[name]
      table.triggers = triggers[name.asciiLowercased] ?? []
      let known = connection.catalog.table(TableID(name: name))
      table.rowid = known?.rowidAlias
      table.key = known?.primaryKey ?? []
      // One table that cannot be described must not hide all others.
      do {
        table.columns = try columns(of: name)
        table.foreignKeys = try foreignKeys(of: name)
        table.indexes = try indexes(of: name)
      } catch {
        table.trouble = error.message
      }
      tables.append(table)
    }
    let version = try connection.fetch(engine: "PRAGMA main.schema_version").first?.first
    return SchemaDescription(tables: tables, version: Self.integer(version ?? .null))
  }

  private func columns(of table: String) throws(DatabaseError) -> [SchemaDescription.Column] {
    try connection.fetch(
      engine: """
        SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?1, 'main')
        """, [.text(table)]
      // 1 is a hidden column of a virtual table.
    ).filter { $0[5] != 1 }.map { row in
      SchemaDescription.Column(
        name: Self.text(row[0]) ?? "", type: Self.text(row[1]) ?? "", isNotNull: row[2] == 1,
        defaultValue: Self.text(row[3]), keyPosition: Int(Self.integer(row[4])),
        isGenerated: Self.integer(row[5]) >= 2)
    }
  }

  private func foreignKeys(
    of table: String
  ) throws(DatabaseError) -> [SchemaDescription.ForeignKey] {
    var keys: [SchemaDescription.ForeignKey] = []
    var last: Value?
    for row in try connection.fetch(
      engine: """
        SELECT id, "table", "from", "to", on_delete, on_update
        FROM pragma_foreign_key_list(?1, 'main') ORDER BY id DESC, seq
        """, [.text(table)])
    {
      if row[0] != last {
        let actions = [("ON DELETE", row[4]), ("ON UPDATE", row[5])].compactMap { event, action in
          Self.text(action).flatMap { $0 == "NO ACTION" ? nil : "\(event) \($0)" }
        }
        keys.append(
          SchemaDescription.ForeignKey(
            columns: [], table: Self.text(row[1]) ?? "", targets: [],
            actions: actions.joined(separator: " ")))
        last = row[0]
      }
      keys[keys.count - 1].columns.append(Self.text(row[2]) ?? "")
      if let target = Self.text(row[3]) { keys[keys.count - 1].targets.append(target) }
    }
    return keys
  }

  private func indexes(of table: String) throws(DatabaseError) -> [SchemaDescription.Index] {
    var indexes: [SchemaDescription.Index] = []
    for row in try connection.fetch(
      engine: """
        SELECT name, "unique", partial FROM pragma_index_list(?1, 'main') ORDER BY name
        """, [.text(table)])
    {
      guard case .text(let name) = row[0] else { continue }
      let columns = try connection.fetch(
        engine: "SELECT name FROM pragma_index_info(?1, 'main') ORDER BY seqno", [.text(name)])
      indexes.append(
        SchemaDescription.Index(
          name: name, columns: columns.map { Self.text($0[0]) }, isUnique: row[1] == 1,
          isPartial: row[2] == 1, sql: statements["index"]?[name]))
    }
    return indexes
  }

  private static func text(_ value: Value) -> String? {
    if case .text(let text) = value { text } else { nil }
  }

  private static func integer(_ value: Value) -> Int64 {
    if case .integer(let number) = value { number } else { 0 }
  }
}
