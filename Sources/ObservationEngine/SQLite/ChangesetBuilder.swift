/// A table's columns that are looked up by key.
struct LookupPlace: Hashable {
  let table: TableID
  let columns: [Int]
}

/// Finds the net difference of a committed transaction from the rows that it touched.
struct ChangesetBuilder {
  let connection: Connection

  /// Compares each touched row with its current content, in one read transaction.
  ///
  /// A commit by another process in between can only add to the difference, or undo it. In the
  /// latter case, the detection of that commit refreshes what it undid.
  ///
  /// - Complexity: One lookup by key per touched row.
  func changeset(of captures: [TableID: TableCapture]) throws(DatabaseError) -> Changeset {
    var changeset = Changeset()
    for (id, capture) in captures {
      if let reason = capture.bulkReason {
        changeset[id] = .bulk(reason: reason)
      } else if let table = connection.catalog.table(id), let interest = capture.interest {
        changeset[id] = try difference(in: table, capture, interest).map { .rows($0) }
      } else {
        changeset[id] = .bulk(reason: "\(id) has another form than it had")
      }
    }
    return changeset
  }

  /// Adds the columns that are computed when they are read, where followers need them.
  ///
  /// It needs no snapshot, and is called after the commit: expressions can take long.
  func addComputedColumns(to changeset: inout Changeset, of captures: [TableID: TableCapture]) {
    for (id, capture) in captures where capture.wantsComputed {
      guard case .rows(var difference)? = changeset[id] else { continue }
      let computed = Set(capture.table!.columns.filter(\.isComputed).map(\.foldedName))
      if difference.entries.isEmpty {
        difference.lack(computed)
      } else {
        difference.keep(
          difference.entries, columns: difference.columns, computed: computed, by: computation(id))
      }
      changeset[id] = .rows(difference)
    }
  }

  /// What computes columns of a table; `nil` where they aren't computed.
  private func computation(_ table: TableID) -> ComputedColumns? {
    guard table.isInMain else { return nil }
    if let known = connection.schemaState.computations[table] { return known }
    do {
      let columns = try SchemaReader(connection).columns(of: table.declaredName, in: table.schema)
      let declaration = try ComputedColumns.Declaration(
        of: table.declaredName, columns, connection)
      // Another process may have changed the schema since the commit.
      guard try connection.integer(of: .schemaVersion) == connection.schemaState.versions?["main"]
      else { return nil }
      // What SQLite refuses, or what is too much, is so until the schema changes.
      let made = declaration.flatMap { try? ComputedColumns($0) }
      connection.schemaState.computations[table] = .some(made)
      return made
    } catch {
      return nil
    }
  }

  /// Whether building the changeset reads the database.
  static func needsSnapshot(_ captures: [TableID: TableCapture]) -> Bool {
    captures.values.contains { $0.bulkReason == nil }
  }

  private func difference(
    in table: TableCatalog.Table, _ capture: TableCapture, _ interest: TableInterest
  ) throws(DatabaseError) -> RowDifference? {
    // If no query reads a column, only the row's existence matters.
    let columns = capture.columns.map { table.columns[$0] }
    var difference = RowDifference(interest: interest)
    var keepsRows = interest.wantsRows || !interest.keyColumns.isEmpty
    var entries: [RowDifference.Entry] = []
    let place = LookupPlace(table: capture.id, columns: capture.columns)
    let sql: String
    if let known = connection.schemaState.lookups[place] {
      sql = known
    } else {
      sql = lookup(table, columns, capture.id.schema)
      connection.schemaState.lookups[place] = sql
    }
    try connection.withEngineStatement(sql) {
      statement throws(DatabaseError) in
      for (key, old) in capture.before {
        let found = try row(key, statement)
        // A key that only changes its form, from 0 to -0.0, still finds the row, which has the other key by now.
        let isOther = found.map { $0.key != key && capture.before[$0.key] != nil } ?? false
        let new = isOther ? nil : found?.values
        switch (old, new) {
        case (nil, nil): continue
        case (nil, .some): difference.counts.inserted += 1
        case (.some, nil): difference.counts.deleted += 1
        case (let old?, let new?):
          let changed = changedColumns(columns, old, new)
          if changed.isEmpty { continue }
          difference.counts.updated += 1
          difference.updatedColumns.formUnion(changed)
        }
        // A record older than ADD COLUMN reads as NULL before the change, whatever the default.
        if let old, zip(columns, old).contains(where: { $0.hasDefault && $1 == .null }) {
          keepsRows = false
        }
        if keepsRows { entries.append(RowDifference.Entry(key: key, old: old, new: new)) }
      }
    }
    if difference.counts == Commit.RowCounts() { return nil }
    if keepsRows {
      // Rows are looked up once they are whole.
      difference.keep(entries, columns: columns.map(\.name), isIndexed: !capture.wantsComputed)
    } else {
      difference.interest.wantsRows = false
    }
    return difference
  }

  /// The row that a key finds, and the key that it has.
  private func row(
    _ key: RowChange.Key, _ statement: Statement
  ) throws(DatabaseError) -> (key: RowChange.Key, values: [Value])? {
    defer { statement.reset() }
    switch key {
    case .rowid(let rowid):
      try statement.bind(.integer(rowid), at: 1)
      return try statement.step() ? (key, statement.row) : nil
    case .primaryKey(let values):
      for (index, value) in values.enumerated() {
        try statement.bind(value, at: Int32(index + 1))
      }
      guard try statement.step() else { return nil }
      let row = statement.row
      return (.primaryKey(Array(row.suffix(values.count))), Array(row.dropLast(values.count)))
    }
  }

  private func changedColumns(
    _ columns: [TableCatalog.Column], _ old: [Value], _ new: [Value]
  ) -> Set<String> {
    var changed: Set<String> = []
    for (index, column) in columns.enumerated() where index < new.count {
      let isUncertain = old[index] == .null && column.hasDefault
      if isUncertain || !old[index].isSurely(new[index]) { changed.insert(column.foldedName) }
    }
    return changed
  }

  private func lookup(
    _ table: TableCatalog.Table, _ columns: [TableCatalog.Column], _ schema: String
  ) -> String {
    let condition =
      switch table.identity {
      case .rowid(let alias): "\(alias) = ?1"
      case .primaryKey(let columns):
        // `=` on purpose: the key's own affinity and collation must find the row.
        columns.enumerated()
          .map { "\(table.columns[$1].name.quotedIdentifier) = ?\($0 + 1)" }
          .joined(separator: " AND ")
      }
    var names = columns.map(\.name.quotedIdentifier)
    if names.isEmpty { names = ["1"] }
    if case .primaryKey(let places) = table.identity {
      names += places.map { table.columns[$0].name.quotedIdentifier }
    }
    return """
      SELECT \(names.joined(separator: ", ")) \
      FROM \(schema.quotedIdentifier).\(table.name.quotedIdentifier) WHERE \(condition)
      """
  }
}
