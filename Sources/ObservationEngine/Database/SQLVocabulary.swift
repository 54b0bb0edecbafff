/// The names that SQL over a database can use, for whoever helps somebody to write it.
package struct SQLVocabulary: Sendable, Equatable {
  /// How many rows a table has.
  package enum RowCount: Sendable, Equatable {
    case exactly(Int)
    /// Counting was too dear: the greatest rowid, which a table without gaps has as many rows as.
    case about(Int)
    /// Not known: a view, a virtual table, a large table without rowids.
    case unknown
  }

  package struct Column: Sendable, Equatable {
    package let name: String
    /// As declared; empty without a type.
    package let type: String

    package init(name: String, type: String = "") {
      self.name = name
      self.type = type
    }
  }

  package struct Table: Sendable, Equatable {
    package let schema: String
    package let name: String
    /// `table`, `view`, `virtual` or `shadow`.
    package let kind: String
    package let columns: [Column]
    package let rows: RowCount

    package init(
      schema: String = "main", name: String, kind: String = "table", columns: [Column] = [],
      rows: RowCount = .unknown
    ) {
      self.schema = schema
      self.name = name
      self.kind = kind
      self.columns = columns
      self.rows = rows
    }
  }

  /// In the order of their names; SQLite's own are left out.
  package var tables: [Table]
  /// In ascending order, without repetition.
  package var functions: [String]
  /// In ascending order.
  package var pragmas: [String]

  package init(tables: [Table] = [], functions: [String] = [], pragmas: [String] = []) {
    self.tables = tables
    self.functions = functions
    self.pragmas = pragmas
  }
}

extension Database {
  /// Reads the names that SQL can use, of one committed state.
  ///
  /// - Complexity: O(schema), and O(rows) up to half a million rows in all.
  package func vocabulary() async throws -> SQLVocabulary {
    try await read { try SQLVocabulary(reading: $0) }
  }
}

extension SQLVocabulary {
  /// Tables are counted up to so many rows, all together to so many.
  private static let countLimit = 100_000
  private static let countBudget = 500_000

  fileprivate init(reading connection: Connection) throws {
    var columns: [TableID: [Column]] = [:]
    let tables = try connection.fetch(
      engine: """
        SELECT schema, name, type FROM pragma_table_list
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name, schema
        """)
    let declared = try connection.fetch(
      engine: """
        SELECT t.schema, t.name, c.name, c.type
        FROM pragma_table_list AS t, pragma_table_xinfo(t.name, t.schema) AS c
        WHERE t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.schema, t.name, c.cid
        """)
    for row in declared {
      guard case .text(let schema) = row[0], case .text(let table) = row[1],
        case .text(let name) = row[2]
      else { continue }
      let type = if case .text(let type) = row[3] { type } else { "" }
      columns[TableID(schema: schema, name: table), default: []].append(
        Column(name: name, type: type))
    }
    var budget = Self.countBudget
    self.init()
    for row in tables {
      guard case .text(let schema) = row[0], case .text(let name) = row[1],
        case .text(let kind) = row[2]
      else { continue }
      let id = TableID(schema: schema, name: name)
      let count =
        kind == "table" ? try Self.count(id, name, connection, budget: &budget) : RowCount.unknown
      self.tables.append(
        Table(schema: schema, name: name, kind: kind, columns: columns[id] ?? [], rows: count))
    }
    functions = try Self.names(
      "SELECT DISTINCT lower(name) FROM pragma_function_list WHERE name GLOB '[A-Za-z]*' ORDER BY 1",
      connection)
    pragmas = try Self.names("SELECT name FROM pragma_pragma_list ORDER BY 1", connection)
  }

  private static func names(_ sql: String, _ connection: Connection) throws -> [String] {
    try connection.fetch(engine: sql).compactMap { row in
      if case .text(let name) = row[0] { name } else { nil }
    }
  }

  private static func count(
    _ id: TableID, _ name: String, _ connection: Connection, budget: inout Int
  ) throws -> RowCount {
    let target = "\(id.schema.quotedIdentifier).\(name.quotedIdentifier)"
    if budget > 0 {
      let limit = min(countLimit, budget)
      let counted = try connection.fetch(
        engine: "SELECT count(*) FROM (SELECT 1 FROM \(target) LIMIT ?1)",
        [.integer(Int64(limit + 1))])
      if case .integer(let rows)? = counted.first?.first {
        budget -= Int(rows)
        if rows <= limit { return .exactly(Int(rows)) }
      }
    }
    guard let alias = connection.catalog.table(id)?.rowidAlias,
      case .integer(let greatest)? = try connection.fetch(
        engine: "SELECT max(\(alias)) FROM \(target)"
      ).first?.first
    else { return .unknown }
    return .about(Int(greatest))
  }
}
