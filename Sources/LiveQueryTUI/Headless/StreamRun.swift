import Dashboard
import DatabaseConsole
import ObservationEngine

/// `--stream`: the current state, then a record for each changed row of each observed commit.
@ScreenActor
final class StreamRun: HeadlessRun {
  private let panels: [PanelDefinition]
  private let arguments: Arguments
  private let database: any PanelDatabase
  private let output: Output
  private let watch: AlertWatch
  private let recording: RecordingFile?
  private let state: StreamState?
  private let step = PrintStep()
  private var server: LineServer?
  private var records: RefreshRecords
  private var changes = 0
  private var until: UntilCondition?
  /// The panels whose rows as of the condition's truth are still to come, and how often each runs
  /// for that at most; nil until the condition is true.
  private var late: [Int: Int]?
  /// What a client of the socket begins with: the rows as they are now, made once for several.
  private var opening: [UInt8]?
  /// What was said of how changes are looked for.
  private var pollingNotice: String?

  var timeout: Duration? { arguments.timeout }

  init(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: any PanelDatabase,
    recording: RecordingFile?, state: StreamState?
  ) throws(Failure) {
    let panels = dashboard.definition.panels
    self.panels = panels
    self.arguments = arguments
    until = arguments.until.map {
      UntilCondition($0, arguments.parameters, behind: panels.count)
    }
    self.database = database
    // The lines of earlier runs belong to the state.
    output = Output(path: arguments.output, appends: state != nil)
    self.state = state
    watch = AlertWatch(dashboard, arguments)
    self.recording = recording
    records = RefreshRecords(
      panels: panels, terminal: output.isTerminal ? arguments.glyphs : nil, at: SystemClock.now())
    if let path = arguments.listener {
      server = try LineServer(path: path) { [weak self] client in
        Task { @ScreenActor in self?.welcome(client) }
      }
    }
  }

  /// Begins to send to a client of the socket: the rows as they are now, and then every change.
  private func welcome(_ client: Int32) {
    // It may be gone again.
    guard let server, server.awaitsBeginning(client) else { return }
    let bytes = opening ?? Array(records.state().utf8)
    opening = bytes
    server.begin(client, with: bytes)
  }

  /// Continues where an earlier run stopped.
  private func resume(_ state: StreamState) async throws {
    let past = try await state.past()
    if !past.lines.isEmpty {
      let place = try output.write(past.lines, perhapsAt: past.place)
      if place != past.place { try await state.note(place) }
      try await step.run {
        try await output.flush()
        try await state.confirm()
      }
    }
    guard past.isResumed else { return }
    records = RefreshRecords(
      panels: panels, terminal: output.isTerminal ? arguments.glyphs : nil, past: past.results,
      ordinal: past.ordinal, at: SystemClock.now())
  }

  func run() async throws -> Int32 {
    watch.begin()
    if let notice = database.ownerNotice { StandardError.say(notice) }
    if let state { try await resume(state) }
    var queries = panels.map { $0.query(arguments.parameters) }
    if let until { queries.append(until.query) }
    for await update in database.observation(of: queries, windowed: []) {
      let refresh = Refresh(update)
      recording?.write(.refresh(refresh.without(panel: panels.count)))
      var text = ""
      let hasChanges = records.write(refresh, at: SystemClock.now()) { text += $0 }
      let changed = hasChanges ? text : nil
      let turns = records.turns(refresh)
      // Of an earlier run a reader knows the rows alone.
      if state == nil { text += turns.map(\.line).joined() }
      opening = nil
      if hasChanges { changes += 1 }
      // Before anything waits: a client that comes now begins with these rows.
      server?.send(text)
      try await print(text, of: refresh)
      for turn in turns {
        StandardError.say("\(turn.panel): \(turn.trouble?.text ?? "up to date again")")
      }
      report(refresh)
      reportRecording()
      let isAlert = watch.receive(refresh, changes: changed)
      if let status = isAlert ? ExitStatus.alert : statusAtEnd(refresh) {
        await watch.finish()
        return end(status)
      }
    }
    return end(ExitStatus.done)
  }

  /// The status to end with, when what `--until` or `--count` wait for has come or can't come.
  private func statusAtEnd(_ refresh: Refresh) -> Int32? {
    if let count = arguments.count, changes >= count { return ExitStatus.done }
    if late != nil {
      for index in refresh.recomputed.keys { late?[index]? -= 1 }
    } else {
      switch until?.take(refresh) {
      case nil: return nil
      case .waiting(let report):
        if let report { StandardError.say(report) }
        return nil
      case .failed(let failure):
        StandardError.say(failure.message)
        return failure.status
      // A run that has begun may be of the state before; the next one can't be. Beside a steady
      // writer a slow panel is never up to date.
      case .isTrue: late = Dictionary(uniqueKeysWithValues: panels.indices.map { ($0, 2) })
      }
    }
    late = late?.filter { index, runs in runs > 0 && refresh.stale[index]?.isSlowness == true }
    return late?.isEmpty == true ? ExitStatus.done : nil
  }

  /// Prints the lines of a refresh, so that a later run continues after them.
  private func print(_ text: String, of refresh: Refresh) async throws {
    guard let state, !text.isEmpty else {
      output.write(text)
      return try await output.flush()
    }
    let place = try output.write(text, perhapsAt: nil)
    try await state.store(
      records.results(of: refresh), ordinal: records.ordinal, lines: text, at: place)
    try await step.run {
      try await output.flush()
      try await state.confirm()
    }
  }

  func didTimeOut() -> Int32 {
    StandardError.say(OnceRun.timeoutMessage(arguments.timeout ?? .zero))
    return end(ExitStatus.timeout)
  }

  func didStop() { _ = end(ExitStatus.done) }

  func whenWhole(_ end: @escaping @ScreenActor () -> Void) { step.whenWhole(end) }

  private func end(_ status: Int32) -> Int32 {
    watch.stop()
    server?.stop()
    recording?.finish()
    reportRecording()
    return status
  }

  /// Says once that the recording has ended early: the stream goes on without it.
  private func reportRecording() {
    do { try recording?.check() } catch { StandardError.say(error.message) }
  }

  /// Says on standard error what no record can say.
  private func report(_ refresh: Refresh) {
    // It may have been told before the first refresh.
    if let notice = database.pollingNotice, notice != pollingNotice {
      StandardError.say(notice)
      pollingNotice = notice
    }
    refresh.sayWhatHappened(but: pollingNotice)
  }
}

extension Refresh {
  /// The refresh without a member that isn't a panel: the condition of `--until`.
  fileprivate func without(panel: Int) -> Refresh {
    var refresh = self
    refresh.results[panel] = nil
    refresh.recomputed[panel] = nil
    refresh.methods[panel] = nil
    refresh.stale[panel] = nil
    return refresh
  }
}
