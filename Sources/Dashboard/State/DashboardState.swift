package import DatabaseConsole
package import ObservationEngine

/// Everything that the screen is a picture of.
///
/// Changed by ``reduce(_:_:)`` alone, drawn by ``render(_:size:moment:)``: both are pure functions.
package struct DashboardState: Sendable {
  package internal(set) var title: String?
  package let databaseName: String
  package let dashboardName: String?
  package let readOnly: Bool
  package let glyphs: GlyphSet
  package let utcOffsetSeconds: Int
  package let consoleEnabled: Bool
  /// Whether a recording plays: there is no database to ask.
  package let isRecording: Bool
  /// Which of the panels are shown, and how they are laid out.
  var presets: Presets

  package internal(set) var panels: [PanelState]
  package internal(set) var console: ConsoleState
  package internal(set) var feed = Feed()
  package internal(set) var schema = SchemaBrowser()
  package internal(set) var latency = LatencyStatistics()
  package internal(set) var rate = CommitRate()
  package internal(set) var database = DatabaseInfo()
  package internal(set) var alerts = AlertsState()
  /// How far a recording has been played; nil when a database is observed.
  package internal(set) var replay: ReplayProgress?
  /// The file name being typed for the focused panel's rows.
  package internal(set) var exportInput: ExportInput?
  package internal(set) var focus: Focus {
    didSet { if case .panel(let index) = focus { lastFocusedPanel = index } }
  }
  /// The panel to come back to, and whose page is shown while console or feed have the focus.
  private(set) var lastFocusedPanel = 0
  /// The filter being typed for the focused panel.
  package internal(set) var filterInput: TextBuffer?
  /// Where the person moved the lines between panes to.
  var dividers = Dividers()
  /// The command being typed.
  var commandLine: CommandLine?
  package internal(set) var isZoomed = false
  package internal(set) var overlay: Overlay?
  package internal(set) var question: Question?
  /// What is asked after it.
  var waitingQuestions: [Question] = []
  package internal(set) var message: Message? {
    didSet {
      messageEndsAt = message?.lifetime.map { now.monotonic + $0 }
      isMessageOld = false
    }
  }
  /// When the message is no news any more.
  private(set) var messageEndsAt: UInt64?
  /// Whatever else there is to say comes before the message.
  private(set) var isMessageOld = false
  /// Why the dashboard file as it was saved is not what is shown.
  package internal(set) var dashboardError: String?
  package internal(set) var size = Size(width: 80, height: 24)
  /// The last moment that an action brought along.
  package internal(set) var now: Moment
  /// What the last refresh cost and brought.
  package internal(set) var lastRefresh: RefreshSummary?
  /// What was shown before, and whether it is shown now.
  var timeline = Timeline()

  /// What the keys go to.
  package enum Focus: Sendable, Hashable {
    case panel(Int)
    case console
    case feed
    case schema
  }

  /// What stands in front of the panels.
  package enum Overlay: Sendable, Equatable {
    case help(scroll: Int)
    /// The row under the cursor of the focused panel, column by column.
    case inspect(scroll: Int)
    /// A statement, to be read.
    case text(title: String, text: String, scroll: Int)
    /// What the chosen line of the feed changed.
    case commit(CommitReport, scroll: Int)
    /// The columns of the focused panel, to be shown, hidden and moved; the chosen one.
    case columns(cursor: Int)
  }

  /// What must be answered with y or n before anything else.
  package enum Question: Sendable, Equatable {
    /// Leave although a transaction is open.
    case quit
    /// Run this console statement.
    case run(sql: String, text: String)
    /// Let the hooks run that ``AlertsState/asked`` names.
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
    readOnly: Bool = false, glyphs: GlyphSet = .unicode, consoleEnabled: Bool = true,
    history: [String] = [], preset: String? = nil, utcOffsetSeconds: Int = 0,
    isRecording: Bool = false,
    now: Moment = Moment(monotonic: 0, civil: Timestamp(microseconds: 0))
  ) {
    title = definition.title
    self.databaseName = databaseName
    self.dashboardName = dashboardName
    self.readOnly = readOnly
    self.glyphs = glyphs
    self.utcOffsetSeconds = utcOffsetSeconds
    self.consoleEnabled = consoleEnabled
    self.isRecording = isRecording
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

  /// The next moment of the monotonic clock at which the picture changes by itself; nil for none.
  ///
  /// An idle dashboard wakes nobody but for its clock, while that is in view.
  package var needsTickAt: UInt64? {
    let clock = HeaderView.hasRunningClock(self) ? nextSecondOfDay : nil
    return [changesAt, clock].compactMap(\.self).min()
  }

  /// The same without the clock: nil when nothing fades, ages or counts.
  var changesAt: UInt64? {
    var next = rate.nextChange(after: now.monotonic)
    func consider(_ moment: UInt64?) {
      if let moment, next.map({ moment < $0 }) ?? true { next = moment }
    }
    consider(messageEndsAt)
    // What is shown of the past does not fade, and what another preset shows wakes nobody.
    for panel in shownPanels.map({ panels[$0] }) where !isPaused {
      consider(panel.marks.nextChange(after: now.monotonic).map(Self.gathered))
      consider(panel.nextAge(after: now))
    }
    // The message line tells of any panel that is stale.
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

  /// Since when some panel does not show the newest state; nil when all of them do.
  var staleSince: Timestamp? {
    panels.lazy.compactMap(\.staleness?.since).min { $0.microseconds < $1.microseconds }
  }

  /// When the clock shows another time.
  private var nextSecondOfDay: UInt64 {
    let second: Int64 = 1_000_000
    let passed = (now.civil.microseconds % second + second) % second
    return now.monotonic + UInt64(second - passed) * 1000
  }

  /// What is said from here on is said at this moment.
  package mutating func pass(to moment: Moment) {
    now = moment
    forgetOldMessage()
  }

  /// A notice that is no news is dropped; a warning gives way to whatever else there is to say.
  private mutating func forgetOldMessage() {
    guard let end = messageEndsAt, now.monotonic >= end else { return }
    if message?.severity == .notice { message = nil }
    messageEndsAt = nil
    isMessageOld = message != nil
  }

  /// The next tenth of a second: under a steady writer marks of many moments fade, and one picture shows
  /// what a tenth of a second brought.
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

/// What one refresh cost, for the status line.
package struct RefreshSummary: Sendable, Equatable {
  /// The newest commit that the panels reflect.
  package var ordinal: Int
  /// How many panels were recomputed.
  package var panels: Int
  /// The time that their queries took.
  package var queries: Duration
  /// When it arrived.
  package var time: Timestamp
  /// How long refreshes wait for one another while commits come faster.
  package var pause: Duration
}
