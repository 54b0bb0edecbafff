/// What a query reads: tables and columns, or everything.
///
///     Region
///     ├─ isFull            anything may matter (virtual tables, pragmas), and why
///     └─ columns by table  an empty set: only which rows exist matters, as for count(*)
///
/// A region is an over-estimate: what is outside cannot change the result.
public struct Region: Sendable, Equatable {
  /// Column names by table, folded to lower case.
  package private(set) var columns: [TableID: Set<String>] = [:]
  /// Why anything may matter; `nil` when ``columns`` is the whole truth.
  package private(set) var fullReason: String?

  /// The region of a query that reads nothing.
  public init() {}

  /// The region of a query of which nothing is known.
  ///
  /// - Parameter reason: Why nothing is known, for the person who wonders.
  public static func full(reason: String) -> Region {
    var region = Region()
    region.fullReason = reason
    return region
  }

  /// Whether every change of the database may matter.
  public var isFull: Bool { fullReason != nil }

  /// Adds a column of a table; an empty name adds the table's rows as such.
  package mutating func insert(column: String, of table: TableID) {
    if column.isEmpty {
      columns[table, default: []].formUnion([])
    } else {
      columns[table, default: []].insert(column.asciiLowercased)
    }
  }

  /// Makes this the region of everything.
  package mutating func insertEverything(reason: String) {
    if fullReason == nil { fullReason = reason }
  }

  /// Adds all of `other`.
  package mutating func formUnion(_ other: Region) {
    if let reason = other.fullReason { insertEverything(reason: reason) }
    for (table, names) in other.columns { columns[table, default: []].formUnion(names) }
  }
}
