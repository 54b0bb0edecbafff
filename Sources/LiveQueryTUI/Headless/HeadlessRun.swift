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
}
