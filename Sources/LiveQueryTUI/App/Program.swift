import Dashboard
import Glibc
import ObservationEngine
import ObservationPostgres

/// The program from its arguments to its exit status.
struct Program {
  let loop: MainLoop

  func run() -> Int32 {
    // A closed pipe shows up as an error of write(2) instead.
    signal(SIGPIPE, SIG_IGN)
    do {
      let words = try ProcessArguments.words()
      var arguments = try Arguments(parsing: words)
      var fault: Failure?
      if arguments.request == .run || arguments.request == .printConfiguration {
        let (configured, failure) = ConfigurationFile.arguments(named: arguments.configuration)
        fault = failure
        if let fault, arguments.request == .run { throw fault }
        arguments = try Arguments(parsing: words, over: configured)
      }
      switch arguments.request {
      case .printConfiguration:
        // A user who looks for a fault needs to see the effective configuration.
        let status = try printed(arguments.configurationText)
        if let fault { throw fault }
        return status
      case .dashboards: return try printed(ReadyDashboards.usual.list())
      case .completions(let shell): return try printed(Completions.script(for: shell))
      case .printTriggers: return try printed(ReportingTriggers.statements)
      case .help: return try printed(Option.help + "\n")
      case .version: return try printed(ProgramVersion.line + "\n")
      case .run: return try run(arguments)
      }
    } catch {
      return Self.report(error)
    }
  }

  private func printed(_ text: String) throws -> Int32 {
    let output = Output(path: nil)
    output.write(text)
    try output.flushWaiting()
    return ExitStatus.done
  }

  private func run(_ arguments: Arguments) throws -> Int32 {
    let mode = arguments.mode(outputIsTerminal: isatty(STDOUT_FILENO) == 1)
    try checkLimits()
    if let output = arguments.output { try refuseToOverwrite(output, arguments) }
    if let path = arguments.replay {
      let replay = try Signal.delivering { try Replay(path: path, speed: arguments.speed, mode) }
      return try ReplayRun(replay, arguments, loop).run(mode)
    }
    // A script that waits for a condition continues when this process is gone.
    if arguments.until != nil { loop.moveBehindFront() }
    Ending.watch(signals: loop.signals)
    // Reading standard input or waiting for a lock can take time, before any loop reads the
    // signals.
    if mode == .check {
      return try Signal.delivering { try runCheck(arguments) }
    }
    if mode == .rows { return try runRows(arguments) }
    let (dashboard, database) = try Signal.delivering { try prepare(arguments, mode) }
    let status: Int32
    do { status = try show(dashboard, arguments, database, mode) } catch {
      status = Self.report(error)
    }
    Ending.close(status: status) { database.shutDown() }
    return status
  }

  /// Where no descriptor is left, the system's library of queues ends the process without a word.
  private func checkLimits() throws(Failure) {
    let needed: rlim_t = 32
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < needed
    else { return }
    throw Failure(
      "only \(limit.rlim_cur) files can be open at a time, and it takes \(needed) (ulimit -n)",
      status: ExitStatus.cannotOpen)
  }

  private func refuseToOverwrite(_ output: String, _ arguments: Arguments) throws(Failure) {
    try UserFiles.refuse(
      output, of: "-o",
      databases: [
        UserFiles.Read(path: arguments.database, what: "the database itself"),
        UserFiles.Read(path: arguments.state, what: "the file of --state"),
      ],
      others: [
        UserFiles.Read(
          path: arguments.dashboard.flatMap { ReadyDashboards.usual.path(of: $0) },
          what: "the dashboard"),
        UserFiles.Read(
          path: arguments.configuration ?? ConfigurationFile.usualPath,
          what: "the configuration"),
        UserFiles.Read(
          path: ThemeFiles.usual.files.path(of: arguments.theme), what: "the theme in use"),
        UserFiles.Read(path: arguments.replay, what: "the recording that is played"),
        UserFiles.Read(path: arguments.keys, what: "the script of keys"),
      ]
        + ["trusted", "history", "panes"].map {
          UserFiles.Read(path: Paths.state($0), what: "a file that livequery keeps")
        })
  }

  private func show(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: any PanelDatabase,
    _ mode: Arguments.Mode
  ) throws -> Int32 {
    var arguments = arguments
    // The database may permit less than requested.
    if database.refusesWrites() { arguments.isReadOnly = true }
    arguments.parameters.merge(dashboard.parameters.values) { given, _ in given }

    let recording = try arguments.recording.map { path throws(Failure) in
      try RecordingFile(path: path, dashboard, arguments)
    }
    let tape = SessionTape(recording: recording)
    switch mode {
    case .screen: return try runScreen(dashboard, arguments, database, tape)
    case .once:
      if let folder = arguments.output, PanelFiles.isFolder(folder) {
        try PanelFiles.check(
          dashboard.definition.panels.map(\.name), in: folder, arguments.resultFormat
        ) { path throws(Failure) in try refuseToOverwrite(path, arguments) }
      }
      return try runHeadless { OnceRun(dashboard, arguments, database) }
    case .stream:
      let state = try arguments.state.map { path throws(Failure) in
        try StreamState(path, watching: arguments.identity(of: database) ?? "")
      }
      defer { state?.shutDown() }
      return try runHeadless { () throws(Failure) in
        try StreamRun(dashboard, arguments, database, recording: recording, state: state)
      }
    case .frame: return try FrameRun(dashboard, arguments, database, loop, tape).run()
    case .check, .rows: preconditionFailure("\(mode) shows no dashboard")
    }
  }

