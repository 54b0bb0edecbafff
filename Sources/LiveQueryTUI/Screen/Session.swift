import Dashboard
import Glibc
import DatabaseConsole
import ObservationEngine

/// A dashboard without its display: the state, its inputs, and its effects.
@ScreenActor
final class Session {
  let core: SessionCore
  /// What only the owner of a display can do: quit, suspend, redraw.
  var onEffect: (@ScreenActor (Effect) -> Void)?

  let database: any PanelDatabase
  private(set) var arguments: Arguments
  let tape: SessionTape
  /// What the panels show, and where their results come from.
  var panels: ObservedPanels
  /// Where the panels come from.
  private var origin: PanelOrigin
  /// What the explorer observes next to the panel that it shows.
  let explorerWork = ExplorerWork()
  /// The dashboard that was generated from the explorer.
  var generated = DashboardDefinition(panels: [])
  var hooks: SessionHooks
  private var history: SessionHistory
  private var chosenPanes: SessionPanes
  private var runner: ConsoleRunner?
  /// Records transactions for undo; nil for a read-only database.
  let journal: UndoJournal?
  private var file = FileFacts()
  /// What runs besides statements and refreshes.
  var operations = Operations()
  /// Called when tables, or the file itself, may have changed.
  var onSchemaChange: (() -> Void)?

  init(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: any PanelDatabase,
    glyphs: GlyphSet, history: HistoryFile?, trust: TrustFile? = nil, panes: PaneFile? = nil,
    tape: SessionTape = SessionTape()
  ) {
    self.database = database
    self.tape = tape
    self.arguments = arguments
    self.history = SessionHistory(file: history)
    var remembered = SessionPanes(
      panes, dashboard, database: arguments.identity(of: database), isReplay: tape.replay != nil)
    let choices = remembered.choices(arguments)
    chosenPanes = remembered
    hooks = SessionHooks(trust: trust)
    origin = PanelOrigin(file: dashboard.editablePath, filePanelCount: dashboard.filePanelCount)
    let replay = tape.replay
    var observed = ObservedPanels(dashboard.definition)
    if replay == nil { observed.observe(in: database, arguments) }
    panels = observed
    journal = replay == nil ? database.undoJournal() : nil
    let state = DashboardState(
      definition: dashboard.definition,
      databaseName: replay?.header.databaseName ?? arguments.databaseName,
      dashboardName: dashboard.file?.lastPathPart,
      readOnly: replay?.header.isReadOnly ?? arguments.isReadOnly,
      glyphs: glyphs, themes: ThemeFiles.usual.names,
      dialect: database.dialect,
      source: replay.map { .recording(ReplayProgress(played: 0, count: $0.refreshCount)) }
        ?? .database(),
      history: history?.read() ?? [],
      preset: replay.map(\.header.preset) ?? arguments.preset,
      utcOffsetSeconds: replay?.header.utcOffsetSeconds ?? LocalTime.utcOffset,
      explores: replay == nil && dashboard.explores,
      keyMap: arguments.keyMap, choices: choices, now: replay?.moment ?? .now)
    core = SessionCore(state) { replay?.moment ?? .now }
    core.perform = { [weak self] in self?.perform($0) }
    if !dashboard.parameters.isEmpty { dispatch(.parameters(dashboard.parameters)) }
    if let notice = database.ownerNotice { dispatch(.message(notice, .warning)) }
    if let first = dashboard.diagnostics.first {
      // The screen hides what was printed before it.
      dispatch(.message(first.rendered(file: dashboard.file ?? "dashboard"), .warning))
    }
    prepareHooks(of: dashboard)
    runner = ConsoleRunner(database) { [weak self] in self?.dispatch(.console($0)) }
  }

  var state: DashboardState { core.state }
  var definition: DashboardDefinition { panels.definition }

  /// Reduces an action and performs its effects.
  func dispatch(_ action: Action) { core.dispatch(action) }

  /// Starts to show the state of the database.
  func start() {
    guard panels.observation != nil else { return startReplay() }
    hooks.runner?.begin()
    follow()
    work { [self] in await readJournalMode() }
  }

  /// Ends everything that the session started.
  func stop() {
    panels.follower?.cancel()
    file.check?.cancel()
    panels.handover?.end()
    explorerWork.stop()
    hooks.runner?.stop()
    tape.recording?.finish()
  }

  /// The exit status when the user quits.
  var exitStatus: Int32 {
    let isAlert = arguments.failsOnAlert && state.alerts.board.raisedCount > 0
    return isAlert ? ExitStatus.alert : ExitStatus.done
  }

