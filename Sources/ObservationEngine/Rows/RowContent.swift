/// The columns and values of one row, in a fixed order.
package struct RowContent: Sendable {
  package let columns: [String]
  package let values: [Value]

  package init(columns: [String], values: [Value]) {
    self.columns = columns
    self.values = values
  }

  /// The entries of a dictionary sorted by name, so that equal sets of columns give equal SQL.
  ///
  /// - Throws: `DatabaseError`: with code `misuse` when two names differ only in case; for a value
  ///   that SQLite can't store.
  package init(_ row: [String: (any ValueConvertible)?], table: String) throws(DatabaseError) {
    let entries = row.sorted { $0.key < $1.key }
    columns = entries.map(\.key)
    var values: [Value] = []
    for (column, value) in entries {
      do { values.append(try value?.toValue() ?? .null) } catch {
        throw DatabaseError(
          code: error.code, message: "\(table).\(column) can't be stored: \(error.message)")
      }
    }
    self.values = values
    try Self.refuseDuplicates(columns, table)
  }

  /// Splits off the values of `key`.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when one is missing.
  package func separating(
    key: [String], table: String
  ) throws(DatabaseError) -> (rest: RowContent, key: [Value]) {
    var keyValues: [Value] = []
    var isKey = [Bool](repeating: false, count: columns.count)
    let folded = columns.map(\.asciiLowercased)
    for name in key {
      guard let index = folded.firstIndex(of: name.asciiLowercased) else {
        throw DatabaseError(
          code: .misuse, message: "a row of \(table) needs a value of its key column \(name)")
      }
      isKey[index] = true
      keyValues.append(values[index])
    }
    let rest = columns.indices.filter { !isKey[$0] }
    return (
      RowContent(columns: rest.map { columns[$0] }, values: rest.map { values[$0] }), keyValues
    )
  }

  static func refuseDuplicates(_ columns: [String], _ table: String) throws(DatabaseError) {
    var seen: Set<String> = []
    for column in columns where !seen.insert(column.asciiLowercased).inserted {
      throw DatabaseError(
        code: .misuse,
        message: "\(table) is given column \(column) twice; SQLite ignores case in names")
    }
  }
}
