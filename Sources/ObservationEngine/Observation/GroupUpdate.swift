/// What one refresh brought to queries that are observed together; see ``Database/observe(all:)``.
public struct GroupUpdate<Output: Sendable>: Sendable {
  /// The results that differ from those delivered before, by the index of the query.
  ///
  /// An error is a result too: the query failed, and runs again after the next commit that may concern it.
  public let results: [Int: Result<Output, any Error>]
  /// The queries whose newest result isn't of the newest committed state, by index, and why.
  ///
  /// All other queries are up to date.
  public let stale: [Int: Staleness]
  /// The ordinal of the newest commit that the results reflect; 0 when none was observed yet.
  public let ordinal: Int

  /// The queries that were refreshed, whether or not their results differ: how, and how long each took.
  package let refreshed: [Int: MemberRefresh]
  /// What happened since the last update, oldest first; see ``droppedEvents``.
  package let events: [DatabaseEvent]
  /// How many events were dropped because the consumer did not take them, oldest first.
  package let droppedEvents: Int
  /// How long the read transaction took.
  package let duration: Duration
  /// When the oldest commit of this refresh was noticed, in nanoseconds of the monotonic clock.
  package let noticed: UInt64
  /// How long a refresh waits after the one before while commits come faster than refreshes do; zero
  /// otherwise. The results are at most that much older than the newest commit.
  package let pause: Duration

  init(_ delivery: Delivery) {
    results = delivery.results.mapValues { $0.map { ObservedFetch.unbox($0) } }
    stale = delivery.stale
    ordinal = delivery.ordinal
    refreshed = delivery.refreshed
    events = delivery.events
    droppedEvents = delivery.droppedEvents
    duration = delivery.duration
    noticed = delivery.noticed
    pause = delivery.pause
  }

  /// The commits since the last update, oldest first.
  ///
  /// For a consumer that was slow, these are the newest 1,000 at most; a gap in their ordinals shows that
  /// older ones were dropped.
  public var commits: [Commit] {
    events.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
  }
}
