internal import Synchronization

/// What the subscribers of a ``SharedObservation`` share.
///
///     idle ──first subscriber──▶ observing ──last one leaves──▶ idle     (while observed)
///       ▲                          │  │
///       └──── database closes ─────┘  └── restarted for a first value that must come at once
final class SharedCore<Value: Sendable>: Sendable {
  private struct State {
    /// Counts the observations that were begun: what an earlier one still delivers is not taken.
    var generation = 0
    var isObserving = false
    /// `nil` while it is being made, outside of the lock.
    var upstream: ValueSubscription<Value>?
    var latest: Update<Value>?
    var subscribers: [Int: NewestValue<Update<Value>>] = [:]
    var lastSubscriber = 0
    var endsWithSubscribers: Bool

    /// Forgets the running observation, and returns it, to be cancelled outside of the lock.
    mutating func end() -> ValueSubscription<Value>? {
      generation += 1
      isObserving = false
      latest = nil
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
  func subscribe(_ start: ObservationStart) -> (id: Int, channel: NewestValue<Update<Value>>) {
    let (id, channel, beginning, former) = state.withLock { state in
      let channel = NewestValue(state.latest, known: LastResult(of: observation.fetch))
      state.lastSubscriber += 1
      state.subscribers[state.lastSubscriber] = channel
      // Who needs a value at once does not wait for an observation that has none yet.
      let mustBegin = !state.isObserving || (start == .immediate && state.latest == nil)
      guard mustBegin else {
        return (state.lastSubscriber, channel, nil as Int?, nil as ValueSubscription<Value>?)
      }
      let former = state.end()
      state.isObserving = true
      return (state.lastSubscriber, channel, state.generation, former)
    }
    former?.cancel()
    if let beginning { begin(beginning, start) }
    return (id, channel)
  }

  private func begin(_ generation: Int, _ start: ObservationStart) {
    let upstream = observation.begin(start) { receive($0, generation) }
    let isCurrent = state.withLock { state in
      guard state.generation == generation else { return false }
      state.upstream = upstream
      return true
    }
    guard isCurrent else { return upstream.cancel() }
    upstream.deliver { [weak self] update in
      self?.receive(update, generation)
    } onEnd: { [weak self] in
      self?.end(generation)
    }
  }

  func unsubscribe(_ id: Int) {
    let former = state.withLock { state -> ValueSubscription<Value>? in
      state.subscribers[id] = nil
      return state.endsWithSubscribers && state.subscribers.isEmpty ? state.end() : nil
    }
    former?.cancel()
  }

  /// Takes that nobody can subscribe any more.
  func release() {
    let former = state.withLock { state -> ValueSubscription<Value>? in
      state.endsWithSubscribers = true
      return state.subscribers.isEmpty ? state.end() : nil
    }
    former?.cancel()
  }

  private func receive(_ update: Update<Value>, _ generation: Int) {
    let channels = state.withLock { state -> [NewestValue<Update<Value>>] in
      guard state.generation == generation else { return [] }
      // A consumer that subscribes from here on finds it in the channel.
      state.latest = update
      return Array(state.subscribers.values)
    }
    for channel in channels { channel.post(update) }
  }

  /// The database was closed.
  private func end(_ generation: Int) {
    let (former, channels) = state.withLock { state in
      guard state.generation == generation else {
        return (nil as ValueSubscription<Value>?, [] as [NewestValue<Update<Value>>])
      }
      defer { state.subscribers = [:] }
      return (state.end(), Array(state.subscribers.values))
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
  init(_ core: SharedCore<Value>, _ start: ObservationStart = .whenFetched) {
    self.core = core
    (id, channel) = core.subscribe(start)
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
