internal import ObservationEngine

/// The tables whose rows a ``RowFeed`` follows: ordinary tables of `main`, but none of SQLite's own.
package struct FollowedTables: Sendable {
  /// The folded names; `nil` for all tables.
  let names: Set<String>?

  /// - Parameter names: Tables in any spelling; `nil` for all, including those that are created later.
  package init(_ names: [String]?) { self.names = names.map { Set($0.map(\.asciiLowercased)) } }

  func includes(_ table: TableID) -> Bool {
    table.isInMain && !table.name.hasPrefix("sqlite_") && names?.contains(table.name) != false
  }
}
