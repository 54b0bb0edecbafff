/// What one statement did.
package struct StatementOutcome: Sendable {
  /// The result; `nil` for a statement without columns.
  package let rows: RowSet?
  /// Whether there are more rows than were asked for.
  package let isTruncated: Bool
  /// Rows inserted, updated or deleted; `nil` for a statement that only reads.
  package let changes: Int?
  /// Whether a transaction is open after it.
  package let isInTransaction: Bool
}

extension Database {
  /// Runs one statement on the writing connection as it is, in the transaction that is open there.
  ///
  /// - Parameter rowLimit: Rows beyond are not fetched.
  /// - Throws: `DatabaseError`; `CancellationError` when the task is cancelled before it began.
  package func run(statement sql: String, rowLimit: Int) async throws -> StatementOutcome {
    try await writer.queue.perform { connection in
      if !connection.isInTransaction { _ = try connection.renewIfSchemaChanged() }
      let statement = try connection.prepare(sql)
      if let parameter = statement.parameterNames.first {
        throw DatabaseError(
          code: .range, message: "parameter \(parameter ?? "?") has no value here", sql: sql)
      }
      defer { connection.afterStatement?() }
      let before = connection.totalChanges
      var rows: [[Value]] = []
      var isTruncated = false
      while try statement.step() {
        guard rows.count < rowLimit else {
          isTruncated = true
          statement.reset()
          break
        }
        rows.append(statement.row)
      }
      let result =
        statement.columnNames.isEmpty ? nil : RowSet(columns: statement.columnNames, rows: rows)
      let changes =
        statement.isReadOnly ? nil : connection.totalChanges == before ? 0 : connection.changes
      return StatementOutcome(
        rows: result, isTruncated: isTruncated, changes: changes,
        isInTransaction: connection.isInTransaction)
    }
  }

  /// Rolls back what the console left open.
  package func rollBackOpenTransaction() async throws {
    try await writer.queue.perform { connection in
      if connection.isInTransaction { try connection.execute(script: "ROLLBACK") }
    }
  }

  /// Whether and how the file can be used, for a status line.
  package func describe() throws -> FileDescription {
    try readWaiting { connection in
      FileDescription(
        journalMode: try connection.journalMode,
        isReadOnly: configuration.isReadOnly || connection.isReadOnly,
        isImmutable: connection.options.isImmutable,
        bytes: file.flatMap { DatabaseFile.size(of: $0.realPath) } ?? 0,
        walBytes: file.flatMap { DatabaseFile.size(of: $0.walPath) } ?? 0)
    }
  }

  /// Checks a query without running it.
  ///
  /// - Returns: The names of its parameters, without prefix.
  /// - Throws: `DatabaseError` with the offset of what is wrong.
  package func check(_ sql: String) throws -> [String] {
    try readWaiting { connection in
      try connection.prepare(sql).parameterNames.map { $0.map { String($0.dropFirst()) } ?? "?" }
    }
  }

  /// The names of tables and views a person would look at, with how their newest rows are found.
  package func tables() throws -> [(name: String, rowOrder: String?)] {
    try readWaiting { connection in
      try connection.fetch(
        engine: """
          SELECT name, type, wr FROM pragma_table_list
          WHERE schema = 'main' AND type IN ('table', 'virtual', 'view')
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          ORDER BY type = 'view', name
          """
      ).compactMap { row in
        guard case .text(let name) = row[0], case .text(let type) = row[1] else { return nil }
        let hasRowid = type == "table" && row[2] == 0
        return (name, hasRowid ? connection.catalog.table(name)?.rowidAlias : nil)
      }
    }
  }
}

/// A database file as a status line shows it.
package struct FileDescription: Sendable, Equatable {
  package let journalMode: String
  package let isReadOnly: Bool
  /// Opened as unchanging, in a folder that cannot be written.
  package let isImmutable: Bool
  package let bytes: Int64
  package let walBytes: Int64
}
