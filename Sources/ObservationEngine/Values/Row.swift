/// One row of a result, with all its values.
///
///     for row in try db.fetchAll("SELECT name, score FROM player") {
///       try print(row["name"] as String, row[1] as Int)
///     }
public struct Row: Sendable, Equatable {
  /// Column names as SQLite gives them; they may repeat.
  public let columns: [String]
  /// The values, as many as ``columns``.
  public let values: [Value]
  /// How the row's database stores dates.
  package var dateFormat = DateFormat.iso8601

  /// A row made of its parts.
  package init(columns: [String], values: [Value]) {
    self.columns = columns
    self.values = values
  }

  /// Whether names and values are equal; how dates are read from them doesn't count.
  public static func == (left: Row, right: Row) -> Bool {
    left.columns == right.columns && left.values == right.values
  }

  /// The value of a column, counted from 0.
  ///
  /// - Throws: `DatabaseError`: with code `mismatch` when it does not fit the requested type; with
  ///   code `range` when there is no such column.
  public subscript<Output: ValueConvertible>(index: Int) -> Output {
    get throws(DatabaseError) { try decode(index) }
  }

  /// The value of the first column of this name, compared as SQLite compares names.
  ///
  /// - Throws: `DatabaseError`, as by position; with code `range` when no column has the name.
  /// - Complexity: O(columns).
  public subscript<Output: ValueConvertible>(name: String) -> Output {
    get throws(DatabaseError) {
      guard let index = Self.index(of: name, in: columns) else {
        throw .noColumn(name, of: columns)
      }
      return try decode(index)
    }
  }

  /// The value of a column, counted from 0, as `type`.
  ///
  /// - Throws: `DatabaseError` as the subscript.
  package func decode<Output: ValueConvertible>(
    _ index: Int, as type: Output.Type = Output.self
  ) throws(DatabaseError) -> Output {
    guard values.indices.contains(index) else {
      throw .noColumn(index, of: values.count)
    }
    guard let output = Output.fromValue(values[index], in: dateFormat) else {
      throw .misfit(values[index], in: "column \(index) (\(columns[index]))", type: Output.self)
    }
    return output
  }

  /// Whether it has a column of a name, compared as SQLite compares names.
  package func hasColumn(_ name: String) -> Bool { Self.index(of: name, in: columns) != nil }

  /// The index of the first column of a name, compared as SQLite compares names.
  static func index(of name: String, in columns: [String]) -> Int? {
    if let index = columns.firstIndex(of: name) { return index }
    let folded = name.asciiLowercased
    return columns.firstIndex { $0.asciiLowercased == folded }
  }
}
