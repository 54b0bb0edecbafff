/// When a subscription gets its first value.
public enum ObservationStart: Sendable {
  /// Before `start` returns, on the calling thread: for code that must draw immediately.
  case immediate
  /// Soon after, on a thread of the engine: the caller doesn't wait.
  case whenFetched
}

extension ValueObservation {
  /// Calls handlers with the values and the errors of this observation.
  ///
  ///     let subscription = database.observe(count).start(.immediate) { error in
  ///       report(error)
  ///     } onValue: { count in
  ///       show(count)  // called before `start` returns
  ///     }
  ///
  /// ## Guarantees
  /// - The handlers are called in order and never at the same time, under no lock.
  /// - Values that come while a handler runs are coalesced: the next call has the newest.
  /// - With ``ObservationStart/immediate`` one of the handlers is called before this method returns,
  ///   on the calling thread, and no commit after that fetch is missed.
  /// - `onError` gets every error. After a transient one (``DatabaseError/isTransient``) the last value is out
  ///   of date, and `onValue` gets the value that follows even if it is the same. Any other error ends the
  ///   observation: no handler is called after it. Iterate ``updates`` to go on after those too.
  ///
  /// ## Limits
  /// - Other calls come on the thread of the engine that refreshed the observation, without a detour:
  ///   the handlers must be quick and must not wait for the database, since the other observations
  ///   wait for them. Iterate in a task to take your time.
  /// - ``ObservationStart/immediate`` blocks the calling thread for the fetch. Never use it inside of a
  ///   `read` or `write` closure, nor in a task that does not own its thread.
  /// - When the database closes, the handlers are no longer called.
  ///
  /// - Parameters:
  ///   - start: When the first value is delivered.
  ///   - onError: Gets why there is no value of the newest state.
  ///   - onValue: Gets the values.
  /// - Returns: The subscription, which ends with the object's life.
  public func start(
    _ start: ObservationStart = .whenFetched,
    onError: @escaping @Sendable (any Error) -> Void,
    onValue: @escaping @Sendable (Value) -> Void
  ) -> ObservationSubscription {
    let (subscription, first) = begin(start)
    let handler: @Sendable (Update<Value>) -> Void = { [weak subscription] update in
      if update.call(onError: onError, onValue: onValue) { subscription?.cancel() }
    }
    if let first { handler(first) }
    subscription.deliver(to: handler)
    return ObservationSubscription { subscription.cancel() }
  }

  /// Calls handlers on the main actor, with the first value before it returns.
  ///
  ///     let subscription = database.observe(count).startOnMainActor(onError: report) { count in
  ///       label.text = "\(count)"  // called before this method returns
  ///     }
  ///
  /// ## Guarantees
  /// - All calls are on the main actor. With ``ObservationStart/immediate`` one of the handlers is
  ///   called before this method returns.
  /// - Values that come while the main actor is busy are coalesced: the next call has the newest.
  /// - Errors are those of ``start(_:onError:onValue:)``.
  /// - After ``ObservationSubscription/cancel()`` on the main actor there is no further call.
  ///
  /// - Returns: The subscription, which ends with the object's life.
  @MainActor
  public func startOnMainActor(
    _ start: ObservationStart = .immediate,
    onError: @escaping @MainActor (any Error) -> Void,
    onValue: @escaping @MainActor (Value) -> Void
  ) -> ObservationSubscription {
    let (subscription, first) = begin(start)
    if let first, first.call(onError: onError, onValue: onValue) { subscription.cancel() }
    let task = Task { @MainActor in
      while let update = await subscription.next(isolation: MainActor.shared) {
        // The task may have been cancelled while it waited for the main actor.
        guard !Task.isCancelled else { return }
        if update.call(onError: onError, onValue: onValue) { return subscription.cancel() }
      }
    }
    return ObservationSubscription {
      task.cancel()
      subscription.cancel()
    }
  }

  /// Begins to observe.
  ///
  /// - Returns: The subscription, and the first update where it must be delivered immediately.
  func begin(
    _ start: ObservationStart
  ) -> (subscription: ValueSubscription<Value>, first: Update<Value>?) {
    let prepared = ValueSubscription<Value>.Prepared(self)
    guard case .immediate = start else { return (ValueSubscription(prepared), nil) }
    let first = prepared.fetch.first(database)
    let subscription = ValueSubscription(prepared, first: first)
    let isSkipped = skipsInitial && !first.hasFailed
    return (subscription, isSkipped ? nil : subscription.update(first))
  }
}
