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
    let queries = panels.map { $0.query(arguments.parameters) }
    let results: [Result<RowSet, DatabaseError>]
    if let until = arguments.until {
      let condition = UntilCondition(until, arguments.parameters, behind: queries.count)
      results = try await resultsWhenTrue(condition, of: queries)
    } else {
      results = try await resultsNow(of: queries)
    }
    let format = arguments.resultFormat
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

  private func resultsNow(
    of queries: [Query<RowSet>]
  ) async throws -> [Result<RowSet, DatabaseError>] {
    let limit = arguments.queryLimit(.once)
    return try await database.results(
      of: queries, limit: limit, lateness: limit.map(Self.lateness))
  }

  /// The results of a snapshot in which the condition is true.
  private func resultsWhenTrue(
    _ condition: UntilCondition, of queries: [Query<RowSet>]
  ) async throws -> [Result<RowSet, DatabaseError>] {
    var condition = condition
    var results: [Int: Result<RowSet, DatabaseError>] = [:]
    for await update in database.observation(of: queries + [condition.query], windowed: []) {
      let refresh = Refresh(update)
      refresh.sayWhatHappened(but: database.pollingNotice)
      results.merge(refresh.results) { $1 }
      switch condition.take(refresh) {
      case .waiting(let report): if let report { StandardError.say(report) }
      case .failed(let failure): throw failure
      case .isTrue:
        if queries.isEmpty { return [] }
        if refresh.stale.isEmpty, results.count == queries.count + 1 {
          return queries.indices.compactMap { results[$0] }
        }
        // The condition itself can't be read for now.
        if refresh.stale[queries.count]?.isSlowness == false { continue }
        // A slow query's result is of another snapshot, and beside a steady writer it always is.
        let together = try await resultsNow(of: [condition.query] + queries)
        // Meanwhile it may have become false: the observation goes on.
        if case .success(let rows)? = together.first, rows.isTrue {
          return Array(together.dropFirst())
        }
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
