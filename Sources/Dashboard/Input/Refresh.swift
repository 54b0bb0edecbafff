package import ObservationEngine

/// What one refresh brought to the panels of a dashboard, from the database or from a recording.
///
/// All results in one refresh come from a single read transaction. A slow consumer receives several
/// refreshes merged into one: each member's newest result, and all events.
package struct Refresh: Sendable {
  /// The results that differ from the last ones delivered, by the member's index.
  package var results: [Int: Result<RowSet, DatabaseError>]
  /// The panels that were refreshed, whether or not their results differ, and how long that took.
  package var recomputed: [Int: Duration]
  /// How each of these was; a recording doesn't say it.
  package var methods: [Int: RefreshMethod]
  /// The members that could not be brought up to date, and why. All other members are up to date.
  package var stale: [Int: Staleness]
  /// What happened since the last refresh, oldest first; see ``droppedEvents``.
  package var events: [DatabaseEvent]
  /// How many events were dropped, oldest first, because the consumer fetched them too late.
  package var droppedEvents: Int
  /// The ordinal of the newest commit that the results reflect; 0 for the first.
  package var ordinal: Int
  /// How long the read transaction took.
  package var duration: Duration
  /// When the oldest commit of this refresh was observed, in nanoseconds of the monotonic clock.
  package var noticed: UInt64
  /// How long a refresh waits after the previous one while commits come faster than refreshes; zero
  /// otherwise. The values shown are at most that much older than the newest commit.
  package var pause: Duration

  package init(
    results: [Int: Result<RowSet, DatabaseError>] = [:], recomputed: [Int: Duration] = [:],
    methods: [Int: RefreshMethod] = [:], stale: [Int: Staleness] = [:],
    events: [DatabaseEvent] = [], droppedEvents: Int = 0,
    ordinal: Int = 0, duration: Duration = .zero, noticed: UInt64 = 0,
    pause: Duration = .zero
  ) {
    self.results = results
    self.recomputed = recomputed
    self.methods = methods
    self.stale = stale
    self.events = events
    self.droppedEvents = droppedEvents
    self.ordinal = ordinal
    self.duration = duration
    self.noticed = noticed
    self.pause = pause
  }

  /// What an observation of the panels' queries delivered.
  package init(_ update: GroupUpdate<RowSet>) {
    let results = update.results.mapValues { result in
      result.mapError {
        $0 as? DatabaseError ?? DatabaseError(code: .error, message: String(describing: $0))
      }
    }
    self.init(
      results: results, recomputed: update.refreshed.mapValues(\.duration),
      methods: update.refreshed.mapValues(\.method), stale: update.stale, events: update.events,
      droppedEvents: update.droppedEvents, ordinal: update.ordinal, duration: update.duration,
      noticed: update.noticed, pause: update.pause)
  }
}
