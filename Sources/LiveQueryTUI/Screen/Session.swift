import Dashboard
import Glibc
import DatabaseConsole
import ObservationEngine

/// A dashboard without its display: the state, its inputs, and its effects.
@ScreenActor
final class Session {
  private(set) var state: DashboardState
  /// When to draw the frame, which may differ from the last one, on ``MonotonicClock``; nil when
  /// there is no need.
  private(set) var drawsAt: UInt64? = 0
  /// When the last frame was drawn.
  private var drawnAt: UInt64 = 0
  /// What only the owner of a display can do: quit, suspend, redraw.
  var onEffect: (@ScreenActor (Effect) -> Void)?

  let database: any PanelDatabase
  /// What the panels show now.
  private(set) var definition: DashboardDefinition
  /// nil when a recording plays.
  private var observation: (any PanelObservation)?
  /// The panels, by number, of whose long results a window is loaded.
  private var windowed: Set<Int> = []
  let tape: SessionTape
  let arguments: Arguments
  let trust: TrustFile?
  /// The dashboard that hooks are judged by; nil when a recording plays.
  var dashboard: LoadedDashboard?
  /// nil when a recording plays.
  var hooks: HookRunner?
  /// What `--exec` reads; nil without it.
  var execRecords: RefreshRecords?
  /// Panels that were added or changed in this session; no file has them.
  private var added: [PanelDefinition] = []
  private var filePanelCount: Int
  /// The panels made from the last known tables, if no dashboard was named.
  var automatic: DashboardDefinition?
  /// Reads the tables for them.
  var tableReader: Task<Void, Never>?
  /// The tables may have changed since that began.
  var tablesAreOutdated = false
  /// How many operations are running that ``isSettled`` waits for, in addition to statements and
  /// refreshes.
  private var underWay = 0
  private let history: HistoryFile?
  private var runner: ConsoleRunner?
  /// Records transactions for undo; nil for a read-only database.
  let journal: UndoJournal?
  var follower: Task<Void, Never>?
  /// Counts the sets of panels, so that a result for an earlier one is recognised.
  private(set) var generation = 0
  /// From a replacement of the panels until the former observations have ended.
  private var handover: Handover?
  /// What is not on the screen yet.
  private var undrawn = UndrawnCommit()
  private var journalMode = ""
  /// The newest commit that was received, even while the display is paused.
  private var receivedOrdinal = -1
  private var hasSaidHistoryFails = false
  private var isFileMissing = false
  /// Called when tables, or the file itself, may have changed.
  var onSchemaChange: (() -> Void)?
  /// A long result that is being written to a file.
  var longExport: Task<Void, Never>?

  init(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: any PanelDatabase,
    glyphs: GlyphSet,
    history: HistoryFile?, trust: TrustFile? = nil, tape: SessionTape = SessionTape()
  ) {
    self.database = database
    self.history = history
    self.tape = tape
    self.arguments = arguments
    self.trust = trust
    definition = dashboard.definition
    filePanelCount = dashboard.filePanelCount
    automatic = dashboard.isAutomatic ? dashboard.definition : nil
    let replay = tape.replay
    windowed = Self.windowed(dashboard.definition, arguments)
    observation =
      replay == nil ? Self.observation(of: dashboard.definition, database, arguments) : nil
    journal = replay == nil ? database.undoJournal() : nil
    state = DashboardState(
      definition: dashboard.definition,
      databaseName: replay?.header.databaseName ?? arguments.databaseName,
      dashboardName: dashboard.file?.lastPathPart,
      readOnly: replay?.header.isReadOnly ?? arguments.isReadOnly,
      glyphs: glyphs, themes: ThemeFiles.usual.names, consoleEnabled: replay == nil,
      dialect: database.dialect,
      history: history?.read() ?? [],
      preset: replay.map(\.header.preset) ?? arguments.preset,
      utcOffsetSeconds: replay?.header.utcOffsetSeconds ?? LocalTime.utcOffset,
      isRecording: replay != nil, keyMap: arguments.keyMap, now: replay?.moment ?? .now)
    prepareHooks(of: dashboard)
    runner = ConsoleRunner(database) { [weak self] in self?.dispatch(.console($0)) }
  }

  /// Starts to show the state of the database.
  func start() {
    guard observation != nil else { return startReplay() }
    hooks?.begin()
    follow()
    work { [self] in
      // Without it the header leaves the mode out; the panels report what is wrong with the file.
      if let mode = try? await database.currentJournalMode() { journalMode = mode }
      describeFile()
    }
  }

