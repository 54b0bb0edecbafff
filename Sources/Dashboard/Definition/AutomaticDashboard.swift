import ObservationEngine

/// Makes a dashboard for a database about which nothing else is said.
package enum AutomaticDashboard {
  /// How many tables it shows: with two panels each, as many as a dashboard can have.
  package static let maximumTableCount = DashboardDefinition.maximumPanelCount / 2

  /// Two panels per table: how many rows it has, and the newest of them.
  ///
  /// Without any table, one panel shows the schema, so that the first table does not go unseen.
  ///
  /// - Parameters:
  ///   - tables: Names as the schema has them, and `rowid` where the table or view has one.
  ///   - keys: The primary key columns of tables that have one, by table name. A row of another
  ///     table is known by all of its columns, so its change is a removal and an insertion.
  package static func definition(
    tables: [(name: String, rowOrder: String?)], keys: [String: [String]] = [:]
  ) -> DashboardDefinition {
    guard !tables.isEmpty else {
      return DashboardDefinition(panels: [
        PanelDefinition(
          name: "schema", sql: "SELECT name, type FROM sqlite_schema ORDER BY name", view: .table,
          key: ["type", "name"])
      ])
    }
    let shown = tables.prefix(maximumTableCount)
    var panels: [PanelDefinition] = []
    var pairs: [(count: String, rows: String)] = []
    // A table may be called what the count of another one would be called.
    var taken = Set(shown.map(\.name))
    for table in shown {
      var count = table.name + " count"
      while !taken.insert(count).inserted { count += "'" }
      let source = quoted(table.name)
      let order = table.rowOrder.map { " ORDER BY \($0) DESC" } ?? ""
      panels.append(
        PanelDefinition(
          name: count, title: table.name + " rows", sql: "SELECT count(*) FROM \(source)",
          view: .number))
      panels.append(
        PanelDefinition(
          name: table.name, sql: "SELECT * FROM \(source)\(order) LIMIT 100", view: .table,
          key: keys[table.name] ?? []))
      pairs.append((count, table.name))
    }
    return DashboardDefinition(
      title: tables.count > shown.count
        ? "first \(shown.count) of \(tables.count) tables" : nil,
      panels: panels, layout: layout(pairs))
  }

  /// A panel of all rows of a table, the newest first as far as the table tells which those are.
  static func newestRows(of table: SchemaDescription.Table) -> PanelDefinition {
    let order = table.rowid.map { " ORDER BY \($0) DESC" } ?? ""
    return PanelDefinition(
      name: table.name, sql: "SELECT * FROM \(quoted(table.name))\(order)", view: .table,
      key: table.key)
  }

  /// A count and, three times as wide, the rows; two tables side by side when there are many.
  private static func layout(_ pairs: [(count: String, rows: String)]) -> [[String]] {
    let cells = pairs.map { [$0.count, $0.rows, $0.rows, $0.rows] }
    guard cells.count > 3 else { return cells }
    return stride(from: 0, to: cells.count, by: 2).map { index in
      let right = index + 1
      // An odd last table has the whole width.
      guard right < cells.count else { return cells[index].flatMap { [$0, $0] } }
      return cells[index] + cells[right]
    }
  }

  private static func quoted(_ identifier: String) -> String {
    var result = "\""
    for scalar in identifier.unicodeScalars {
      if scalar == "\"" { result += "\"" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}
