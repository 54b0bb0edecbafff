/// Finds the net difference of a committed transaction from the rows that it touched.
struct ChangesetBuilder {
  let connection: Connection

  /// Compares each touched row with what stands there now, in one read transaction.
  ///
  /// A commit of another process in between can only add to the difference, or undo it: then its
  /// own notice refreshes what it undid.
  ///
  /// - Complexity: One lookup by key per touched row.
  func changeset(of captures: [String: ChangeHooks.Capture]) throws(DatabaseError) -> Changeset {
    var changeset = Changeset()
    for (name, capture) in captures {
      if let reason = capture.bulkReason {
        changeset.tables[TableID(name: name)] = .bulk(reason: reason)
      } else if let table = connection.catalog.table(name) {
        changeset.tables[TableID(name: name)] = try difference(in: table, capture.before)
      }
    }
    return changeset
  }

  private func difference(
    in table: TableCatalog.Table, _ before: [ChangeHooks.RowKey: [Value]?]
  ) throws(DatabaseError) -> TableChange? {
    let sql = lookup(table)
    var counts = Commit.RowCounts()
    var columns: Set<String> = []
    for (key, old) in before {
      let arguments: [Value] =
        switch key {
        case .rowid(let rowid): [.integer(rowid)]
        case .primaryKey(let values): values
        }
      let new = try connection.fetch(engine: sql, arguments).first
      switch (old, new) {
      case (nil, nil): break
      case (nil, .some): counts.inserted += 1
      case (.some, nil): counts.deleted += 1
      case (let old?, let new?):
        let changed = changedColumns(table, old, new)
        if !changed.isEmpty { counts.updated += 1 }
        columns.formUnion(changed)
      }
    }
    if counts == Commit.RowCounts() { return nil }
    return .rows(counts, updatedColumns: columns)
  }

  private func changedColumns(_ table: TableCatalog.Table, _ old: [Value], _ new: [Value])
    -> Set<String>
  {
    var changed: Set<String> = []
    for (index, column) in table.columns.enumerated() where index < new.count {
      // A record older than ADD COLUMN reads as NULL before the change, whatever the default.
      let isUncertain = old[index] == .null && column.hasDefault
      if old[index] != new[index] || isUncertain { changed.insert(column.name.asciiLowercased) }
    }
    return changed
  }

  private func lookup(_ table: TableCatalog.Table) -> String {
    let condition =
      switch table.identity {
      case .rowid(let alias): "\(alias) = ?1"
      case .primaryKey(let columns):
        // `=` on purpose: the comparison of the key's own affinity and collation finds the row.
        columns.enumerated()
          .map { "\(table.columns[$1].name.quotedIdentifier) = ?\($0 + 1)" }
          .joined(separator: " AND ")
      }
    return "SELECT * FROM main.\(table.name.quotedIdentifier) WHERE \(condition)"
  }
}
