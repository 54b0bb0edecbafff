import Glibc

/// `serve`: whoever holds the other end of the pipe decides what is committed, and when.
///
/// Prints "ready PID" at first, then one "ok BEFORE AFTER" or "error CODE MESSAGE" per line read.
/// BEFORE and AFTER are monotonic nanoseconds, taken right before the statement runs and right
/// after its COMMIT returned, so that the reader can measure from a commit to what it caused.
enum ServeMode {
  static func run(_ arguments: Arguments) throws {
    var connection: Connection? = try Connection(arguments)
    Output.line("ready \(getpid())")
    while let line = readLine() {
      do {
        let before = Clock.nanoseconds
        if line.hasPrefix(".") {
          try command(line, &connection, arguments)
        } else {
          try connection?.run(line, row: Output.row)
        }
        Output.line("ok \(before) \(Clock.nanoseconds)")
      } catch let error as WriterError {
        Output.line(error.description)
      }
    }
  }

  private static func command(
    _ line: String, _ connection: inout Connection?, _ arguments: Arguments
  ) throws {
    let words = line.split(separator: " ", maxSplits: 1).map { String($0) }
    switch (words[0], words.count) {
    case (".kill", 1):
      kill(getpid(), SIGKILL)
    case (".spill", 1):
      try connection?.spill()
    case (".reopen", 1):
      connection = nil
      connection = try Connection(arguments)
    case (".work", 2):
      guard let connection else { return }
      let commits = try RandomWork(connection, RandomWork.Order(words[1])).run()
      Output.row(["\(commits)"])
    case (".restore", 2):
      try connection?.restore(from: words[1])
    case (".replace", 2):
      try FileModes.rename(words[1], over: arguments.database)
    default:
      throw WriterError(code: 1, message: "unknown command: \(line)")
    }
  }
}
