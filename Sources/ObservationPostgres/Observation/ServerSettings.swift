/// How a server is observed.
package struct ServerSettings: Sendable {
  /// The time from one refresh to the next where commits keep coming.
  package var minimumInterval: Duration = .seconds(1) / 30
  /// How long to wait for further commits before a refresh.
  package var debounce: Duration = .zero
  /// How long the query of a panel may run; nil for as long as it takes.
  package var queryLimit: Duration? = .seconds(30)
  /// What the user can do about a query that takes longer.
  package var queryLimitRemedy = ""
  /// How long a panel waits for a lock; then it stays as it is, and is marked as stale.
  package var lockLimit: Duration = .milliseconds(250)
  /// Whether the console can't write.
  package var isReadOnly = false
  /// The bytes that one result may take.
  package var resultBytes = Int.max
  /// What the user can do about a larger result.
  package var resultBytesRemedy = ""
  /// A fixed time between two questions for commits.
  package var pollInterval: Duration?
  /// How long to wait for the server at the start.
  package var connectLimit: Duration = .seconds(10)

  package init() {}

  /// The same where the server allows each statement so much time: who has set that limit meant it for this program, too.
  func within(_ limit: Duration?) -> ServerSettings {
    guard let limit, queryLimit.map({ limit < $0 }) ?? true else { return self }
    var settings = self
    settings.queryLimit = limit
    settings.queryLimitRemedy = "statement_timeout of this role or database sets this limit"
    return settings
  }
}
