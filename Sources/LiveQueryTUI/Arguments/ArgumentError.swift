import Dashboard

/// A command line that cannot be understood: the program says why and exits with status 2.
struct ArgumentError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, and the remedy if it is known.
  let message: String

  /// As printed to standard error, without a newline. Text from the command line may contain
  /// anything, and standard error is usually a terminal.
  var description: String {
    "livequery: \(DisplayText.sanitize(message))\nTry \"livequery --help\"."
  }
}
