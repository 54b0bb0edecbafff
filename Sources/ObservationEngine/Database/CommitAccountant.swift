/// Turns the end of each own transaction into a commit with its changeset, or a rollback.
///
/// Confined to the writer's queue.
final class CommitAccountant: ConnectionDelegate, ChangeHooksDelegate {
  /// A commit under its number, and what its followers do once the ledger has it; no `Commit` when there are none.
  private typealias Published = (ordinal: Int, commit: Commit?, actions: [CommitStream.Action])

  /// The connection owns its accountant.
  private unowned let connection: Connection
  private lazy var hooks = ChangeHooks(connection: connection, delegate: self)
  private let ledger: CommitLedger
  private let commits: CommitStream
  private let observers: TransactionObservers

  // As of the decision to commit, under the write lock.
  private var positionBefore: UInt32?
  /// How many decisions to commit have not been settled.
  private var decisions = 0
  /// Whether the write lock was held when somebody last looked.
  private var heldLock = false
  /// SQLite has rolled something back since.
  private var sawRollback = false
  private var wroteMain = false
  // As of the end of the last transaction.
  private var pagesWrittenBefore: Int32 = 0
  private var totalChangesBefore: Int64 = 0
  /// The schema that a VACUUM, which has begun, rewrites.
  private var vacuumedSchema: String?
  private var isSettling = false
  /// The difference that the transaction about to be committed makes, when it was found in time.
  private var found: Changeset?

  /// Begins to account for what `connection` commits.
  init(
    connection: Connection, ledger: CommitLedger, commits: CommitStream,
    observers: TransactionObservers
  ) {
    self.connection = connection
    self.ledger = ledger
    self.commits = commits
    self.observers = observers
    _ = hooks
  }

  func connectionWillClose() { hooks.remove() }

  func interest(in table: TableID) -> TableInterest? { commits.interest(in: table) }

  func didRollBackTransaction() {
    sawRollback = true
    observers.noteRollback()
  }

  /// - Returns: `false` when an observer refuses: then SQLite rolls the transaction back.
  func willCommit() -> Bool {
    connection.transactionState.isDeciding = true
    connection.transactionState.refusal =
      hasWritten
      ? observers.refusal { [hooks] in PendingTransaction(tables: hooks.touchedTables) }
      : nil
    connection.transactionState.isDeciding = false
    if connection.transactionState.refusal != nil { return false }
    ledger.willCommit()
    decisions += 1
    // A commit that failed and is tried again comes here twice, and so do commits through SQLite's
    // own handle, between which nobody looks: counted from the first, the ledger accounts for all.
    if decisions == 1 { positionBefore = connection.wal.changePosition() }
    wroteMain = connection.isWritingMain
    // Pages spilled earlier in this transaction count too, so the sum since the last commit is
    // kept.
    return true
  }

  /// Whether the transaction has changed rows, the same values included, or may have changed something else.
  private var hasWritten: Bool {
    connection.totalChanges != totalChangesBefore || connection.transactionState.mayHaveWrittenMore
      || !hooks.captures.isEmpty
  }

  /// Whether there is a follower: a database that is not observed pays for no accounts.
  var isFollowed: Bool { commits.isFollowed || !observers.isEmpty }

  /// Finds what the transaction changed while it still has its snapshot: a reading of its own after the
  /// commit would take as many locks as the commit.
  func transactionWillEnd() {
    found = nil
    guard connection.transactionState.keptSchema, isFollowed else { return }
    // What cannot be read now is read after the commit, which says so when it fails again.
    found = try? ChangesetBuilder(connection: connection).changeset(of: hooks.captures)
  }

  /// Takes note that a VACUUM begins, which tells no hook of its commit.
  func willVacuum(_ schema: String) {
    ledger.willCommit()
    positionBefore = connection.wal.changePosition()
    vacuumedSchema = schema
  }