  private func runRows(_ arguments: Arguments) throws -> Int32 {
    limitTime(arguments, .rows)
    let (database, source) = try Signal.delivering {
      let database = try arguments.openDatabase(.rows)
      do { return (database, try RowsInput(arguments, database)) } catch {
        database.shutDown()
        throw error
      }
    }
    let status = try runHeadless { RowsRun(source, arguments) }
    source.shutDown()
    Ending.close(status: status) { database.shutDown() }
    return status
  }

  private func runCheck(_ arguments: Arguments) throws -> Int32 {
    guard let loaded = try LoadedDashboard.load(arguments) else {
      preconditionFailure("a check names a dashboard")
    }
    limitTime(arguments, .check)
    return try CheckRun(arguments: arguments, loaded: loaded).run()
  }

  /// Reads the dashboard, opens the database, and refuses what cannot work.
  private func prepare(
    _ arguments: Arguments, _ mode: Arguments.Mode
  ) throws -> (LoadedDashboard, any PanelDatabase) {
    let loaded = try LoadedDashboard.load(arguments)
    limitTime(arguments, mode)
    if let loaded, !loaded.diagnostics.isEmpty {
      report(loaded.diagnostics, of: loaded)
      if loaded.hasErrors { throw Failure("", status: ExitStatus.usage) }
    }
    let database = try arguments.openPanels(mode)
    do {
      var dashboard =
        try loaded
        ?? LoadedDashboard.without(arguments, mode, database)
      let definitions = dashboard.definition.parameters
      if !definitions.isEmpty {
        dashboard.parameters = ParameterChoices.read(
          definitions, given: arguments.parameters, database)
      }
      if let preset = arguments.preset {
        try dashboard.choose(preset: preset, keepsOthers: mode == .screen || mode == .frame)
      }
      if !arguments.panels.isEmpty { try dashboard.keep(panels: arguments.panels) }
      try refuseSeveralTables(dashboard, arguments, mode)
      try check(&dashboard, arguments, mode, database)
      return (dashboard, database)
    } catch {
      database.shutDown()
      throw error
    }
  }

  /// Sets the time by which the run must have ended, or by which a single printing needs its
  /// results.
  ///
  /// Normally the loop ends it, or SQLite where it can be interrupted; this is for the other cases.
  private func limitTime(_ arguments: Arguments, _ mode: Arguments.Mode) {
    let slack: UInt64 = 500_000_000
    let now = MonotonicClock.now
    if let timeout = arguments.timeout {
      Ending.expect(
        by: now + UInt64(timeout.nanoseconds) + slack, status: ExitStatus.timeout,
        message: OnceRun.timeoutMessage(timeout))
    } else if mode != .stream, mode != .screen, mode != .rows,
      let limit = arguments.queryLimit(mode)
    {
      Ending.expect(
        by: now + UInt64(limit.nanoseconds) + slack, status: ExitStatus.timeout,
        message: "\(OnceRun.timeoutMessage(limit)); \(QueryLimits.timeRemedy)")
    }
  }

  /// Refuses to print several panels as CSV, which can hold only one table.
  private func refuseSeveralTables(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ mode: Arguments.Mode
  ) throws(Failure) {
    let panels = dashboard.definition.panels
    guard mode == .once, arguments.format == .csv, panels.count > 1,
      !PanelFiles.isFolder(arguments.output)
    else { return }
    let names = panels.prefix(5).map(\.name) + (panels.count > 5 ? ["…"] : [])
    throw Failure(
      "--csv prints one panel, and there are \(panels.count): choose one with --panel NAME "
        + "(\(names.joined(separator: ", "))), or write a file for each with -o DIR/, or use --json",
      status: ExitStatus.usage)
  }

