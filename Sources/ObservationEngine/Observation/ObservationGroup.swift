/// Observations that are told together: their membership in the coordinator, for as long as this
/// object lives.
final class ObservationGroup: Sendable {
  let mailbox: Mailbox<Delivery>
  private let coordinator: ObservationCoordinator
  private let id: ObservationStateMachine.GroupID
  /// The database must outlive what observes it.
  private let database: Database

  init(_ database: Database, _ fetches: [ObservedFetch]) {
    self.database = database
    mailbox = Mailbox { $0.merge($1) }
    coordinator = database.coordinator
    id = coordinator.add(fetches, mailbox: mailbox)
  }

  deinit {
    coordinator.remove(id)
    mailbox.finish()
  }

  func refresh() { coordinator.refresh(id) }

  func cancelSlowQuery() { coordinator.cancelSlowQuery() }
}

extension Database {
  var coordinator: ObservationCoordinator { lazily { ObservationCoordinator(database: self) } }
}
