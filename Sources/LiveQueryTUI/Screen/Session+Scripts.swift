import Dashboard
import Glibc
import ObservationEngine

/// Data that leaves a session, or enters it from outside the database: hooks, exports, recordings.
extension Session {
  /// Determines which commands the dashboard may run.
  func prepareHooks(of dashboard: LoadedDashboard) {
    guard tape.replay == nil else { return }
    hooks.dashboard = dashboard
    if arguments.exec != nil {
      hooks.execRecords = RefreshRecords(panels: dashboard.definition.panels, at: SystemClock.now())
    }
    let settings = HookSettings(dashboard, arguments, isAttended: true, trust: hooks.trust)
    hooks.runner = HookRunner(settings, trust: hooks.trust) { [weak self] in
      self?.dispatch(.hook($0))
    }
  }

  /// Asks again when new panels have commands other than the confirmed ones.
  func renewHooks(of definition: DashboardDefinition) {
    guard tape.replay == nil, var renewed = hooks.dashboard else { return }
    hooks.execRecords = hooks.execRecords.map { _ in
      RefreshRecords(panels: definition.panels, at: SystemClock.now())
    }
    let former = hooks.runner?.settings.requests
    renewed.definition = definition
    if HookSettings.requests(of: definition) == former?.filter({ $0.panel != nil }) { return }
    // Consent is only remembered for a file with exactly the shown text. Standard input can't be
    // read again to verify that.
    if renewed.path == "-" { renewed.text = nil }
    if let path = renewed.path, path != "-" {
      let text = try? TextFile.readRegular(path)
      let commands = text.map {
        DashboardParser.parse($0, dialect: database.dialect).definition.panels.map(\.onAlert)
      }
      renewed.text = commands == definition.panels.map(\.onAlert) ? text : nil
    }
    hooks.runner?.stop()
    prepareHooks(of: renewed)
    hooks.runner?.begin()
  }

  func confirmHooks(_ isConfirmed: Bool, _ requests: [HookRequest]) {
    do { try hooks.runner?.confirm(isConfirmed, requests) } catch {
      dispatch(.message(error.message, .warning))
    }
  }

  func callExec(_ refresh: Refresh) {
    guard let command = arguments.exec, var records = hooks.execRecords else { return }
    var text = ""
    let hasChanges = records.write(refresh, at: SystemClock.now()) { text += $0 }
    hooks.execRecords = records
    if hasChanges { hooks.runner?.call(HookCall(command: command, panel: nil, input: text)) }
  }

  func record(_ entry: RecordingFormat.Entry) {
    tape.recording?.write(entry)
    do { try tape.recording?.check() } catch { dispatch(.message(error.message, .error)) }
  }

  func write(_ export: Export) {
    work { [self] in
      let outcome = await onOwnThread { ExportFile.write(export, home: Paths.home) }
      dispatch(.exported(outcome))
    }
  }

  /// Reads all rows of a long result again, and writes them to a file as they arrive.
  func write(_ export: LongExport) {
    // A server's results are complete, and exported as they are.
    guard let database = database as? Database else { return }
    let values = QueryArguments(named: arguments.parameters)
    operations.longExport = work { [self] in
      let outcome = await ExportFile.write(
        export, values, of: database, home: Paths.home
      ) { rows in
        Task { @ScreenActor [weak self] in self?.dispatch(.exporting(rows: rows)) }
      }
      dispatch(.exported(outcome))
    }
  }

  /// Plays the recording in place of the database.
  func startReplay() {
    guard let replay = tape.replay else { return }
    let count = replay.refreshCount
    var played = 0
    panels.follower = Task { [weak self] in
      await replay.play { [weak self] entry in
        guard let self else { return }
        switch entry {
        case .info(let info): dispatch(.databaseInfo(info))
        case .panels(let definition): replacePanels(with: definition)
        case .refresh(let refresh, let looks):
          played += 1
          dispatch(.replayed(ReplayProgress(played: played, count: count)))
          receive(refresh, panels.generation, looks: looks)
        }
        if replay.hasEnded { tellEnd(of: replay) }
      }
    }
    if replay.hasEnded { tellEnd(of: replay) }
  }

  func tellEnd(of replay: Replay) {
    guard replay.wasCutOff else { return }
    dispatch(.message("the recording was cut off here", .warning))
  }
}
