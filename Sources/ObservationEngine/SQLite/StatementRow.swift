/// The current row of a running query, to be read column by column.
///
///     let players = try db.fetchAll("SELECT id, name, score FROM player") { row in
///       try Player(id: row[0], name: row[1], score: row[2])
///     }
///
/// Columns are read on demand and nothing is retained: reading by position costs little more than
/// calling SQLite directly. Each type accepts the values that it represents exactly (see
/// ``ValueConvertible``).
///
/// ## Limits
/// - Valid only during the call that received it; the compiler doesn't allow keeping it.
public struct StatementRow: ~Copyable {
  package let cursor: RowCursor

  @usableFromInline
  package init(_ cursor: RowCursor) { self.cursor = cursor }

  /// The number of columns.
  package var count: Int { cursor.columns.count }

  /// Column names as SQLite gives them; they may repeat.
  public var columns: [String] { cursor.columns }

  /// The value of a column, counted from 0.
  ///
  /// - Throws: `DatabaseError`: with code `mismatch` when it does not fit the requested type; with
  ///   code `range` when there is no such column.
  /// - Complexity: O(size of the value).
  @inlinable
  public subscript<Output: ColumnConvertible>(index: Int) -> Output {
    get throws(DatabaseError) { try Output.fromColumn(index, of: self) }
  }

  /// The value of the first column of this name, compared as SQLite compares names.
  ///
  /// - Throws: `DatabaseError`, as by position; with code `range` when no column has the name.
  /// - Complexity: O(columns).
  public subscript<Output: ColumnConvertible>(name: String) -> Output {
    get throws(DatabaseError) { try Output.fromColumn(try index(of: name), of: self) }
  }

  /// The value of a column, counted from 0, as `type`.
  ///
  /// - Throws: `DatabaseError` as the subscript.
  package func decode<Output: ColumnConvertible>(
    _ index: Int, as type: Output.Type = Output.self
  ) throws(DatabaseError) -> Output {
    try Output.fromColumn(index, of: self)
  }

  /// Whether a column is NULL.
  ///
  /// - Throws: `DatabaseError` with code `range` when there is no such column.
  @usableFromInline
  package func isNull(_ index: Int) throws(DatabaseError) -> Bool { try cursor.isNull(index) }

  /// The row with all its values, which may be kept.
  public func copy() throws(DatabaseError) -> Row {
    var values: [Value] = []
    for index in 0..<count { values.append(try cursor.value(index)) }
    var row = Row(columns: columns, values: values)
    row.dateFormat = cursor.dateFormat
    return row
  }

  private func index(of name: String) throws(DatabaseError) -> Int {
    guard let index = Row.index(of: name, in: cursor.columns) else {
      throw .noColumn(name, of: cursor.columns, sql: cursor.sql)
    }
    return index
  }
}
