import DatabaseConsole
import ObservationEngine

/// The panels that rows open, and the way back from those that are open.
struct OpenDetails: Sendable, Equatable {
  /// A detail that is open.
  struct Step: Sendable, Equatable {
    /// Its panel's name, and that of the panel whose row opened it.
    var panel: String
    var origin: String
    /// Whether the origin filled the screen.
    var wasZoomed: Bool
  }

  /// As the dashboard has them.
  var definitions: [PanelDefinition]
  /// From the first to the last that was opened.
  var path: [Step] = []

  init(_ definition: DashboardDefinition) { definitions = definition.details }

  /// The details that were opened from a panel, and from these.
  func opened(from name: String) -> [String] {
    var found: [String] = []
    var origins: Set = [name]
    while true {
      let more = path.filter { origins.contains($0.origin) && !origins.contains($0.panel) }
      guard !more.isEmpty else { return found }
      found += more.map(\.panel)
      origins.formUnion(more.map(\.panel))
    }
  }
}

extension DashboardState {
  /// Opens the detail of the chosen row; nil when Enter means what it means in other panels.
  mutating func openDetail() -> [Effect]? {
    guard !source.isRecording, let index = focusedPanel, !isExploring,
      let drill = panels[index].definition.drill,
      let detail = details.definitions.first(where: { $0.name == drill.detail })
    else { return nil }
    let panel = panels[index]
    guard let row = panel.chosenRow, let columns = panel.result?.columns else {
      if panel.rowCount > 0 { tellMissingRow() }
      return []
    }
    guard
      let opened = drill.panel(
        detail, row: row, columns: columns, from: panel.definition, dialect: console.dialect)
    else {
      let columns = drill.assignments.map(\.column).joined(separator: ", ")
      message = Message("\(drill.detail) needs \(columns), which this result lacks", .error)
      return []
    }
    return open(opened, from: panel.definition.name)
  }

  /// Follows the foreign key of the value under the cursor.
  mutating func followCell() -> [Effect] {
    guard !source.isRecording else {
      message = Message("a recording has only the rows that were shown")
      return []
    }
    guard let index = focusedPanel, let column = panels[index].cellColumn else {
      message = Message(
        "choose a cell with \(cellKeys): \(keyMap.mention("follow")) shows the row that it refers to"
      )
      return []
    }
    guard let row = panels[index].cursorRow else {
      tellMissingRow()
      return []
    }
    let definition = panels[index].definition
    return [
      .findReference(
        FollowedCell(
          panel: definition.name, sql: definition.sql, column: column, row: row,
          title: definition.displayTitle))
    ]
  }

  /// Opens the row that a value refers to, unless the user went on meanwhile.
  mutating func follow(_ cell: FollowedCell, to reference: RowReference?) -> [Effect] {
    guard let index = focusedPanel, panels[index].definition.name == cell.panel else { return [] }
    guard let reference else {
      message = Message("this column has no foreign key to follow")
      return []
    }
    let tables = schema.description?.tables.map(\.name)
    let table = tables?.first { $0.asciiLowercased == reference.table.asciiLowercased }
    if reference.columns.isEmpty || (tables != nil && table == nil) {
      message = Message("the foreign key is to \(reference.table), but there is no such table")
      return []
    }
    guard let panel = cell.panel(of: reference) else {
      message = Message("NULL refers to no row")
      return []
    }
    if isExploring {
      guard reference.columns.count == 1, let column = reference.columns.first else {
        message = Message("a key of several columns can be followed in a dashboard only")
        return []
      }
      step(
        to: .matches(
          table: table ?? reference.table, column: column.name, value: cell.row[column.source]))
      return []
    }
    return open(panel, from: cell.panel)
  }

  /// Opens a panel in front of the others, with a way back.
  private mutating func open(_ panel: PanelDefinition, from origin: String) -> [Effect] {
    if let effects = returnToDetail(named: panel.name, from: origin) { return effects }
    guard panels.count < DashboardDefinition.maximumPanelCount else {
      message = Message("there are \(panels.count) panels, which is the maximum", .error)
      return []
    }
    details.path.append(
      OpenDetails.Step(panel: panel.name, origin: origin, wasZoomed: isZoomed))
    panes.isZoomed = true
    return [.showPanel(panel)]
  }

  /// Returns to a detail that is open: those that were opened from it end. Nil when it isn't open.
  private mutating func returnToDetail(named name: String, from origin: String) -> [Effect]? {
    guard let place = details.path.firstIndex(where: { $0.panel == name }),
      let index = panels.firstIndex(where: { $0.definition.name == name })
    else { return nil }
    let later = details.opened(from: name)
    if origin != name, !later.contains(origin) { details.path[place].origin = origin }
    details.path.removeAll { later.contains($0.panel) }
    revealPanel(index)
    focus = .panel(index)
    panes.isZoomed = true
    return later.map { .closePanel(named: $0) }
  }

  /// Whether Enter opens a detail of the chosen row.
  var opensDetail: Bool {
    !source.isRecording && focusedPanel.map { panels[$0].definition.drill != nil } ?? false
  }

  /// Whether the focused panel is a detail.
  var isInDetail: Bool {
    focusedPanel.map { index in
      details.path.contains { $0.panel == panels[index].definition.name }
    } ?? false
  }

  /// Closes the focused detail, and returns to the row that opened it; nil in another panel.
  mutating func leaveDetail() -> [Effect]? {
    focusedPanel.flatMap { endDetail(named: panels[$0].definition.name) }
  }

  /// Ends a detail; nil when none is called so. What was opened from it leads back to its origin.
  mutating func endDetail(named name: String) -> [Effect]? {
    guard let place = details.path.firstIndex(where: { $0.panel == name }) else { return nil }
    let step = details.path.remove(at: place)
    for index in details.path.indices where details.path[index].origin == name {
      details.path[index].origin = step.origin
    }
    if let index = focusedPanel, panels[index].definition.name == name {
      panes.isZoomed = step.wasZoomed
      if let origin = panels.firstIndex(where: { $0.definition.name == step.origin }) {
        revealPanel(origin)
        focus = .panel(origin)
      }
    }
    return [.closePanel(named: name)]
  }
}
