import DatabaseConsole
import ObservationEngine

/// The explorer among the other parts of the dashboard.
extension DashboardState {
  /// The explorer, while it is on the screen.
  var exploring: ExplorerState? { explorer?.isShown == true ? explorer : nil }

  /// Whether it is on the screen, with the rows of one panel.
  package var isExploring: Bool { exploring != nil }

  /// The pane of the explorer that has the focus; nil when something else has it.
  var explorerPane: ExplorerState.Pane? {
    guard case .panel = focus, let explorer = exploring else { return nil }
    return explorer.isEmpty ? .rows : explorer.pane
  }

  /// What the places of its panes depend on.
  var explorerLayoutInput: ExplorerPanes.Input? {
    guard let explorer = exploring else { return nil }
    let hasColumns = explorer.subject?.hasTableRows ?? false
    return ExplorerPanes.Input(
      pane: explorer.pane, lineCount: explorer.list.lines.count, isInside: !explorer.path.isEmpty,
      columnCount: hasColumns ? explorer.table?.columns.count ?? 0 : 0,
      isDetailed: explorer.wantsStatistics, isEmpty: explorer.isEmpty,
      hasRows: explorer.subject != nil)
  }

  /// Changes the explorer in place; does nothing without one.
  mutating func changeExplorer<Output>(
    _ change: (inout ExplorerState, _ visible: Int) -> Output
  ) -> Output? {
    guard var explorer else { return nil }
    let layout = layout
    let visible =
      explorer.pane == .columns ? layout.visibleExplorerColumns : layout.visibleExplorerTables
    self.explorer = nil
    defer { self.explorer = explorer }
    return change(&explorer, visible)
  }

  // MARK: Panes

  /// Gives the focus to the next pane of the explorer that there is.
  mutating func moveExplorerFocus(by step: Int) {
    let panes = explorerPanes
    let place = panes.firstIndex { $0 == explorer?.pane } ?? 0
    explorer?.focus(panes[(place + step + panes.count) % panes.count])
  }

  /// The panes that can have the focus, in the order of their numbers.
  var explorerPanes: [ExplorerState.Pane] {
    guard let input = explorerLayoutInput, !input.isEmpty else { return [.rows] }
    return (input.isInside ? [] : [.tables]) + (input.hasRows ? [.rows] : [])
      + (input.columnCount > 0 ? [.columns] : [])
  }

  /// The number of a pane, as its frame shows it.
  func explorerNumber(of pane: ExplorerState.Pane) -> Int {
    (explorerPanes.firstIndex(of: pane) ?? 0) + 1
  }

  // MARK: Steps

  /// Enter: opens what is chosen.
  ///
  /// - Returns: nil when Enter means what it means in any panel.
  mutating func openInExplorer() -> [Effect]? {
    guard let explorer = exploring, let pane = explorerPane else { return nil }
    switch pane {
    case .tables:
      if changeExplorer({ state, _ in state.toggleFold() }) == true { return [] }
      guard let table = explorer.list.chosenTable else { return [] }
      step(to: .table(table))
      return []
    case .columns: return showValues(grouped: false)
    case .rows: return openMatches()
    }
  }

  /// Shows the rows with the value of the chosen line.
  private mutating func openMatches() -> [Effect]? {
    guard let subject = exploring?.subject, !subject.hasTableRows, let column = subject.column,
      let row = focusedPanel.flatMap({ panels[$0].chosenRow }), let value = row.first
    else { return nil }
    step(to: .matches(table: subject.table, column: column, value: value))
    return []
  }

  /// Shows the values of the chosen column, or groups by it.
  mutating func showValues(grouped: Bool) -> [Effect] {
    guard let explorer = exploring, let subject = explorer.subject else { return [] }
    guard explorer.pane == .columns, let column = explorer.chosenColumn else {
      guard explorerPanes.contains(.columns) else {
        message = Message("Esc leads back to the table, where f shows the values of a column")
        return []
      }
      self.explorer?.focus(.columns)
      message = Message("choose a column: f shows its values, g groups by it")
      return []
    }
    step(
      to: grouped
        ? .groups(table: subject.table, column: column)
        : .values(table: subject.table, column: column))
    return []
  }

  private mutating func step(to subject: ExplorerSubject) {
    shelve()
    explorer?.push(subject)
    focus = .panel(0)
    panes.isZoomed = false
  }

  /// Esc: one step back.
  ///
  /// - Returns: Whether there was one.
  mutating func stepBackInExplorer() -> Bool {
    guard let explorer = exploring, let pane = explorerPane else { return false }
    if isZoomed {
      panes.isZoomed = false
    } else if pane == .tables, !explorer.list.filter.isEmpty {
      filterTables("")
    } else if pane == .columns, !explorer.path.isEmpty {
      self.explorer?.focus(.rows)
    } else if explorer.path.isEmpty {
      guard pane != .tables else { return false }
      self.explorer?.focus(.tables)
    } else {
      _ = self.explorer?.pop()
      if self.explorer?.path.isEmpty == true { shelf = [:] }
    }
    return true
  }

  /// Keeps the panel that is left, for the way back.
  private mutating func shelve() {
    guard let panel = panels.first else { return }
    shelf[panel.definition.name] = panel
  }

  mutating func filterTables(_ text: String) {
    _ = changeExplorer { explorer, _ in explorer.setFilter(text) }
  }

  /// Opens a table of the schema's tree in the explorer.
  mutating func explore(table: String) {
    explorer?.open(table)
    focus = .panel(0)
    panes.isZoomed = false
  }

