internal import ObservationEngine

extension Connection {
  /// The key that a query's own order of rows is the order of, if that can be proved; see decision 20.
  ///
  /// - Parameter statement: The query, prepared.
  /// - Throws: `DatabaseError` when the query cannot be put into another one.
  /// - Complexity: A few statements are prepared, and no row is read.
  func provenKey(
    of statement: Statement, _ arguments: QueryArguments, in sql: WindowSQL
  ) throws -> WindowSQL.Key? {
    let region = statement.region
    // A view counts as read, as its tables do.
    let tables = region.parts.keys.filter { catalog.table($0) != nil }
    guard !region.isFull, tables.count == 1, let table = tables.first else { return nil }
    let columns = statement.rowidColumns.filter { $0.table == table }.map(\.column)
    guard !columns.isEmpty, let own = try program(of: statement.sql, arguments), own.isOneLoop
    else { return nil }
    guard try haveOnlyBuiltInFunctions(own) else { return nil }
    // If SQLite runs the same program when it must return this order, the query has this order already.
    for column in columns {
      for isDescending in [false, true] {
        let key = WindowSQL.Key(column: column, isDescending: isDescending)
        if try program(of: sql.ordered(by: key), arguments) == own { return key }
      }
    }
    return nil
  }

  /// Whether all functions that a program calls are SQLite's own. These return the same for the same row,
  /// except those that depend on time.
  private func haveOnlyBuiltInFunctions(_ program: Program) throws -> Bool {
    for function in Set(program.functions) {
      let name = function.prefix { $0 != "(" }
      let custom = try fetch(
        engine: "SELECT 1 FROM pragma_function_list WHERE name = ?1 COLLATE NOCASE AND NOT builtin",
        [.text(String(name))])
      guard custom.isEmpty else { return false }
    }
    return true
  }
}
