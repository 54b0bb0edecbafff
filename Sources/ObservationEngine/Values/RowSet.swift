/// The result of one query: column names and rows, in the order that SQLite returned them.
///
///     let players = try db.fetchAll("SELECT name, score FROM player ORDER BY score DESC")
///     let best = try players.first?["name"] as String?
///     let scores = try players.map { row in try row[1] as Int }
public struct RowSet: Sendable, Equatable {
  /// Column names as SQLite gives them; they may repeat.
  public let columns: [String]
  /// One array of values per row, as long as ``columns``.
  package let rows: [[Value]]
  /// Which rows of the result these are, when not all; only a query with a window gets a part.
  package let part: Part?
  /// How the result's database stores dates.
  package var dateFormat = DateFormat.iso8601

  /// A result made of its parts.
  ///
  /// - Precondition: Every row is as long as `columns`.
  package init(columns: [String], rows: [[Value]]) {
    self.init(columns: columns, rows: rows, part: nil)
  }

  /// Some rows of a result that is too long to keep in memory.
  package init(columns: [String], rows: [[Value]], part: Part?) {
    self.columns = columns
    self.rows = rows
    self.part = part
  }

  /// Whether names, values and part are equal; how dates are read from them doesn't count.
  public static func == (left: RowSet, right: RowSet) -> Bool {
    left.columns == right.columns && left.rows == right.rows && left.part == right.part
  }

  /// No columns and no rows.
  package static let empty = RowSet(columns: [], rows: [])

  /// Where a window's rows lie in the whole result.
  package struct Part: Sendable, Hashable {
    /// The position of the first row, among those that pass the window's filter, in its order.
    package var first: Int
    /// How many rows pass the filter.
    package var total: Int
    /// How many rows there are without the filter.
    package var all: Int
    /// The number of the requested window.
    package var window: Int

    package init(first: Int, total: Int, all: Int, window: Int = 0) {
      self.first = first
      self.total = total
      self.all = all
      self.window = window
    }
  }
}

extension RowSet: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// How many rows there are.
  public var endIndex: Int { rows.count }
  /// A row, counted from 0.
  public subscript(index: Int) -> Row {
    var row = Row(columns: columns, values: rows[index])
    row.dateFormat = dateFormat
    return row
  }
}
