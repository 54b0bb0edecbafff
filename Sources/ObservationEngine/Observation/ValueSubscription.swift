internal import Synchronization

/// What becomes of errors that may heal by themselves.
enum TransientErrors: Sendable {
  case delivered
  /// The consumer isn't told, and compares the next value with the one that it has.
  case passedOver
}

/// One subscriber of a ``ValueObservation``: what it fetches, and what it makes of it.
final class ValueSubscription<Value: Sendable>: UpdateSource {
  private let group: ObservationGroup
  private let stage: ValueObservation<Value>.Stage
  private let listeners: [ObservationListener]
  private let life = Life()

  /// Whether it has ended; the handler refers to this, and must not keep the subscription alive.
  private final class Life: Sendable {
    let hasEnded = Atomic(false)
  }

  /// What belongs to a subscription that has not begun.
  struct Prepared {
    let observation: ValueObservation<Value>
    let fetch: ObservedFetch

    /// Notifies the listeners that an observation is about to begin.
    init(_ observation: ValueObservation<Value>) {
      self.observation = observation
      fetch = observation.fetch.instrumented(by: observation.listeners)
      for listener in observation.listeners { listener.willStart() }
    }
  }

  /// - Parameter first: What the consumer is given before anything else; see ``update(_:)``.
  init(
    _ prepared: Prepared, _ transientErrors: TransientErrors = .delivered, first: FirstFetch? = nil
  ) {
    let observation = prepared.observation
    stage = observation.makeStage()
    listeners = observation.listeners
    group = ObservationGroup(
      observation.database, [prepared.fetch], skipsInitial: observation.skipsInitial,
      transientErrors: transientErrors, first: first)
  }

  /// Begins an observation whose first value comes when it is fetched.
  convenience init(
    _ observation: ValueObservation<Value>, _ transientErrors: TransientErrors = .delivered
  ) {
    self.init(Prepared(observation), transientErrors)
  }

  deinit { cancel() }

  /// The next update; `nil` when the task is cancelled, or the database closed.
  func next(isolation: isolated (any Actor)?) async -> Update<Value>? {
    while let delivery = await group.next(isolation: isolation) {
      if let update = Self.update(delivery, stage) { return update }
    }
    cancel()
    return nil
  }

  /// Calls `handler` with all updates from now on, on whatever thread of the engine has one.
  ///
  /// - Parameter onEnd: Called when the database is closed.
  func deliver(
    to handler: @escaping @Sendable (Update<Value>) -> Void,
    onEnd: (@Sendable () -> Void)? = nil
  ) {
    group.deliver(
      to: { [stage, life] delivery in
        guard let update = Self.update(delivery, stage) else { return }
        // Values are transformed by code of the application, which takes its time, and may cancel.
        if !life.hasEnded.load(ordering: .acquiring) { handler(update) }
      }, onEnd: onEnd)
  }

  /// The update for a fetch that was made before the observation began; `nil` when the operators drop it.
  func update(_ first: FirstFetch) -> Update<Value>? {
    guard let member = first.members.first, let result = stage(member.result) else { return nil }
    return Update(
      result: result, ordinal: first.ordinal, origin: nil, tables: nil,
      duration: member.duration, fetched: member.result)
  }

  /// Ends the observation; no update is delivered any more.
  func cancel() {
    guard !life.hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    group.cancel()
    for listener in listeners { listener.didCancel() }
  }

  private static func update(
    _ delivery: Delivery, _ stage: ValueObservation<Value>.Stage
  ) -> Update<Value>? {
    guard let fetched = delivery.results[0], let result = stage(fetched) else { return nil }
    let isFirst = delivery.firsts.contains(0)
    return Update(
      result: result, ordinal: delivery.ordinal, origin: isFirst ? nil : delivery.origin,
      tables: isFirst ? nil : delivery.tables, duration: delivery.refreshed[0]?.duration ?? .zero,
      fetched: fetched)
  }
}