  /// Shows these panels from now on; see ``DashboardState/replacePanels(with:)`` for what is
  /// preserved from panels of the same name.
  ///
  /// Their queries are observed again: their current results come with the next refresh, from one
  /// snapshot. The feed also gets what happens in the database between the two observations.
  func replacePanels(with definition: DashboardDefinition) {
    panels.definition = definition
    record(.panels(definition))
    // A recording that plays already has its results; requests of the new panels go to their own
    // observation.
    if tape.replay == nil { panels.observe(in: database, arguments) }
    dispatch(.panelsReplaced(definition))
    renewHooks(of: definition)
    guard tape.replay == nil else { return }
    panels.handOver()
    follow()
  }

  /// Adds a panel to the shown ones, or replaces the one of the same name; it stays when the
  /// dashboard is read again.
  func show(_ panel: PanelDefinition) {
    origin.added.removeAll { $0.name == panel.name }
    origin.added.append(panel)
    // The explorer's own panel is no part of a dashboard.
    let wasExploring = state.isExploring
    if wasExploring { dispatch(.explorer(.left)) }
    reload(wasExploring ? generated : definition)
  }

  /// Takes a panel away that was added in this session.
  func remove(panel name: String) {
    forget(added: [name])
    // Beside the explorer, there is no panel of that name to be seen.
    guard definition.panels.contains(where: { $0.name == name }) else { return }
    var definition = definition
    definition.remove(panel: name)
    replacePanels(with: definition)
  }

  /// Leaves panels to the dashboard's file, which has them now.
  func forget(added names: [String]) { origin.added.removeAll { names.contains($0.name) } }

  /// The dashboard's file that panels can be added to.
  var dashboardFile: String? { origin.file }

  /// Ends a panel that was added in this session; one of the dashboard stays.
  private func close(panel name: String) {
    let index = definition.panels.firstIndex { $0.name == name }
    // A panel of the dashboard that was changed in this session is one of the dashboard.
    guard origin.added.contains(where: { $0.name == name }), index.map(isOfFile) != true else {
      return dispatch(.panelKept(named: name))
    }
    remove(panel: name)
  }

  /// Shows a dashboard, together with panels added in this session.
  ///
  /// - Parameter filePanelCount: How many of its panels come from the file; nil for as many as
  ///   before.
  func reload(
    _ definition: DashboardDefinition, filePanelCount: Int? = nil,
    parameters: [ChosenParameter]? = nil
  ) {
    if let filePanelCount { origin.filePanelCount = filePanelCount }
    if let parameters {
      arguments.parameters = self.parameters(of: definition)
      arguments.parameters.merge(parameters.values) { given, _ in given }
      dispatch(.parameters(parameters))
    }
    var definition = definition
    for panel in origin.added {
      if let index = definition.panels.firstIndex(where: { $0.name == panel.name }) {
        definition.panels[index] = panel
      } else {
        definition.append(panel)
      }
    }
    replacePanels(with: definition)
  }

  /// The values that a new dashboard begins with: what only the former one let choose has none any
  /// longer.
  func parameters(of definition: DashboardDefinition) -> [String: Value] {
    let gone = Set(self.definition.parameters.map(\.name))
      .subtracting(definition.parameters.map(\.name)).subtracting(arguments.parameterTexts.keys)
    return arguments.parameters.filter { !gone.contains($0.key) }
  }

  /// Whether a panel belongs to this session, and to no file.
  func isAdded(_ panel: PanelDefinition) -> Bool { origin.added.contains { $0.name == panel.name } }

  /// Whether a panel comes from the dashboard file.
  func isOfFile(_ index: Int) -> Bool { index < origin.filePanelCount }

  /// Takes over what the observation delivers.
  private func follow() {
    let generation = panels.generation
    guard let observation = panels.observation else { return }
    panels.follower = ScreenActor.task { [weak self, observation] in
      for await update in observation {
        // A former observation that the handover has ended may have one update left.
        guard let self, !Task.isCancelled else { return }
        receive(Refresh(update), generation)
      }
    }
  }

  /// Runs an operation that ``isSettled`` waits for.
  @discardableResult
  func work(_ body: @escaping @ScreenActor () async -> Void) -> Task<Void, Never> {
    operations.count += 1
    return Task { [weak self] in
      await body()
      self?.operations.count -= 1
    }
  }

  /// Time has passed: updates what counts by itself.
  func tick() {
    runner?.tellProgress()
    dispatch(.ticked(core.moment))
    // An idle server is asked less often, and the first line says so.
    if state.database.server != nil { describeFile() }
  }

  /// Whether everything requested has happened and is part of the state, including slow panels.
  var isSettled: Bool {
    runner?.isBusy != true && hooks.runner?.isBusy != true && panels.handover == nil
      && operations.count == 0
      // What a recording doesn't have doesn't come.
      && (tape.replay.map(\.hasEnded) ?? arePanelsCurrent) && !state.isWaitingForRows
      && !explorerWork.isCounting && state.isExplorerSettled
  }

