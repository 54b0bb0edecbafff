import DatabaseConsole
import ObservationEngine

@testable import Dashboard

/// Databases for the explorer.
enum Explored {
  static func column(
    _ name: String, _ type: String = "TEXT", key: Int = 0
  ) -> SchemaDescription.Column {
    SchemaDescription.Column(
      name: name, type: type, isNotNull: false, defaultValue: nil, keyPosition: key,
      isGenerated: false)
  }

  static func table(
    _ name: String, kind: SchemaDescription.Table.Kind = .table,
    columns: [SchemaDescription.Column] = [column("id", "INTEGER", key: 1), column("name")]
  ) -> SchemaDescription.Table {
    var table = SchemaDescription.Table(name: name, kind: kind)
    table.columns = columns
    table.key = columns.filter { $0.keyPosition > 0 }.map(\.name)
    if kind == .table { table.rowid = "rowid" }
    return table
  }

  /// A shop: two tables with rows, an empty one, a view, and a table of a tool.
  static let shop = SchemaDescription(
    tables: [
      table("Customers"), table("Drafts"),
      table(
        "Orders",
        columns: [
          column("id", "INTEGER", key: 1), column("country"), column("total", "REAL"),
          column("created_at"),
        ]), table("best", kind: .view), table("schema_migrations"),
    ], version: 1)

  static let counts: [String: RowCount] = [
    "Customers": .exact(93), "Drafts": .exact(0), "Orders": .exact(830),
    "schema_migrations": .exact(4),
  ]

  /// The explorer of a database, with everything read; the first table has one row.
  static func state(
    _ description: SchemaDescription = shop, _ counts: [String: RowCount] = counts,
    glyphs: GlyphSet = .unicode, size: Size = Size(width: 80, height: 24)
  ) -> DashboardState {
    var state = DashboardState(
      definition: DashboardDefinition(panels: [ExplorerSubject.nothing(in: .sqlite)]),
      databaseName: "shop.db", glyphs: glyphs, explores: true, now: Sample.moment())
    _ = reduce(&state, .databaseInfo(DatabaseInfo(journalMode: "wal")))
    _ = reduce(&state, .resized(size))
    let effects = reduce(&state, .schema(.described(description)))
    let asked = effects.compactMap { effect -> [String]? in
      if case .explorer(.survey(let tables)) = effect { tables } else { nil }
    }
    state.perform(
      effects + reduce(&state, .explorer(.surveyed(counts, asked: asked.flatMap { $0 }))))
    return state
  }
}

extension DashboardState {
  /// Does what the program does when the explorer asks for another panel.
  mutating func perform(_ effects: [Effect]) {
    for case .explorer(.show(let panel)) in effects {
      _ = reduce(&self, .panelsReplaced(DashboardDefinition(panels: [panel])))
    }
  }

  /// Presses keys, and shows the panels that are asked for.
  mutating func explore(_ script: String) throws {
    for case .key(let key) in try KeyScript.parse(script) {
      perform(reduce(&self, .key(key)))
    }
  }

  /// The lines of the list, as they are named.
  var listed: [String] {
    (explorer?.list.lines ?? []).map { line in
      switch line {
      case .table(let name): name
      case .fold(let fold, let count): fold.title(count)
      }
    }
  }
}
