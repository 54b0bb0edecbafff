/// The states of the maintained queries, and what is pending for each; guarded by the mutex of ``MaintainedQueries``.
///
/// No SQL runs here, so that the mutex is held for a moment only.
extension MaintainedQueries {
  /// The state of a query.
  ///
  /// Proof of `@unchecked`: the refresh that took it out of ``Phase/ready(_:_:)`` has it alone. An object, so that it is
  /// changed in place and never copied.
  final class Kept: @unchecked Sendable {
    /// The snapshot from which the state was read.
    let mark: SnapshotMark
    var state: ResultState
    /// The rows of the result, as long as nothing has changed since.
    var result: ResultState.Rows?
    var tieOrder = TieOrder.unseen(isReadAgain: false)
    /// How many changed rows were applied.
    var changes = 0

    var query: PlannedQuery { state.query }

    init(_ mark: SnapshotMark, _ state: ResultState) {
      self.mark = mark
      self.state = state
    }
  }

  /// Whether tied rows come in the order that follows from the plan of the query, as far as it was seen when a state was read.
  enum TieOrder {
    /// None were tied then. When some are, the state is read again, or the query runs as long as they are.
    case unseen(isReadAgain: Bool)
    case proven
    case disproved
  }

  enum Phase {
    case idle
    /// A job reads the state; only the newest one counts.
    case building(job: Int, PlannedQuery?, PendingChanges)
    case ready(Kept, PendingChanges)
    /// A refresh applies what was pending to this state, which it has.
    case lent(ObjectIdentifier, PlannedQuery, PendingChanges)

    /// The query whose changed rows are wanted.
    var query: PlannedQuery? {
      switch self {
      case .idle: nil
      case .building(_, let query, _): query
      case .ready(let kept, _): kept.query
      case .lent(_, let query, _): query
      }
    }
  }

  /// What is known of a query; guarded by the mutex.
  final class Entry {
    var phase = Phase.idle
    /// The observations that use the query.
    var users: Set<Int> = []
    var report = Report(reason: Report.isUndecided)
    /// Why it can't be maintained as long as the schema is what it is.
    var refusal: NotMaintainable?
    var cost = MaintenanceCost()
    /// Whether its state needs the order in which SQLite visits rows.
    var needsOrder = false
    /// The plan for which one of its states has proved the order of rows that are tied.
    var provenPlan: [VisitingOrder.Step]?
    /// Whether a state was read again to see that order.
    var hasReadAgain = false
    var patience = StatePatience()
    /// Up to which of ``State/recent`` its pending changes are complete.
    var seen = 0
  }

  struct State {
    var entries: [QueryKey: Entry] = [:]
    /// The queries of each observation.
    var keys: [Int: Set<QueryKey>] = [:]
    /// Those that aren't idle.
    var busy: Set<QueryKey> = []
    /// Commits whose rows the queries take when they are refreshed: a commit costs the same for one query and for many.
    var recent = RecentCommits()
    /// The newest commit that was noted, as the wal-index counts; `nil` when that is unknown.
    var reach: UInt32?
    /// The columns that changed rows must have, by table; made when it is asked for.
    var interests: [TableID: TableInterest]?
    var lastJob = 0
    var bytes = 0
  }
}

// MARK: - Phases

extension MaintainedQueries.State {
  /// Whether a commit is not noted yet, and will be.
  func lacks(_ position: UInt32) -> Bool {
    reach.map { Int32(bitPattern: position &- $0) > 0 } ?? false
  }

  /// How long it takes, in nanoseconds, to run the queries of an observation that have a state.
  func costOfRunning(_ user: Int) -> UInt64 {
    keys[user, default: []].reduce(0) { cost, key in
      guard let entry = entries[key], case .ready = entry.phase else { return cost }
      return cost + entry.report.runCost
    }
  }

  /// Takes a state out, if the commits up to the snapshot are known.
  mutating func lend(
    _ key: QueryKey, to user: Int, at mark: SnapshotMark?, isEager: Bool
  ) -> (MaintainedQueries.Kept, PendingChanges)? {
    guard let entry = entries[key] else { return nil }
    if entry.users.insert(user).inserted { keys[user, default: []].insert(key) }
    catchUp(key, isEager: isEager)
    guard case .ready(let kept, let pending) = entry.phase else { return nil }
    if let doubt = pending.doubt {
      drop(key, doubt)
      return nil
    }
    guard let mark else {
      entry.report.reason = MaintainedQueries.isNotPlaced
      return nil
    }
    guard kept.mark.isCounted(with: mark) else {
      drop(key, "the connections were closed meanwhile")
      return nil
    }
    var later = pending
    guard let position = mark.position, let due = later.split(at: position) else {
      entry.report.reason = "a commit isn't known yet"
      return nil
    }
    guard isEager || entry.cost.isWorthwhile(rows: due.rows.count) else {
      drop(key, MaintainedQueries.hasManyRows)
      return nil
    }
    entry.phase = .lent(ObjectIdentifier(kept), kept.query, later)
    return (kept, due)
  }

