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
}

extension HeadlessRun {
  func didStop() {}
}
