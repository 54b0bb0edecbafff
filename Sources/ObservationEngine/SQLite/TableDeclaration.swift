/// A table's declaration, complete enough to store its rows elsewhere with conditions that mean the
/// same there.
struct TableDeclaration: Equatable, Sendable {
  struct Column: Equatable, Sendable {
    let name: String
    let type: String
    let collation: String
  }

  let name: String
  let columns: [Column]
  /// The name for accessing the rowid; `nil` for a table without one.
  let rowidAlias: String?
  /// The key columns of a table without rowids: indexes into ``columns``.
  let key: [Int]

  /// `CREATE TABLE …`, without constraints: the rows were valid once.
  var creation: String {
    let parts = columns.map { column in
      "\(column.name.quotedIdentifier) \(column.type) COLLATE \(column.collation.quotedIdentifier)"
    }
    return "CREATE TABLE \(name.quotedIdentifier) (\(parts.joined(separator: ", ")))"
  }

  /// The SQL for key and values of the rows that satisfy a condition.
  func selection(schema: String, where condition: SQL?) -> SQL {
    let names = columns.map(\.name.quotedIdentifier)
    let keys = rowidAlias.map { [$0] } ?? key.map { names[$0] }
    return """
      SELECT \(raw: (keys + names).joined(separator: ", ")) FROM \
      \(identifier: schema).\(identifier: name)\(SQL.whereClause(condition))
      """
  }

  /// Splits a row that ``selection(schema:where:)`` returns.
  func keyed(_ row: [Value]) -> (key: RowChange.Key, values: [Value]) {
    let count = rowidAlias == nil ? key.count : 1
    let values = Array(row[count...])
    if rowidAlias != nil, case .integer(let rowid) = row[0] { return (.rowid(rowid), values) }
    return (.primaryKey(Array(row[..<count])), values)
  }
}

extension Connection {
  private static func notATable(
    _ id: TableID, _ kind: SchemaReader.Table.Kind?
  ) -> DatabaseError {
    switch kind {
    case .virtual:
      DatabaseError(
        code: .misuse,
        message:
          "\(id) is a virtual table, and only its module knows its rows: observe a query of it, "
          + "or the rows of the table that it indexes")
    case .view:
      DatabaseError(
        code: .misuse,
        message:
          "\(id) is a view, which has no rows of its own: observe a query of it, or the rows of "
          + "the tables that it reads")
    case .table, .shadow, nil: DatabaseError(code: .error, message: "no such table: \(id)")
    }
  }

  /// Reads the declaration of a table.
  ///
  /// - Throws: `DatabaseError` when there is no such table, or its rows cannot be told apart.
  func declaration(of id: TableID) throws(DatabaseError) -> TableDeclaration {
    guard let table = catalog.table(id) else {
      throw Self.notATable(id, catalog.kind(of: id))
    }
    let columns = table.columns.map { column in
      TableDeclaration.Column(
        name: column.name, type: Affinity(declared: column.declaredType).rawValue,
        collation: collation(of: column.name, table.name, id.schema))
    }
    switch table.identity {
    case .primaryKey(let key):
      return TableDeclaration(name: table.name, columns: columns, rowidAlias: nil, key: key)
    case .rowid(let alias):
      let isHidden = columns.contains { $0.name.asciiLowercased == alias }
      guard !isHidden else {
        throw DatabaseError(
          code: .misuse,
          message: "the rows of \(id) cannot be told apart: columns hide all names of its rowid")
      }
      return TableDeclaration(name: table.name, columns: columns, rowidAlias: alias, key: [])
    }
  }
}
