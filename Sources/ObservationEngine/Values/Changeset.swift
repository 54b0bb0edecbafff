/// The net difference that one transaction made, by table.
package struct Changeset: Sendable {
  /// How much of the difference is known.
  package enum Extent: Sendable, Equatable {
    /// The tables whose content differs; a table that ended as it began is absent.
    case tables([TableID: TableChange])
    /// Every table may differ.
    case everything(reason: String)
  }

  package var extent: Extent
  /// Whether pages were written although no table's rows differ: SQLite's own tables may
  /// (sqlite_sequence), which matter only to queries that read everything.
  package var touchesInternals = false

  /// Whether another process committed before the rows were read: its changes to them are then
  /// included.
  package var mayHoldOthersRows = false

  /// The tables whose rows a VACUUM may have renumbered, with no other change; `nil` for every
  /// other commit.
  package var renumbered: Set<TableID>?

  /// Between which states of the file it lies; `nil` when that is unknown, or when it is the change of several
  /// commits taken together. Not a part of what differs: equality ignores it.
  package var span: CommitSpan?

  package init(_ tables: [TableID: TableChange] = [:]) { extent = .tables(tables) }

  package init(everything reason: String) { extent = .everything(reason: reason) }

  /// The tables that are known to differ; empty when every table may.
  package var tables: [TableID: TableChange] {
    if case .tables(let tables) = extent { tables } else { [:] }
  }

  /// Why every table may differ; `nil` when only ``tables`` do.
  package var everythingReason: String? {
    if case .everything(let reason) = extent { reason } else { nil }
  }

  /// The change of a table. Setting it has no effect when every table may differ.
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

  /// Whether the result of a query that reads `region` may have changed.
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

  /// Adds what a later transaction changed. A table that both changed loses its rows: the union
  /// knows only that it changed.
  package mutating func formUnion(_ later: Changeset) {
    touchesInternals = touchesInternals || later.touchesInternals
    mayHoldOthersRows = mayHoldOthersRows || later.mayHoldOthersRows
    renumbered = nil
    span = nil
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
  /// Followers get them if they asked before the transaction began. They are unknown if the table
  /// has rows that cannot be told apart, or if too many changed.
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

extension Changeset: Equatable {
  package static func == (left: Changeset, right: Changeset) -> Bool {
    left.extent == right.extent && left.touchesInternals == right.touchesInternals
      && left.mayHoldOthersRows == right.mayHoldOthersRows && left.renumbered == right.renumbered
  }
}
