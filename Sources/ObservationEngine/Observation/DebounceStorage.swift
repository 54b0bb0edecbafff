internal import Synchronization

/// One consumer of a debounced observation.
///
///     nothing ──value──▶ waiting until arrival + interval ──deadline──▶ delivered
///                            ▲        │
///                            └─newer──┘
final class DebounceStorage<Value: Sendable, C: Clock>: UpdateSource
where C.Duration == Duration {
  private struct Arrival: NewestMessage {
    let update: Update<Value>
    let time: C.Instant

    mutating func merge(_ newer: Arrival) { self = newer }
  }

  private let interval: Duration
  private let clock: C
  private let channel = NewestValue<Arrival>()
  private let subscription: ValueSubscription<Value>
  /// What was delivered: a value may change and come back within the interval.
  private let last: Mutex<LastResult>

  init(_ observation: ValueObservation<Value>, _ interval: Duration, _ clock: C) {
    last = Mutex(LastResult(of: observation.fetch))
    self.interval = interval.sleepable
    self.clock = clock
    subscription = ValueSubscription(observation, .passedOver)
    subscription.deliver { [channel, clock] update in
      channel.post(Arrival(update: update, time: clock.now))
    } onEnd: { [channel] in
      channel.finish()
    }
  }

  deinit { subscription.cancel() }

  func next(isolation: isolated (any Actor)?) async -> Update<Value>? {
    while var newest = await channel.next(isolation: isolation) {
      while case .message(let newer) = await channel.next(
        before: newest.time.advanced(by: interval), on: clock)
      {
        newest = newer
      }
      if Task.isCancelled { return nil }
      if isNews(newest.update) { return newest.update }
    }
    return nil
  }

  private func isNews(_ update: Update<Value>) -> Bool {
    // There is one consumer. Values are compared, and released, by code of the application: not under the lock.
    var last = last.withLock { $0 }
    guard last.admits(update.fetched) else { return false }
    self.last.withLock { swap(&$0, &last) }
    return true
  }
}

extension NewestValue {
  /// What came first.
  fileprivate enum Arrival {
    case message(Message)
    case deadline
    /// The end of the messages, or of the task.
    case end
  }

  /// The next message, unless `deadline` comes first; a message is never lost between the two.
  fileprivate func next<C: Clock>(before deadline: C.Instant, on clock: C) async -> Arrival {
    await withTaskGroup(of: Arrival.self) { group in
      group.addTask {
        if let message = await self.next(isolation: nil) { .message(message) } else { .end }
      }
      group.addTask {
        do {
          try await clock.sleep(until: deadline, tolerance: .zero)
          return .deadline
        } catch {
          // The other child came first, or the task was cancelled.
          return .end
        }
      }
      let first = await group.next() ?? .end
      group.cancelAll()
      let second = await group.next() ?? .end
      // The message may have come at the very moment in which the clock called.
      for case .message(let message) in [first, second] { return .message(message) }
      return first
    }
  }
}
