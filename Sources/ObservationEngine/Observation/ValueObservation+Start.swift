/// When a subscription gets its first value.
public enum ObservationStart: Sendable {
  /// Before `start` returns, on the calling thread: for code that must draw at once.
  case immediate
  /// Soon after, on a thread of the engine: nobody waits.
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
  ///   - onError: Gets what the fetch threw; the observation goes on.
  ///   - onValue: Gets the values.
  /// - Returns: The subscription, which ends with the object's life.
  public func start(
    _ start: ObservationStart = .whenFetched,
    onError: @escaping @Sendable (any Error) -> Void,
    onValue: @escaping @Sendable (Value) -> Void
  ) -> ObservationSubscription {
    startUpdates(start) { update in
      switch update.result {
      case .success(let value): onValue(value)
      case .failure(let error): onError(error)
      }
    }
  }

  /// As ``start(_:onError:onValue:)``, with the circumstances of each value.
  ///
  /// - Parameters:
  ///   - start: When the first value is delivered.
  ///   - onUpdate: Gets values and errors alike.
  /// - Returns: The subscription, which ends with the object's life.
  public func startUpdates(
    _ start: ObservationStart = .whenFetched,
    onUpdate: @escaping @Sendable (Update<Value>) -> Void
  ) -> ObservationSubscription {
    let subscription = begin(start, onUpdate)
    subscription.deliver(to: onUpdate)
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
  /// - After ``ObservationSubscription/cancel()`` on the main actor there is no further call.
  ///
  /// - Returns: The subscription, which ends with the object's life.
  @MainActor
  public func startOnMainActor(
    _ start: ObservationStart = .immediate,
    onError: @escaping @MainActor (any Error) -> Void,
    onValue: @escaping @MainActor (Value) -> Void
  ) -> ObservationSubscription {
    let tell: @MainActor (Update<Value>) -> Void = { update in
      switch update.result {
      case .success(let value): onValue(value)
      case .failure(let error): onError(error)
      }
    }
    let subscription = begin(start, tell)
    let task = Task { @MainActor in
      while let update = await subscription.next(isolation: MainActor.shared) {
        // The task may have been cancelled while it waited for the main actor.
        guard !Task.isCancelled else { return }
        tell(update)
      }
    }
    return ObservationSubscription {
      task.cancel()
      subscription.cancel()
    }
  }

  /// Begins to observe, having told the first value when it shall be told at once.
  func begin(
    _ start: ObservationStart, _ tell: (Update<Value>) -> Void
  ) -> ValueSubscription<Value> {
    let prepared = ValueSubscription<Value>.Prepared(self)
    guard case .immediate = start else {
      return ValueSubscription(prepared, skipsInitial: skipsInitial)
    }
    do {
      let first = try prepared.fetch.first(database)
      let subscription = ValueSubscription(prepared, skipsInitial: skipsInitial, first: first)
      if !skipsInitial || first.hasFailed, let update = subscription.update(first) { tell(update) }
      return subscription
    } catch {
      // There was nothing to fetch from; when there is, the first value follows.
      let subscription = ValueSubscription(prepared, skipsInitial: false)
      if let update = subscription.failure(error) { tell(update) }
      return subscription
    }
  }
}
