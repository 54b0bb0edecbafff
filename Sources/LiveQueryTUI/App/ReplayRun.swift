import Dashboard
import ObservationEngine

/// `--replay`: a recording on the screen, or its last frame as text.
struct ReplayRun {
  private let replay: Replay
  private let arguments: Arguments
  private let loop: MainLoop

  init(_ replay: Replay, _ arguments: Arguments, _ loop: MainLoop) {
    self.replay = replay
    self.arguments = arguments
    self.loop = loop
  }

  func run(_ mode: Arguments.Mode) throws -> Int32 {
    let header = replay.header
    var dashboard = LoadedDashboard(definition: header.definition)
    dashboard.file = header.dashboardName
    // A session needs a database; this one is empty and in memory, and nothing is read from it.
    let database = try Database()
    defer { Ending.close(status: ExitStatus.done) { database.shutDown() } }
    let tape = SessionTape(replay: replay)
    guard mode == .screen else {
      return try FrameRun(dashboard, arguments, database, loop, tape).run()
    }
    do {
      return try ScreenRun(dashboard, arguments, database, loop, tape).run()
    } catch let error as Terminal.Unavailable {
      StandardError.say("\(error): printing the last frame")
      return try FrameRun(dashboard, arguments, database, loop, tape).run()
    }
  }
}

extension Replay {
  /// Reads a recording, to play at the mode's usual speed unless one was requested.
  nonisolated convenience init(
    path: String, speed: Arguments.Speed?, _ mode: Arguments.Mode
  ) throws(Failure) {
    try self.init(path: path, speed: speed ?? (mode == .screen ? .times(1) : .all))
  }
}
