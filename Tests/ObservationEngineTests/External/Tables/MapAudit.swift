import CSQLite
import TestSupport

@testable import ObservationEngine

/// Compares the owner map with what SQLite's own dbstat says of each page.
struct MapAudit {
  /// Pages that belong to some b-tree.
  private(set) var pages = 0
  /// Those of them for which the map has no owner: their change concerns everybody.
  private(set) var withoutOwner = 0
  /// Pages that the map gives to another b-tree than dbstat does, or to nobody.
  private(set) var mistakes: [String] = []

  /// - Parameter connection: One that sees the state to which the tracker was last brought.
  /// - Returns: `nil` when there is no map.
  init?(_ tracker: TableTracker, _ connection: PlainConnection) throws {
    guard let base = tracker.base, var map = tracker.map else { return nil }
    let count = map.pageCount
    if base.header.lastFrame > 0, base.header.pageCount != count {
      mistakes.append("the map has \(count) pages, the database \(base.header.pageCount)")
    }
    // dbstat lists neither free pages nor those of a pointer map: whatever they are taken for,
    // their content is nobody's.
    var trees: [(page: UInt32, root: UInt32, what: String)] = []
    try connection.run(
      """
      SELECT pageno, ifnull(rootpage, 1), s.name || ', ' || pagetype
      FROM dbstat AS s LEFT JOIN sqlite_schema AS t ON t.name = s.name AND t.rootpage > 0
      """, []
    ) { row in
      trees.append(
        (
          UInt32(sqlite3_column_int64(row, 0)), UInt32(sqlite3_column_int64(row, 1)),
          String(cString: sqlite3_column_text(row, 2))
        ))
    }
    for (page, root, what) in trees {
      pages += 1
      switch try map.owner(of: page) {
      case .tree(root): continue
      case .unknown: withoutOwner += 1
      case let other:
        mistakes.append("page \(page) (\(what)) of tree \(root) is taken for \(other)")
      }
    }
  }
}
