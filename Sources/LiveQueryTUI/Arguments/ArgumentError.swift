import Dashboard

/// A command line that cannot be understood: the program says why and exits with status 2.
struct ArgumentError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, and the remedy when it is known.
  let message: String

  /// As it is printed to standard error, without a line end. What was written on the command line
  /// may hold anything, and standard error is a terminal more often than not.
  var description: String {
    "livequery: \(DisplayText.sanitize(message))\nTry \"livequery --help\"."
  }
}
