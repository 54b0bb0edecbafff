import DatabaseConsole
package import ObservationEngine

/// A value whose foreign key is to be followed: which row it refers to, the database must say.
package struct FollowedCell: Sendable, Equatable {
  /// The panel that has the value, and its query.
  package let panel: String
  package let sql: String
  /// The column of the result, and the row.
  package let column: Int
  package let row: [Value]
  /// The way to the panel, for the title of what is opened.
  let title: String

  /// The panel with the row that the value refers to; nil if a column of its key is NULL, which
  /// refers to nothing.
  func panel(of reference: RowReference) -> PanelDefinition? {
    let values = reference.columns.map { row.indices.contains($0.source) ? row[$0.source] : .null }
    guard !values.contains(.null) else { return nil }
    let conditions = zip(reference.columns, values).map { column, value in
      "\(column.name.quotedIdentifier) = \(SQLLiteral.text(value))"
    }
    let label = values.map { TextSearch.text(of: $0) ?? "BLOB" }.joined(separator: " ")
    var panel = PanelDefinition(
      name: "\(reference.table) with \(conditions.joined(separator: ", "))",
      title: "\(title)\(PanelDefinition.step)\(reference.table) \(label.prefix(30))",
      sql:
        "SELECT * FROM \(reference.table.quotedIdentifier) WHERE "
        + conditions.joined(separator: " AND "),
      view: .table, key: reference.columns.map(\.name))
    panel.isDetail = true
    return panel
  }
}
