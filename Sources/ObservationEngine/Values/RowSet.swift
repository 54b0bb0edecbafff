/// The whole result of one query: column names and rows, in the order that SQLite returned them.
public struct RowSet: Sendable, Equatable {
  /// Column names as SQLite gives them; they may repeat.
  public let columns: [String]
  /// One array of values per row, as long as ``columns``.
  public let rows: [[Value]]

  /// A result made of its parts.
  ///
  /// - Precondition: Every row is as long as `columns`.
  public init(columns: [String], rows: [[Value]]) {
    self.columns = columns
    self.rows = rows
  }

  /// No columns and no rows.
  public static let empty = RowSet(columns: [], rows: [])
}
