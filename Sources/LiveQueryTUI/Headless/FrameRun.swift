import Dashboard
import Glibc
import ObservationEngine

/// `--keys FILE --frame WxH`: presses keys on a screen that nobody sees, and prints it in the end.
///
/// The same reducer, views, console and engine as on a terminal; only the driver is missing.
struct FrameRun {
  private let dashboard: LoadedDashboard
  private let arguments: Arguments
  private let database: Database
  private let loop: MainLoop
  private let tape: SessionTape

  init(
    _ dashboard: LoadedDashboard, _ arguments: Arguments, _ database: Database, _ loop: MainLoop,
    _ tape: SessionTape = SessionTape()
  ) {
    self.dashboard = dashboard
    self.arguments = arguments
    self.database = database
    self.loop = loop
    self.tape = tape
  }

  func run() throws -> Int32 {
    let steps = try arguments.keys.map { path throws(Failure) in try Self.steps(path) } ?? []
    return loop.run { loop in
      // No history: a script leaves nothing behind, and sees the same each time.
      let session = Session(
        dashboard, arguments, database, glyphs: arguments.glyphs, history: nil, tape: tape)
      // The panels work, or one would have been refused: what follows does not hold this thread up.
      Ending.expectNothing()
      let limit = arguments.queryLimit(.frame)
      let player = Player(session, steps, limit) { isOverTime in
        let status = Self.print(session.picture(size: arguments.frame), arguments)
        session.stop()
        if isOverTime, let limit {
          StandardError.say(
            OnceRun.timeoutMessage(limit) + ": not every panel is read; --query-timeout allows more"
          )
        }
        let usual = isOverTime ? ExitStatus.timeout : session.exitStatus
        loop.stop(status: status == ExitStatus.done ? usual : status)
      }
      session.dispatch(.resized(arguments.frame))
      let reloader = DashboardReloader(session, dashboard, arguments)
      session.onEffect = { effect in
        switch effect {
        case .quit: player.end()
        case .reload: reloader?.reload(isAsked: true)
        case .edit: session.dispatch(.message("there is no terminal for an editor", .warning))
        case .copy:
          session.dispatch(.message("there is no clipboard without a terminal", .warning))
        default: break
        }
      }
      loop.onTurnEnd = {
        player.advance()
        loop.deadline = player.deadline
      }
      // The turn that a deadline makes is all that it is for.
      loop.onDeadline = {}
      session.start()
    }
  }

  /// - Returns: The exit status.
  @ScreenActor
  private static func print(_ picture: Grid, _ arguments: Arguments) -> Int32 {
    let output = Output(path: arguments.output)
    output.write(picture.text + "\n")
    do {
      try output.flushWaiting()
    } catch let failure as Failure {
      StandardError.say(failure.message)
      return failure.status
    } catch {
      // The reader is gone, and wants no more.
    }
    return ExitStatus.done
  }

  private static func steps(_ path: String) throws(Failure) -> [KeyScript.Step] {
    do {
      return try KeyScript.parse(TextFile.read(path))
    } catch let error as KeyScript.UnknownKey {
      throw Failure("\(TextFile.name(path)): \(error)", status: ExitStatus.usage)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure("\(TextFile.name(path)): \(error)", status: ExitStatus.usage)
    }
  }

  /// Presses one key after the other, waiting where the script says so.
  @ScreenActor
  private final class Player {
    private let session: Session
    private var steps: ArraySlice<KeyScript.Step>
    private let finish: @ScreenActor (Bool) -> Void
    private var hasEnded = false
    /// How long the screen may take to come to rest.
    private let limit: Duration?
    /// When the wait that is under way ends in any case; nil for no wait, or for ever.
    private(set) var deadline: UInt64?
    private var isOverTime = false

    /// - Parameter finish: Is told whether a wait took too long.
    init(
      _ session: Session, _ steps: [KeyScript.Step], _ limit: Duration?,
      finish: @escaping @ScreenActor (Bool) -> Void
    ) {
      self.session = session
      self.limit = limit
      // What the script begins with, and what it ends with, is on the screen.
      self.steps = ([.wait] + steps + [.wait])[...]
      self.finish = finish
    }

    /// Does what can be done now; called after each turn of the loop.
    func advance() {
      while !hasEnded {
        guard let step = steps.first else { return end() }
        switch step {
        case .key(let key): session.dispatch(.key(key))
        case .wait:
          guard session.isSettled || isOver() else { return }
          deadline = nil
        }
        steps.removeFirst()
      }
    }

    private func isOver() -> Bool {
      guard let limit else { return false }
      // One wait in vain is enough.
      if isOverTime { return true }
      let now = MonotonicClock.now
      // A query that takes so long is cancelled, and says so: that is to be seen.
      let end = deadline ?? now + UInt64(limit.nanoseconds) + 500_000_000
      deadline = end
      guard now >= end else { return false }
      isOverTime = true
      return true
    }

    /// Ends the script, whatever is left of it.
    func end() {
      guard !hasEnded else { return }
      hasEnded = true
      finish(isOverTime)
    }
  }
}
