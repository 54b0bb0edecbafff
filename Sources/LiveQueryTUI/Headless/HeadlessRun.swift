import Dashboard
import DatabaseConsole
import ObservationEngine

/// A run of the program without a screen.
@ScreenActor
protocol HeadlessRun: Sendable {
  /// How long it may take.
  var timeout: Duration? { get }

  /// Does the work.
  ///
  /// - Returns: The exit status.
  func run() async throws -> Int32

  /// Reports that ``timeout`` has passed.
  ///
  /// - Returns: The exit status.
  func didTimeOut() -> Int32

  /// Ends the run's work: a signal arrived, or the reader closed the output.
  func didStop()

  /// Calls `end` when the run can be ended: now, or at the end of its ``PrintStep``.
  func whenWhole(_ end: @escaping @ScreenActor () -> Void)
}

extension HeadlessRun {
  func didStop() {}
  func whenWhole(_ end: @escaping @ScreenActor () -> Void) { end() }
}

/// Work after which a run can be ended, but not within it: lines are printed, and noted as printed.
@ScreenActor
final class PrintStep {
  private var isRunning = false
  private var end: (@ScreenActor () -> Void)?

  func run(_ body: @ScreenActor () async throws -> Void) async rethrows {
    isRunning = true
    defer {
      isRunning = false
      end?()
    }
    try await body()
  }

  /// Calls `end` now, or when the running step has ended.
  func whenWhole(_ end: @escaping @ScreenActor () -> Void) {
    if isRunning { self.end = end } else { end() }
  }
}

extension Refresh {
  /// Says on standard error what happened to the file or to the server.
  ///
  /// - Parameter told: What was said already.
  func sayWhatHappened(but told: String?) {
    for event in events {
      switch event {
      case .fileMissing: StandardError.say(FileNotice.isGone)
      case .notice(let text, _): if text != told { StandardError.say(text) }
      case .commit(let commit) where commit.kind == .fileReplaced:
        StandardError.say(FileNotice.isReplaced)
      case .commit, .rollback: break
      }
    }
  }
}
