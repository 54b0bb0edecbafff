import Dashboard
import DatabaseConsole
import ObservationEngine

/// `--rows`: a line for each row that a commit changes in the tables.
@ScreenActor
final class RowsRun: HeadlessRun {
  private let feed: RowFeed
  private let arguments: Arguments
  private let output: Output

  var timeout: Duration? { arguments.timeout }

  init(_ source: RowsInput, _ arguments: Arguments) {
    self.arguments = arguments
    // The lines of earlier runs belong to the state.
    output = Output(path: arguments.output, appends: arguments.state != nil)
    feed = source.feed(lines: RowsFormat.lines(isForTerminal: output.isTerminal))
  }

  func run() async throws -> Int32 {
    try await feed.start()
    var left = arguments.count ?? .max
    while left > 0, let portion = try await feed.next(atMost: left) {
      if let text = portion.text {
        output.write(text)
        try await output.flush()
      } else {
        var place = 0
        while let piece = try await feed.text(after: place) {
          output.write(piece.text)
          try await output.flush()
          place = piece.place
        }
      }
      try await feed.confirm()
      left -= portion.commits
    }
    return ExitStatus.done
  }

  func didTimeOut() -> Int32 {
    StandardError.say(OnceRun.timeoutMessage(arguments.timeout ?? .zero))
    return ExitStatus.timeout
  }
}
