/// The sequence of values that an observed fetch takes; made by `Database.observe`.
///
///     let longest = database.observe(names).map { names in names.map(\.count).max() ?? 0 }
///     for try await length in longest.removeDuplicates() { show(length) }
///
/// Each iterator and each subscription observes by itself, from its creation until it is released,
/// cancelled, or its task is cancelled. Operators make new observations of the same database; what
/// they do runs in the consumer, never on a connection.
///
/// ## Guarantees
/// - The first element is the current value; consecutive elements differ.
/// - Every element is a committed state, in commit order; commits may be coalesced, none is missed.
/// - A slow consumer sees the newest value; nothing piles up.
/// - Subscribers of equal SQL and arguments cost one run per refresh together.
public struct ValueObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// The observed value.
  public typealias Element = Value
  /// What the fetch throws.
  public typealias Failure = any Error

  /// Turns what was fetched into what is delivered; `nil` when nothing is.
  ///
  /// One for each subscription, which calls it in order, and never at the same time.
  typealias Stage = @Sendable (Result<any Sendable, any Error>) -> Result<Value, any Error>?

  let database: Database
  let fetch: ObservedFetch
  var skipsInitial = false
  /// Those who are told what happens, in the order in which they were added.
  var listeners: [ObservationListener] = []
  let makeStage: @Sendable () -> Stage

  /// Observes a fetch whose results are delivered as they are.
  init(database: Database, fetch: ObservedFetch) {
    self.database = database
    self.fetch = fetch
    makeStage = { { result in result.map { ObservedFetch.unbox($0) } } }
  }

  /// Observes what `upstream` observes, and delivers what `makeStage` makes of it.
  init<Upstream: Sendable>(
    _ upstream: ValueObservation<Upstream>, makeStage: @escaping @Sendable () -> Stage
  ) {
    database = upstream.database
    fetch = upstream.fetch
    skipsInitial = upstream.skipsInitial
    listeners = upstream.listeners
    self.makeStage = makeStage
  }

  /// Begins to observe.
  public func makeAsyncIterator() -> Iterator { Iterator(updates: updates.makeAsyncIterator()) }

  /// The same values with their circumstances; errors are elements, and do not end the sequence.
  public var updates: Updates { Updates(observation: self) }

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

    /// Like ``next()``, but runs on the caller's actor.
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

    let observation: ValueObservation

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
      Iterator(subscription: ValueSubscription(observation))
    }

    /// Delivers updates one after the other.
    public struct Iterator: AsyncIteratorProtocol {
      let subscription: ValueSubscription<Value>

      /// The next update; `nil` when the task is cancelled.
      public mutating func next() async -> Update<Value>? { await next(isolation: nil) }

      /// Like ``next()``, but runs on the caller's actor.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(Never) -> Update<Value>? {
        await subscription.next(isolation: actor)
      }
    }
  }
}
