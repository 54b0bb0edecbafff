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

  /// Whether a transaction is open on the writing connection.
  package func isInTransaction() async -> Bool {
    // A connection that cannot be opened has no transaction.
    (try? await writer.queue.perform { $0.isInTransaction }) ?? false
  }
}
