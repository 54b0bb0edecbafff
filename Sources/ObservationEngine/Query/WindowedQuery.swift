internal import Synchronization

/// A query of whose result a window is held when it is long, and everything when it is not.
///
/// The window can be moved while the query is observed; its rows, and how many there are in all, are
/// always those of one snapshot.
final class WindowedQuery: Sendable {
  /// A result with no more rows than this is held as a whole.
  static let wholeLimit = 10_000

  let query: Query<RowSet>
  private let window = Mutex(RowWindow())

  init(_ query: Query<RowSet>) { self.query = query }

  /// Makes the next fetch read these rows.
  func show(_ window: RowWindow) { self.window.withLock { $0 = window } }

  /// - Throws: `DatabaseError`.
  /// - Complexity: O(rows) time, O(window) memory.
  func fetch(_ connection: Connection) throws -> RowSet {
    let window = window.withLock { $0 }
    let result = try Self.rows(of: ordered(window.sort), query.arguments, window, connection)
    guard let part = result.part, result.rows.count < min(window.count, part.total) else {
      return result
    }
    // The window lay beyond the end.
    var last = window
    last.first = part.total - min(window.count, part.total)
    return try Self.rows(of: ordered(window.sort), query.arguments, last, connection)
  }

  private func ordered(_ sort: RowWindow.Sort?) -> String {
    guard let sort else { return query.sql }
    // The line end keeps a comment in the query from swallowing the rest.
    return "SELECT * FROM (\(query.sql)\n) ORDER BY \(sort.column + 1) COLLATE BINARY"
      + (sort.isDescending ? " DESC" : "")
  }

  private static func rows(
    of sql: String, _ arguments: QueryArguments, _ window: RowWindow, _ connection: Connection
  ) throws -> RowSet {
    try connection.withCachedStatement(sql, arguments) { statement in
      try statement.bind(arguments)
      let wanted = window.first..<window.first + window.count
      var whole: [[Value]] = []
      var part: [[Value]] = []
      var (all, total) = (0, 0)
      var isRow = try statement.step()
      while isRow {
        let isWhole = all < wholeLimit
        if isWhole || window.filter != nil || wanted.contains(total) {
          let row = statement.row
          if isWhole { whole.append(row) }
          if window.filter?(row) ?? true {
            if wanted.contains(total) { part.append(row) }
            total += 1
          }
        } else {
          total += 1
        }
        if all == wholeLimit { whole = [] }
        all += 1
        isRow = try statement.advance()
      }
      guard all > wholeLimit else { return RowSet(columns: statement.columnNames, rows: whole) }
      return RowSet(
        columns: statement.columnNames, rows: part,
        part: RowSet.Part(first: window.first, total: total, all: all))
    }
  }
}
