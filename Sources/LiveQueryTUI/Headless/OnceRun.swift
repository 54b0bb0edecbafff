import Dashboard
import ObservationEngine

/// `--once`: each panel once, all from one snapshot; with `--until`, from the first one in which
/// that query is true.
struct OnceRun: HeadlessRun {
  private let panels: [PanelDefinition]
  private let arguments: Arguments
  private let database: any PanelDatabase
  private let watch: OnceAlerts
  /// Requested panels that can't be printed.
  private let leftOut: (count: Int, status: Int32)

  var timeout: Duration? { arguments.timeout }

  init(_ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: any PanelDatabase) {
    panels = dashboard.definition.panels
    self.arguments = arguments
    self.database = database
    watch = OnceAlerts(panels: panels)
    leftOut = dashboard.leftOut
  }

  func run() async throws -> Int32 {
    let results = try await arguments.until == nil ? resultsNow() : resultsUntilTrue()
    let format = ResultFormat(rawValue: (arguments.format ?? .table).rawValue) ?? .table
    var status = leftOut.status
    var shown: [(name: String, result: RowSet)] = []
    for (panel, result) in zip(panels, results) {
      switch result {
      case .success(let rows): shown.append((panel.name, rows))
      case .failure(let error):
        StandardError.say("\(panel.name): \(error.message)")
        status = max(status, isOverTime(error) ? ExitStatus.timeout : error.exitStatus)
      }
    }
    // If no panel worked, an old file is not overwritten with nothing.
    guard !shown.isEmpty else { return status }
    if let path = arguments.output, PanelFiles.isFolder(path) {
      let files = try PanelFiles(path, format)
      for panel in shown { try files.write(panel, nullText: arguments.null ?? "") }
    } else {
      try await print(shown, format)
    }
    if arguments.failsOnAlert, watch.isRaised(by: results), status == ExitStatus.done {
      return ExitStatus.alert
    }
    return status
  }

  private func print(_ shown: [(name: String, result: RowSet)], _ format: ResultFormat) async throws
  {
    let output = Output(path: arguments.output)
    format.write(
      shown, areSeveral: panels.count + leftOut.count > 1, nullText: arguments.null ?? "",
      terminal: output.isTerminal ? arguments.glyphs : nil
    ) { output.write($0) }
    // A reader of the output may be slow.
    if arguments.timeout == nil { Ending.expectNothing() }
    try await output.flush()
  }

  func didTimeOut() -> Int32 {
    database.interrupt()
    StandardError.say(Self.timeoutMessage(arguments.timeout ?? .zero))
    return ExitStatus.timeout
  }

  /// The message when a time limit has passed.
  nonisolated static func timeoutMessage(_ time: Duration) -> String {
    "timed out after \(time.shortText)"
  }

  /// The error of panels that exceeded the time limit.
  private nonisolated static func lateness(_ limit: Duration) -> DatabaseError {
    DatabaseError(
      code: .interrupted,
      message:
        "cancelled: the panels took more than \(limit.shortText); \(QueryLimits.timeRemedy)")
  }

  private func isOverTime(_ error: DatabaseError) -> Bool {
    arguments.queryLimit(.once).map(Self.lateness) == error
  }

  private func resultsNow() async throws -> [Result<RowSet, DatabaseError>] {
    let queries = panels.map { $0.query(arguments.parameters) }
    let limit = arguments.queryLimit(.once)
    return try await database.results(
      of: queries, limit: limit, lateness: limit.map(Self.lateness))
  }

  private func resultsUntilTrue() async throws -> [Result<RowSet, DatabaseError>] {
    var queries = panels.map { $0.query(arguments.parameters) }
    queries.append(
      .rows(SQL(raw: arguments.until ?? ""), QueryArguments(named: arguments.parameters)))
    var results: [Int: Result<RowSet, DatabaseError>] = [:]
    var hasWorked = false
    var reported: String?
    for await update in database.observation(of: queries, windowed: []) {
      let refresh = Refresh(update)
      refresh.sayWhatHappened(but: database.pollingNotice)
      results.merge(refresh.results) { $1 }
      switch results[panels.count] {
      case .failure(let error) where !hasWorked: throw error
      case .failure(let error):
        // A script or a restore may have dropped its table, and creates it again.
        if error.message != reported {
          StandardError.say("--until: \(error.message); waiting goes on")
        }
        reported = error.message
        continue
      case .success(let rows) where rows.isTrue && results.count == queries.count:
        return panels.indices.compactMap { results[$0] }
      case .success: (hasWorked, reported) = (true, nil)
      case nil: continue
      }
    }
    throw CancellationError()
  }
}

/// The alerts of panels that are printed once: they are reported, but no hook runs.
struct OnceAlerts {
  let panels: [PanelDefinition]

  /// Evaluates the conditions in the order of the panels, and returns whether any holds.
  func isRaised(by results: [Result<RowSet, DatabaseError>]) -> Bool {
    var board = AlertBoard()
    let numbered = Dictionary(uniqueKeysWithValues: results.enumerated().map { ($0, $1) })
    let refresh = Refresh(results: numbered)
    let changes = board.receive(refresh, panels: panels, at: SystemClock.now())
    for change in changes where change.isRaised {
      StandardError.say("\(change.panel.name): alert: \(change.rule.raise.text)")
    }
    return board.raisedCount > 0
  }
}
