package import ObservationEngine

/// The figures of the header and the status line.
struct Vitals: Sendable, Equatable {
  var latency = LatencyStatistics()
  var rate = CommitRate()
  var database = DatabaseInfo()
  /// The cost and the outcome of the last refresh.
  var lastRefresh: RefreshSummary?
}

/// The cost of one refresh, for the status line.
package struct RefreshSummary: Sendable, Equatable {
  /// The newest commit that the panels reflect.
  package var ordinal: Int
  /// How many panels were recomputed.
  package var panels: Int
  /// How long their queries took.
  package var queries: Duration
  /// When it arrived.
  package var time: Timestamp
  /// How far refreshes are spaced apart while commits come faster.
  package var pause: Duration
}
