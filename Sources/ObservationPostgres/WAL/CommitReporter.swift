/// Who reports the commits of a server.
enum CommitReporter {
  /// The log itself: every transaction.
  case log
  /// The server, which decodes its log.
  case decoder
  /// Triggers on the user's tables.
  case triggers

  /// Whether aborted transactions are reported as well, and those that change the schema alone.
  var reportsAll: Bool { self == .log }
}
