internal import Synchronization

/// What the subscribers of a ``SharedObservation`` share.
///
///     idle ──first subscriber──▶ observing ──last one leaves──▶ idle     (while observed)
///       ▲                          │  │
///       └──── database closes ─────┘  └── restarted for a first value that must come at once
final class SharedCore<Value: Sendable>: Sendable {
  private struct Subscriber {
    let channel: NewestValue<Update<Value>>
    let transientErrors: TransientErrors
  }

  private struct State {
    /// Counts the observations that were begun: what an earlier one still delivers is not taken.
    var epoch = 0
    var isObserving = false
    /// `nil` while it is being made, outside of the lock.
    var upstream: ValueSubscription<Value>?
    /// What a new subscriber gets: the newest update, and the newest one that isn't a transient error.
    var latest: [TransientErrors: Update<Value>] = [:]
    var subscribers: [Int: Subscriber] = [:]
    var lastSubscriber = 0
    var endsWithSubscribers: Bool

    /// Forgets the running observation, and returns it, to be cancelled outside of the lock.
    mutating func end() -> ValueSubscription<Value>? {
      epoch += 1
      isObserving = false
      latest = [:]
      return upstream.take()
    }
  }

  let observation: ValueObservation<Value>
  private let state: Mutex<State>

  init(_ observation: ValueObservation<Value>, _ extent: SharedObservationExtent) {
    self.observation = observation
    state = Mutex(State(endsWithSubscribers: extent == .whileObserved))
  }

  deinit { state.withLock { $0.end() }?.cancel() }

  /// Adds a subscriber; the latest value waits in its channel, if there is one.
  func subscribe(
    _ transientErrors: TransientErrors, _ start: ObservationStart
  ) -> (id: Int, channel: NewestValue<Update<Value>>) {
    let (id, channel, beginning, former) = state.withLock { state in
      let channel = NewestValue(
        state.latest[transientErrors], known: LastResult(of: observation.fetch))
      state.lastSubscriber += 1
      state.subscribers[state.lastSubscriber] = Subscriber(
        channel: channel, transientErrors: transientErrors)
      // A subscriber that needs a value immediately doesn't wait for an observation that has none yet.
      let mustBegin = !state.isObserving || (start == .immediate && state.latest.isEmpty)
      guard mustBegin else {
        return (state.lastSubscriber, channel, nil as Int?, nil as ValueSubscription<Value>?)
      }
      let former = state.end()
      state.isObserving = true
      return (state.lastSubscriber, channel, state.epoch, former)
    }
    former?.cancel()
    if let beginning { begin(beginning, start) }
    return (id, channel)
  }

  private func begin(_ epoch: Int, _ start: ObservationStart) {
    let (upstream, first) = observation.begin(start)
    if let first { receive(first, epoch) }
    let isCurrent = state.withLock { state in
      guard state.epoch == epoch else { return false }
      state.upstream = upstream
      return true
    }
    guard isCurrent else { return upstream.cancel() }
    upstream.deliver { [weak self] update in
      self?.receive(update, epoch)
    } onEnd: { [weak self] in
      self?.end(epoch)
    }
  }

  func unsubscribe(_ id: Int) {
    let former = state.withLock { state -> ValueSubscription<Value>? in
      state.subscribers[id] = nil
      return state.endsWithSubscribers && state.subscribers.isEmpty ? state.end() : nil
    }
    former?.cancel()
  }

  /// Takes note that there will be no further subscriber.
  func release() {
    let former = state.withLock { state -> ValueSubscription<Value>? in
      state.endsWithSubscribers = true
      return state.subscribers.isEmpty ? state.end() : nil
    }
    former?.cancel()
  }

  private func receive(_ update: Update<Value>, _ epoch: Int) {
    let isTransientFailure = update.isTransientFailure
    // What is replaced may hold the last reference to objects of the application: it is released after the lock.
    let (channels, former) = state.withLock { state in
      guard state.epoch == epoch else {
        return ([] as [NewestValue<Update<Value>>], [:] as [TransientErrors: Update<Value>])
      }
      let former = state.latest
      // A consumer that subscribes from here on finds it in the channel.
      state.latest[.delivered] = update
      if !isTransientFailure { state.latest[.passedOver] = update }
      let concerned = state.subscribers.values.filter {
        !isTransientFailure || $0.transientErrors == .delivered
      }
      return (concerned.map(\.channel), former)
    }
    withExtendedLifetime(former) {}
    for channel in channels { channel.post(update) }
  }

  /// The database was closed.
  private func end(_ epoch: Int) {
    let (former, channels) = state.withLock { state in
      guard state.epoch == epoch else {
        return (nil as ValueSubscription<Value>?, [] as [NewestValue<Update<Value>>])
      }
      defer { state.subscribers = [:] }
      return (state.end(), state.subscribers.values.map(\.channel))
    }
    former?.cancel()
    for channel in channels { channel.finish() }
  }
}

/// One subscriber of a ``SharedObservation``.
final class SharedSubscription<Value: Sendable>: UpdateSource {
  private let core: SharedCore<Value>
  private let id: Int
  private let channel: NewestValue<Update<Value>>

  init(
    _ core: SharedCore<Value>, _ transientErrors: TransientErrors,
    _ start: ObservationStart = .whenFetched
  ) {
    self.core = core
    (id, channel) = core.subscribe(transientErrors, start)
  }

  deinit { cancel() }

  func next(isolation: isolated (any Actor)?) async -> Update<Value>? {
    await channel.next(isolation: isolation)
  }

  func deliver(to handler: @escaping @Sendable (Update<Value>) -> Void) {
    channel.deliver(to: handler)
  }

  func cancel() {
    core.unsubscribe(id)
    channel.cancel()
  }
}
