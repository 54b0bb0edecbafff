internal import Synchronization

/// Observations that are told together: their membership in the coordinator, for as long as this
/// object lives.
final class ObservationGroup: Sendable {
  /// What the consumer knows of each member.
  private final class Known: Sendable {
    /// The last result.
    let results = Mutex<[Int: Result<any Sendable, any Error>]>([:])
    /// Those of which there has been a result at all.
    let begun = Mutex<Set<Int>>([])
  }

  private let mailbox: Mailbox<Delivery>
  private let fetches: [ObservedFetch]
  private let known: Known
  private let coordinator: ObservationCoordinator
  private let id: ObservationStateMachine.GroupID
  /// The wish to have changed rows counted, which events tell.
  private let counting: RowCounting?
  /// The database must outlive what observes it.
  private let database: Database

  /// - Parameters:
  ///   - wantsEvents: Whether to tell every event, and not results alone.
  ///   - skipsInitial: Takes the first result of each member as one that the consumer knows.
  ///   - first: What the members were found to be a moment ago, and have been told the consumer.
  init(
    _ database: Database, _ fetches: [ObservedFetch], wantsEvents: Bool = false,
    skipsInitial: Bool = false, first: FirstFetch? = nil
  ) {
    self.database = database
    self.fetches = fetches
    let known = Known()
    self.known = known
    for (index, member) in (first?.members ?? []).enumerated() {
      known.results.withLock { $0[index] = member.result }
      known.begun.withLock { _ = $0.insert(index) }
    }
    let admit: @Sendable (Delivery) -> Delivery? = { Self.withoutInitial($0, known) }
    mailbox = Mailbox(admit: skipsInitial ? admit : nil) { $0.merge($1) }
    coordinator = database.coordinator
    id = coordinator.add(fetches, mailbox: mailbox, wantsEvents: wantsEvents, first: first)
    counting = wantsEvents ? RowCounting(database.commits) : nil
  }

  deinit {
    coordinator.remove(id)
    mailbox.cancel()
  }

  /// The next delivery; `nil` when the task is cancelled.
  ///
  /// - Precondition: One consumer at a time.
  func next(isolation: isolated (any Actor)?) async -> Delivery? {
    guard let delivery = await mailbox.next(isolation: isolation) else { return nil }
    return Self.news(in: delivery, fetches, known)
  }

  /// Calls `handler` with every delivery from now on; see ``Mailbox/deliver(to:)``.
  func deliver(
    to handler: @escaping @Sendable (Delivery) -> Void, onEnd: (@Sendable () -> Void)? = nil
  ) {
    // Not self: what the mailbox holds must not keep the group alive.
    mailbox.deliver(
      to: { [fetches, known] in handler(Self.news(in: $0, fetches, known)) }, onEnd: onEnd)
  }

  /// Ends the observation: no call of a handler begins any more, and nobody waits.
  func cancel() {
    coordinator.remove(id)
    mailbox.cancel()
  }

  func refresh() { coordinator.refresh(id) }

  /// Has one member fetched again.
  func refresh(_ index: Int) { coordinator.refresh(index, of: id) }

  func cancelSlowQuery() { coordinator.cancelSlowQuery() }

  /// The delivery without what the consumer knows: while nobody looked a result may have changed and
  /// come back.
  private static func news(
    in delivery: Delivery, _ fetches: [ObservedFetch], _ known: Known
  ) -> Delivery {
    var delivery = delivery
    // There is one consumer, so nobody changes the results between the two locks; results are
    // compared by code that is not ours, which must not run under one.
    let before = known.results.withLock { $0 }
    delivery.results = delivery.results.filter { fetches[$0].isNews($1, after: before[$0]) }
    let now = before.merging(delivery.results) { $1 }
    known.results.withLock { $0 = now }
    return delivery
  }

  /// The delivery, with the first value of each member made known instead of told. An error is told:
  /// whoever does not want to hear of the beginning wants to hear that there is none.
  private static func withoutInitial(_ delivery: Delivery, _ known: Known) -> Delivery? {
    var delivery = delivery
    for (index, result) in delivery.results {
      guard known.begun.withLock({ $0.insert(index).inserted }), case .success = result else {
        continue
      }
      known.results.withLock { $0[index] = result }
      delivery.results[index] = nil
    }
    return delivery
  }
}

/// What was fetched for an observation before it began, so that it begins without another fetch.
struct FirstFetch: Sendable {
  struct Member: Sendable {
    let result: Result<any Sendable, any Error>
    let region: Region
    let duration: Duration
  }

  /// By the index of the member.
  let members: [Member]
  /// The newest commit that had been observed before the fetch.
  let ordinal: Int

  /// Whether there is an error instead of a value.
  var hasFailed: Bool {
    members.contains { if case .failure = $0.result { true } else { false } }
  }
}

extension Database {
  /// Whether commits of others are looked for now and then, because the system does not tell of them.
  package var isPolling: Bool { coordinator.isPolling }

  var coordinator: ObservationCoordinator { lazily { ObservationCoordinator(database: self) } }
}
