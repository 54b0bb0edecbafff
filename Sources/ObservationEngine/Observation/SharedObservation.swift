/// How long a shared observation goes on.
public enum SharedObservationExtent: Sendable {
  /// While somebody is subscribed: it ends with the last subscriber, and begins anew with the next.
  case whileObserved
  /// From the first subscriber until the ``SharedObservation`` is released: whoever subscribes later
  /// has the latest value at once, even if nobody was subscribed for a while.
  case untilReleased
}

/// One observation for any number of subscribers; made by ``ValueObservation/shared(extent:)``.
///
///     let shared = database.observe(count).shared()
///     let title = shared.start(onError: report) { count in show("\(count) players") }
///     let badge = shared.start(onError: report) { count in show("\(count)") }  // one fetch
///
/// ## Guarantees
/// - Each refresh is fetched once, and each operator runs once, for all subscribers together.
/// - A subscriber that comes late gets the latest value at once.
/// - Each subscriber gets the values in order, consecutive ones differ, and a slow one gets the newest
///   and holds up nobody.
/// - An error is delivered to all and ends nothing; whoever comes later gets it as the latest state
///   until there is a value again. An observation that begins anew has forgotten it.
/// - When the database closes, all sequences end; whoever subscribes after that begins anew.
public final class SharedObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// The observed value.
  public typealias Element = Value
  /// What the fetch throws.
  public typealias Failure = any Error

  private let core: SharedCore<Value>

  init(_ observation: ValueObservation<Value>, _ extent: SharedObservationExtent) {
    core = SharedCore(observation, extent)
  }

  deinit { core.release() }

  /// Subscribes.
  public func makeAsyncIterator() -> PacedObservation<Value>.Iterator {
    PacedObservation<Value>.Iterator(source: SharedSubscription(core))
  }

  /// The same values with their circumstances; errors are elements, and do not end the sequence.
  public var updates: Updates { Updates(core: core) }

  /// Calls handlers with the values and the errors of this observation.
  ///
  /// Threads, guarantees and limits are those of ``ValueObservation/start(_:onError:onValue:)``; the
  /// latest value, if there is one, is delivered before this method returns in any case.
  public func start(
    _ start: ObservationStart = .whenFetched,
    onError: @escaping @Sendable (any Error) -> Void,
    onValue: @escaping @Sendable (Value) -> Void
  ) -> ObservationSubscription {
    let subscription = SharedSubscription(core, start)
    subscription.deliver { update in
      switch update.result {
      case .success(let value): onValue(value)
      case .failure(let error): onError(error)
      }
    }
    return ObservationSubscription { subscription.cancel() }
  }

  /// A sequence of updates, which never fails.
  public struct Updates: AsyncSequence, Sendable {
    /// The observed value and its circumstances.
    public typealias Element = Update<Value>
    /// Errors are part of the elements.
    public typealias Failure = Never

    let core: SharedCore<Value>

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { Iterator(source: SharedSubscription(core)) }

    /// Delivers updates one after the other.
    public struct Iterator: AsyncIteratorProtocol {
      let source: SharedSubscription<Value>

      /// The next update; `nil` when the task is cancelled, or the database closed.
      public mutating func next() async -> Update<Value>? { await next(isolation: nil) }

      /// Like ``next()``, but runs on the caller's actor.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(Never) -> Update<Value>? {
        await source.next(isolation: actor)
      }
    }
  }
}

extension ValueObservation {
  /// Shares one observation between any number of subscribers.
  ///
  /// Nothing is fetched before somebody subscribes.
  ///
  /// - Parameter extent: How long it goes on.
  public func shared(
    extent: SharedObservationExtent = .whileObserved
  ) -> SharedObservation<Value> {
    SharedObservation(self, extent)
  }
}
