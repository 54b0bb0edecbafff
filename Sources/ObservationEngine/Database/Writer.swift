internal import Synchronization

/// The one connection that writes, and the accounting of what it commits.
///
///     statement ends ─▶ settle: committed? ─▶ changeset ─▶ CommitStream ─▶ ledger lets the detector on
///                               rolled back? ─▶ CommitStream
package final class Writer: Sendable {
  package let queue: ConnectionQueue
  private let opening: OpeningHook

  init(
    storage: Storage, configuration: Configuration, epoch: FileEpoch,
    ledger: CommitLedger, commits: CommitStream, observers: TransactionObservers
  ) {
    let opening = OpeningHook()
    self.opening = opening
    let options = storage.options(configuration, isReader: false)
    queue = ConnectionQueue(label: "livequery.writer", epoch: epoch) {
      [options] () throws(DatabaseError) in
      let connection = try storage.open(options)
      if case .file = storage { opening.action.withLock { $0.body }?() }
      connection.delegate = CommitAccountant(
        connection: connection, ledger: ledger, commits: commits, observers: observers)
      // A transaction that ends with its connection settles nothing itself.
      connection.lease.onClose.append { ledger.didEndCommit(steps: 0) }
      return connection
    }
  }

  /// Calls `action` on the writer's queue after each opening of the connection, before its first
  /// use.
  func afterOpening(_ action: @escaping @Sendable () -> Void) {
    opening.action.withLock { $0.body = action }
  }

  private final class OpeningHook: Sendable {
    // Not the closure itself: see CommitLedger.
    struct Action {
      var body: (@Sendable () -> Void)?
    }

    let action = Mutex(Action())
  }
}
