import Dashboard
import Glibc
import ObservationEngine

/// `--keys FILE --frame WxH`: presses keys on an invisible screen, and finally prints it: as
/// text, or as the image or asciicast that the name of the output asks for.
///
/// The same reducer, views, console and engine as on a terminal; only the driver is missing.
struct FrameRun {
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

  func run() throws -> Int32 {
    let steps = try arguments.keys.map { path throws(Failure) in try Self.steps(path) } ?? []
    let picture = try FramePicture(arguments)
    return loop.run { loop in
      // No history: a script leaves nothing behind, and sees the same each time.
      let session = Session(
        dashboard, arguments, database, glyphs: arguments.glyphs, history: nil, tape: tape)
      // The panels work, otherwise they would have been refused: nothing below blocks this thread.
      Ending.expectNothing()
      let limit = arguments.queryLimit(.frame)
      let player = Player(session, steps, limit, picture, arguments.frame) { text, isOverTime in
        let status = Self.print(text, arguments)
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
        // What is read again after a while, such as a schema that was locked, is waited for, too.
        loop.deadline = player.deadline.map { min($0, session.state.needsTickAt ?? $0) }
      }
      loop.onDeadline = { session.tick() }
      session.start()
    }
  }

  /// - Returns: The exit status.
  @ScreenActor
  private static func print(_ text: String, _ arguments: Arguments) -> Int32 {
    let output = Output(path: arguments.output)
    output.write(text)
    do {
      try output.flushWaiting()
    } catch let failure as Failure {
      StandardError.say(failure.message)
      return failure.status
    } catch {
      // The reader has closed the output.
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

  /// Presses one key after another, waiting where the script says so.
  @ScreenActor
  private final class Player {
    private let session: Session
    private var steps: ArraySlice<KeyScript.Step>
    private var picture: FramePicture
    private let size: Size
    private let finish: @ScreenActor (String, Bool) -> Void
    private var hasEnded = false
    /// How long the screen may take to settle.
    private let limit: Duration?
    /// When the current wait ends at the latest; nil for no wait, or forever.
    private(set) var deadline: UInt64?
    private var isOverTime = false

    /// - Parameter finish: Receives what to print, and whether a wait took too long.
    init(
      _ session: Session, _ steps: [KeyScript.Step], _ limit: Duration?, _ picture: FramePicture,
      _ size: Size, finish: @escaping @ScreenActor (String, Bool) -> Void
    ) {
      self.session = session
      self.limit = limit
      self.picture = picture
      self.size = size
      // The screen must be settled when the script starts and when it ends.
      self.steps = ([.wait] + steps + [.wait])[...]
      self.finish = finish
    }

    /// Does everything that can be done now; called after each turn of the loop.
    func advance() {
      while !hasEnded {
        guard let step = steps.first else { return end() }
        switch step {
        case .key(let key):
          if let confirmsAt = session.state.confirmsAt, MonotonicClock.now < confirmsAt {
            deadline = confirmsAt
            return
          }
          deadline = nil
          session.dispatch(.key(key))
        case .wait:
          guard session.isSettled || isOver() else { return }
          deadline = nil
        }
        steps.removeFirst()
        if picture.needsAll, !hasEnded {
          picture.take(session.core.picture(size: size), after: step)
        }
      }
    }

    private func isOver() -> Bool {
      guard let limit else { return false }
      // One wait that timed out is enough.
      if isOverTime { return true }
      let now = MonotonicClock.now
      // A query that takes this long is cancelled, and the frame must show its message.
      let end = deadline ?? now + UInt64(limit.nanoseconds) + 500_000_000
      deadline = end
      guard now >= end else { return false }
      isOverTime = true
      return true
    }

    /// Ends the script, even if it is unfinished.
    func end() {
      guard !hasEnded else { return }
      hasEnded = true
      finish(picture.text(session.core.picture(size: size)), isOverTime)
    }
  }
}
