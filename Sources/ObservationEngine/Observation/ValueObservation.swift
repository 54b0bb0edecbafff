/// The sequence of values that an observed fetch takes; made by `Database.observe`.
///
/// Each iterator observes by itself, from its creation until it is released or its task is cancelled.
///
/// ## Guarantees
/// - The first element is the current value; consecutive elements differ.
/// - Every element is a committed state, in commit order; commits may be coalesced, none is missed.
/// - A slow consumer gets the newest value, never a queue.
public struct ValueObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// The observed value.
  public typealias Element = Value
  /// What the fetch throws.
  public typealias Failure = any Error

  let database: Database
  let fetch: ObservedFetch

  /// Begins to observe.
  public func makeAsyncIterator() -> Iterator { Iterator(updates: updates.makeAsyncIterator()) }

  /// The same values with their circumstances; errors are elements, and do not end the sequence.
  public var updates: Updates { Updates(database: database, fetch: fetch) }

  /// Delivers values one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var updates: Updates.Iterator

    /// The next value, when there is one that differs from the last.
    ///
    /// - Returns: `nil` when the task is cancelled.
    /// - Throws: The error of the fetch. The observation goes on: the following call waits for the
    ///   next result, which comes when the database allows.
    public mutating func next() async throws -> Value? {
      try await updates.next(isolation: nil)?.result.get()
    }

    /// As ``next()``, on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Value? {
      try await updates.next(isolation: actor)?.result.get()
    }
  }

  /// A sequence of updates, which never fails.
  public struct Updates: AsyncSequence, Sendable {
    /// The observed value and its circumstances.
    public typealias Element = Update<Value>
    /// Errors are part of the elements.
    public typealias Failure = Never

    let database: Database
    let fetch: ObservedFetch

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
      Iterator(group: ObservationGroup(database, [fetch]))
    }

    /// Delivers updates one after the other.
    public struct Iterator: AsyncIteratorProtocol {
      let group: ObservationGroup

      /// The next update; `nil` when the task is cancelled.
      public mutating func next() async -> Update<Value>? { await next(isolation: nil) }

      /// As ``next()``, on the caller's actor.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(Never) -> Update<Value>? {
        while let delivery = await group.next(isolation: actor) {
          // Deliveries without a result tell of events or staleness.
          guard let result = delivery.results[0] else { continue }
          return Update(
            result: result.map { ObservedFetch.unbox($0) }, ordinal: delivery.ordinal,
            origin: delivery.origin, refresh: .recomputed(reason: "nothing is maintained"),
            duration: delivery.recomputed[0] ?? .zero)
        }
        return nil
      }
    }
  }
}
