/// Who reports the commits of a server.
enum CommitReporter {
  /// The log itself: every transaction.
  case log
  /// The server, which decodes its log.
  case decoder
  /// Triggers on the user's tables.
  case triggers

  /// What of it can end.
  var stream: String { self == .triggers ? "the stream of notifications" : "the stream of the log" }

  /// Why it isn't known what a transaction changed that is visible and was not reported.
  var reasonOfUnreported: String {
    self == .triggers ? "no trigger reported it" : "it was visible before the log reported it"
  }

  /// Whether aborted transactions are reported as well, and those that change the schema alone.
  var reportsAll: Bool { self == .log }
}
