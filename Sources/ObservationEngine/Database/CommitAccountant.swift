/// Turns the end of each own transaction into a commit with its changeset, or into a rollback.
///
/// Confined to the writer's queue.
final class CommitAccountant: ConnectionDelegate, ChangeHooksDelegate {
  /// A commit's number, and what its followers do once the ledger has accounted for it; no `Commit`
  /// without followers.
  private typealias Published = (ordinal: Int, commit: Commit?, actions: [CommitStream.Action])

  /// The connection owns its accountant.
  private unowned let connection: Connection
  private lazy var hooks = ChangeHooks(connection: connection, delegate: self)
  private let ledger: CommitLedger
  private let commits: CommitStream
  private let observers: TransactionObservers

  // From the decision to commit, under the write lock.
  private var positionBefore: UInt32?
  /// How many decisions to commit are not settled yet.
  private var decisions = 0
  /// Whether the writer held the write lock after the last statement.
  private var heldLock = false
  /// SQLite has rolled a transaction back since the last statement.
  private var sawRollback = false
  private(set) var lastOrdinal: Int?
  private var wroteMain = false
  // From the end of the last transaction.
  private var pagesWrittenBefore: Int32 = 0
  private var totalChangesBefore: Int64 = 0
  /// The schema that a running VACUUM rewrites.
  private var vacuumedSchema: String?
  private var isSettling = false
  /// What the transaction that is about to commit changes, if it was found before the commit, and how many changes
  /// of rows SQLite had reported by then.
  private var found: (changeset: Changeset, reportCount: Int)?

  /// Starts accounting for the commits of `connection`.
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

