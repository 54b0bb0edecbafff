/// What one statement did.
package struct StatementOutcome: Sendable {
  /// The result; `nil` for a statement without columns.
  package let rows: RowSet?
  /// How many rows there were, those included that were not kept.
  package let rowCount: Int
  /// Rows inserted, updated or deleted; `nil` for a statement that only reads.
  package let changes: Int?
  /// Whether a transaction is open after it.
  package var isInTransaction: Bool
}

extension Database {
  /// Runs one statement on the writing connection as it is, in the transaction that is open there.
  ///
  /// - Parameter rowLimit: Rows beyond are counted, and not kept.
  /// - Throws: `DatabaseError`; `CancellationError` when the task is cancelled before it began.
  package func run(statement sql: String, rowLimit: Int) async throws -> StatementOutcome {
    try await writer.queue.perform { connection in
      if !connection.isInTransaction { _ = try connection.renewIfSchemaChanged() }
      defer { connection.afterStatement?() }
      do {
        return try connection.run(statement: sql, rowLimit: rowLimit)
      } catch {
        throw connection.reported(error)
      }
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

extension Connection {
  /// Runs one statement without parameters as it is.
  ///
  /// - Parameter rowLimit: Rows beyond are counted, and not kept.
  package func run(statement sql: String, rowLimit: Int) throws -> StatementOutcome {
    let statement = try prepare(sql)
    if let parameter = statement.parameterNames.first {
      throw DatabaseError(
        code: .range, message: "parameter \(parameter ?? "?") has no value here", sql: sql)
    }
    let before = totalChanges
    var rows: [[Value]] = []
    var rowCount = 0
    while try statement.step() {
      rowCount += 1
      if rowCount <= rowLimit { rows.append(statement.row) }
    }
    let result =
      statement.columnNames.isEmpty ? nil : RowSet(columns: statement.columnNames, rows: rows)
    return StatementOutcome(
      rows: result, rowCount: rowCount,
      changes: statement.isReadOnly ? nil : totalChanges == before ? 0 : changes,
      isInTransaction: isInTransaction)
  }
}
