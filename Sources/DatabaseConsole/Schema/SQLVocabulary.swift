package import ObservationEngine

/// The names that SQL over a database can use, for completion and the like.
package struct SQLVocabulary: Sendable, Equatable {
  package struct Column: Sendable, Equatable {
    package let name: String
    /// The declared type; empty without one.
    package let type: String

    package init(name: String, type: String = "") {
      self.name = name
      self.type = type
    }
  }

  package struct Table: Sendable, Equatable {
    package let schema: String
    package let name: String
    /// `table`, `view`, `virtual`, `shadow`; `function` for one that is called in FROM.
    package let kind: String
    package let columns: [Column]
    /// `nil` if there is nothing to count: a view, a virtual table.
    package let rows: RowCount?

    package init(
      schema: String = "main", name: String, kind: String = "table", columns: [Column] = [],
      rows: RowCount? = nil
    ) {
      self.schema = schema
      self.name = name
      self.kind = kind
      self.columns = columns
      self.rows = rows
    }
  }

  /// Ordered by name; SQLite's own are left out.
  package var tables: [Table]
  /// The functions that can be called in FROM, with the columns that they return.
  package var tableFunctions: [Table]
  /// In ascending order, without duplicates.
  package var functions: [String]
  /// In ascending order.
  package var pragmas: [String]

  package init(
    tables: [Table] = [], tableFunctions: [Table] = [], functions: [String] = [],
    pragmas: [String] = []
  ) {
    self.tables = tables
    self.tableFunctions = tableFunctions
    self.functions = functions
    self.pragmas = pragmas
  }
}

extension Database {
  /// Reads the names that SQL can use, from one committed state.
  ///
  /// - Complexity: O(schema), and O(rows) up to half a million rows in total.
  package func vocabulary() async throws -> SQLVocabulary {
    try await read { try SQLVocabulary(reading: $0) }
  }
}

extension SQLVocabulary {
  /// The maximum rows counted per table and in total.
  private static let countLimit: Int64 = 100_000
  private static let countBudget: Int64 = 500_000

  fileprivate init(reading connection: Connection) throws {
    self.init()
    var budget = Self.countBudget
    let reader = SchemaReader(connection)
    for table in try reader.tables() where !table.isInternal {
      // A view of a table that is gone has no columns to show, but must not hide the other views.
      let columns = (try? reader.columns(of: table.name, in: table.schema)) ?? []
      var rows: RowCount?
      if table.kind == .table {
        // A table that can't be read is offered without a number.
        rows = try? connection.rowCount(
          of: table.name, in: table.schema, limit: min(Self.countLimit, max(0, budget)))
      }
      switch rows {
      case .exact(let count): budget -= count
      case .estimate, .moreThan: budget -= Self.countLimit
      case nil: break
      }
      tables.append(
        Table(
          schema: table.schema, name: table.name, kind: table.kind.rawValue,
          columns: columns.filter { $0.visibility != .hidden }.map {
            Column(name: $0.name, type: $0.type)
          }, rows: rows))
    }
    tableFunctions = try Self.tableFunctions(connection)
    functions = try Self.names(
      "SELECT DISTINCT lower(name) FROM pragma_function_list WHERE name GLOB '[A-Za-z]*' ORDER BY 1",
      connection)
    pragmas = try Self.names("SELECT name FROM pragma_pragma_list ORDER BY 1", connection)
  }

  /// The functions in FROM that are known by name: some of those from extensions can't be queried
  /// for columns.
  private static func tableFunctions(_ connection: Connection) throws -> [Table] {
    let rows = try connection.fetch(
      engine: """
        WITH function(name) AS (
          VALUES ('json_each'), ('json_tree'), ('generate_series')
          UNION ALL SELECT 'pragma_' || name FROM pragma_pragma_list)
        SELECT f.name, c.name, c.type FROM function f, pragma_table_xinfo(f.name, 'main') c
        WHERE c.hidden <> 1 ORDER BY f.name, c.cid
        """)
    var functions: [Table] = []
    for row in rows {
      guard case .text(let name) = row[0], case .text(let column) = row[1] else { continue }
      let type = if case .text(let type) = row[2] { type } else { "" }
      let former = functions.last?.name == name ? functions.removeLast().columns : []
      functions.append(
        Table(name: name, kind: "function", columns: former + [Column(name: column, type: type)]))
    }
    return functions
  }

  private static func names(_ sql: String, _ connection: Connection) throws -> [String] {
    try connection.fetch(engine: sql).compactMap { row in
      if case .text(let name) = row[0] { name } else { nil }
    }
  }
}