  /// Looks how the last statement left the transaction, and publishes its end.
  ///
  /// - Returns: The ordinal of the commit, if it ended with one.
  @discardableResult
  func settle() -> Int? {
    guard !isSettling else { return nil }
    // Most statements end nothing, and neither do most jobs beyond what their last statement did.
    let holds = connection.hasOpenTransaction && connection.isWritingMain
    if !hooks.isCommitting, !hooks.didRollBack, !sawRollback, decisions == 0, holds == heldLock,
      vacuumedSchema == nil
    {
      return nil
    }
    heldLock = holds
    sawRollback = false
    isSettling = true
    let didCommit = hooks.isCommitting && !connection.hasOpenTransaction
    let published = vacuumedSchema == nil ? settleTransaction() : settleVacuum()
    if !connection.hasOpenTransaction {
      pagesWrittenBefore = connection.pagesWritten
      totalChangesBefore = connection.totalChanges
      connection.transactionState.mayHaveWrittenMore = false
    }
    isSettling = false
    // Followers run SQL on this connection, which comes here again.
    for action in published?.actions ?? [] { action(connection) }
    let didEnd: Bool
    if didCommit {
      observers.didCommit(connection, published?.commit)
      didEnd = true
    } else {
      didEnd = observers.settleRollback(connection)
    }
    if didEnd { connection.runTransactionEndActions(isCommit: didCommit) }
    return published?.ordinal
  }

  private func settleTransaction() -> Published? {
    // It belongs to the one commit that was about to be made, which may have failed.
    let found = found.take()
    if hooks.isCommitting {
      if connection.hasOpenTransaction {
        hooks.commitFailed()
        decisions = 0
        ledger.didEndCommit(steps: 0)
        ledger.setHoldsWriteLock(connection.isWritingMain)
      } else {
        return settleCommit(found)
      }
    } else if hooks.takeRollback() {
      decisions = 0
      ledger.didEndCommit(steps: 0)
      commits.publish(.rollback(SystemClock.now()))
    } else {
      let holds = connection.hasOpenTransaction && connection.isWritingMain
      let held = ledger.current.holdsWriteLock
      ledger.setHoldsWriteLock(holds)
      // A transaction that changed nothing ended, or the commit of a lone statement failed on the
      // disk: the detector may look again.
      if (held && !holds) || ledger.current.isCommitting { ledger.didEndCommit(steps: 0) }
      decisions = 0
    }
    return nil
  }

  private func settleCommit(_ found: Changeset?) -> Published? {
    let after = connection.wal.changePosition()
    let isOneCommit = decisions == 1
    defer { decisions = 0 }
    let hasWritten = hasWritten
    let captures = hooks.takeCaptures()
    let moved: UInt32 = if let after, let before = positionBefore { after &- before } else { 0 }
    let wrotePages = connection.pagesWritten > pagesWrittenBefore
    // A database in memory has no pages to be written.
    let isCommit = connection.options.isInMemory ? hasWritten : positionBefore == nil || wrotePages
    guard isFollowed else {
      // Somebody who comes now begins with what was committed, and needs its schema. What cannot be
      // read now is read when the next transaction begins.
      _ = try? connection.renewIfCommitChangedSchema()
      let isCounted = isCommit || !captures.isEmpty
      defer { ledger.didEndCommit(steps: moved) }
      return isCounted ? (commits.countSilently(), nil, []) : nil
    }

    var (changeset, kind) = found.map { ($0, .data) } ?? difference(captures)
    if found == nil, let before = positionBefore, ChangesetBuilder.needsSnapshot(captures) {
      // Its snapshot was taken after the commit: another program may have committed before that.
      changeset.mayHoldOthersRows = connection.wal.changePosition().map { $0 &- before > 1 } ?? true
    }
    if changeset.isEmpty, wroteMain, isCommit {
      if captures.isEmpty, connection.totalChanges != totalChangesBefore {
        changeset = Changeset(everything: "rows changed that no hook reported")
      } else {
        // No rows, or the same again: user_version, REINDEX, the counters of AUTOINCREMENT, …
        changeset.touchesInternals = true
      }
    }
    // Only when this connection surely wrote pages of `main`, the step is surely its own; another
    // process may have committed between our COMMIT and the reading of the position. A row of `main`
    // that changed, even if back again, is written; without one the pages may be another schema's.
    let isSurelyOwn =
      isOneCommit && wroteMain && wrotePages
      && (captures.isEmpty
        ? connection.schemas == ["main"] : captures.keys.contains(where: \.isInMain))
    let isAlone = isSurelyOwn || positionBefore == nil
    if !isAlone, moved != 0 {
      // Perhaps ours, perhaps theirs as well: refreshing everything covers both.
      changeset = Changeset(
        everything: changeset.everythingReason ?? "the commit changed more than rows")
    }
    var published: Published?
    if !changeset.isEmpty {
      published = publish(changeset, kind, count: isAlone ? 1 : max(1, Int(moved)))
    }
    if isAlone {
      // The index may be torn by the next writer by now: pages were written, so ours was a step.
      ledger.didEndCommit(steps: positionBefore != nil && after == nil ? 1 : min(moved, 1))
    } else {
      ledger.didEndCommit(steps: moved)
    }
    return published
  }

