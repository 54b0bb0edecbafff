internal import Glibc
internal import Synchronization

/// The queries of a database whose results are kept up to date from changed rows.
///
/// A query that runs again and again is planned, and its state is read once, off the way of its values. From then on,
/// each commit adds its changed rows, and a refresh applies them in place of running the query:
///
///     idle ──ran often enough──▶ building ──state is read──▶ ready ──a refresh──▶ lent
///      ▲                             │                        │ ▲                  │ │
///      │                             │                        │ └──── applied ─────┘ │
///      └───── can't be read ─────────┴── commits not known ───┴──── not certain ─────┘
///
/// ## Guarantees
/// - A result that it gives is the one that the query would give in the same snapshot, bit by bit: the commits
///   between the state and the snapshot are known without a gap, and every step that isn't certain has the query run.
/// - It writes nothing to the database, and makes no temporary tables.
///
/// ## Limits
/// - Databases in WAL mode. Queries as ``MaintenancePlan`` describes them.
///
/// A mutex guards all of it. No SQL runs under it: the state is taken out meanwhile.
package final class MaintainedQueries: Sendable {
  /// When queries are maintained.
  struct Settings: Sendable {
    /// The most bytes that all states may have; 0 maintains nothing.
    let memory: Int
    /// Whether each result is compared with that of the query.
    let audits: Bool
    /// Whether to maintain whatever can be, even where running it takes less time; for tests.
    let isEager: Bool
    /// How long, in nanoseconds, reading a state may take.
    let longest: UInt64
  }

  /// What is known of one query, for the user.
  package struct Report: Sendable, Equatable {
    /// Whether its last result was maintained.
    package var isMaintained = false
    /// Why its last result was not.
    package var reason: String { didSet { place = nil } }
    /// Where in the SQL that stands, if it is a part of it: `line 2: name COLLATE NOCASE`.
    package var place: String?
    /// What its state is made of: `groups of player and team`; empty as long as there was none.
    package var plan = ""
    /// How often it ran, and how often its result was maintained instead.
    package var runs = 0
    package var maintained = 0
    /// How long it took the last time, in nanoseconds, to run it and to maintain it; 0 when it never was.
    package var runCost: UInt64 = 0
    package var maintenanceCost: UInt64 = 0
    /// What its state holds, in bytes, and how many rows or groups that is.
    package var stateBytes = 0
    package var stateCount = 0

    /// A report on a query that ran once.
    package init(reason: String) { self.reason = reason }

    /// The reason of a query that runs until it is known what it costs.
    package static let isUndecided = "it hasn't run often enough to decide"

    mutating func note(_ refusal: NotMaintainable, in sql: String) {
      reason = refusal.reason
      place = refusal.placeText(in: sql)
    }
  }

  /// What could be kept of a query.
  package enum Prospect: Sendable, Equatable {
    /// A state; what it would be made of.
    case state(String)
    /// None: why, and where in the SQL that stands.
    case none(reason: String, place: String?)
  }

  /// How long, in nanoseconds, reading a state may take however fast its query runs: a rule may have to read a table.
  private static let leastBuilding: UInt64 = 2_000_000_000
  /// How long, in nanoseconds, a refresh waits at most for the commits that its snapshot has: one that comes right
  /// after another is known within 1 ms, and in a burst with the next check, every 4 ms.
  private static let longestWait: UInt64 = 8_000_000
  private static let isNotInWALMode = "the database isn't in WAL mode"
  static let isNotPlaced = "its snapshot can't be placed"
  static let isTied = NotMaintainable(
    "rows with equal order keys can come in any order")
  static let isCheap = "it takes less time to run it"
  static let hasManyRows = "so many rows changed that it takes less time to run it"

  private let state = Mutex(State())
  private let settings: Settings
  /// Runs a job with a connection that reads, when others don't need it.
  private let enqueue:
    @Sendable (@escaping @Sendable (Result<Connection, DatabaseError>) -> Void)
      -> Void

  /// Called with what an audit found.
  private let reportFault: @Sendable (String) -> Void

  /// - Parameters:
  ///   - reportFault: Called with what an audit found, on the thread of the refresh.
  ///   - enqueue: Runs a job with a connection that reads, off the way of any value.
  init(
    _ settings: Settings, reportFault: @escaping @Sendable (String) -> Void,
    enqueue:
      @escaping @Sendable (
        @escaping @Sendable (Result<Connection, DatabaseError>) -> Void
      ) -> Void
  ) {
    self.settings = settings
    self.reportFault = reportFault
    self.enqueue = enqueue
  }

  /// What is known of a query; `nil` when no observation has run it, or it never took long enough.
  package func report(of sql: String, _ arguments: QueryArguments) -> Report? {
    state.withLock { $0.entries[QueryKey(sql: sql, arguments: arguments)]?.report }
  }

  /// Finds out what could be kept of a query, which doesn't run.
  ///
  /// - Throws: `DatabaseError` when the query or the schema can't be read.
  /// - Complexity: A few statements that read the schema.
  package func prospect(
    of sql: String, _ arguments: QueryArguments
  ) async throws -> Prospect {
    try await withCheckedThrowingContinuation { continuation in
      enqueue { connection in
        continuation.resume(
          with: Result {
            let connection = try connection.get()
            guard try connection.fetch(engine: "PRAGMA journal_mode").first?.first == .text("wal")
            else { return .none(reason: Self.isNotInWALMode, place: nil) }
            do {
              let key = QueryKey(sql: sql, arguments: arguments)
              return .state(
                try connection.snapshot { try PlannedQuery(key, on: $0) }.summary)
            } catch let refusal as NotMaintainable {
              return .none(reason: refusal.reason, place: refusal.placeText(in: sql))
            }
          })
      }
    }
  }

  /// How long it took, in nanoseconds, to run the queries whose results are maintained now.
  ///
  /// - Complexity: O(maintained queries).
  var costOfRunning: UInt64 {
    state.withLock { state in state.busy.reduce(0) { $0 + state.entries[$1]!.report.runCost } }
  }

  // MARK: - Commits

  /// What must be known of the changes of `table`; `nil` when no query of it is maintained.
  func interest(in table: TableID) -> TableInterest? {
    state.withLock { state in
      if let known = state.interests { return known[table] }
      var interests: [TableID: TableInterest] = [:]
      for key in state.busy {
        guard let query = state.entries[key]?.phase.query else { continue }
        for (table, columns) in query.interests {
          var interest = interests[table] ?? TableInterest()
          interest.columns?.formUnion(columns)
          interest.rowids = nil
          interest.wantsRows = true
          interests[table] = interest
        }
      }
      state.interests = interests
      return interests[table]
    }
  }

  /// Takes what a commit changed.
  ///
  /// - Complexity: O(1); every ``RecentCommits/limit`` commits, O(maintained queries + changed rows of their tables).
  func note(_ event: DatabaseEvent, _ changeset: Changeset) {
    guard case .commit(let commit) = event else { return }
    state.withLock { state in
      state.reach = changeset.span?.to
      guard commit.kind == .data else {
        for key in state.entries.keys {
          state.drop(key, "the schema changed")
          state.entries[key]!.refusal = nil
          state.entries[key]!.provenPlan = nil
          state.entries[key]!.hasReadAgain = false
          state.entries[key]!.patience.reset()
        }
        state.recent.removeAll()
        return
      }
      guard !state.busy.isEmpty else { return }
      state.recent.append(changeset)
      guard state.recent.isFull else { return }
      for key in state.busy { state.catchUp(key, isEager: settings.isEager) }
      state.recent.removeAll()
    }
  }

  /// Waits until the commits are noted that a snapshot has, if results of the observations could be maintained then.
  ///
  /// A commit that comes between the one that caused a refresh and its snapshot would have every query run. It waits for
  /// 8 ms at most, and for no longer than running their queries would take.
  ///
  /// - Parameter position: The newest commit in the snapshot of an open transaction.
  /// - Complexity: O(their queries) if it waits.
  func awaitCommits(upTo position: UInt32, for users: [Int]) {
    let start = SystemClock.monotonic()
    let patience = state.withLock { state -> UInt64 in
      guard state.lacks(position) else { return 0 }
      return min(users.reduce(0) { $0 + state.costOfRunning($1) }, Self.longestWait)
    }
    while SystemClock.monotonic() - start < patience, state.withLock({ $0.lacks(position) }) {
      usleep(50)
    }
  }

  /// Says that observations have ended.
  ///
  /// - Complexity: O(their queries).
  func forget(_ users: some Sequence<Int>) {
    state.withLock { state in
      for user in users {
        for key in state.keys.removeValue(forKey: user) ?? [] {
          state.entries[key]!.users.remove(user)
          guard state.entries[key]!.users.isEmpty else { continue }
          state.drop(key, "")
          state.entries[key] = nil
        }
      }
    }
  }

  // MARK: - Results

  /// The source of results for one read transaction on a connection.
  ///
  /// - Parameter user: The observation that is fetched now.
  func source(user: @escaping () -> Int) -> ResultSource? {
    guard settings.memory > 0 else { return nil }
    var started: [QueryKey: UInt64] = [:]
    return ResultSource(
      result: { [self] key, connection in
        let start = SystemClock.monotonic()
        let result = result(of: key, for: user(), connection, since: start)
        if result == nil { started[key] = SystemClock.monotonic() }
        return result
      },
      didRun: { [self] key, rows in
        guard let start = started[key] else { return }
        didRun(key, for: user(), cost: SystemClock.monotonic() - start)
      })
  }

  private func result(
    of key: QueryKey, for user: Int, _ connection: Connection, since start: UInt64
  ) -> Result<RowSet, DatabaseError>? {
    // Settings of a connection can change what a query returns there.
    let mark = connection.holdsState ? nil : connection.snapshotMark
    guard
      let (kept, pending) = state.withLock({
        $0.lend(key, to: user, at: mark, isEager: settings.isEager)
      })
    else {
      return nil
    }
    do {
      let changes = pending.rows.count
      let rows = try apply(pending, to: kept, connection)
      let result = rows.map { RowSet(columns: kept.query.columns, rows: $0) }
      let cost = SystemClock.monotonic() - start
      if let result, settings.audits, let fault = try audit(result, kept, connection) {
        state.withLock { $0.drop(key, "the audit found another result") }
        assertionFailure("\(fault.reason): \(key.sql)")
        reportFault("\(fault.reason): \(key.sql)")
        return nil
      }
      state.withLock {
        $0.giveBack(
          key, kept, cost: cost, of: changes, isGiven: result != nil, within: settings.memory,
          isEager: settings.isEager)
      }
      return result.map { .success($0) }
    } catch {
      // After an error it is unknown how much was applied.
      state.withLock { $0.drop(key, NotMaintainable(error)) }
      guard let error = error as? DatabaseError, error.code.primary == .interrupted else {
        return nil
      }
      return .failure(error)
    }
  }

  /// Brings a state up to date.
  ///
  /// - Returns: The rows of the result; `nil` when their order is unknown.
  private func apply(
    _ pending: PendingChanges, to kept: Kept, _ connection: Connection
  ) throws -> [[Value]]? {
    var pending = pending
    let changes = try pending.take()
    if let plan = kept.query.visitingPlan { try check(plan, of: kept, connection) }
    if !changes.isEmpty {
      kept.changes += changes.count
      guard kept.changes < Dependencies.Rule.mostRows || !kept.query.limitsRowCount else {
        throw NotMaintainable("so many rows have changed that its state is read again")
      }
      if try kept.state.apply(changes, connection) { kept.result = nil }
    }
    let moments = try StateReader.moments(kept.query, connection)
    if try kept.state.move(to: moments, connection) { kept.result = nil }
    if kept.result == nil { kept.result = try kept.state.rows(connection) }
    guard let (rows, followPlan) = kept.result else { return nil }
    if followPlan, let plan = kept.query.tiePlan {
      switch kept.tieOrder {
      case .proven: try check(plan, of: kept, connection)
      // There is no time to run the query here.
      case .unseen(isReadAgain: true): throw Self.isTied
      case .unseen, .disproved: return nil
      }
    }
    guard let room = connection.fetchState.resultRoom else { return rows }
    // What exceeds the limit on results fails as it does when the query runs.
    let size = rows.joined().reduce(0) { $0 + $1.byteCount }
    guard size <= room else { return nil }
    connection.fetchState.resultRoom = room - size
    return rows
  }

  /// Checks that a connection has the query plan from which the order of a state follows.
  private func check(
    _ plan: [VisitingOrder.Step], of kept: Kept, _ connection: Connection
  ) throws {
    guard try connection.queryPlan(of: kept.query.sql) == plan else {
      throw NotMaintainable("this connection visits its rows in another order")
    }
  }

  /// Runs the query as well, and compares.
  ///
  /// - Returns: What is wrong; `nil` when both are equal.
  private func audit(
    _ result: RowSet, _ kept: Kept, _ connection: Connection
  ) throws -> NotMaintainable? {
    let rows = try run(kept, connection)
    guard rows != result.rows else { return nil }
    return NotMaintainable("the audit found \(result.rows) maintained, and \(rows) run")
  }

  /// The rows that the query returns as of the moments of its state.
  private func run(_ kept: Kept, _ connection: Connection) throws(DatabaseError) -> [[Value]] {
    // The user's own text, if it can be had.
    let sql = kept.state.moments.isEmpty ? kept.query.sql : kept.query.wholeText
    return try connection.withEngineStatement(sql) {
      statement throws(DatabaseError) in
      // Behind the parameters that ?5 skips there may be none.
      for (index, value) in (kept.query.parameters + kept.state.moments).enumerated()
      where index < statement.parameterNames.count {
        try statement.bind(value, at: Int32(index + 1))
      }
      var rows: [[Value]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }

  // MARK: - Building

  /// Notes a run of a query, and has its state read when it ran often enough.
  private func didRun(_ key: QueryKey, for user: Int, cost: UInt64) {
    let job = state.withLock { state -> Int? in
      // Many observers of single rows should cost nothing here.
      guard cost >= MaintenanceCost.least || settings.isEager || state.entries[key] != nil else {
        return nil
      }
      let entry = state.entries[key] ?? Entry()
      state.entries[key] = entry
      var isForgotten = false
      defer {
        if isForgotten {
          state.entries[key] = nil
          for user in entry.users { state.keys[user]?.remove(key) }
        }
      }
      entry.users.insert(user)
      state.keys[user, default: []].insert(key)
      entry.report.isMaintained = false
      entry.report.runs += 1
      entry.report.runCost = cost
      entry.cost.noteRun(cost)
      guard case .idle = entry.phase else { return nil }
      entry.patience.noteRun()
      if let refusal = entry.refusal {
        entry.report.note(refusal, in: key.sql)
        return nil
      }
      if !settings.isEager {
        guard entry.cost.isWorthwhile(rows: 1) else {
          if entry.cost.isKnown { entry.report.reason = MaintainedQueries.isCheap }
          isForgotten = entry.cost.isNegligible
          return nil
        }
        guard entry.patience.isOver(isSmall: cost < MaintenanceCost.small) else { return nil }
      }
      state.lastJob += 1
      entry.phase = .building(job: state.lastJob, nil, PendingChanges())
      state.busy.insert(key)
      return state.lastJob
    }
    guard let job else { return }
    enqueue { [weak self] connection in
      self?.build(key, job, connection)
    }
  }

  private func build(
    _ key: QueryKey, _ job: Int, _ connection: Result<Connection, DatabaseError>
  ) {
    let start = SystemClock.monotonic()
    do {
      let connection = try connection.get()
      guard !connection.holdsState else {
        throw NotMaintainable("the connection has settings of its own")
      }
      guard connection.lease.isOfCurrentFile() else {
        throw NotMaintainable("another file came to the path")
      }
      let query: PlannedQuery
      let needsOrder = state.withLock { $0.entries[key]?.needsOrder ?? false }
      do {
        query = try connection.snapshot {
          try PlannedQuery(key, keepsOrder: needsOrder, on: $0)
        }
      } catch let refusal as NotMaintainable {
        state.withLock { $0.refuse(key, job, refusal) }
        return
      }
      // From here on changed rows are wanted: those of commits that the snapshot below lacks.
      let goesOn = state.withLock { state in
        guard case .building(job, _, let pending)? = state.entries[key]?.phase else { return false }
        state.interests = nil
        state.entries[key]!.phase = .building(job: job, query, pending)
        state.entries[key]!.seen = state.recent.end
        return true
      }
      guard goesOn else { return }
      // A snapshot that is held for long keeps the WAL from being reset.
      let runCost = state.withLock { $0.entries[key]?.report.runCost ?? 0 }
      let end = SystemClock.monotonic() + min(settings.longest, 10 * runCost + Self.leastBuilding)
      let (kept, position) = try connection.markedSnapshot { connection -> (Kept, UInt32) in
        guard connection.schemaState.versions?["main"] == query.schemaVersion else {
          throw DatabaseError(code: .busy, message: "the schema changed")
        }
        guard let mark = connection.snapshotMark else {
          throw DatabaseError(code: .busy, message: Self.isNotPlaced)
        }
        guard let position = mark.position else {
          throw DatabaseError(code: .busy, message: Self.isNotInWALMode)
        }
        return (
          try self.read(query, mark, for: key, job, until: end, connection), position
        )
      }
      state.withLock { state in
        state.catchUp(key, isEager: settings.isEager)
        guard case .building(job, _, var pending)? = state.entries[key]?.phase else { return }
        pending.start(at: position)
        state.entries[key]!.patience.noteState(cost: SystemClock.monotonic() - start)
        state.keep(key, kept, pending, within: settings.memory)
      }
    } catch {
      // Where SQL that was made of the query has an error, as of an alias in its WHERE, other rows have it too.
      if let error = error as? DatabaseError, error.code == .error, error.offset != nil {
        let refusal = NotMaintainable("SQLite doesn't take what is made of it: \(error.message)")
        state.withLock { $0.refuse(key, job, refusal) }
        return
      }
      // The rows may be others next time.
      let isOver = (error as? DatabaseError)?.code.primary == .interrupted
      let refusal =
        isOver ? NotMaintainable("it takes too long to read its state") : NotMaintainable(error)
      state.withLock { state in
        guard case .building(job, _, _)? = state.entries[key]?.phase else { return }
        state.drop(key, refusal)
      }
    }
  }

  /// Reads the state of a query in the open transaction.
  private func read(
    _ query: PlannedQuery, _ mark: SnapshotMark, for key: QueryKey, _ job: Int, until end: UInt64,
    _ connection: Connection
  ) throws -> Kept {
    var state = try ResultState(query, asOf: StateReader.moments(query, connection))
    let room = settings.memory - self.state.withLock { $0.bytes }
    try connection.withBudget({ [self] in
      SystemClock.monotonic() > end || !isWanted(key, job)
    }) {
      try state.fill(connection, limit: room)
    }
    guard state.byteCount <= room else {
      throw NotMaintainable("its state is larger than \(room / 1_000_000) MB")
    }
    let kept = Kept(mark, state)
    // Its own SQL may not evaluate what fails when the query runs.
    let found = query.hasFailingTerms ? try run(kept, connection) : nil
    // That SQLite adds up, or returns tied rows, in the order of its plan is certain only if it does.
    if let (rows, followPlan) = try state.rows(connection), followPlan || query.visitingPlan != nil
    {
      let isSame = try found ?? run(kept, connection) == rows
      guard isSame || query.visitingPlan == nil else {
        throw VisitingOrder.unknown("another order gave other sums")
      }
      if followPlan { kept.tieOrder = isSame ? .proven : .disproved }
    }
    return kept
  }

  private func isWanted(_ key: QueryKey, _ job: Int) -> Bool {
    state.withLock { state in
      state.catchUp(key, isEager: settings.isEager)
      return if case .building(job, _, let pending)? = state.entries[key]?.phase {
        pending.doubt == nil
      } else {
        false
      }
    }
  }
}
