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
    return explorer.focusedPane
  }

  /// What the places of its panes depend on.
  var explorerLayoutInput: ExplorerPanes.Input? { exploring.map { ExplorerPanes.Input($0) } }

  /// Changes the explorer in place; does nothing without one.
  mutating func changeExplorer<Output>(
    _ change: (inout ExplorerState, _ visible: Int) -> Output
  ) -> Output? {
    guard var explorer else { return nil }
    let visible = layout.visibleLines(of: explorer.pane)
    self.explorer = nil
    defer { self.explorer = explorer }
    return change(&explorer, visible)
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
    guard let explorer = exploring, explorer.subject != nil else { return [] }
    if let values = explorer.values(grouped: grouped) {
      step(to: values)
    } else {
      let keys = (
        back: keyMap.mention("release"), values: keyMap.mention("values"),
        groups: keyMap.mention("group")
      )
      message = self.explorer?.focusColumns(keys: keys)
    }
    return []
  }

  mutating func step(to subject: ExplorerSubject) {
    shelve()
    explorer?.push(subject)
    focus = .panel(0)
    panes.isZoomed = false
  }

  /// Esc: one step back.
  ///
  /// - Returns: Whether there was one.
  mutating func stepBackInExplorer() -> Bool {
    guard let explorer = exploring, explorerPane != nil else { return false }
    if isZoomed {
      panes.isZoomed = false
      return true
    }
    let hadPath = !explorer.path.isEmpty
    guard self.explorer?.stepBack() == true else { return false }
    if hadPath, self.explorer?.path.isEmpty == true { shelf = [:] }
    return true
  }

  /// Keeps the panel that is left, for the way back.
  private mutating func shelve() {
    guard let panel = panels.first else { return }
    shelf[panel.definition.name] = panel
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

  /// Goes from a dashboard to the explorer, and back.
  mutating func switchToExplorer() -> [Effect] {
    guard explorer != nil else {
      message = Message("the explorer is there when no dashboard is named")
      return []
    }
    guard isExploring else {
      explorer?.show(true)
      message = nil
      focus = .panel(0)
      panes.isZoomed = false
      return []
    }
    guard hasDashboard else {
      let key = keyMap.mention("generate")
      message = Message("there is no dashboard to go back to yet; \(key) makes one")
      return []
    }
    message = nil
    leaveExplorer()
    return [.explorer(.open(dashboard: explorer?.generated ?? ""))]
  }

  /// Whether there is a dashboard beside the explorer: a generated one, or pinned panels.
  var hasDashboard: Bool { explorer?.generated != nil || !console.pinned.isEmpty }

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
      let key = keyMap.mention("generate")
      message = Message(
        "nothing to save yet: \(key) makes a dashboard, :pin a panel of a query", .error)
      return []
    }
    let pinned = console.pinned.map { pin in
      panels.first { $0.definition.name == pin.name }?.definition ?? pin.panel
    }
    return [.explorer(.save(text: text, pinned: pinned, file: file))]
  }

  // MARK: What comes in

  mutating func receive(_ action: ExplorerAction) -> [Effect] {
    explorer?.receive(action)
    switch action {
    case .surveyed, .counted, .measured, .summarized: break
    case .left: leaveExplorer()
    case .generated(let text):
      leaveExplorer()
      let key = keyMap.mention("explore")
      message = Message(
        "a dashboard of this database: :save FILE.sql keeps it, \(key) explores again")
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
    guard isExploring, let panes = layout.explorer else { return nil }
    focus = .panel(0)
    if let (pane, frame) = panes.list(x: x, y: y) {
      // The frame and the names of the columns precede the lines.
      let line = y - frame.y - 2
      let opens = explorer?.click(pane, line: line, visible: layout.visibleLines(of: pane))
      return opens == true ? openInExplorer() ?? [] : []
    }
    explorer?.focus(.rows)
    return nil
  }

  /// - Returns: Whether the list or the columns are at that cell.
  mutating func scrollExplorer(_ layout: ScreenLayout, x: Int, y: Int, lines: Int) -> Bool {
    guard isExploring, let (pane, _) = layout.explorer?.list(x: x, y: y) else { return false }
    explorer?.scroll(pane, by: lines, visible: layout.visibleLines(of: pane))
    return true
  }
}
