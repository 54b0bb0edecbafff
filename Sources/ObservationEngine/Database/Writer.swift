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
    ledger: CommitLedger, feed: CommitFeed
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
      Self.watch(connection, ledger, feed)
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
      throw error
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
  private static func watch(_ connection: Connection, _ ledger: CommitLedger, _ feed: CommitFeed) {
    let hooks = ChangeHooks(connection: connection)
    let accountant = CommitAccountant(
      connection: connection, hooks: hooks, ledger: ledger, feed: feed)
    // The connection owns the hooks, and the closures below own the accountant: no cycle, since
    // both refer to the connection without owning it.
    connection.changeHooks = hooks
    hooks.willCommit = { accountant.willCommit() }
    connection.afterStatement = { accountant.settle() }
  }
}

/// Turns the end of each own transaction into a commit with its changeset, or a rollback.
///
/// Confined to the writer's queue.
private final class CommitAccountant {
  private unowned let connection: Connection
  private unowned let hooks: ChangeHooks
  private let ledger: CommitLedger
  private let feed: CommitFeed

  // As of the decision to commit, under the write lock.
  private var positionBefore: UInt32?
  private var wroteMain = false
  private var pagesWrittenBefore: Int32 = 0
  private var isSettling = false

  init(connection: Connection, hooks: ChangeHooks, ledger: CommitLedger, feed: CommitFeed) {
    self.connection = connection
    self.hooks = hooks
    self.ledger = ledger
    self.feed = feed
  }

  func willCommit() {
    ledger.willCommit()
    // A commit that failed and is tried again comes here twice: the later reading counts.
    positionBefore = connection.changePosition()
    wroteMain = connection.isWritingMain
    // Pages spilled earlier in this transaction count too, so the sum since the last commit is kept.
  }

  func settle() {
    guard !isSettling else { return }
    isSettling = true
    defer { isSettling = false }
    if hooks.isCommitting {
      if connection.isInTransaction {
        hooks.commitFailed()
        ledger.didEndCommit(steps: 0)
        ledger.setHoldsWriteLock(connection.isWritingMain)
      } else {
        settleCommit()
      }
    } else if hooks.takeRollback() {
      ledger.didEndCommit(steps: 0)
      feed.publish(.rollback(SystemClock.now()))
    } else {
      let holds = connection.isInTransaction && connection.isWritingMain
      let held = ledger.current.holdsWriteLock
      ledger.setHoldsWriteLock(holds)
      // A transaction that changed nothing ended, or the commit of a lone statement failed on the
      // disk: the detector may look again.
      if (held && !holds) || ledger.current.isCommitting { ledger.didEndCommit(steps: 0) }
    }
  }

  private func settleCommit() {
    let after = connection.changePosition()
    let pagesWritten = connection.pagesWritten
    defer { pagesWrittenBefore = pagesWritten }
    let captures = hooks.takeCaptures()
    let moved: UInt32 = if let after, let before = positionBefore { after &- before } else { 0 }

    var (changeset, kind) = difference(captures)
    if positionBefore == nil, captures.isEmpty, changeset.isEmpty, wroteMain {
      // In memory no position tells whether anything was written: user_version, perhaps.
      changeset.allReason = "the commit changed more than rows"
    }
    // Only when this connection surely wrote pages of `main`, the step is surely its own; another
    // process may have committed between our COMMIT and the reading of the position.
    let isSurelyOwn =
      wroteMain && pagesWritten > pagesWrittenBefore && !connection.hasAttachedDatabases
      && !changeset.isEmpty
    if isSurelyOwn || positionBefore == nil {
      if !changeset.isEmpty { feed.publish(origin: .own, kind: kind, changeset: changeset) }
      // The index may be torn by the next writer by now: pages were written, so ours was a step.
      ledger.didEndCommit(steps: positionBefore != nil && after == nil ? 1 : min(moved, 1))
    } else {
      // Perhaps ours, perhaps theirs as well: refreshing everything covers both.
      if moved != 0 || !changeset.isEmpty {
        feed.publish(
          origin: .own, kind: kind,
          changeset: Changeset(allReason: "the commit changed more than rows"),
          count: max(1, Int(moved)))
      }
      ledger.didEndCommit(steps: moved)
    }
  }

  private func difference(_ captures: [String: ChangeHooks.Capture]) -> (Changeset, Commit.Kind) {
    do {
      if try connection.renewIfSchemaChanged() {
        return (Changeset(allReason: "the schema changed"), .schema)
      }
      guard !captures.isEmpty else { return (Changeset(), .data) }
      try connection.execute(engine: "BEGIN")
      defer {
        // Ending a transaction that only read cannot fail in a way that matters here.
        try? connection.execute(engine: "COMMIT")
      }
      return (try ChangesetBuilder(connection: connection).changeset(of: captures), .data)
    } catch {
      return (Changeset(allReason: "the changed rows could not be read: \(error.message)"), .data)
    }
  }
}
