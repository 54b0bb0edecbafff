extension Connection {
  /// Resolves the names that a region declares, by looking them up in the schema.
  ///
  /// - Complexity: Prepares one statement per name.
  func resolved(_ region: Region) -> Region {
    guard !region.declarations.isEmpty else { return region }
    var resolved = region
    resolved.declarations = []
    for declaration in region.declarations {
      do {
        resolved.formUnion(try read(by: declaration))
      } catch {
        // A name that can't be found may come to exist at any time.
        resolved.insertEverything(reason: error.message)
      }
    }
    return resolved
  }

  private func read(by declaration: Region.Declaration) throws(DatabaseError) -> Region {
    switch declaration {
    case .query(let sql, let arguments):
      return try prepare(sql).region(with: arguments)
    case .table(let table, let columns, let rowids):
      // SQLite knows best what a view or a generated column reads.
      let list = columns.map { $0.sorted().map(\.quotedIdentifier).joined(separator: ", ") }
      let name = "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
      var region = try prepare("SELECT \(list ?? "*") FROM \(name)").region
      if let rowids, case .rowid = catalog.table(table)?.identity {
        region.restrict(table, to: RowRestriction(.rowid, in: Set(rowids.map(Value.integer))))
      }
      return region
    }
  }
}
