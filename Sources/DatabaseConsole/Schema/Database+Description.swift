package import ObservationEngine

/// The parameters and columns of a statement, found without running it.
package struct StatementDescription: Sendable, Equatable {
  /// Parameter names without prefix; `?` for one without a name.
  package let parameters: [String]
  /// Column names as SQLite gives them.
  package let columns: [String]

  package init(parameters: [String], columns: [String]) {
    self.parameters = parameters
    self.columns = columns
  }
}

/// A table or view to show to the user.
package struct TableDescription: Sendable, Equatable {
  package let name: String
  /// The name for accessing its rowid; `nil` for a view, or a table without one.
  package let rowid: String?
  /// The columns of its primary key, in order.
  package let key: [String]

  package init(name: String, rowid: String?, key: [String]) {
    self.name = name
    self.rowid = rowid
    self.key = key
  }
}

extension Database {
  /// Checks a query without running it.
  ///
  /// - Throws: `DatabaseError` with the offset of the error.
  package func describe(query sql: String) throws -> StatementDescription {
    try readWaiting { connection in
      let statement = try connection.prepare(sql)
      return StatementDescription(
        parameters: statement.parameterNames.map { $0.map { String($0.dropFirst()) } ?? "?" },
        columns: statement.columnNames)
    }
  }

  /// Tables first, then views, each ordered by name; SQLite's own are left out.
  package func tables() throws -> [TableDescription] {
    try readWaiting { try $0.describedTables() }
  }
}

extension Connection {
  /// Tables first, then views, each ordered by name; SQLite's own are left out.
  package func describedTables() throws(DatabaseError) -> [TableDescription] {
    let all = try SchemaReader(self).tables(in: "main")
      .filter { $0.kind != .shadow && !$0.isInternal }
    return (all.filter { $0.kind != .view } + all.filter { $0.kind == .view }).map { entry in
      let table = catalog.table(entry.id)
      return TableDescription(
        name: entry.name, rowid: table?.rowidAlias, key: table?.primaryKey ?? [])
    }
  }
}
