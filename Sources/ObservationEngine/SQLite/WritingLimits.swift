/// What can't be written in a table.
package struct WritingLimits {
  /// The generated columns, in lower case.
  package let generated: Set<String>
  /// Whether it is a view, for which SQLite has no UPSERT.
  package let isView: Bool
}

extension Connection {
  /// What can't be written in a table, or view, of this name.
  ///
  /// - Complexity: O(1), once it is known.
  package func writingLimits(of table: String) throws(DatabaseError) -> WritingLimits {
    if let known = schemaState.writingLimits[table] { return known }
    let columns = try fetch(
      engine: "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden IN (2, 3)",
      [.text(table)])
    let views = try fetch(
      engine: """
        SELECT type = 'view' FROM pragma_table_list(?1)
        ORDER BY schema <> 'temp', schema <> 'main' LIMIT 1
        """, [.text(table)])
    let limits = WritingLimits(
      generated: Set(
        columns.compactMap {
          if case .text(let name) = $0.first { name.asciiLowercased } else { nil }
        }),
      isView: views == [[1]])
    schemaState.writingLimits[table] = limits
    return limits
  }
}
