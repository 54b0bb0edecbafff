package import ObservationEngine

/// The row that a value of a result refers to by a foreign key.
package struct RowReference: Sendable, Equatable {
  /// A column of that row, and the column of the result that has its value.
  package struct Column: Sendable, Equatable {
    package var name: String
    package var source: Int

    package init(name: String, source: Int) {
      self.name = name
      self.source = source
    }
  }

  package var table: String
  /// Empty when the foreign key names no columns, and there is no table to look for its key in.
  package var columns: [Column]

  package init(table: String, columns: [Column]) {
    self.table = table
    self.columns = columns
  }
}

extension Database {
  /// The reference of a column of a query's result.
  ///
  /// - Returns: Nil when the column isn't one of a table's foreign keys, unchanged, or when the result
  ///   lacks another column of that key, or has it twice.
  /// - Complexity: O(columns of the result); no row is read.
  package func reference(
    ofColumn column: Int, in sql: String
  ) async throws -> RowReference? {
    try await read { connection in
      let statement = try connection.prepare(sql)
      let origins = statement.columnNames.indices.map { statement.origin(ofColumn: $0) }
      guard origins.indices.contains(column), let origin = origins[column] else { return nil }
      let reader = SchemaReader(connection)
      let keys = try reader.foreignKeys(of: origin.table.name, in: "main").filter { key in
        key.columns.contains { $0.asciiLowercased == origin.column.asciiLowercased }
      }
      for key in keys {
        let parent = connection.catalog.table(TableID(name: key.parent))
        if parent == nil, key.targets.isEmpty {
          return RowReference(table: key.parent, columns: [])
        }
        let targets =
          key.targets.isEmpty ? parent?.primaryKey ?? [] : key.targets
        guard targets.count == key.columns.count else { continue }
        let sources = key.columns.map { name -> Int? in
          if name.asciiLowercased == origin.column.asciiLowercased { return column }
          // SQLite doesn't report which of two aliases of a table a column belongs to.
          let same = origins.indices.filter { index in
            origins[index]?.table == origin.table
              && origins[index]?.column.asciiLowercased == name.asciiLowercased
          }
          return same.count == 1 ? same[0] : nil
        }
        guard !sources.contains(nil) else { continue }
        return RowReference(
          table: parent?.name ?? key.parent,
          columns: zip(targets, sources).map { RowReference.Column(name: $0, source: $1 ?? 0) })
      }
      return nil
    }
  }
}
