package import ObservationEngine

/// What all values of a column have in common.
package struct ColumnStatistics: Sendable, Equatable {
  /// How many rows there are, and how many of them have NULL.
  package var rows: Int64
  package var nulls: Int64
  package var least: Value
  package var greatest: Value
  /// How many different values there are, NULL not counted; nil if counting them took too long.
  package var distinct: Int64?

  package init(rows: Int64, nulls: Int64, least: Value, greatest: Value, distinct: Int64?) {
    self.rows = rows
    self.nulls = nulls
    self.least = least
    self.greatest = greatest
    self.distinct = distinct
  }
}

extension Database {
  /// Summarizes columns of a table or view, in one snapshot; stops early when the task is cancelled.
  ///
  /// - Parameter isOver: Whether the time for it is over. It is asked every few thousand steps.
  /// - Returns: By column; those that the time was too short for are missing.
  /// - Complexity: Two passes over the table for each column, as far as the time permits.
  package func statistics(
    of table: String, columns: [String], isOver: @escaping @Sendable () -> Bool
  ) async throws -> [String: ColumnStatistics] {
    try await read { connection in
      var statistics: [String: ColumnStatistics] = [:]
      let source = "main." + table.quotedIdentifier
      /// Nil when the time is over.
      func fetch(_ expressions: [String]) throws -> [Value]? {
        try Task.checkCancellation()
        let sql = "SELECT \(expressions.joined(separator: ", ")) FROM \(source)"
        do {
          return try connection.withBudget(isOver) {
            try connection.fetchAll(SQL(raw: sql)).rows.first
          }
        } catch let error as DatabaseError where error.code.primary == .interrupted && isOver() {
          return nil
        }
      }
      // Many columns at a time: a pass costs mostly reading the rows.
      for start in stride(from: 0, to: columns.count, by: 100) {
        let part = columns[start..<min(start + 100, columns.count)]
        let values = try fetch(
          ["count(*)"]
            + part.flatMap { column in
              let name = column.quotedIdentifier
              return ["count(\(name))", "min(\(name))", "max(\(name))"]
            })
        guard let values, case .integer(let rows) = values[0] else { break }
        for (index, column) in part.enumerated() {
          guard case .integer(let known) = values[1 + index * 3] else { continue }
          statistics[column] = ColumnStatistics(
            rows: rows, nulls: rows - known, least: values[2 + index * 3],
            greatest: values[3 + index * 3], distinct: nil)
        }
      }
      for column in columns where statistics[column] != nil {
        guard
          case .integer(let distinct)? = try fetch(
            ["count(DISTINCT \(column.quotedIdentifier))"])?.first
        else { break }
        statistics[column]?.distinct = distinct
      }
      return statistics
    }
  }
}
