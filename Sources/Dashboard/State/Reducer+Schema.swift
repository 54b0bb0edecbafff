import DatabaseConsole
import ObservationEngine

extension DashboardState {
  /// Whether the schema is on the screen.
  var showsSchema: Bool {
    focus == .schema || layout.hasSchema
  }

  /// Whether the tree or the explorer needs to know the schema.
  var describesSchema: Bool { !source.isRecording && (showsSchema || isExploring) }

  /// The requests of the tree, while it is visible, and of the explorer.
  mutating func schemaWishes() -> [Effect] {
    describesSchema
      ? schema.wishes(counts: showsSchema, at: now.monotonic).map(Effect.schema) : []
  }

  mutating func receive(_ event: SchemaEvent) {
    schema.receive(event, &news, visible: layout.visibleSchemaLines)
    if case .described = event { describeToExplorer() }
  }

  /// Shows the schema and gives it the focus, or returns to the panels.
  mutating func toggleSchema() {
    focus = focus == .schema ? .panel(lastFocusedPanel) : .schema
  }

  /// Reads the sizes of tables and indexes from the whole file.
  mutating func measureSizes() -> [Effect] {
    // A recording has no database to ask.
    guard !source.isRecording else { return [] }
    return schema.measure(&news).map(Effect.schema)
  }

  /// Opens the line under the cursor: a group, the rows of a table, the table that a key refers to.
  mutating func openSchemaLine() -> [Effect] {
    let visible = layout.visibleSchemaLines
    guard let line = schema.chosen else { return [] }
    switch line.node {
    case .group: schema.toggle()
    case .table(let name):
      guard let table = schema.table(name), table.trouble == nil else { return [] }
      return showRows(of: table)
    case .foreignKey(let table, let index):
      guard let keys = schema.table(table)?.foreignKeys, keys.indices.contains(index) else {
        return []
      }
      if !schema.jump(to: keys[index].table, visible: visible) {
        message = Message("there is no table \(keys[index].table)", .error)
      }
    case .column(let table, let name):
      // A column with a foreign key leads to the other table.
      let keys = schema.table(table)?.foreignKeys ?? []
      guard let key = keys.first(where: { $0.columns.contains(name) }) else {
        showStatement()
        return []
      }
      if !schema.jump(to: key.table, visible: visible) {
        message = Message("there is no table \(key.table)", .error)
      }
    case .index, .trigger, .listed: showStatement()
    }
    return []
  }

  /// Goes to the panel with a table's rows, the newest first, or requests one.
  private mutating func showRows(of table: SchemaDescription.Table) -> [Effect] {
    if isExploring {
      explore(table: table.name)
      return []
    }
    var panel = AutomaticDashboard.newestRows(of: table)
    if let known = panels.firstIndex(where: { $0.definition.sql == panel.sql }) {
      revealPanel(known)
      focus = .panel(known)
      return []
    }
    // A panel of the dashboard may have the table's name.
    let taken = Set(panels.map(\.definition.name))
    if taken.contains(panel.name) { panel.name = "table " + panel.name }
    while taken.contains(panel.name) { panel.name += "'" }
    return [.showPanel(panel)]
  }

  /// Shows the statement that created the object under the cursor.
  mutating func showStatement() {
    guard let node = schema.chosen?.node, let found = schema.statement(of: node) else { return }
    guard !ScreenLayout.isTiny(size) else { return }
    modes.show(.text(title: found.name, text: found.sql))
  }
}
