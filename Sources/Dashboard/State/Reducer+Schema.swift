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

  /// Reads the sizes of tables and indexes from the whole file.
  mutating func measureSizes() -> [Effect] {
    // A recording has no database to ask.
    guard !source.isRecording else { return [] }
    return schema.measure(&news).map(Effect.schema)
  }

  /// Opens the line under the cursor.
  mutating func openSchemaLine() -> [Effect] {
    switch schema.openChosen(&news, visible: layout.visibleSchemaLines) {
    case .rows(let table): return showRows(of: table)
    case .statement(let name, let sql): show(sql, title: name)
    case nil: break
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
    if let known = panels.firstIndex(where: { $0.definition.sql.isExactly(panel.sql) }) {
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
    if case .statement(let name, let sql) = schema.statementOfChosen { show(sql, title: name) }
  }

  /// Shows a text in front of the panels.
  mutating func show(_ text: String, title: String) {
    guard !ScreenLayout.isTiny(size) else { return }
    modes.show(.text(title: title, text: text))
  }

  /// Gives the tree the focus, and moves its cursor to the line; a click on the line under the
  /// cursor is Enter.
  mutating func clickSchema(_ frame: Rect, x: Int, y: Int) -> [Effect] {
    let isFocused = focus == .schema
    focus = .schema
    let area = frame.inset(by: 1)
    guard area.contains(x: x, y: y) else { return [] }
    let opens = schema.click(
      line: schema.top + y - area.y, visible: area.height, isFocused: isFocused)
    return opens ? openChosen() : []
  }
}
