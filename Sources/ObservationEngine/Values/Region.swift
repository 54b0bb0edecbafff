/// What a query reads: tables and columns, or everything.
///
///     Region
///     ├─ isFull            anything may matter (virtual tables, pragmas), and why
///     └─ parts by table    columns; none of them: only which rows exist matters, as for count(*)
///                          and perhaps a restriction: only rows with these values matter
///
/// A region is an over-estimate: a change outside it cannot change the result.
public struct Region: Sendable, Equatable {
  /// The part of a region that lies in one table.
  package struct Part: Sendable, Equatable {
    /// Column names, folded to lower case.
    package var columns: Set<String> = []
    /// Which rows matter; `nil` for all.
    package var restriction: RowRestriction?

    package init(columns: Set<String> = [], restriction: RowRestriction? = nil) {
      self.columns = columns
      self.restriction = restriction
    }
  }

  /// What the query reads, by table.
  package private(set) var parts: [TableID: Part] = [:]
  /// Why anything may matter; `nil` when ``parts`` is complete.
  package private(set) var fullReason: String?
  /// Parts declared by name and not looked up yet. No commit concerns them until they are.
  package var declarations: Set<Declaration> = []

  /// Why the result changes with time, without any commit; `nil` when it doesn't.
  package private(set) var timeDependence: String?

  /// The region of a query that reads nothing.
  public init() {}

  /// The region of a query about which nothing is known.
  ///
  /// - Parameter reason: Why nothing is known, for the user.
  package static func full(reason: String) -> Region {
    var region = Region()
    region.fullReason = reason
    return region
  }

  /// Whether every change of the database may matter.
  package var isFull: Bool { fullReason != nil }

  /// Adds the rows of a table as such.
  package mutating func insert(rowsOf table: TableID) {
    if parts[table] == nil { parts[table] = Part() }
  }

  /// Adds a column of a table.
  package mutating func insert(column: String, of table: TableID) {
    parts[table, default: Part()].columns.insert(column.asciiLowercased)
  }

  /// Makes this the full region.
  package mutating func insertEverything(reason: String) {
    if fullReason == nil { fullReason = reason }
  }

  /// Declares that only the rows of `table` within `restriction` matter, for a table that is
  /// already read.
  package mutating func restrict(_ table: TableID, to restriction: RowRestriction) {
    parts[table]?.restriction = restriction
  }

  /// Declares that the result changes with time.
  package mutating func insertTime(reason: String) {
    if timeDependence == nil { timeDependence = reason }
  }

  /// Adds all of `other`.
  package mutating func formUnion(_ other: Region) {
    if let reason = other.timeDependence { insertTime(reason: reason) }
    if let reason = other.fullReason { insertEverything(reason: reason) }
    declarations.formUnion(other.declarations)
    for (table, part) in other.parts {
      guard var known = parts[table] else {
        parts[table] = part
        continue
      }
      known.columns.formUnion(part.columns)
      known.restriction = known.restriction.flatMap { $0.union(part.restriction) }
      parts[table] = known
    }
  }
}

/// The rows of a table that matter to a query: those with one of a few values in a column.
///
/// A changed row matters if its old or its new value of that column is among them.
package struct RowRestriction: Sendable, Equatable {
  /// The column that is compared.
  package enum Column: Sendable, Hashable {
    /// The rowid, or the INTEGER PRIMARY KEY that is its alias.
    case rowid
    /// Another column, its name folded to lower case.
    case named(String)
  }

  package var column: Column
  /// The values as SQLite stores them, after affinity; not as the SQL spells them.
  package var values: Set<Value>

  package init(_ column: Column, in values: Set<Value>) {
    self.column = column
    self.values = values
  }

  /// A restriction that includes the rows of both; `nil` when that is all rows.
  func union(_ other: RowRestriction?) -> RowRestriction? {
    guard let other, other.column == column else { return nil }
    return RowRestriction(column, in: values.union(other.values))
  }
}
