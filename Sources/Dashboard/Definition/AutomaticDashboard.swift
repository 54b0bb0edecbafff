import DatabaseConsole
package import ObservationEngine

/// Makes the panels that are printed of a database without a dashboard.
package enum AutomaticDashboard {
  /// How many tables it shows: with two panels each, they fill a dashboard.
  package static let maximumTableCount = DashboardDefinition.maximumPanelCount / 2

  /// As many of its newest rows as a user looks through.
  static let rowLimit = 100

  /// Two panels per table: its newest rows, and how many there are. Up to three tables have both
  /// side by side; with more, the rows come first, and the counts are in another preset.
  ///
  /// Without any table, one panel shows the schema, so that the first new table shows up.
  ///
  /// - Parameters:
  ///   - tables: Names as the schema has them, and `rowid` where the table or view has one.
  ///   - dialect: Whose SQL the queries are.
  ///   - keys: The primary key columns, by table name. Without a key, all columns identify a row,
  ///     so its change is a removal and an insertion.
  package static func definition(
    tables: [(name: String, rowOrder: String?)], keys: [String: [String]] = [:],
    dialect: SQLDialect = .sqlite
  ) -> DashboardDefinition {
    guard !tables.isEmpty else {
      return DashboardDefinition(panels: [schema(in: dialect)])
    }
    let shown = tables.prefix(maximumTableCount)
    // A table may have the name that another table's count would get.
    var taken = Set(shown.map(\.name))
    let rows = shown.map { table in
      var panel = newestRows(of: table.name, table.rowOrder, key: keys[table.name] ?? [])
      panel.sql += " LIMIT \(rowLimit)"
      panel.rowLimit = rowLimit
      return panel
    }
    let counts = shown.map { table in
      var name = table.name + " count"
      while !taken.insert(name).inserted { name += "'" }
      return countPanel(table.name, named: name)
    }
    let title =
      tables.count > shown.count ? "first \(shown.count) of \(tables.count) tables" : nil
    guard shown.count > 3 else {
      let pairs = zip(counts, rows)
      return DashboardDefinition(
        title: title, panels: pairs.flatMap { [$0, $1] },
        layout: pairs.map { [$0.name, $1.name, $1.name, $1.name] })
    }
    return DashboardDefinition(
      title: title, panels: rows + counts,
      presets: [
        PresetDefinition(name: "rows", panels: rows.map(\.name)),
        PresetDefinition(name: "counts", panels: counts.map(\.name)),
      ])
  }

  /// The panel of a database without a table: it shows the first one when it comes.
  static func schema(in dialect: SQLDialect) -> PanelDefinition {
    let sql =
      switch dialect {
      case .sqlite: "SELECT name, type FROM sqlite_schema ORDER BY name"
      case .postgres:
        """
        SELECT table_name AS name, lower(table_type) AS type FROM information_schema.tables \
        WHERE table_schema = ANY (current_schemas(false)) ORDER BY table_name
        """
      }
    return PanelDefinition(name: "schema", sql: sql, view: .table, key: ["type", "name"])
  }

  private static func countPanel(_ table: String, named name: String) -> PanelDefinition {
    PanelDefinition(
      name: name, title: table + " rows", sql: "SELECT count(*) FROM \(table.quotedIdentifier)",
      view: .number)
  }

  /// A panel of all rows of a table, the newest first if the table shows which those are.
  static func newestRows(of table: SchemaDescription.Table) -> PanelDefinition {
    newestRows(of: table.name, table.rowid, key: table.key)
  }

  private static func newestRows(
    of table: String, _ rowOrder: String?, key: [String]
  ) -> PanelDefinition {
    let order = rowOrder.map { " ORDER BY \($0) DESC" } ?? ""
    return PanelDefinition(
      name: table, sql: "SELECT * FROM \(table.quotedIdentifier)\(order)", view: .table, key: key)
  }
}
