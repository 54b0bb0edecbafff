package import DatabaseConsole
import ObservationEngine

/// The program's answers about the schema.
package enum SchemaEvent: Sendable {
  case described(SchemaDescription)
  /// The row counts of these tables; missing ones could not be counted.
  case counted([String: RowCount], asked: [String])
  case measured([String: Int64])
  /// A request failed, and why.
  case failed(SchemaQuestion, String)
}

/// The requests of the tree.
package enum SchemaQuestion: Sendable, Hashable {
  case description
  case counts([String])
  case sizes
}

extension DashboardState {
  /// Whether the schema is on the screen.
  var showsSchema: Bool {
    focus == .schema || layout.hasSchema
  }

  /// Whether the tree or the explorer needs to know the schema.
  var describesSchema: Bool { !source.isRecording && (showsSchema || isExploring) }

  /// The requests of the tree, while it is visible, and of the explorer.
  mutating func schemaWishes() -> [Effect] {
    describesSchema ? schema.wishes(counts: showsSchema, at: now.monotonic) : []
  }

  mutating func receive(_ event: SchemaEvent) {
    switch event {
    case .described(let description):
      schema.receive(description)
      describeToExplorer()
    case .counted(let counts, let asked): schema.receive(counts, asked: asked)
    case .measured(let sizes):
      schema.receive(sizes: sizes)
      if message == Self.measuring { message = nil }
    case .failed(let question, let error):
      schema.fail(question, error, at: now.monotonic)
      switch question {
      case .description: break
      case .counts: message = Message("rows cannot be counted: \(error)", .warning)
      case .sizes: message = Message("sizes cannot be read: \(error)", .error)
      }
    }
    schema.move(by: 0, visible: layout.visibleSchemaLines)
  }

  private static let measuring = Message("reading the whole file for the sizes")

  /// Shows the schema and gives it the focus, or returns to the panels.
  mutating func toggleSchema() {
    focus = focus == .schema ? .panel(lastFocusedPanel) : .schema
  }

  /// Reads the sizes of tables and indexes from the whole file.
  mutating func measureSizes() -> [Effect] {
    // A recording has no database to ask.
    guard !source.isRecording, !schema.isMeasuring else { return [] }
    schema.isMeasuring = true
    message = Self.measuring
    return [.measureSizes]
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

extension SchemaBrowser {
  /// The name of a line's object, and the statement that created it.
  func statement(of node: Node) -> (name: String, sql: String)? {
    let automatic = "-- made by SQLite for a constraint of its table"
    switch node {
    case .group: return nil
    case .table(let name), .column(let name, _), .foreignKey(let name, _):
      return (name, table(name)?.sql ?? automatic)
    case .index(let table, let name):
      let index = self.table(table)?.indexes.first { $0.name == name }
      return (name, index?.sql ?? automatic)
    case .trigger(let table, let name):
      let trigger = self.table(table)?.triggers.first { $0.name == name }
      return (name, trigger?.sql ?? "")
    case .listed(_, let name):
      for table in description?.tables ?? [] {
        if let index = table.indexes.first(where: { $0.name == name }) {
          return (name, index.sql ?? automatic)
        }
        if let trigger = table.triggers.first(where: { $0.name == name }) {
          return (name, trigger.sql ?? "")
        }
      }
      return nil
    }
  }
}
