internal import Synchronization

/// Observations that are told together: their membership in the coordinator, for as long as this
/// object lives.
final class ObservationGroup: Sendable {
  private let mailbox: Mailbox<Delivery>
  private let fetches: [ObservedFetch]
  /// The last result of each member that the consumer took.
  private let taken = Mutex<[Int: Result<any Sendable, any Error>]>([:])
  private let coordinator: ObservationCoordinator
  private let id: ObservationStateMachine.GroupID
  /// The wish to have changed rows counted, which events tell.
  private let counting: Int?
  /// The database must outlive what observes it.
  private let database: Database

  /// - Parameter wantsEvents: Whether to tell every event, and not results alone.
  init(_ database: Database, _ fetches: [ObservedFetch], wantsEvents: Bool = false) {
    self.database = database
    self.fetches = fetches
    mailbox = Mailbox { $0.merge($1) }
    coordinator = database.coordinator
    id = coordinator.add(fetches, mailbox: mailbox, wantsEvents: wantsEvents)
    counting = wantsEvents ? database.changeInterest.wantCounts() : nil
  }

  deinit {
    coordinator.remove(id)
    if let counting { database.changeInterest.stopWanting(counting) }
    mailbox.finish()
  }

  /// The next delivery; `nil` when the task is cancelled.
  ///
  /// - Precondition: One consumer at a time.
  func next(isolation: isolated (any Actor)?) async -> Delivery? {
    guard var delivery = await mailbox.next(isolation: isolation) else { return nil }
    // While nobody looked a result may have changed and come back: that is nothing new.
    let before = taken.withLock { $0 }
    delivery.results = delivery.results.filter { fetches[$0].isNews($1, after: before[$0]) }
    let now = before.merging(delivery.results) { $1 }
    taken.withLock { $0 = now }
    return delivery
  }

  func refresh() { coordinator.refresh(id) }

  func cancelSlowQuery() { coordinator.cancelSlowQuery() }
}

extension Database {
  var coordinator: ObservationCoordinator { lazily { ObservationCoordinator(database: self) } }
}