  /// Ends everything that the session started.
  func stop() {
    follower?.cancel()
    handover?.end()
    tableReader?.cancel()
    hooks?.stop()
    tape.recording?.finish()
  }

  /// The current time, or that of the recording that plays.
  var moment: Moment { tape.replay?.moment ?? .now }

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
    self.definition = definition
    record(.panels(definition))
    // A recording that plays already has its results.
    if tape.replay == nil {
      // Requests of the new panels go to their own observation.
      windowed = Self.windowed(definition, arguments)
      observation = Self.observation(of: definition, database, arguments)
    }
    dispatch(.panelsReplaced(definition))
    renewHooks(of: definition)
    guard tape.replay == nil else { return }
    // It goes on until the new one has begun.
    if let follower {
      handover = handover ?? Handover()
      handover?.begin(after: follower, of: generation, at: receivedOrdinal)
    }
    generation += 1
    follow()
  }

  /// Adds a panel to the shown ones, or replaces the one of the same name; it stays when the
  /// dashboard is read again.
  func show(_ panel: PanelDefinition) {
    added.removeAll { $0.name == panel.name }
    added.append(panel)
    reload(definition)
  }

  /// Shows a dashboard, together with panels added in this session.
  ///
  /// - Parameter filePanelCount: How many of its panels come from the file; nil for as many as
  ///   before.
  func reload(_ definition: DashboardDefinition, filePanelCount: Int? = nil) {
    if let filePanelCount { self.filePanelCount = filePanelCount }
    var definition = definition
    for panel in added {
      if let index = definition.panels.firstIndex(where: { $0.name == panel.name }) {
        definition.panels[index] = panel
      } else {
        definition.append(panel)
      }
    }
    replacePanels(with: definition)
  }

  /// Whether a panel belongs to this session, and to no file.
  func isAdded(_ panel: PanelDefinition) -> Bool { added.contains { $0.name == panel.name } }

  /// Whether a panel comes from the dashboard file.
  func isOfFile(_ index: Int) -> Bool { index < filePanelCount }

  private static func observation(
    of definition: DashboardDefinition, _ database: any PanelDatabase, _ arguments: Arguments
  ) -> any PanelObservation {
    database.observation(
      of: definition.panels.map { $0.query(arguments.parameters) },
      windowed: windowed(definition, arguments))
  }

  /// The panels of whose long results a window is loaded. `--exec` gets all rows.
  private static func windowed(
    _ definition: DashboardDefinition, _ arguments: Arguments
  ) -> Set<Int> {
    guard arguments.exec == nil else { return [] }
    return Set(definition.panels.indices.filter { definition.panels[$0].isWindowed })
  }

  /// Takes over what the observation delivers.
  private func follow() {
    let generation = generation
    guard let observation else { return }
    follower = Task { [weak self, observation] in
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
    underWay += 1
    return Task { [weak self] in
      await body()
      self?.underWay -= 1
    }
  }

  /// Time has passed: updates what counts by itself.
  func tick() {
    runner?.tellProgress()
    let due = drawsAt
    dispatch(.ticked(moment))
    // An idle server is asked less often, and the first line says so.
    if state.database.server != nil { describeFile() }
    // While refreshes follow one another, such changes wait for the next one.
    drawsAt = min(due ?? .max, drawnAt + Self.framePause)
  }

  /// A little more than the time between two refreshes, in nanoseconds.
  private static let framePause: UInt64 = 35_000_000

  /// Reduces an action and performs its effects.
  func dispatch(_ action: Action) {
    drawsAt = 0
    state.pass(to: moment)
    for effect in reduce(&state, action) { perform(effect) }
  }

  /// Draws the frame again although its content has not changed, because it looks different.
  func redraw() { drawsAt = 0 }

  /// Whether the frame is due.
  var mustDraw: Bool { drawsAt.map { $0 <= MonotonicClock.now } ?? false }

  /// Draws the current state.
  func picture(size: Size) -> Grid {
    drawsAt = nil
    drawnAt = MonotonicClock.now
    return render(state, size: size, moment: moment)
  }

  /// Records that the last frame is on the screen.
  func didDraw() {
    guard let drawn = undrawn.take() else { return }
    let now = MonotonicClock.now
    let latency = now - min(now, drawn.noticed)
    // The line that shows it is drawn with the next frame: it doesn't cause one itself.
    for effect in reduce(&state, .drawn(latency: latency, origin: drawn.origin)) {
      perform(effect)
    }
  }

  /// Whether everything requested has happened and is part of the state, including slow panels.
  var isSettled: Bool {
    runner?.isBusy != true && hooks?.isBusy != true && handover == nil && underWay == 0
      && tape.replay?.hasEnded != false
      && receivedOrdinal >= database.newestOrdinal
      && state.panels.allSatisfy { $0.staleness == nil } && !state.isWaitingForRows
  }

  /// Handles what the observation with this number delivered.
  ///
  /// - Parameter looks: The parameters with which windows of a recording were read.
  func receive(
    _ refresh: Refresh, _ generation: Int, looks: [Int: RowRequest.Look] = [:]
  ) {
    var refresh = refresh
    if handover?.receive(&refresh, of: generation) == .ended { handover = nil }
    if generation < self.generation {
      // Of panels that are not shown any more; its events are news all the same.
      (refresh.results, refresh.recomputed, refresh.stale) = ([:], [:], [:])
      guard !refresh.events.isEmpty else { return }
      refresh.ordinal = max(refresh.ordinal, receivedOrdinal)
    }
    receivedOrdinal = max(receivedOrdinal, refresh.ordinal)
    let due = isForFeedAlone(refresh) ? drawsAt ?? MonotonicClock.now + Self.feedDelay : 0
    if due == 0 { undrawn.receive(refresh) }
    dispatch(.refreshed(refresh, looks: looks, at: moment))
    if tape.recording != nil { record(state.recording(of: refresh)) }
    callExec(refresh)
    if tape.replay == nil { describeFile() }
    drawsAt = due
    for event in refresh.events {
      switch event {
      case .notice(let text, _): dispatch(.message(text, .warning))
      case .fileMissing:
        isFileMissing = true
        dispatch(.message("the file is gone; the last rows stay", .error))
      case .commit where isFileMissing:
        isFileMissing = false
        dispatch(.message("the file is back, and open again", .notice))
      case .commit, .rollback: break
      }
    }
    let changesSchema = refresh.events.contains { event in
      if case .commit(let commit) = event { commit.mayChangeSchema } else { false }
    }
    if changesSchema { onSchemaChange?() }
  }

  /// How long a commit that no panel reads waits for further ones, in nanoseconds.
  ///
  /// It only changes its line in the feed and the rate, but a frame costs half a millisecond: ten
  /// times as much as noticing the commit.
  private static let feedDelay: UInt64 = 200_000_000

  private func isForFeedAlone(_ refresh: Refresh) -> Bool {
    refresh.results.isEmpty && refresh.recomputed.isEmpty && refresh.stale.isEmpty
      && refresh.droppedEvents == 0 && state.panels.allSatisfy { $0.staleness == nil }
      && refresh.events.allSatisfy { event in
        guard case .commit(let commit) = event else { return false }
        return commit.origin == .external && commit.kind == .data
      }
  }

  private func describeFile() {
    guard let info = database.info(journalMode: journalMode) else { return }
    if info != state.database {
      record(.info(info))
      dispatch(.databaseInfo(info))
    }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .refreshAll: observation?.refresh()
    case .explainRefresh(let panel):
      let query = definition.panels[panel].query(arguments.parameters)
      dispatch(.message(database.refreshText(of: query), .notice))
    case .describeSchema, .countRows, .measureSizes: ask(effect)
    case .showPanel(let panel):
      show(panel)
      dispatch(.focusPanel(named: panel.name))
    case .submit(let text): runner?.submit(text)
    case .run(let sql): runner?.run(sql)
    case .bind(let sql, let values): runner?.bind(sql, values: values)
    case .discardStatements: runner?.discard()
    case .cancelStatement: runner?.cancel()
    case .appendHistory(let text): keep(text)
    case .runHook(let call): hooks?.call(call)
    case .confirmHooks(let isConfirmed, let requests): confirmHooks(isConfirmed, requests)
    case .showRows(let panel, let request):
      if windowed.contains(panel) { observation?.show(request.window, of: panel) }
    case .export(let export): write(export)
    case .exportAll(let export): write(export)
    case .cancelExport: longExport?.cancel()
    case .readScript(let file, let asks): runner?.readScript(file, asks: asks)
    case .runScript: runner?.runScript()
    case .readVocabulary: readVocabulary()
    case .addPanel(let panel): addPanel(panel)
    case .savePanels(let panels, let file, let command):
      savePanels(panels, file: file, command: command)
    case .describeUndo, .undo, .describeRedo, .redo, .describeCommit: performOnJournal(effect)
    case .quit, .suspend, .redraw, .reload, .edit, .theme, .ring, .copy: onEffect?(effect)
    }
  }

  private func keep(_ text: String) {
    do { try history?.append(text) } catch {
      if !hasSaidHistoryFails { dispatch(.message(error.message, .warning)) }
      hasSaidHistoryFails = true
    }
  }
}
