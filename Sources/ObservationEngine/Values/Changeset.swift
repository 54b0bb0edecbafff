/// The net difference that one transaction made, table by table.
package struct Changeset: Sendable, Equatable {
  /// The tables whose content differs; a table that ended as it began is absent.
  package var tables: [TableID: TableChange]
  /// Why every table may differ; `nil` when ``tables`` is the whole truth.
  package var allReason: String?

  package init(tables: [TableID: TableChange] = [:], allReason: String? = nil) {
    self.tables = tables
    self.allReason = allReason
  }

  package var isEmpty: Bool { tables.isEmpty && allReason == nil }

  /// Whether a query that reads `region` may have another result now.
  ///
  /// - Complexity: O(tables in the region).
  package func affects(_ region: Region) -> Bool {
    if isEmpty { return false }
    if allReason != nil || region.isFull { return true }
    return tables.contains { table, change in
      guard let columns = region.columns[table] else { return false }
      return change.affects(columns: columns)
    }
  }

  /// Adds what a later transaction changed.
  package mutating func formUnion(_ later: Changeset) {
    allReason = allReason ?? later.allReason
    tables.merge(later.tables) { $0.union($1) }
  }

  /// Rows by kind of change, over all tables; `nil` when a table's rows were not counted.
  package var rowCounts: Commit.RowCounts? {
    guard allReason == nil else { return nil }
    var sum = Commit.RowCounts()
    for change in tables.values {
      guard case .rows(let counts, _) = change else { return nil }
      sum.inserted += counts.inserted
      sum.updated += counts.updated
      sum.deleted += counts.deleted
    }
    return sum
  }
}

/// What a transaction did to one table.
package enum TableChange: Sendable, Equatable {
  /// Rows by kind of change, and the columns in which updated rows differ.
  case rows(Commit.RowCounts, updatedColumns: Set<String>)
  /// Something changed; the rows were too many to keep, or cannot be told.
  case bulk(reason: String)

  /// Both changes; rows that both touched count twice.
  func union(_ other: TableChange) -> TableChange {
    guard case .rows(var counts, let columns) = self, case .rows(let more, let others) = other
    else { return if case .bulk = self { self } else { other } }
    counts.inserted += more.inserted
    counts.updated += more.updated
    counts.deleted += more.deleted
    return .rows(counts, updatedColumns: columns.union(others))
  }

  func affects(columns: Set<String>) -> Bool {
    switch self {
    case .bulk: true
    case .rows(let counts, let updated):
      counts.inserted > 0 || counts.deleted > 0 || !updated.isDisjoint(with: columns)
    }
  }
}
