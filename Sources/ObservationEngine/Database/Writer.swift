internal import Synchronization

/// The one connection that writes, and the accounting of what it commits.
///
///     statement ends ─▶ settle: committed? ─▶ changeset ─▶ CommitFeed ─▶ ledger lets the detector on
///                               rolled back? ─▶ CommitFeed
package final class Writer: Sendable {
  package let queue: ConnectionQueue
  private let ledger: CommitLedger
  private let feed: CommitFeed
  private let opening: OpeningHook

  init(
    file: DatabaseFile?, configuration: Configuration, generations: FileGeneration,
    ledger: CommitLedger, feed: CommitFeed, handlers: CommitHandlers
  ) {
    self.ledger = ledger
    self.feed = feed
    let opening = OpeningHook()
    self.opening = opening
    var options = Connection.Options()
    options.isReadOnly = configuration.isReadOnly
    options.busyTimeout = configuration.busyTimeout
    options.trustsSchema = configuration.trustsSchema
    queue = ConnectionQueue(label: "livequery.writer", generations: generations) {
      [options] () throws(DatabaseError) in
      let connection: Connection
      if let file {
        connection = try file.open(options)
        opening.action.withLock { $0 }?()
      } else {
        connection = try Connection(path: ":memory:", options: options)
        _ = try connection.renewIfSchemaChanged()
      }
      Self.watch(connection, ledger, feed, handlers)
      // A transaction that ends with its connection settles nothing itself.
      connection.onClose.append { ledger.didEndCommit(steps: 0) }
      return connection
    }
  }

  /// Calls `action` on the writer's queue whenever the connection was opened, before its first use.
  func afterOpening(_ action: @escaping @Sendable () -> Void) {
    opening.action.withLock { $0 = action }
  }

  private final class OpeningHook: Sendable {
    let action = Mutex<(@Sendable () -> Void)?>(nil)
  }

  /// Runs `body` in one IMMEDIATE transaction, and commits it unless it throws.
  static func transaction<Output>(
    _ connection: Connection, ledger: CommitLedger, _ body: (Connection) throws -> Output
  ) throws -> Output {
    try connection.execute(engine: "BEGIN IMMEDIATE")
    ledger.setHoldsWriteLock(true)
    do {
      _ = try connection.renewIfSchemaChanged()
      let output = try body(connection)
      try connection.execute(engine: "COMMIT")
      connection.afterStatement?()
      return output
    } catch {
      // A failed COMMIT, or a statement, may have ended the transaction already.
      if connection.isInTransaction {
        do { try connection.execute(engine: "ROLLBACK") } catch let failure {
          throw DatabaseError(
            code: failure.code, message: "rolling back failed: \(failure.message), after: \(error)")
        }
      }
      connection.afterStatement?()
      throw connection.reported(error)
    }
  }

  func write<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    try await queue.perform { [ledger] in try Self.transaction($0, ledger: ledger, body) }
  }

  func writeAndWait<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    try queue.performAndWait { try Self.transaction($0, ledger: ledger, body) }
  }
}

// MARK: - Accounting

extension Writer {
  private static func watch(
    _ connection: Connection, _ ledger: CommitLedger, _ feed: CommitFeed,
    _ handlers: CommitHandlers
  ) {
    let hooks = ChangeHooks(connection: connection)
    let accountant = CommitAccountant(
      connection: connection, hooks: hooks, ledger: ledger, feed: feed, handlers: handlers)
    // The connection owns the hooks, and the closures below own the accountant: no cycle, since
    // both refer to the connection without owning it.
    connection.changeHooks = hooks
    hooks.willCommit = { accountant.willCommit() }
    hooks.didRollBackTransaction = { handlers.transactions.noteRollback() }
    connection.afterStatement = { accountant.settle() }
  }
}