  /// Refuses panels that can never work; for a stream, also those that don't work now. When panels
  /// are printed once, the working ones are printed.
  private func check(
    _ dashboard: inout LoadedDashboard, _ arguments: Arguments, _ mode: Arguments.Mode,
    _ database: any PanelDatabase
  ) throws(Failure) {
    let check = PanelCheck(
      database: database,
      parameters: arguments.parameters.merging(dashboard.parameters.values) { given, _ in given })
    var panels = dashboard.definition.panels
    if let until = arguments.until { panels.append(PanelDefinition(name: "--until", sql: until)) }
    let shown = panels.count
    panels += dashboard.definition.parameters.map(\.panel)
    reportUnused(
      arguments.parameters, check.parameterNames(panels + dashboard.definition.details))
    // Without a chosen panel, a view that lost its table must not hide the other panels.
    let mustWorkNow = !dashboard.isAutomatic && (mode == .once || mode == .stream)
    let all = check.findings(panels)
    let findings = all.filter { $0.severity == .definite || mustWorkNow }
    // What isn't shown yet may work when it is asked for.
    let later =
      all.filter { $0.panel >= shown && $0.severity == .present && !mustWorkNow }.map(\.diagnostic)
      + check.diagnostics(ofDetails: dashboard.definition)
    report(later, of: dashboard)
    dashboard.diagnostics += later
    guard let worst = findings.first(where: { $0.severity == .definite }) ?? findings.first else {
      return
    }
    for finding in findings {
      let isOfFile = finding.panel < dashboard.filePanelCount && arguments.panels.isEmpty
      if isOfFile, let file = dashboard.file {
        StandardError.write(finding.diagnostic.rendered(file: file))
      } else {
        StandardError.say("\(panels[finding.panel].name): \(finding.diagnostic.message)")
        StandardError.write("  " + panels[finding.panel].sql)
      }
    }
    let broken = Set(findings.map(\.panel))
    guard worst.severity == .present, mode == .once, arguments.until == nil,
      broken.count < panels.count
    else {
      throw Failure(
        "", status: worst.severity == .definite ? ExitStatus.usage : worst.error.exitStatus)
    }
    dashboard.leaveOut(broken, status: findings.map(\.error.exitStatus).max() ?? ExitStatus.done)
  }

  /// Reports values that belong to no parameter; most likely a name is misspelled.
  private func reportUnused(_ values: [String: Value], _ names: Set<String>?) {
    guard let names else { return }
    for name in values.keys.sorted() where !names.contains(name) {
      let hint = Suggestion.phrase(for: name, among: names.sorted())
      StandardError.say("--param \(name): no query has this parameter\(hint)")
    }
  }

  private func report(_ diagnostics: [Diagnostic], of dashboard: LoadedDashboard) {
    for diagnostic in diagnostics {
      StandardError.write(diagnostic.rendered(file: dashboard.file ?? "dashboard"))
    }
  }

  private func runScreen(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: any PanelDatabase,
    _ tape: SessionTape
  ) throws -> Int32 {
    do {
      return try ScreenRun(dashboard, arguments, database, loop, tape).run()
    } catch let error as Terminal.Unavailable {
      // Degraded rather than refused: the panels are printed once.
      StandardError.say("\(error): printing the panels once")
      let dashboard = dashboard.explores ? try LoadedDashboard.automatic(for: database) : dashboard
      return try runHeadless { OnceRun(dashboard, arguments, database) }
    }
  }

  /// Runs without a screen until it ends, a signal arrives, or the reader closes the output.
  private func runHeadless(
    _ make: @ScreenActor () throws(Failure) -> some HeadlessRun
  ) throws(Failure) -> Int32 {
    var failure: Failure?
    let status = loop.run { loop in
      let task: any HeadlessRun
      do throws(Failure) { task = try make() } catch {
        failure = error
        loop.stop(status: error.status)
        return
      }
      @ScreenActor func end(_ status: @escaping @ScreenActor () -> Int32) {
        task.whenWhole { loop.stop(status: status()) }
      }
      @ScreenActor func stop(status: Int32) {
        end {
          task.didStop()
          return status
        }
      }
      loop.onOutputClosed = { stop(status: ExitStatus.done) }
      loop.onSignal = { signal in
        guard let status = signal.exitStatus else { return loop.performDefault(signal) }
        // A reader that takes no more lines must not keep the program from ending.
        Ending.begin(status: status)
        stop(status: status)
      }
      if let timeout = task.timeout {
        loop.deadline = MonotonicClock.now + UInt64(timeout.nanoseconds)
        loop.onDeadline = { end { task.didTimeOut() } }
      }
      ScreenActor.task {
        do {
          loop.stop(status: try await task.run())
        } catch is Output.ReaderIsGone {
          loop.stop(status: ExitStatus.done)
        } catch {
          loop.stop(status: Self.report(error))
        }
      }
    }
    if let failure { throw failure }
    return status
  }

  private static func report(_ error: any Error) -> Int32 {
    switch error {
    case let error as ArgumentError:
      StandardError.write(error.description)
      return ExitStatus.usage
    case is Output.ReaderIsGone:
      return ExitStatus.done
    case let failure as Failure:
      if !failure.message.isEmpty { StandardError.say(failure.message) }
      return failure.status
    case let error as DatabaseError:
      StandardError.say(error.message)
      return error.exitStatus
    default:
      StandardError.say("\(error)")
      return ExitStatus.sqlError
    }
  }
}
