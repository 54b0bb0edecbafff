internal import CSQLite

/// In which order a query visits rows.
///
/// Where nothing says in which order rows come, they come in that of the b-tree that SQLite goes through. That of an
/// index is sorted by all of its columns, also by those that the query doesn't read:
///
///     CREATE INDEX i ON sale(player, day)      SELECT sum(price) FROM sale WHERE player = 7
///
/// A change of `day` moves a row. With it can move the rows of a result without ORDER BY, the one of several equal values
/// that a group shows, and the last bit of a sum of REAL values. So these columns belong to the region of the query.
///
/// Changes of the rowid, or of the key of a table WITHOUT ROWID, need nothing: they are another row.
extension Connection {
  /// The columns of a b-tree that an index is.
  struct VisitedIndex {
    let table: TableID
    /// Folded; all those of the table when it is sorted by an expression.
    var columns: Set<String> = []
  }

  /// The columns of the indexes that a query goes through, and that it doesn't read.
  ///
  /// - Parameters:
  ///   - arguments: What is bound: a pattern of LIKE can decide which index is used.
  ///   - region: What the query reads.
  /// - Complexity: Nothing where no table has such a column; otherwise it compiles the query once more.
  func visitedColumns(
    of sql: String, _ arguments: QueryArguments, reading region: Region
  ) throws(DatabaseError) -> [TableID: Set<String>] {
    guard !region.isFull, !QueryShape.onlyCounts(sql) else { return [:] }
    var candidates: [String: [Int64: VisitedIndex]] = [:]
    for (table, part) in region.parts {
      for (root, index) in try visitedIndexes(in: table.schema)
      where index.table == table && !index.columns.isSubset(of: part.columns) {
        candidates[table.schema, default: [:]][root] = index
      }
    }
    guard !candidates.isEmpty else { return [:] }
    var columns: [TableID: Set<String>] = [:]
    for row in try instructions(of: sql, arguments) where row.count > 4 {
      guard row[1] == "OpenRead" || row[1] == "ReopenIdx", case .integer(let root) = row[3],
        case .integer(let number) = row[4],
        let schema = sqlite3_db_name(handle, Int32(truncatingIfNeeded: number)),
        let index = candidates[String(cString: schema)]?[root]
      else { continue }
      columns[index.table, default: []].formUnion(index.columns)
    }
    return columns
  }

  /// The indexes of a schema by their root pages.
  private func visitedIndexes(in schema: String) throws(DatabaseError) -> [Int64: VisitedIndex] {
    if let known = schemaState.visitedIndexes[schema] { return known }
    var indexes: [Int64: VisitedIndex] = [:]
    for column in try SchemaReader(self).indexColumns(in: schema) {
      let table = TableID(schema: schema, name: column.table)
      var index = indexes[column.root] ?? VisitedIndex(table: table)
      switch column.content {
      case .column(let name): index.columns.insert(name.asciiLowercased)
      case .rowid: break
      case .expression:
        index.columns.formUnion(catalog.table(table)?.columns.map(\.foldedName) ?? [])
      }
      indexes[column.root] = index
    }
    schemaState.visitedIndexes[schema] = indexes
    return indexes
  }
}
