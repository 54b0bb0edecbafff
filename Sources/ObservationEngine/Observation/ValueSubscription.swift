internal import Synchronization

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

    /// Tells the listeners that an observation is about to begin.
    init(_ observation: ValueObservation<Value>) {
      self.observation = observation
      fetch = observation.fetch.telling(observation.listeners)
      for listener in observation.listeners { listener.willStart() }
    }
  }

  /// - Parameters:
  ///   - skipsInitial: Whether the first value is to be kept from the consumer.
  ///   - first: What the consumer is told before it is told anything else; see ``update(_:)``.
  init(_ prepared: Prepared, skipsInitial: Bool, first: FirstFetch? = nil) {
    let observation = prepared.observation
    stage = observation.makeStage()
    listeners = observation.listeners
    group = ObservationGroup(
      observation.database, [prepared.fetch], skipsInitial: skipsInitial, first: first)
  }

  /// Begins an observation whose first value comes when it is fetched.
  convenience init(_ observation: ValueObservation<Value>) {
    self.init(Prepared(observation), skipsInitial: observation.skipsInitial)
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

  /// The update that a fetch before the beginning brought; `nil` when it is not to be told.
  func update(_ first: FirstFetch) -> Update<Value>? {
    guard let member = first.members.first, let result = stage(member.result) else { return nil }
    return Update(
      result: result, ordinal: first.ordinal, origin: nil, tables: nil, evidence: nil,
      refresh: .recomputed(reason: "the first fetch"), duration: member.duration,
      fetched: member.result)
  }

  /// The update that tells of a first fetch which could not be made.
  func failure(_ error: any Error) -> Update<Value>? {
    stage(.failure(error)).map { result in
      Update(
        result: result, ordinal: 0, origin: nil, tables: nil, evidence: nil,
        refresh: .recomputed(reason: "the first fetch"),
        duration: .zero, fetched: .failure(error))
    }
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
      tables: isFirst ? nil : delivery.tables, evidence: isFirst ? nil : delivery.evidence,
      refresh: .recomputed(reason: isFirst ? "the first fetch" : "nothing is maintained"),
      duration: delivery.recomputed[0] ?? .zero, fetched: fetched)
  }
}
