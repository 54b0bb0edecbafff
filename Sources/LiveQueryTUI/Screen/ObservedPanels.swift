import Dashboard
import DatabaseConsole
import ObservationEngine

/// The shown panels, and what delivers their results.
struct ObservedPanels {
  var definition: DashboardDefinition
  /// nil when a recording plays.
  private(set) var observation: (any PanelObservation)?
  /// The panels, by number, of whose long results a window is loaded.
  private var windowed: Set<Int> = []
  var follower: Task<Void, Never>?
  /// Counts the sets of panels, so that a result for an earlier one is recognised.
  private(set) var generation = 0
  /// From a replacement of the panels until the former observations have ended.
  private(set) var handover: Handover?
  /// The newest commit that was received, even while the display is paused.
  private(set) var receivedOrdinal = -1

  init(_ definition: DashboardDefinition) { self.definition = definition }

  /// Observes the panels' queries; a former observation goes on until the new one has begun.
  mutating func observe(in database: any PanelDatabase, _ arguments: Arguments) {
    // `--exec` gets all rows.
    windowed =
      arguments.exec == nil
      ? Set(definition.panels.indices.filter { definition.panels[$0].isWindowed }) : []
    observation = database.observation(
      of: definition.panels.map { $0.query(arguments.parameters) }, windowed: windowed)
  }

  /// Begins another set of panels.
  mutating func handOver() {
    if let follower {
      handover = handover ?? Handover()
      handover?.begin(after: follower, of: generation, at: receivedOrdinal)
    }
    generation += 1
  }

  /// Reads these rows of a panel's long result.
  func show(_ request: RowRequest, of panel: Int) {
    if windowed.contains(panel) { observation?.show(request.window, of: panel) }
  }

  /// Takes what the observation with this number delivered.
  ///
  /// - Returns: What of it is news; nil for nothing.
  mutating func take(_ refresh: Refresh, of generation: Int) -> Refresh? {
    var refresh = refresh
    if handover?.receive(&refresh, of: generation) == .ended { handover = nil }
    if generation < self.generation {
      // Of panels that are not shown any more; its events are news all the same.
      (refresh.results, refresh.recomputed, refresh.stale) = ([:], [:], [:])
      guard !refresh.events.isEmpty else { return nil }
      refresh.ordinal = max(refresh.ordinal, receivedOrdinal)
    }
    receivedOrdinal = max(receivedOrdinal, refresh.ordinal)
    return refresh
  }
}

/// Where the panels of a session come from.
struct PanelOrigin {
  /// The dashboard's file, if it is a regular one.
  let file: String?
  /// Panels that were added or changed in this session; no file has them.
  var added: [PanelDefinition] = []
  var filePanelCount: Int
}

/// The commands that a session runs when panels change.
struct SessionHooks {
  let trust: TrustFile?
  /// The dashboard that they are judged by; nil when a recording plays.
  var dashboard: LoadedDashboard?
  /// nil when a recording plays.
  var runner: HookRunner?
  /// What `--exec` reads; nil without it.
  var execRecords: RefreshRecords?
}

/// What the session knows of the database's file.
struct FileFacts {
  var journalMode = ""
  var isMissing = false
  /// Reads the journal mode again while commits arrive.
  var check: Task<Void, Never>?
  /// Whether something has arrived since it was read.
  var mayHaveChanged = false
}

/// Operations that ``Session/isSettled`` waits for, in addition to statements and refreshes.
struct Operations {
  var count = 0
  /// A long result that is being written to a file.
  var longExport: Task<Void, Never>?
}

/// The console's history, which outlives the session.
struct SessionHistory {
  let file: HistoryFile?
  private var hasFailed = false

  init(file: HistoryFile?) { self.file = file }

  /// - Returns: Why it can't be kept, the first time.
  mutating func append(_ text: String) -> String? {
    do { try file?.append(text) } catch {
      defer { hasFailed = true }
      return hasFailed ? nil : error.message
    }
    return nil
  }
}
