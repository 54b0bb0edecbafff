internal import Synchronization

/// The one connection that writes, and the accounting of what it commits.
///
///     statement ends ─▶ settle: committed? ─▶ changeset ─▶ CommitFeed ─▶ ledger lets the detector on
///                               rolled back? ─▶ CommitFeed
package final class Writer: Sendable {
  package let queue: ConnectionQueue
  private let opening: OpeningHook

  init(
    storage: Storage, configuration: Configuration, generations: FileGeneration,
    ledger: CommitLedger, feed: CommitFeed, handlers: CommitHandlers, interest: ChangeInterest
  ) {
    let opening = OpeningHook()
    self.opening = opening
    let options = storage.options(configuration, isReader: false)
    queue = ConnectionQueue(label: "livequery.writer", generations: generations) {
      [options] () throws(DatabaseError) in
      let connection = try storage.open(options)
      if case .file = storage { opening.action.withLock { $0.body }?() }
      Self.watch(connection, ledger, feed, handlers, interest)
      // A transaction that ends with its connection settles nothing itself.
      connection.onClose.append { ledger.didEndCommit(steps: 0) }
      return connection
    }
  }

  /// Calls `action` on the writer's queue whenever the connection was opened, before its first use.
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

// MARK: - Accounting

extension Writer {
  private static func watch(
    _ connection: Connection, _ ledger: CommitLedger, _ feed: CommitFeed,
    _ handlers: CommitHandlers, _ interest: ChangeInterest
  ) {
    let hooks = ChangeHooks(connection: connection)
    let accountant = CommitAccountant(
      connection: connection, hooks: hooks, ledger: ledger, feed: feed, handlers: handlers)
    // The connection owns the hooks, and the closures below own the accountant: no cycle, since
    // both refer to the connection without owning it.
    connection.changeHooks = hooks
    hooks.interest = { interest.interest(in: $0) }
    hooks.isFollowed = { accountant.isFollowed }
    hooks.willCommit = { accountant.willCommit() }
    hooks.didRollBackTransaction = {
      accountant.sawRollback = true
      handlers.transactions.noteRollback()
    }
    connection.willVacuum = { accountant.willVacuum($0) }
    connection.afterStatement = { accountant.settle() }
    connection.transactionWillEnd = { accountant.transactionWillEnd() }
  }
}
