/// The net difference that one transaction made, table by table.
package struct Changeset: Sendable, Equatable {
  /// How far the difference is known to reach.
  package enum Extent: Sendable, Equatable {
    /// The tables whose content differs; a table that ended as it began is absent.
    case tables([TableID: TableChange])
    /// Every table may differ.
    case everything(reason: String)
  }

  package var extent: Extent
  /// Whether pages were written though no table's rows differ: SQLite's own tables may
  /// (sqlite_sequence), which only those who read everything read.
  package var touchesInternals = false

  /// Whether another program committed before the rows were looked at: what it changed in them is
  /// among the differences.
  package var mayHoldOthersRows = false

  /// The tables whose rows a VACUUM may have given other numbers, and nothing else; `nil` of all other commits.
  package var renumbered: Set<TableID>?

  package init(_ tables: [TableID: TableChange] = [:]) { extent = .tables(tables) }

  package init(everything reason: String) { extent = .everything(reason: reason) }

  /// The tables that are known to differ; none when every table may.
  package var tables: [TableID: TableChange] {
    if case .tables(let tables) = extent { tables } else { [:] }
  }

  /// Why every table may differ; `nil` when only ``tables`` do.
  package var everythingReason: String? {
    if case .everything(let reason) = extent { reason } else { nil }
  }

  /// What is known of a table; setting it does nothing where every table may differ.
  package subscript(table: TableID) -> TableChange? {
    get { tables[table] }
    set {
      guard case .tables(var tables) = extent else { return }
      extent = .tables([:])
      tables[table] = newValue
      extent = .tables(tables)
    }
  }

  package var isEmpty: Bool { extent == .tables([:]) && !touchesInternals }

  /// The tables that differ.
  var changedTables: Commit.Tables {
    switch extent {
    case .everything(let reason): return .all(reason: reason)
    case .tables(let tables):
      // Most transactions change one table.
      if tables.count == 1, let table = tables.first { return .named([table.key.description]) }
      return .named(unordered: tables.keys.lazy.map(\.description))
    }
  }

  /// Whether a query that reads `region` may have another result now.
  ///
  /// - Complexity: O(tables in the region).
  package func affects(_ region: Region) -> Bool {
    if isEmpty { return false }
    guard case .tables(let tables) = extent, !region.isFull else { return true }
    return tables.contains { table, change in
      guard let part = region.parts[table] else { return false }
      return change.affects(part)
    }
  }

  /// Adds what a later transaction changed; of a table that both changed only that is known.
  package mutating func formUnion(_ later: Changeset) {
    touchesInternals = touchesInternals || later.touchesInternals
    mayHoldOthersRows = mayHoldOthersRows || later.mayHoldOthersRows
    renumbered = nil
    switch (extent, later.extent) {
    case (.everything, _): break
    case (.tables, .everything): extent = later.extent
    case (.tables(let tables), .tables(let later)):
      extent = .tables(
        tables.merging(later) { _, _ in .bulk(reason: "several transactions changed it") })
    }
  }

  /// Forgets the rows that changed: of the tables no more is known than that they did.
  mutating func forgetRows(_ reason: String) {
    for case (let table, .rows) in tables { self[table] = .bulk(reason: reason) }
  }

  /// Rows by kind of change, over all tables; `nil` when a table's rows were not counted.
  package var rowCounts: Commit.RowCounts? {
    guard case .tables(let tables) = extent else { return nil }
    var sum = Commit.RowCounts()
    for change in tables.values {
      guard case .rows(let difference) = change, difference.interest.isComplete else { return nil }
      sum.inserted += difference.counts.inserted
      sum.updated += difference.counts.updated
      sum.deleted += difference.counts.deleted
    }
    return sum
  }

  /// The rows of `table` that changed; `nil` when they are not known.
  ///
  /// They are known to followers that asked for them before the transaction began, unless a row of the
  /// table cannot be distinguished from others, or too many changed.
  package func rowChanges(of table: TableID) -> [RowChange]? {
    guard case .tables(let tables) = extent else { return nil }
    switch tables[table] {
    case nil: return []
    case .bulk: return nil
    case .rows(let difference):
      guard difference.interest.wantsRows, difference.interest.isComplete else { return nil }
      return difference.entries.map { entry in
        RowChange(
          table: table.name, key: entry.key,
          old: entry.old.map { Row(columns: difference.columns, values: $0) },
          new: entry.new.map { Row(columns: difference.columns, values: $0) })
      }
    }
  }
}