  /// - Returns: `false` when an observer refuses; SQLite then rolls the transaction back.
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
    // A commit that failed and is tried again arrives here twice. So do commits through SQLite's
    // own handle, because nothing settles between them. Counting from the first lets the ledger
    // account for all of them.
    if decisions == 1 { positionBefore = connection.wal.changePosition() }
    wroteMain = connection.isWritingMain
    // Pages that this transaction spilled earlier count too, so the sum since the last commit
    // stays.
    return true
  }

  /// Whether the transaction changed rows, even to the same values, or may have changed something
  /// else.
  private var hasWritten: Bool {
    connection.totalChanges != totalChangesBefore || connection.transactionState.mayHaveWrittenMore
      || !hooks.captures.isEmpty
  }

  /// Whether there is a follower: without one, the accountant doesn't work out changesets.
  var isFollowed: Bool { commits.isFollowed || !observers.isEmpty }

  /// Finds what the transaction changed while it still has its snapshot: a separate read after the
  /// commit would take as many locks as the commit itself.
  func transactionWillEnd() {
    found = nil
    guard connection.transactionState.keptSchema, isFollowed else { return }
    // If this fails, the changes are read after the commit, which reports a second failure.
    found = (try? ChangesetBuilder(connection: connection).changeset(of: hooks.captures)).map {
      ($0, hooks.reportCount)
    }
  }

  /// Prepares for a VACUUM, which calls no commit hook; SQLite refuses it within a transaction.
  func willVacuum(_ schema: String) {
    guard !connection.hasOpenTransaction else { return }
    ledger.willCommit()
    positionBefore = connection.wal.changePosition()
    vacuumedSchema = schema
  }

  /// It wrote nothing, whatever others have committed while it waited for their locks.
  func didFailToVacuum() {
    guard vacuumedSchema.take() != nil else { return }
    // The rows that it copied before it failed aren't changes, and nothing of the user's was rolled back.
    _ = hooks.takeCaptures()
    _ = hooks.takeRollback()
    ledger.endCommit(steps: 0)
    ledger.announceEnd()
  }

  /// Checks how the last statement left the transaction, and publishes its end.
  ///
  /// - Returns: The commit's ordinal, if the statement committed.
  @discardableResult
  func settle() -> Int? {
    guard !isSettling else { return nil }
    // Most statements end no transaction, and most jobs add nothing to what their last statement
    // did.
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
    // Followers run SQL on this connection, which calls this method again.
    for action in published?.actions ?? [] { action(connection) }
    // To wake the detector takes longer than many a refresh, and its own look would have been in the way.
    ledger.announceEnd()
    let didEnd: Bool
    if didCommit {
      observers.didCommit(connection, published?.commit)
      didEnd = true
    } else {
      didEnd = observers.settleRollback(connection)
    }
    if didEnd { connection.runTransactionEndActions(isCommit: didCommit) }
    if let published { lastOrdinal = published.ordinal }
    return published?.ordinal
  }

  private func settleTransaction() -> Published? {
    // It belongs to one attempt to commit, which may have failed. And COMMIT can write more: FTS keeps what it indexes in
    // memory until then.
    let found = found.take().flatMap { $0.reportCount == hooks.reportCount ? $0.changeset : nil }
    if hooks.isCommitting {
      if connection.hasOpenTransaction {
        hooks.commitFailed()
        decisions = 0
        ledger.endCommit(steps: 0)
        ledger.setHoldsWriteLock(connection.isWritingMain)
      } else {
        return settleCommit(found)
      }
    } else if hooks.takeRollback() {
      decisions = 0
      ledger.endCommit(steps: 0)
      commits.publish(.rollback(SystemClock.now()))
    } else {
      let holds = connection.hasOpenTransaction && connection.isWritingMain
      let held = ledger.current.holdsWriteLock
      ledger.setHoldsWriteLock(holds)
      // A transaction ended without changes, or the commit of a lone statement failed on the disk:
      // let the detector check again.
      if (held && !holds) || ledger.current.isCommitting { ledger.endCommit(steps: 0) }
      decisions = 0
    }
    return nil
  }

  private func settleCommit(_ found: Changeset?) -> Published? {
    // Followers may run SQL, which is another transaction.
    defer { connection.transactionState.keptSchema = false }
    let after = connection.wal.changePosition()
    let isOneCommit = decisions == 1
    defer { decisions = 0 }
    let hasWritten = hasWritten
    let captures = hooks.takeCaptures()
    let moved: UInt32 = if let after, let before = positionBefore { after &- before } else { 0 }
    let wrotePages = connection.pagesWritten > pagesWrittenBefore
    // An in-memory database has no pages to write.
    let isCommit = connection.options.isInMemory ? hasWritten : positionBefore == nil || wrotePages
    guard isFollowed else {
      // A follower that registers now starts from the committed state and needs its schema. If
      // reading it fails here, the next transaction reads it.
      _ = try? connection.renewIfCommitChangedSchema()
      let isCounted = isCommit || !captures.isEmpty
      defer { ledger.endCommit(steps: moved) }
      return isCounted ? (commits.countSilently(), nil, []) : nil
    }

    var (changeset, kind) = found.map { ($0, .data) } ?? difference(captures)
    if found == nil, let before = positionBefore, ChangesetBuilder.needsSnapshot(captures) {
      // Its snapshot was taken after the commit: another process may have committed in between.
      changeset.mayHoldOthersRows = connection.wal.changePosition().map { $0 &- before > 1 } ?? true
    }
    if changeset.isEmpty, wroteMain, isCommit {
      if captures.isEmpty, connection.totalChanges != totalChangesBefore {
        changeset = Changeset(everything: "rows changed that no hook reported")
      } else {
        // No rows, or the same values: user_version, REINDEX, the counters of AUTOINCREMENT, …
        changeset.touchesInternals = true
      }
    }
    // The step is certainly ours only if this connection certainly wrote pages of `main`: another
    // process may have committed between our COMMIT and our reading of the position. A changed row
    // of `main` proves it, even if it changed back; without one, the pages may belong to another
    // schema.
    let isSurelyOwn =
      isOneCommit && wroteMain && wrotePages
      && (captures.isEmpty
        ? connection.schemas == ["main"] : captures.keys.contains(where: \.isInMain))
    let isAlone = isSurelyOwn || positionBefore == nil
    if connection.wal.isOn, !connection.wal.isChangingMode, let before = positionBefore,
      !changeset.mayHoldOthersRows
    {
      if isSurelyOwn {
        changeset.span = CommitSpan(from: before, to: before &+ 1)
      } else if moved == 0 {
        changeset.span = CommitSpan(from: before, to: before)
      }
    }
    if !isAlone, moved != 0 {
      // The change may include another process's commit: refreshing everything covers both.
      changeset = Changeset(
        everything: changeset.everythingReason ?? "the commit changed more than rows")
    }
    ChangesetBuilder(connection: connection).addComputedColumns(to: &changeset, of: captures)
    var published: Published?
    if !changeset.isEmpty {
      published = publish(changeset, kind, count: isAlone ? 1 : max(1, Int(moved)))
    }
    if isAlone {
      // The next writer may be rewriting the index by now. Pages were written, so our commit was
      // one step.
      ledger.endCommit(steps: positionBefore != nil && after == nil ? 1 : min(moved, 1))
    } else {
      ledger.endCommit(steps: moved)
    }
    return published
  }

  /// Works out what a finished VACUUM did: it renumbers rows that have no declared rowid.
  private func settleVacuum() -> Published? {
    let schema = vacuumedSchema.take() ?? "main"
    let after = connection.wal.changePosition()
    // The rows that VACUUM copies internally aren't changes.
    _ = hooks.takeCaptures()
    let moved: UInt32 = if let after, let before = positionBefore { after &- before } else { 0 }
    var changeset = Changeset()
    do {
      let before = connection.catalog
      _ = try connection.renewIfSchemaChanged()
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
    ledger.endCommit(steps: positionBefore != nil && after == nil ? 1 : min(moved, 1))
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
      let (before, version) = (connection.catalog, connection.schemaState.versions?["main"])
      let isNewSchema = try connection.renewIfCommitChangedSchema()
      // A new index can have another order, from which rows follow that have none in the SQL.
      if isNewSchema,
        connection.schemaState.versions?["main"] != version
          || !connection.catalog.hasSameTables(as: before)
      {
        return (Changeset(everything: "the schema changed"), .schema)
      }
      var changeset = try changeset(of: captures)
      // An index of another database, or a trigger in `temp`: only results that read the schema itself can differ.
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
