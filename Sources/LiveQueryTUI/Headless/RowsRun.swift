import Dashboard
import DatabaseConsole
import ObservationEngine

/// `--rows`: a line for each row that a commit changes in the tables.
@ScreenActor
final class RowsRun: HeadlessRun {
  private let feed: RowFeed
  private let source: RowsInput
  private let arguments: Arguments
  private let output: Output
  private let step = PrintStep()

  var timeout: Duration? { arguments.timeout }

  init(_ source: RowsInput, _ arguments: Arguments) {
    (self.source, self.arguments) = (source, arguments)
    // The lines of earlier runs belong to the state.
    output = Output(path: arguments.output, appends: arguments.state != nil)
    feed = source.feed(lines: RowsFormat.lines(isForTerminal: output.isTerminal))
  }

  func run() async throws -> Int32 {
    try await feed.start()
    var left = arguments.count ?? .max
    while left > 0, let portion = try await feed.next(atMost: left) {
      if let text = portion.text {
        _ = try await print(text, perhapsAt: nil) { [feed] in try await feed.confirm() }
      } else {
        var place = portion.isOfEarlierRun ? try await source.place() : nil
        var last = 0
        while let piece = try await feed.text(after: last) {
          place = try await print(piece.text, perhapsAt: place) { [feed] in
            try await feed.confirm(through: piece.place)
          }
          last = piece.place
        }
        try await feed.confirm()
      }
      left -= portion.commits
    }
    return ExitStatus.done
  }

  /// Prints lines, so that a later run continues after them.
  ///
  /// - Parameter earlier: Where a run that was killed would have printed them.
  /// - Returns: Where they end in the output, if that is a regular file.
  private func print(
    _ text: String, perhapsAt earlier: Output.Place?, confirm: @ScreenActor () async throws -> Void
  ) async throws -> Output.Place? {
    let place = try output.write(text, perhapsAt: earlier)
    if source.isDurable, let place { try await source.note(place) }
    try await step.run {
      try await output.flush()
      try await confirm()
    }
    return place?.advanced(by: text.utf8.count)
  }

  func whenWhole(_ end: @escaping @ScreenActor () -> Void) { step.whenWhole(end) }

  func didTimeOut() -> Int32 {
    StandardError.say(OnceRun.timeoutMessage(arguments.timeout ?? .zero))
    return ExitStatus.timeout
  }
}
