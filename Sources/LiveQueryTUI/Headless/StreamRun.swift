import Dashboard
import ObservationEngine

/// `--stream`: the current state, then a record for each changed row of each observed commit.
@ScreenActor
final class StreamRun: HeadlessRun {
  private let panels: [PanelDefinition]
  private let arguments: Arguments
  private let database: Database
  private let output: Output
  private let format: StreamFormat
  /// The rows that the records so far add up to, by panel.
  private var written: [Int: RowSet] = [:]
  private var changes = 0
  private var errors: [Int: String] = [:]
  private var source = StreamFormat.Source.open
  private var lastTime = SystemClock.now()

  var timeout: Duration? { arguments.timeout }

  init(_ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: Database) {
    panels = dashboard.definition.panels
    self.arguments = arguments
    self.database = database
    output = Output(path: arguments.output)
    format = StreamFormat(terminal: output.isTerminal ? arguments.glyphs : nil)
  }

  func run() async throws -> Int32 {
    var queries = panels.map { $0.query(arguments.parameters) }
    if let until = arguments.until {
      queries.append(.rows(until, QueryArguments(named: arguments.parameters)))
    }
    let sequence = database.observe(group: queries)
    while let refresh = await sequence.next() {
      let isChange = write(refresh)
      try output.flush()
      report(refresh)
      if case .success(let rows)? = refresh.results[panels.count], rows.isTrue {
        return ExitStatus.done
      }
      if isChange, source != .open { changes += 1 }
      if let count = arguments.count, changes >= count { return ExitStatus.done }
      if !refresh.results.isEmpty { source = .commit(.external) }
    }
    return ExitStatus.done
  }

  func didTimeOut() -> Int32 {
    StandardError.say("timed out after \(arguments.timeout?.shortText ?? "")")
    return ExitStatus.timeout
  }

  /// Writes the records of one refresh.
  ///
  /// - Returns: Whether there were any.
  private func write(_ refresh: Refresh) -> Bool {
    let batch = batch(refresh)
    var hasRecords = false
    for (index, panel) in panels.enumerated() {
      switch refresh.results[index] {
      case .success(let rows):
        errors[index] = nil
        format.write(
          panel: panel, from: written[index], to: rows, batch: batch, method: .recomputed,
          duration: refresh.recomputed[index] ?? .zero
        ) {
          hasRecords = true
          output.write($0)
        }
        written[index] = rows
      case .failure(let error):
        if errors[index] != error.message {
          StandardError.say("\(panel.name): \(error.message)")
        }
        errors[index] = error.message
      case nil: break
      }
    }
    return hasRecords
  }

  private func batch(_ refresh: Refresh) -> StreamFormat.Batch {
    var names: Set<String>? = []
    var reason = "several commits"
    for case .commit(let commit) in refresh.events {
      lastTime = commit.time
      if source != .open { source = .commit(commit.origin) }
      switch commit.tables {
      case .named(let more): names?.formUnion(more)
      case .all(let why):
        names = nil
        reason = why
      }
    }
    return StreamFormat.Batch(
      ordinal: refresh.ordinal, time: lastTime, source: source,
      tables: names.map { .named($0.sorted()) } ?? .all(reason: reason))
  }

  /// Tells on standard error what no record can say.
  private func report(_ refresh: Refresh) {
    for event in refresh.events {
      switch event {
      case .fileMissing: StandardError.say("the file is gone; waiting for it to come back")
      case .notice(let text, _): StandardError.say(text)
      case .commit(let commit) where commit.kind == .fileReplaced:
        StandardError.say("another file stands at the path; it was opened")
      case .commit, .rollback: break
      }
    }
  }
}
