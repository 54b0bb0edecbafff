internal import Synchronization

/// One consumer of a debounced observation.
///
///     nothing ──value──▶ waiting until arrival + interval ──deadline──▶ delivered
///                            ▲        │
///                            └─newer──┘
final class DebounceStorage<Value: Sendable, C: Clock>: UpdateSource
where C.Duration == Duration {
  private struct Arrival: Sendable {
    let update: Update<Value>
    let time: C.Instant
  }

  private let filter: NewsFilter
  private let interval: Duration
  private let clock: C
  private let mailbox = Mailbox<Arrival> { $0 = $1 }
  private let subscription: ValueSubscription<Value>
  /// A value whose wait was cut off by the cancellation of the consumer's task.
  private let waiting = Mutex<Arrival?>(nil)

  init(_ observation: ValueObservation<Value>, _ interval: Duration, _ clock: C) {
    filter = NewsFilter(observation.fetch)
    self.interval = interval
    self.clock = clock
    subscription = ValueSubscription(observation)
    subscription.deliver { [mailbox, clock] update in
      mailbox.post(Arrival(update: update, time: clock.now))
    } onEnd: { [mailbox] in
      mailbox.finish()
    }
  }

  deinit { subscription.cancel() }

  func next(isolation: isolated (any Actor)?) async -> Update<Value>? {
    var newest = waiting.withLock { $0.take() }
    while true {
      guard let candidate = newest else {
        newest = await mailbox.next(isolation: isolation)
        if newest == nil { return nil }
        continue
      }
      let deadline = candidate.time.advanced(by: interval)
      switch await mailbox.next(before: deadline, on: clock) {
      case .message(let newer): newest = newer
      case .end where Task.isCancelled:
        waiting.withLock { $0 = candidate }
        return nil
      case .deadline, .end:
        newest = nil
        if filter.admits(candidate.update.fetched) { return candidate.update }
      }
    }
  }
}
