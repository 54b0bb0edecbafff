import Dashboard
import ObservationEngine

/// The dashboard on a terminal, until the user quits.
struct ScreenRun {
  private let dashboard: LoadedDashboard
  private let arguments: Arguments
  private let database: any PanelDatabase
  private let loop: MainLoop
  private let tape: SessionTape

  init(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: any PanelDatabase,
    _ loop: MainLoop,
    _ tape: SessionTape = SessionTape()
  ) {
    self.dashboard = dashboard
    self.arguments = arguments
    self.database = database
    self.loop = loop
    self.tape = tape
  }

  /// - Throws: ``Terminal/Unavailable``, or ``Failure`` for a theme that can't be read, before
  ///   anything was shown.
  func run() throws -> Int32 {
    let (theme, faults) = ThemeFiles.usual.load(arguments.theme)
    for fault in faults { StandardError.write(fault) }
    if !faults.isEmpty { throw Failure("", status: ExitStatus.usage) }
    var unavailable: Terminal.Unavailable?
    let status = loop.run { loop in
      do throws(Terminal.Unavailable) {
        let terminal = try Terminal.open(
          color: arguments.color, theme: theme, usesMouse: arguments.usesMouse)
        show(on: terminal, loop)
      } catch {
        unavailable = error
        loop.stop(status: 0)
      }
    }
    if let unavailable { throw unavailable }
    return status
  }

  @ScreenActor
  private func show(on terminal: Terminal, _ loop: MainLoop) {
    let glyphs: GlyphSet = arguments.isASCII || !terminal.isUnicode ? .ascii : .unicode
    let session = Session(
      dashboard, arguments, database, glyphs: glyphs, history: HistoryFile(), trust: TrustFile(),
      panes: PaneFile(), tape: tape)
    session.dispatch(.resized(terminal.size))
    if !terminal.isUnicode, !arguments.isASCII {
      session.dispatch(
        .message("the locale is not UTF-8: other characters than ASCII appear as ?", .warning))
    }
    let reloader = DashboardReloader(session, dashboard, arguments)
    session.onEffect = { effect in
      switch effect {
      case .quit:
        session.stop()
        terminal.close()
        loop.stop(status: session.exitStatus)
      case .suspend:
        suspend(terminal, session)
        session.dispatch(.resized(terminal.size))
      case .reload:
        if let reloader {
          reloader.reload(isAsked: true)
        } else {
          session.dispatch(.message("these panels come from no file", .warning))
        }
      case .theme(let name):
        let (theme, faults) = ThemeFiles.usual.load(name)
        guard let fault = faults.first else { return terminal.use(theme) }
        session.dispatch(.message(ThemeFiles.usual.shortened(fault), .error))
      case .edit(let panel): PanelEditing(session, terminal, reloader).edit(panel: panel)
      case .ring:
        if arguments.ringsBell { terminal.ring() }
      case .copy(let text):
        session.dispatch(.message(terminal.copy(text), .notice))
      default:
        terminal.invalidate()
      }
    }
    loop.onInput = MainLoop.Input(descriptor: terminal.inputDescriptor) {
      let keys = terminal.readKeys()
      if terminal.takeReports() { session.core.redraw() }
      for key in keys { session.dispatch(.key(key)) }
    }
    loop.onSignal = { signal in
      switch signal {
      case .resize:
        terminal.resize()
        session.dispatch(.resized(terminal.size))
      case .stop:
        suspend(terminal, session)
        session.dispatch(.resized(terminal.size))
      case .continue:
        terminal.resume()
        session.dispatch(.resized(terminal.size))
      case .end:
        session.stop()
        terminal.close()
        loop.performDefault(signal)
      }
    }
    loop.onDeadline = { session.tick() }
    loop.onTurnEnd = {
      if session.core.mustDraw {
        terminal.draw(session.core.picture(size: terminal.size))
        session.core.didDraw()
      }
      loop.deadline = [session.state.needsTickAt, session.core.drawsAt].compactMap { $0 }.min()
    }
    terminal.askBackground()
    session.start()
    reloader?.follow(in: loop)
  }

  /// Stops the process as Ctrl-Z does; what it holds, other processes would wait for.
  @ScreenActor
  private func suspend(_ terminal: Terminal, _ session: Session) {
    let console = session.state.console
    database.whileStill(sparesConsole: console.transaction != nil || console.runningSince != nil) {
      terminal.suspend()
    }
  }
}
