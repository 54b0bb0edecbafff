/// How long a shared observation goes on.
public enum SharedObservationExtent: Sendable {
  /// While it has subscribers: it ends with the last one, and begins again with the next.
  case whileObserved
  /// From the first subscriber until the ``SharedObservation`` is released: a later subscriber has the latest
  /// value immediately, even if there was none for a while.
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
/// - A subscriber that comes late gets the latest value immediately.
/// - Each subscriber gets the values in order, consecutive ones differ, and a slow one gets the newest
///   and holds up no other.
/// - Errors mean what they mean to a ``ValueObservation``: one that can't heal ends each iteration and each
///   pair of handlers; ``updates`` goes on. Later subscribers get it as the latest state until there is a value
///   again. An observation that begins again has forgotten it.
/// - When the database closes, all sequences end; a subscriber that comes after that begins again.
///
/// ## Limits
/// - A value that operators make of a refresh after a transient error may equal the one before it.
public final class SharedObservation<Value: Sendable>: AsyncSequence, Sendable {
  private let core: SharedCore<Value>

  init(_ observation: ValueObservation<Value>, _ extent: SharedObservationExtent) {
    core = SharedCore(observation, extent)
  }

  deinit { core.release() }

  /// Subscribes.
  public func makeAsyncIterator() -> some AsyncIteratorProtocol<Value, any Error> {
    SourceSequence { [core] in ValueSource(updates: SharedSubscription(core, .passedOver)) }
      .makeAsyncIterator()
  }

  /// The same values with their circumstances; errors are elements, and do not end the sequence.
  public var updates: some AsyncSequence<Update<Value>, Never> & Sendable {
    SourceSequence { [core] in SharedSubscription(core, .delivered) }
  }

  /// Calls handlers with the values and the errors of this observation.
  ///
  /// Threads, guarantees and limits are those of ``ValueObservation/start(_:onError:onValue:)``; the
  /// latest value, if there is one, is delivered before this method returns in any case.
  public func start(
    _ start: ObservationStart = .whenFetched,
    onError: @escaping @Sendable (any Error) -> Void,
    onValue: @escaping @Sendable (Value) -> Void
  ) -> ObservationSubscription {
    let subscription = SharedSubscription(core, .delivered, start)
    subscription.deliver { [weak subscription] update in
      if update.call(onError: onError, onValue: onValue) { subscription?.cancel() }
    }
    return ObservationSubscription { subscription.cancel() }
  }
}

extension ValueObservation {
  /// Shares one observation between any number of subscribers.
  ///
  /// Nothing is fetched before the first one.
  ///
  /// - Parameter extent: How long it goes on.
  public func shared(
    extent: SharedObservationExtent = .whileObserved
  ) -> SharedObservation<Value> {
    SharedObservation(self, extent)
  }
}
