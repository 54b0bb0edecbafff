package import DatabaseConsole
package import ObservationEngine

/// Everything that the screen shows.
///
/// Only ``reduce(_:_:)`` changes it, and ``render(_:size:moment:)`` draws it: both are pure
/// functions.
package struct DashboardState: Sendable {
  package internal(set) var title: String?
  package let databaseName: String
  package let dashboardName: String?
  package let readOnly: Bool
  /// Whose SQL the console understands.
  let dialect: SQLDialect
  package let glyphs: GlyphSet
  /// The names of the themes that the driver has.
  let themes: [String]
  package let utcOffsetSeconds: Int
  package let consoleEnabled: Bool
  /// Whether a recording plays: there is no database to query.
  package let isRecording: Bool
  /// Which keys do what.
  let keyMap: KeyMap
  /// Which panels are shown, and how they are arranged.
  var presets: Presets

  package internal(set) var panels: [PanelState]
  package internal(set) var console: ConsoleState
  package internal(set) var feed = Feed()
  package internal(set) var schema = SchemaBrowser()
  package internal(set) var latency = LatencyStatistics()
  package internal(set) var rate = CommitRate()
  package internal(set) var database = DatabaseInfo()
  package internal(set) var alerts = AlertsState()
  /// The progress of a recording; nil when a database is observed.
  package internal(set) var replay: ReplayProgress?
  /// The file name being typed for the focused panel's rows.
  package internal(set) var exportInput: ExportInput?
  package internal(set) var focus: Focus {
    didSet { if case .panel(let index) = focus { lastFocusedPanel = index } }
  }
  /// The panel to return to, whose page is shown while console or feed have the focus.
  private(set) var lastFocusedPanel = 0
  /// The filter being typed for the focused panel.
  package internal(set) var filterInput: TextBuffer?
  /// Where the user moved the lines between panes.
  var dividers = Dividers()
  /// The layout at the end of the last action; see ``layout``.
  private var settledLayout: ScreenLayout?
  /// The command being typed.
  var commandLine: CommandLine?
  package internal(set) var isZoomed = false
  package internal(set) var overlay: Overlay?
  package internal(set) var question: Question?
  /// The questions to ask after it.
  var waitingQuestions: [Question] = []
  package internal(set) var message: Message? {
    didSet {
      messageEndsAt = message?.lifetime.map { now.monotonic + $0 }
      isMessageOld = false
    }
  }
  /// When the message becomes outdated.
  private(set) var messageEndsAt: UInt64?
  /// Whether anything else takes precedence over the message.
  private(set) var isMessageOld = false
  /// Why the saved dashboard file is not the one shown.
  package internal(set) var dashboardError: String?
  package internal(set) var size = Size(width: 80, height: 24)
  /// The time of the last action.
  package internal(set) var now: Moment
  /// The cost and the outcome of the last refresh.
  package internal(set) var lastRefresh: RefreshSummary?
  /// Earlier frames, and whether one is shown now.
  var timeline = Timeline()

  /// A pop-up in front of the panels.
  package enum Overlay: Sendable, Equatable {
    case help(scroll: Int)
    /// The row under the cursor of the focused panel, column by column.
    case inspect(scroll: Int)
    /// A statement to read.
    case text(title: String, text: String, scroll: Int)
    /// The changes of the chosen line of the feed.
    case commit(CommitReport, scroll: Int)
    /// The columns of the focused panel, to show, hide and move; with the chosen one.
    case columns(cursor: Int)
  }

  /// A question that must be answered with y or n before anything else.
  package enum Question: Sendable, Equatable {
    /// Leave although a transaction is open.
    case quit
    /// Run this console statement.
    case run(sql: String, text: String)
    /// Run the hooks in ``AlertsState/asked``.
    case confirmHooks
    /// Run the statements of a file.
    case script(text: String)
    /// Undo this transaction.
    case undo(UndoableCommit, text: String)
    /// Redo this transaction.
    case redo(UndoableCommit, text: String)
  }

  package init(
    definition: DashboardDefinition, databaseName: String, dashboardName: String? = nil,
    readOnly: Bool = false, glyphs: GlyphSet = .unicode, themes: [String] = [],
    consoleEnabled: Bool = true, dialect: SQLDialect = .sqlite,
    history: [String] = [], preset: String? = nil, utcOffsetSeconds: Int = 0,
    isRecording: Bool = false, keyMap: KeyMap = .standard,
    now: Moment = Moment(monotonic: 0, civil: Timestamp(microseconds: 0))
  ) {
    title = definition.title
    self.databaseName = databaseName
    self.dashboardName = dashboardName
    self.readOnly = readOnly
    self.dialect = dialect
    self.glyphs = glyphs
    self.themes = themes
    self.utcOffsetSeconds = utcOffsetSeconds
    self.consoleEnabled = consoleEnabled
    self.isRecording = isRecording
    self.keyMap = keyMap
    self.now = now
    panels = definition.panels.map(PanelState.init)
    console = ConsoleState(history: history)
    presets = Presets(definition, chosen: preset)
    let first = presets.chosen.panels.first ?? 0
    focus = definition.panels.isEmpty && consoleEnabled ? .console : .panel(first)
    lastFocusedPanel = first
  }

  /// The focused panel's index, if a panel has the focus.
  var focusedPanel: Int? {
    if case .panel(let index) = focus, panels.indices.contains(index) { index } else { nil }
  }

  /// Where everything is on the screen.
  ///
  /// - Complexity: O(panels); within an action, a change of its input makes it O(panels + cells of
  ///   the preset's layout) until the action ends.
  var layout: ScreenLayout { layout(for: size) }

  /// Where everything is on a screen of another size.
  func layout(for size: Size) -> ScreenLayout {
    let input = layoutInput(for: size)
    if let settledLayout, settledLayout.input == input { return settledLayout }
    return ScreenLayout(input)
  }

  private func layoutInput(for size: Size) -> LayoutInput {
    LayoutInput(
      size: size, panels: panels.map(\.layoutInput), presets: presets, focus: focus,
      lastFocusedPanel: lastFocusedPanel, isZoomed: isZoomed, hasConsole: consoleEnabled,
      movedDividers: dividers.places)
  }

  /// Lays the screen out after an action, and moves every view back to where its rows are.
  mutating func settle() {
    let layout = layout
    settledLayout = layout
    for (index, visible) in layout.rowViews { panels[index].clampTop(visible: visible) }
    console.browser?.clampTop(visible: layout.visibleResultRows)
    // What an overlay is about may be gone: a row with all others, columns with their panel.
    switch overlay {
    case .inspect where focusedTable?.panel.chosenRow == nil: overlay = nil
    case .columns where focusedTable == nil: overlay = nil
    default: break
    }
    noteHooksShown()
  }

  /// The next time of the monotonic clock at which the frame changes by itself; nil for none.
  ///
  /// An idle dashboard only wakes up for its clock, while that is visible.
  package var needsTickAt: UInt64? {
    let clock = HeaderLine.hasRunningClock(self) ? nextSecondOfDay : nil
    return [changesAt, clock].compactMap(\.self).min()
  }

  /// The same without the clock: nil when nothing fades, ages or counts.
  var changesAt: UInt64? {
    var next = rate.nextChange(after: now.monotonic)
    func consider(_ moment: UInt64?) {
      if let moment, next.map({ moment < $0 }) ?? true { next = moment }
    }
    consider(messageEndsAt)
    // An older frame does not fade, and panels of other presets cause no wake-up.
    for panel in shownPanels.map({ panels[$0] }) where !isPaused {
      consider(panel.marks.nextChange(after: now.monotonic).map(Self.gathered))
      consider(panel.nextAge(after: now))
    }
    // The message line reports any stale panel.
    for panel in panels where !isPaused {
      if let stale = panel.staleness { consider(nextSecond(since: stale.since)) }
    }
    if showsSchema, !isRecording { consider(schema.wishesAt) }
    if let started = console.runningSince ?? console.reading?.since {
      consider(nextSecond(since: started))
    }
    if let since = console.transaction?.since { consider(nextSecond(since: since.monotonic)) }
    return next
  }

  /// Since when a panel does not show the newest state; nil when all of them do.
  var staleSince: Timestamp? {
    panels.lazy.compactMap(\.staleness?.since).min { $0.microseconds < $1.microseconds }
  }

  /// When the clock shows another time.
  private var nextSecondOfDay: UInt64 {
    let second: Int64 = 1_000_000
    let passed = (now.civil.microseconds % second + second) % second
    return now.monotonic + UInt64(second - passed) * 1000
  }

  /// Sets the time of the messages that follow.
  package mutating func pass(to moment: Moment) {
    now = moment
    forgetOldMessage()
  }

  /// Drops an outdated notice; an outdated warning yields to any other message.
  private mutating func forgetOldMessage() {
    guard let end = messageEndsAt, now.monotonic >= end else { return }
    if message?.severity == .notice { message = nil }
    messageEndsAt = nil
    isMessageOld = message != nil
  }

  /// The next tenth of a second: under a steady writer the marks of many changes fade, and one
  /// frame shows those of a tenth of a second.
  private static func gathered(_ moment: UInt64) -> UInt64 {
    let tenth: UInt64 = 100_000_000
    return (moment + tenth - 1) / tenth * tenth
  }

  /// The next full second of an age that is shown in seconds.
  private func nextSecond(since start: UInt64) -> UInt64 {
    let second: UInt64 = 1_000_000_000
    guard now.monotonic >= start else { return start + second }
    return start + ((now.monotonic - start) / second + 1) * second
  }

  private func nextSecond(since start: Timestamp) -> UInt64 {
    let age = max(0, now.civil.microseconds - start.microseconds)
    return now.monotonic + UInt64(1_000_000 - age % 1_000_000) * 1000
  }
}

/// The cost of one refresh, for the status line.
package struct RefreshSummary: Sendable, Equatable {
  /// The newest commit that the panels reflect.
  package var ordinal: Int
  /// How many panels were recomputed.
  package var panels: Int
  /// How long their queries took.
  package var queries: Duration
  /// When it arrived.
  package var time: Timestamp
  /// How far refreshes are spaced apart while commits come faster.
  package var pause: Duration
}
