/// A database file whose commits are attributed to tables, with nothing around it: the detector's
/// work for each foreign commit, for measuring and checking.
///
/// Confined to one thread.
package final class TrackedFile {
  private let connection: Connection
  private let tracker: TableTracker

  /// Opens the file, which must be there, and in WAL mode.
  ///
  /// - Throws: `DatabaseError`.
  package init(path: String) throws(DatabaseError) {
    var configuration = Configuration()
    configuration.createsFile = false
    var options = Connection.Options()
    options.isReader = true
    connection = try DatabaseFile(path: path, configuration: configuration).open(options)
    connection.wal.isOn = try connection.journalMode == "wal"
    tracker = TableTracker(connection: connection)
  }

  deinit { connection.close() }

  /// Determines which page belongs to which table; commits are attributed from here on.
  ///
  /// - Parameter limit: How long it may take, in nanoseconds.
  /// - Throws: `DatabaseError`.
  /// - Complexity: O(pages); see `TableTracker`.
  package func build(within limit: UInt64 = .max) throws(DatabaseError) {
    try tracker.build(within: limit)
  }

  /// Searches a part of the file for the pages of long rows, if a commit wrote such a page.
  ///
  /// - Returns: Whether there is more to search.
  package func search() -> Bool { tracker.scanSlice() }

  /// The tables that differ since the last call, or since ``build()``; `nil` when any may.
  ///
  /// - Complexity: O(pages written since).
  package func changedTables() -> Set<String>? {
    guard case .header(let header) = connection.wal.indexState(),
      case .tables(let tables) = tracker.advance(to: header)
    else { return nil }
    return Set(tables.map(\.name))
  }

  /// How many rows the commits since the last call, or since ``build()``, changed; `nil` when that isn't known.
  ///
  /// - Complexity: O(bytes of the pages written since).
  package func changedRows() -> Commit.RowCounts? {
    guard case .header(let header) = connection.wal.indexState(),
      case .commits(let changesets) = tracker.advance(
        to: header, rows: { _ in .all(wantsRows: true) })
    else { return nil }
    var sum = Commit.RowCounts()
    for changeset in changesets {
      guard let counts = changeset.rowCounts else { return nil }
      sum.inserted += counts.inserted
      sum.updated += counts.updated
      sum.deleted += counts.deleted
    }
    return sum
  }
}
