package import ObservationEngine
internal import Synchronization

/// Calls a closure with each event of a database, under the lock of its stream, for as long as it lives.
package final class EventFollower: CommitFollower {
  private let registration = Mutex<CommitStream.Registration?>(nil)
  private let wanted: TableInterest?
  private let body: @Sendable (DatabaseEvent, Changeset) -> CommitStream.Action?

  private init(
    _ database: Database, _ wanted: TableInterest?,
    _ body: @escaping @Sendable (DatabaseEvent, Changeset) -> CommitStream.Action?
  ) {
    self.wanted = wanted
    self.body = body
    let registration = database.commits.add(self)
    self.registration.withLock { $0 = registration }
  }

  /// - Parameter wanted: How much of each table's changes must be captured; `nil` when that it changed is enough.
  package convenience init(
    _ database: Database, wanting wanted: TableInterest? = nil,
    _ body: @escaping @Sendable (DatabaseEvent, Changeset) -> Void
  ) {
    self.init(database, wanted) { event, changeset in
      body(event, changeset)
      return nil
    }
  }

  /// Has `action` done after each own commit, on the writer's queue.
  package static func acting(
    afterCommitsOf database: Database, _ action: @escaping CommitStream.Action
  ) -> EventFollower {
    EventFollower(database, nil) { event, _ in
      guard case .commit(let commit) = event, commit.origin == .own else { return nil }
      return action
    }
  }

  package func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
    body(event, changeset)
  }

  package func interest(in table: TableID) -> TableInterest? { wanted }
}
