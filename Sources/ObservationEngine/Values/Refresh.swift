/// What one refresh brought to a group of observed queries.
///
/// All results in one refresh come from a single read transaction. A slow consumer receives several
/// refreshes merged into one: each member's newest result, and all events.
package struct Refresh: Sendable {
  /// The results that differ from the last ones delivered, by the member's index.
  package var results: [Int: Result<RowSet, DatabaseError>]
  /// The members that were recomputed, whether or not their results differ.
  package var recomputed: [Int: Duration]
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
    stale: [Int: Staleness] = [:], events: [DatabaseEvent] = [], droppedEvents: Int = 0,
    ordinal: Int = 0, duration: Duration = .zero, noticed: UInt64 = 0,
    pause: Duration = .zero
  ) {
    self.results = results
    self.recomputed = recomputed
    self.stale = stale
    self.events = events
    self.droppedEvents = droppedEvents
    self.ordinal = ordinal
    self.duration = duration
    self.noticed = noticed
    self.pause = pause
  }
}

/// Why a result does not reflect the newest committed state.
package struct Staleness: Sendable, Equatable {
  /// Since when it is stale.
  package let since: Timestamp
  /// The obstacle: a lock, a time limit, a missing file.
  package let reason: String

  package init(since: Timestamp, reason: String) {
    self.since = since
    self.reason = reason
  }

  private static let slowness = "slow query, running on its own"

  /// There is no obstacle: the newest result is being computed, and takes long.
  package static func slow(since time: Timestamp) -> Staleness {
    Staleness(since: time, reason: slowness)
  }

  package var isSlowness: Bool { reason == Self.slowness }
}