  private var arePanelsCurrent: Bool {
    panels.receivedOrdinal >= database.newestOrdinal
      && state.panels.allSatisfy { $0.staleness == nil }
  }

  /// Handles what the observation with this number delivered.
  ///
  /// - Parameter looks: The parameters with which windows of a recording were read.
  func receive(
    _ refresh: Refresh, _ generation: Int, looks: [Int: RowRequest.Look] = [:]
  ) {
    guard let refresh = panels.take(refresh, of: generation) else { return }
    dispatch(.refreshed(refresh, looks: looks, at: core.moment))
    if tape.recording != nil { record(state.recording(of: refresh)) }
    callExec(refresh)
    if tape.replay == nil {
      describeFile()
      checkJournalMode()
    }
    for event in refresh.events {
      switch event {
      case .notice(let text, _): dispatch(.message(text, .warning))
      case .fileMissing:
        file.isMissing = true
        dispatch(.message("the file is gone; the last rows stay", .error))
      case .commit where file.isMissing:
        file.isMissing = false
        dispatch(.message("the file is back, and open again", .notice))
      case .commit, .rollback: break
      }
    }
    let changesSchema = refresh.events.contains { event in
      if case .commit(let commit) = event { commit.mayChangeSchema } else { false }
    }
    if changesSchema { onSchemaChange?() }
  }

  /// Reads the journal mode again, at most once a second, and once more after the last refresh: a
  /// checkpoint changes the size without a commit.
  private func checkJournalMode() {
    file.mayHaveChanged = true
    guard file.check == nil, database.dialect == .sqlite else { return }
    file.check = Task { [weak self] in
      while self?.file.mayHaveChanged == true {
        self?.file.mayHaveChanged = false
        await self?.readJournalMode()
        // Cancelling ends the sleep and, with it, the loop.
        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
      }
      self?.file.check = nil
      self?.describeFile()
    }
  }

  /// Without it the header leaves the mode out; the panels report what is wrong with the file.
  private func readJournalMode() async {
    if let mode = try? await database.currentJournalMode() { file.journalMode = mode }
    describeFile()
  }

  private func describeFile() {
    guard let info = database.info(journalMode: file.journalMode) else { return }
    if info != state.database {
      record(.info(info))
      dispatch(.databaseInfo(info))
    }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .refreshAll: panels.observation?.refresh()
    case .explainRefresh(let panel):
      let panel = definition.panels[panel]
      work { [self] in
        let lines = await database.refreshText(of: panel.query(arguments.parameters))
        dispatch(.read(title: panel.name, text: lines.joined(separator: "\n")))
      }
    case .explorer(let effect): perform(effect)
    case .showPanel(let panel):
      show(panel)
      dispatch(.focusPanel(named: panel.name))
    case .closePanel(let name): close(panel: name)
    case .readChoices: readChoices()
    case .setParameter(let name, let value):
      arguments.parameters[name] = value
      replacePanels(with: definition)
      tellParameters()
    case .findReference(let cell): findReference(cell)
    case .rememberPanes(let choices):
      if let fault = chosenPanes.keep(choices) { dispatch(.message(fault, .warning)) }
    case .showRows(let panel, let request): panels.show(request, of: panel)
    case .console(let effect): perform(effect)
    case .schema(let effect): perform(effect)
    case .hooks(.run(let call)): hooks.runner?.call(call)
    case .hooks(.confirm(let isConfirmed, let requests)): confirmHooks(isConfirmed, requests)
    case .export(.rows(let export)): write(export)
    case .export(.all(let export)): write(export)
    case .export(.cancel): operations.longExport?.cancel()
    case .quit, .suspend, .redraw, .reload, .edit, .theme, .ring, .copy: onEffect?(effect)
    }
  }

  private func perform(_ effect: ConsoleEffect) {
    switch effect {
    case .submit(let text): runner?.submit(text)
    case .run(let sql): runner?.run(sql)
    case .bind(let sql, let values): runner?.bind(sql, values: values)
    case .discardStatements: runner?.discard()
    case .cancelStatement: runner?.cancel()
    case .readScript(let file, let asks): runner?.readScript(file, asks: asks)
    case .runScript: runner?.runScript()
    case .readVocabulary: readVocabulary()
    case .addPanel(let panel): addPanel(panel)
    case .removePanel(let name, let command): unpin(name, command: command)
    case .savePanels(let panels, let file, let command):
      savePanels(panels, file: file, command: command)
    case .confirmSave(let addition, let command): write(addition, command: command)
    case .appendHistory(let text): keep(text)
    case .describeUndo, .undo, .describeRedo, .redo, .describeCommit: performOnJournal(effect)
    }
  }

  private func keep(_ text: String) {
    if let fault = history.append(text) { dispatch(.message(fault, .warning)) }
  }
}
