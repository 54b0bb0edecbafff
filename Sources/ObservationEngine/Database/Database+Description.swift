/// What a statement needs and returns, found without running it.
package struct StatementDescription: Sendable, Equatable {
  /// Parameter names without prefix; `?` for one without a name.
  package let parameters: [String]
  /// Column names as SQLite gives them.
  package let columns: [String]
}

/// A table or view that a person would look at.
package struct TableDescription: Sendable, Equatable {
  package let name: String
  /// The name under which its rowid can be reached; `nil` for a view, or a table without one.
  package let rowid: String?
  /// The columns of its primary key, in order.
  package let key: [String]
}

extension Database {
  /// The journal mode, as `PRAGMA journal_mode` says it.
  package func journalMode() async throws -> String {
    try await read { try $0.journalMode }
  }

  /// Whether the database can only be read: asked for, or all that the file permits.
  package func isReadOnly() async throws -> Bool {
    if configuration.isReadOnly { return true }
    return try await read { $0.isReadOnly }
  }

  /// Checks a query without running it.
  ///
  /// - Throws: `DatabaseError` with the offset of what is wrong.
  package func describe(query sql: String) throws -> StatementDescription {
    try readWaiting { connection in
      let statement = try connection.prepare(sql)
      return StatementDescription(
        parameters: statement.parameterNames.map { $0.map { String($0.dropFirst()) } ?? "?" },
        columns: statement.columnNames)
    }
  }

  /// Tables first, then views, each in the order of their names; SQLite's own are left out.
  package func tables() throws -> [TableDescription] {
    try readWaiting { try $0.describedTables() }
  }
}

extension Connection {
  /// Tables first, then views, each in the order of their names; SQLite's own are left out.
  package func describedTables() throws(DatabaseError) -> [TableDescription] {
    try fetch(
      engine: """
        SELECT name, type FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'virtual', 'view')
          AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY type = 'view', name
        """
    ).compactMap { row in
      guard case .text(let name) = row[0] else { return nil }
      let table = catalog.table(TableID(name: name))
      return TableDescription(name: name, rowid: table?.rowidAlias, key: table?.primaryKey ?? [])
    }
  }
}
