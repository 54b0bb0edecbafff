import DatabaseConsole
package import ObservationEngine

/// Everything that the screen shows.
///
/// Only ``reduce(_:_:)`` changes it, and ``render(_:size:moment:)`` draws it: both are pure
/// functions.
package struct DashboardState: Sendable, Equatable {
  var setting: Setting
  package internal(set) var source: Source
  package internal(set) var panels: [PanelState]
  /// Earlier frames, and whether one is shown now.
  var timeline = Timeline()
  package internal(set) var console: ConsoleState
  package internal(set) var feed = Feed()
  package internal(set) var schema = SchemaBrowser()
  /// The panels that rows open, and those that are open.
  var details: OpenDetails
  /// The parameters that the user chooses, with their values.
  package internal(set) var parameters: [ChosenParameter] = []
  /// What a database without a dashboard is looked at with; nil when it has one.
  package internal(set) var explorer: ExplorerState?
  /// Panels that the explorer leads back to, by name.
  var shelf: [String: PanelState] = [:]
  package internal(set) var alerts = AlertsState()
  var panes: Panes
  /// What is in front of the panes.
  var modes = Modes()
  var news: News
  var vitals = Vitals()

  package init(
    definition: DashboardDefinition, databaseName: String, dashboardName: String? = nil,
    readOnly: Bool = false, glyphs: GlyphSet = .unicode, themes: [String] = [],
    dialect: SQLDialect = .sqlite, source: Source = .database(), history: [String] = [],
    preset: String? = nil,
    utcOffsetSeconds: Int = 0, explores: Bool = false, keyMap: KeyMap = .standard,
    choices: PaneChoices = PaneChoices(),
    now: Moment = Moment(monotonic: 0, civil: Timestamp(microseconds: 0))
  ) {
    setting = Setting(
      title: definition.title, databaseName: databaseName, dashboardName: dashboardName,
      readOnly: readOnly, glyphs: glyphs, themes: themes,
      utcOffsetSeconds: utcOffsetSeconds,
      keyMap: keyMap)
    self.source = source
    panels = definition.panels.map(PanelState.init)
    console = ConsoleState(history: history, dialect: dialect)
    details = OpenDetails(definition)
    explorer = explores ? ExplorerState(dialect: dialect) : nil
    panes = Panes(
      Presets(definition, chosen: preset), hasConsole: source.hasConsole,
      hasPanels: !definition.panels.isEmpty, choices: choices)
    news = News(now: now)
    // The first panel may be one that the user hid.
    enterPreset()
  }

  /// The focused panel's index, if a panel has the focus.
  var focusedPanel: Int? {
    if case .panel(let index) = focus, panels.indices.contains(index) { index } else { nil }
  }

  /// Where everything is on the screen.
  ///
  /// - Complexity: O(panels); within an action, a change of its input makes it O(panels + cells of
  ///   the preset's layout) until the action ends.
  var layout: ScreenLayout { layout(for: nil) }

  /// Where everything is on a screen of another size.
  func layout(for size: Size?) -> ScreenLayout {
    panes.layout(
      of: panels.map(\.layoutInput), hasConsole: source.hasConsole,
      explorer: explorerLayoutInput, hiddenPanels: hiddenPanels, size: size)
  }

  /// Lays the screen out after an action, and moves every view back to where its rows are.
  mutating func settle() {
    let layout = layout
    panes.settle(layout)
    for (index, visible) in layout.rowViews { panels[index].clampTop(visible: visible) }
    console.browser?.clampTop(visible: layout.visibleResultRows)
    // What an overlay is about may be gone: a row with all others, columns with their panel.
    switch modes.overlay {
    case .inspect where focusedTable?.panel.chosenRow == nil: modes.show(nil)
    case .columns where focusedTable == nil: modes.show(nil)
    case .help, .inspect, .text, .commit, .columns, nil: break
    }
    if modes.question == .confirmHooks, !alerts.reading.hasReachedEnd {
      alerts.noteShown(hookListing, at: now.monotonic)
    }
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
    var next = vitals.rate.nextChange(after: now.monotonic)
    func consider(_ moment: UInt64?) {
      if let moment, next.map({ moment < $0 }) ?? true { next = moment }
    }
    consider(news.messageEndsAt)
    // An older frame does not fade, and panels of other presets cause no wake-up.
    for panel in shownPanels.map({ panels[$0] }) where !isPaused {
      consider(panel.marks.nextChange(after: now.monotonic).map(Self.gathered))
      consider(panel.nextAge(after: now))
    }
    // The message line reports any stale panel.
    for panel in panels where !isPaused {
      if let stale = panel.staleness { consider(nextSecond(since: stale.since)) }
    }
    if describesSchema { consider(schema.wishesAt(counts: showsSchema)) }
    if let exploring { consider(exploring.changesAt(after: now.monotonic)) }
    if let started = console.work.since { consider(nextSecond(since: started)) }
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
  package mutating func pass(to moment: Moment) { news.pass(to: moment) }

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

// MARK: What many name, without its owner

extension DashboardState {
  package var glyphs: GlyphSet { setting.glyphs }
  var utcOffsetSeconds: Int { setting.utcOffsetSeconds }
  /// Whether the console can't write.
  var isReadOnly: Bool { setting.readOnly || database.server?.isReplica == true }
  var keyMap: KeyMap { setting.keyMap }
  /// The time of the last action.
  package var now: Moment { news.now }
  package var size: Size { panes.size }
  package var focus: Focus {
    get { panes.focus }
    set { panes.focus = newValue }
  }
  var lastFocusedPanel: Int { panes.lastFocusedPanel }
  var presets: Presets { panes.presets }
  package var isZoomed: Bool { panes.isZoomed }
  package var message: Message? {
    get { news.message }
    set { news.message = newValue }
  }
  package var database: DatabaseInfo { vitals.database }
  package var lastRefresh: RefreshSummary? { vitals.lastRefresh }
}
