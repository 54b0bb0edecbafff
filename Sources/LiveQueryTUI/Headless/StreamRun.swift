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
      if write(refresh) { changes += 1 }
      try await output.flush()
      report(refresh)
      if case .success(let rows)? = refresh.results[panels.count], rows.isTrue {
        return ExitStatus.done
      }
      if let count = arguments.count, changes >= count { return ExitStatus.done }
    }
    return ExitStatus.done
  }

  func didTimeOut() -> Int32 {
    StandardError.say("timed out after \(arguments.timeout?.shortText ?? "")")
    return ExitStatus.timeout
  }

  /// Writes the records of one refresh.
  ///
  /// - Returns: Whether there were any that tell of a change.
  private func write(_ refresh: Refresh) -> Bool {
    let change = batch(refresh)
    // What a slow panel has to begin with comes after that of the others.
    let opening = StreamFormat.Batch(ordinal: change.ordinal, time: change.time, source: .open)
    var hasChanges = false
    for (index, panel) in panels.enumerated() {
      switch refresh.results[index] {
      case .success(let rows):
        errors[index] = nil
        let isFirst = written[index] == nil
        format.write(
          panel: panel, from: written[index], to: rows, batch: isFirst ? opening : change,
          method: .recomputed, duration: refresh.recomputed[index] ?? .zero
        ) {
          hasChanges = hasChanges || !isFirst
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
    return hasChanges
  }

  private func batch(_ refresh: Refresh) -> StreamFormat.Batch {
    var names: Set<String>? = []
    var reason = "several commits"
    var origin = Commit.Origin.external
    var evidence: Commit.Evidence?
    for case .commit(let commit) in refresh.events {
      lastTime = commit.time
      origin = commit.origin
      evidence = evidence?.union(commit.evidence) ?? commit.evidence
      switch commit.tables {
      case .named(let more): names?.formUnion(more)
      case .all(let why):
        names = nil
        reason = why
      }
    }
    if evidence == nil {
      // A slow query ends when its commit was told of long ago.
      names = nil
      reason = "time has passed, or the query is slow"
    }
    return StreamFormat.Batch(
      ordinal: refresh.ordinal, time: lastTime, source: .commit(origin),
      tables: names.map { .named($0.sorted()) } ?? .all(reason: reason),
      evidence: evidence ?? Commit.Evidence.none)
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