  /// Shows the statement that created the chosen table.
  mutating func showStatementInExplorer() {
    guard let table = exploring?.table, !ScreenLayout.isTiny(size) else { return }
    modes.show(
      .text(title: table.name, text: table.sql ?? "-- SQLite has no statement for it"))
  }

  // MARK: Dashboards

  /// Makes a dashboard of the database, and shows it.
  mutating func generateDashboard() -> [Effect] {
    guard explorer != nil else { return [] }
    guard explorer?.isEmpty == false else {
      message = Message("there is no table yet to make a dashboard of")
      return []
    }
    message = Message("looking for what is worth a panel")
    return [.explorer(.generate)]
  }

  /// Returns from a dashboard to the explorer.
  mutating func returnToExplorer() {
    guard explorer?.isShown == false else { return }
    explorer?.show(true)
    message = nil
    focus = .panel(0)
    panes.isZoomed = false
  }

  private mutating func leaveExplorer() {
    explorer?.show(false)
    shelf = [:]
    panes.isZoomed = false
    switch focus {
    case .panel, .schema: focus = .panel(0)
    case .console, .feed: break
    }
  }

  /// Whether everything that the explorer asked for has arrived.
  package var isExplorerSettled: Bool {
    exploring.map { schema.description != nil && $0.isSettled } ?? true
  }

  /// Writes the generated dashboard to a file.
  mutating func saveGenerated(to file: String) -> [Effect] {
    guard let text = explorer?.generated else {
      message = Message("nothing to save yet: D makes a dashboard, :pin a panel of a query", .error)
      return []
    }
    return [.explorer(.save(text: text, file: file))]
  }

  // MARK: What comes in

  mutating func receive(_ action: ExplorerAction) -> [Effect] {
    switch action {
    case .surveyed(let counts, let asked): explorer?.receive(counts, asked: asked)
    case .counted(let counts): explorer?.receive(counts: counts)
    case .measured(let sizes): explorer?.receive(sizes: sizes)
    case .summarized(let statistics, let table, let cost):
      explorer?.receive(statistics, of: table, cost: cost)
    case .left: leaveExplorer()
    case .generated(let text):
      explorer?.receive(generated: text)
      leaveExplorer()
      message = Message("a dashboard of this database: :save FILE.sql keeps it, E explores again")
      return [.explorer(.open(dashboard: text))]
    }
    return []
  }

  /// Hands a new description of the schema to the explorer.
  mutating func describeToExplorer() {
    guard explorer != nil, let description = schema.description else { return }
    let lost = changeExplorer { explorer, _ in explorer.receive(description) } ?? nil
    if let lost { message = Message("\(lost.step) is gone", .warning) }
  }

  /// What the explorer asks the program for.
  mutating func explorerWishes() -> [Effect] {
    guard explorer != nil else { return [] }
    let layout = layout
    let separator = " \(Symbols(glyphs).more) "
    let info = database
    let moment = now.monotonic
    return
      (changeExplorer { explorer, _ in
        explorer.wishes(
          visible: layout.visibleExplorerTables, showsColumns: layout.explorer?.columns != nil,
          database: info, separator: separator, at: moment)
      } ?? []).map(Effect.explorer)
  }
}

// MARK: The mouse

extension DashboardState {
  /// Gives a pane of the explorer the focus, and moves its cursor to the line; a click on the line
  /// under the cursor is Enter.
  ///
  /// - Returns: nil for a click elsewhere, or among the rows.
  mutating func clickExplorer(_ layout: ScreenLayout, x: Int, y: Int) -> [Effect]? {
    guard let explorer = exploring, let panes = layout.explorer else { return nil }
    focus = .panel(0)
    if let frame = panes.tables, frame.contains(x: x, y: y) {
      let line = explorer.list.top + y - frame.y - 2
      let isChosen = explorer.pane == .tables && line == explorer.list.cursor
      self.explorer?.focus(.tables)
      guard explorer.list.lines.indices.contains(line), y > frame.y + 1 else { return [] }
      if isChosen { return openInExplorer() ?? [] }
      self.explorer?.moveList(to: line, visible: layout.visibleExplorerTables)
      return []
    }
    if let frame = panes.columns, frame.contains(x: x, y: y) {
      let line = explorer.columns.top + y - frame.y - 2
      let isChosen = explorer.pane == .columns && line == explorer.columns.cursor
      self.explorer?.focus(.columns)
      guard line < explorer.table?.columns.count ?? 0, y > frame.y + 1 else { return [] }
      if isChosen { return openInExplorer() ?? [] }
      self.explorer?.moveColumns(to: line, visible: layout.visibleExplorerColumns)
      return []
    }
    self.explorer?.focus(.rows)
    return nil
  }

  /// - Returns: Whether the list or the columns are at that cell.
  mutating func scrollExplorer(_ layout: ScreenLayout, x: Int, y: Int, lines: Int) -> Bool {
    guard let explorer = exploring, let panes = layout.explorer else { return false }
    if panes.tables?.contains(x: x, y: y) == true {
      self.explorer?.moveList(
        to: explorer.list.cursor + lines, visible: layout.visibleExplorerTables)
      return true
    }
    if panes.columns?.contains(x: x, y: y) == true {
      self.explorer?.moveColumns(
        to: explorer.columns.cursor + lines, visible: layout.visibleExplorerColumns)
      return true
    }
    return false
  }
}
