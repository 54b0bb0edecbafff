internal import CSQLite

/// What NATURAL and USING read.
///
/// SQLite's authorizer isn't asked about the columns that they compare: `sqliteProcessJoin` in select.c makes these
/// expressions without `sqlite3AuthRead`. A table that is read only for them isn't reported either. So the program
/// of such a statement is read instead: all columns of the tables that it opens count.
extension Connection {
  /// Whether the statement that was just prepared may join by the names of columns, itself or in a view.
  func mayJoinByNames(prepared sql: String) -> Bool {
    guard !isRunningEngineSQL else { return false }
    if Self.mayJoinByNames(sql) { return true }
    return authorizer.callers.contains { name in
      catalog.viewDefinitions(named: name).contains(where: Self.mayJoinByNames)
    }
  }

  static func mayJoinByNames(_ sql: String) -> Bool {
    // Asked of each statement that is prepared; most contain neither word.
    guard sqlite3_strlike("%using%", sql, 0) == 0 || sqlite3_strlike("%natural%", sql, 0) == 0
    else { return false }
    return QueryShape.mayJoinByNames(sql)
  }

  /// Adds all columns of the tables that a statement opens.
  ///
  /// - Complexity: O(tables and indexes of the schema).
  func insertJoins(of sql: String, into region: inout Region) {
    do {
      let (opened, opensVirtualTables) = try tablesOpened(by: sql)
      if opensVirtualTables {
        region.insertEverything(reason: "a virtual table in a join by names")
      }
      for id in opened {
        region.insert(rowsOf: id)
        for column in catalog.table(id)?.columns ?? [] {
          region.insert(column: column.name, of: id)
        }
      }
    } catch {
      region.insertEverything(reason: "a join by names, whose program can't be read")
    }
  }

  /// The tables whose b-trees, or those of their indexes, a statement opens; and whether it opens virtual tables, too.
  ///
  /// - Complexity: O(tables and indexes of the schema).
  func tablesOpened(
    by sql: String
  ) throws(DatabaseError) -> (tables: Set<TableID>, opensVirtualTables: Bool) {
    var owners: [String: [Int64: TableID]] = [:]
    var opened: (tables: Set<TableID>, opensVirtualTables: Bool) = ([], false)
    for row in try fetch(engine: "EXPLAIN \(sql)") {
      guard case .text(let operation) = row[1], row.count > 4 else { continue }
      if operation == "VOpen" { opened.opensVirtualTables = true }
      guard ["OpenRead", "OpenWrite", "ReopenIdx"].contains(operation),
        case .integer(let root) = row[3], case .integer(let number) = row[4],
        let schema = sqlite3_db_name(handle, Int32(number)).map({ String(cString: $0) })
      else { continue }
      if owners[schema] == nil { owners[schema] = try ownersOfTrees(schema) }
      // The schema table itself has no row in it.
      if let id = owners[schema]?[root] { opened.tables.insert(id) }
    }
    return opened
  }

  private func ownersOfTrees(_ schema: String) throws(DatabaseError) -> [Int64: TableID] {
    var owners: [Int64: TableID] = [:]
    let rows = try fetch(
      engine:
        "SELECT rootpage, tbl_name FROM \(schema.quotedIdentifier).sqlite_schema WHERE rootpage > 0"
    )
    for row in rows {
      if case .integer(let root) = row[0], case .text(let name) = row[1] {
        owners[root] = TableID(schema: schema, name: name)
      }
    }
    return owners
  }
}