  /// Takes a state back after its changes were applied.
  mutating func giveBack(
    _ key: QueryKey, _ kept: MaintainedQueries.Kept, cost: UInt64, of changes: Int, isGiven: Bool,
    within memory: Int, isEager: Bool
  ) {
    // It may have been given up meanwhile, and another one be lent.
    guard let entry = entries[key], case .lent(ObjectIdentifier(kept), _, let later) = entry.phase
    else { return }
    keep(key, kept, later, within: memory)
    guard isGiven else {
      entry.report.note(MaintainedQueries.isTied, in: key.sql)
      return
    }
    entry.patience.noteResult(saving: entry.cost.saving(of: cost))
    entry.report.isMaintained = true
    entry.report.maintained += 1
    entry.report.maintenanceCost = cost
    entry.cost.noteMaintenance(cost, rows: changes)
    if entry.patience.given >= 4, !isEager, !entry.cost.isWorthwhile(rows: 1) {
      drop(key, MaintainedQueries.isCheap)
      entry.patience.noteCheapness()
    }
  }

  /// Refuses a query for as long as the schema is what it is.
  mutating func refuse(_ key: QueryKey, _ job: Int, _ refusal: NotMaintainable) {
    guard let entry = entries[key], case .building(job, _, _) = entry.phase else { return }
    drop(key, refusal)
    // Where the order isn't known, other values may not need it.
    if entry.needsOrder { entry.needsOrder = false } else { entry.refusal = refusal }
  }

  mutating func keep(
    _ key: QueryKey, _ kept: MaintainedQueries.Kept, _ pending: PendingChanges, within memory: Int
  ) {
    let entry = entries[key]!
    let size = kept.state.byteCount
    bytes += size - entry.report.stateBytes
    (entry.report.stateBytes, entry.report.stateCount) = (size, kept.state.count)
    entry.report.plan = kept.query.summary
    switch kept.tieOrder {
    case .proven: entry.provenPlan = kept.query.tiePlan
    case .unseen where entry.provenPlan != nil && entry.provenPlan == kept.query.tiePlan:
      kept.tieOrder = .proven
    case .unseen: kept.tieOrder = .unseen(isReadAgain: !entry.hasReadAgain)
    case .disproved: break
    }
    entry.phase = .ready(kept, pending)
    if bytes > memory { drop(key, "the states are larger than \(memory / 1_000_000) MB") }
  }

  mutating func drop(_ key: QueryKey, _ reason: String) {
    drop(key, NotMaintainable(reason))
  }

  /// Gives up a state, or the building of one.
  mutating func drop(_ key: QueryKey, _ refusal: NotMaintainable) {
    guard let entry = entries[key] else { return }
    if case .idle = entry.phase { return }
    interests = nil
    busy.remove(key)
    if busy.isEmpty { recent.removeAll() }
    bytes -= entry.report.stateBytes
    (entry.report.stateBytes, entry.report.stateCount) = (0, 0)
    entry.report.note(refusal, in: key.sql)
    entry.phase = .idle
    entry.patience.noteLoss()
    // The next state has it.
    if refusal.needsOrder, !entry.needsOrder {
      entry.needsOrder = true
      entry.patience.endAfterNextRun()
    }
    if refusal == MaintainedQueries.isTied {
      entry.hasReadAgain = true
      entry.patience.endAfterNextRun()
    }
  }

  /// Adds the rows of recent commits to what is pending, unless they are so many that the query had better run.
  mutating func catchUp(_ key: QueryKey, isEager: Bool) {
    guard let entry = entries[key], let query = entry.phase.query, entry.seen < recent.end else {
      return
    }
    let since = entry.seen
    entry.seen = recent.end
    let commits = recent[since: since]
    if case .ready(_, let pending) = entry.phase, !isEager {
      let rows = commits.reduce(pending.rows.count) { $0 + query.mostRows(in: $1) }
      guard entry.cost.isWorthwhile(rows: rows) else {
        drop(key, MaintainedQueries.hasManyRows)
        return
      }
    }
    for changeset in commits { note(changeset.span, query.change(changeset), of: key, entry) }
  }

  private mutating func note(
    _ span: CommitSpan?, _ change: PendingChanges.Change, of key: QueryKey,
    _ entry: MaintainedQueries.Entry
  ) {
    let phase = entry.phase
    // The rows have one owner, and are added to in place.
    entry.phase = .idle
    switch consume phase {
    case .idle: break
    case .building(let job, let query, var pending):
      pending.note(span, change)
      entry.phase = .building(job: job, query, pending)
    case .ready(let kept, var pending):
      pending.note(span, change)
      let doubt = pending.doubt
      entry.phase = .ready(kept, pending)
      if let doubt { drop(key, doubt) }
    case .lent(let state, let query, var pending):
      pending.note(span, change)
      entry.phase = .lent(state, query, pending)
    }
  }
}
