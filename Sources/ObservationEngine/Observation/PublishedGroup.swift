/// Queries that something else than an SQLite file answers, as a group that a consumer observes.
///
/// Its updates are those of ``Database/observe(all:)``: equal results are not delivered, and the updates that a slow
/// consumer has not taken merge into one.
///
/// Safe to use from any thread; one iterator at a time takes the updates.
package struct PublishedGroup: AsyncSequence, Sendable {
  package typealias Element = GroupUpdate<RowSet>
  package typealias Failure = Never

  /// One refresh of some of the queries.
  package struct Refreshed: Sendable {
    /// New results by the index of the query; the others are as before.
    package var results: [Int: Result<RowSet, DatabaseError>] = [:]
    /// The queries that ran, and how long each took.
    package var durations: [Int: Duration] = [:]
    /// Why a query ran.
    package var reason: String?
    /// The queries whose newest result isn't of the newest committed state.
    package var stale: [Int: Staleness] = [:]
    package var events: [DatabaseEvent] = []
    package var ordinal = 0
    package var duration: Duration = .zero
    package var noticed: UInt64 = 0
    package var pause: Duration = .zero

    package init() {}
  }

  private let channel: NewestValue<Delivery>

  /// A group of `count` queries without results.
  package init(count: Int) {
    // It compares results, and never runs.
    let fetch = ObservedFetch({ (_: Connection) in RowSet.empty }) { $0 == $1 }
    channel = NewestValue(
      known: Delivery.Known(Array(repeating: fetch, count: count), wantsEvents: true))
  }

  /// Delivers what a refresh brought.
  ///
  /// - Parameter number: Increases with each refresh of this group.
  /// - Complexity: O(cells of the results), to compare them.
  package func post(_ refreshed: Refreshed, number: Int) {
    var delivery = Delivery()
    delivery.number = number
    delivery.results = refreshed.results.mapValues { result in
      result.map { ObservedFetch.Box(value: $0) as any Sendable }.mapError { $0 }
    }
    delivery.refreshed = refreshed.durations.mapValues {
      MemberRefresh(duration: $0, method: .recomputed(reason: refreshed.reason))
    }
    delivery.stale = refreshed.stale
    delivery.append(refreshed.events)
    delivery.ordinal = refreshed.ordinal
    delivery.duration = refreshed.duration
    delivery.noticed = refreshed.noticed
    delivery.pause = refreshed.pause
    channel.post(delivery)
  }

  /// Ends the updates; one that waits is still delivered.
  package func finish() { channel.finish() }

  package func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

  /// Takes the updates one after the other.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let channel: NewestValue<Delivery>

    /// The next update; `nil` when the group has finished or the task is cancelled.
    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> GroupUpdate<RowSet>? {
      await channel.next(isolation: actor).map { GroupUpdate($0) }
    }
  }
}
