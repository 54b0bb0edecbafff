/// A run of the program without a screen.
@ScreenActor
protocol HeadlessRun: Sendable {
  /// How long it may take.
  var timeout: Duration? { get }

  /// Does the work.
  ///
  /// - Returns: The exit status.
  func run() async throws -> Int32

  /// Says that ``timeout`` has passed.
  ///
  /// - Returns: The exit status.
  func didTimeOut() -> Int32

  /// Ends what the run has begun: a signal came, or the reader went away.
  func didStop()
}

extension HeadlessRun {
  func didStop() {}
}
