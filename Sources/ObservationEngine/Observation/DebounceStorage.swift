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
  /// A value whose wait was cut off by the cancellation of the consumer's task.
  private let waiting = Mutex<Arrival?>(nil)
  /// What was delivered: a value may change and come back within the interval.
  private let last: Mutex<LastResult>

  init(_ observation: ValueObservation<Value>, _ interval: Duration, _ clock: C) {
    last = Mutex(LastResult(of: observation.fetch))
    self.interval = interval
    self.clock = clock
    subscription = ValueSubscription(observation)
    subscription.deliver { [channel, clock] update in
      channel.post(Arrival(update: update, time: clock.now))
    } onEnd: { [channel] in
      channel.finish()
    }
  }

  deinit { subscription.cancel() }

  func next(isolation: isolated (any Actor)?) async -> Update<Value>? {
    var newest = waiting.withLock { $0.take() }
    while true {
      guard let candidate = newest else {
        newest = await channel.next(isolation: isolation)
        if newest == nil { return nil }
        continue
      }
      let deadline = candidate.time.advanced(by: interval)
      switch await channel.next(before: deadline, on: clock) {
      case .message(let newer): newest = newer
      case .end where Task.isCancelled:
        waiting.withLock { $0 = candidate }
        return nil
      case .deadline, .end:
        newest = nil
        if isNews(candidate.update) { return candidate.update }
      }
    }
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
