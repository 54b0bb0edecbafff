package import ObservationEngine

/// Identifies the rows of a result: by the values of some columns, or of all.
package struct RowKey: Sendable, Equatable {
  /// The key columns' indices; empty when the whole row is the key.
  package let columns: [Int]

  /// The key of the named columns; the whole row when none is named or one is missing.
  package init(columns names: [String], of result: RowSet) {
    let indices = names.compactMap { RowKey.index(ofColumn: $0, in: result.columns) }
    columns = indices.count == names.count ? indices : []
  }

  package var isWholeRow: Bool { columns.isEmpty }

  /// The key's values in a row.
  package func values(of row: [Value]) -> [Value] {
    columns.isEmpty ? row : columns.map { row[$0] }
  }

  /// The column of that name: exactly, or else ignoring case, as SQLite would find it.
  package static func index(ofColumn name: String, in columns: [String]) -> Int? {
    if let index = columns.firstIndex(of: name) { return index }
    let folded = name.lowercased()
    return columns.firstIndex { $0.lowercased() == folded }
  }
}
