internal import Synchronization

/// One consumer of a throttled observation. The channel of the observation keeps the newest value
/// meanwhile, so all there is to do is to ask it late enough.
final class ThrottleStorage<Value: Sendable, C: Clock>: UpdateSource
where C.Duration == Duration {
  private let interval: Duration
  private let clock: C
  private let subscription: ValueSubscription<Value>
  private let lastDelivery = Mutex<C.Instant?>(nil)

  init(_ observation: ValueObservation<Value>, _ interval: Duration, _ clock: C) {
    self.interval = interval.sleepable
    self.clock = clock
    subscription = ValueSubscription(observation, .passedOver)
  }

  deinit { subscription.cancel() }

  func next(isolation: isolated (any Actor)?) async -> Update<Value>? {
    if let last = lastDelivery.withLock({ $0 }) {
      do {
        try await clock.sleep(until: last.advanced(by: interval), tolerance: .zero)
      } catch {
        // A clock stops sleeping for one reason: the task is cancelled.
        return nil
      }
    }
    guard let update = await subscription.next(isolation: isolation) else { return nil }
    lastDelivery.withLock { $0 = clock.now }
    return update
  }
}