  /// Looks what a VACUUM that has ended did: it numbers the rows anew that have no declared number.
  private func settleVacuum() -> Published? {
    let schema = vacuumedSchema.take() ?? "main"
    let after = connection.wal.changePosition()
    // What it copies on its way is no change.
    _ = hooks.takeCaptures()
    let moved: UInt32 = if let after, let before = positionBefore { after &- before } else { 0 }
    var changeset = Changeset()
    do {
      let before = connection.catalog
      // It raises the version of the schema: otherwise it has failed.
      guard try connection.renewIfSchemaChanged() || moved != 0 else {
        ledger.didEndCommit(steps: 0)
        return nil
      }
      var renumbered: Set<TableID> = []
      for table in connection.catalog.numberedTables(in: schema.asciiLowercased)
      where try !SchemaReader(connection).declaresRowid(table) {
        renumbered.insert(table)
      }
      changeset.renumbered = renumbered
      if schema.asciiLowercased == "main", connection.catalog.hasSameTables(as: before) {
        changeset.touchesInternals = true
        for table in renumbered {
          changeset[table] = .rows(Commit.RowCounts(), updatedColumns: ["rowid"])
        }
      } else {
        changeset.extent = .everything(reason: "VACUUM of \(schema)")
      }
    } catch {
      changeset.extent = .everything(
        reason: "the schema could not be read after VACUUM: \(error.message)")
    }
    let published = publish(changeset)
    ledger.didEndCommit(steps: positionBefore != nil && after == nil ? 1 : min(moved, 1))
    return published
  }

  private func publish(
    _ changeset: Changeset, _ kind: Commit.Kind = .data, count: Int = 1
  ) -> Published {
    let (commit, actions) = commits.record(
      origin: .own, kind: kind, changeset: changeset, count: count)
    return (commit.ordinal, commit, actions)
  }

  private func difference(
    _ captures: [TableID: TableCapture]
  ) -> (changeset: Changeset, kind: Commit.Kind) {
    do {
      let before = connection.catalog
      let isNewSchema = try connection.renewIfCommitChangedSchema()
      if isNewSchema, !connection.catalog.hasSameTables(as: before) {
        return (Changeset(everything: "the schema changed"), .schema)
      }
      var changeset = try changeset(of: captures)
      // An index, or statistics: no query has another result, but those of the schema itself.
      if isNewSchema { changeset[.schemaTable] = .bulk(reason: "the schema changed") }
      return (changeset, isNewSchema ? .schema : .data)
    } catch {
      return (Changeset(everything: "the changed rows could not be read: \(error.message)"), .data)
    }
  }

  private func changeset(
    of captures: [TableID: TableCapture]
  ) throws(DatabaseError) -> Changeset {
    let needsSnapshot = ChangesetBuilder.needsSnapshot(captures)
    if needsSnapshot { try connection.run(.begin) }
    defer { if needsSnapshot { connection.endReading() } }
    return try ChangesetBuilder(connection: connection).changeset(of: captures)
  }
}
