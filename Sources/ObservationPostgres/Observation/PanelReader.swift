internal import ObservationEngine

/// One transaction in which queries run: read-only, of one snapshot, short, and in as few ways over the network as
/// possible.
///
///     begin ─▶ BEGIN; the snapshot; queries … ─▶ perhaps more queries ─▶ COMMIT
///           ╰▶ queries …; the snapshot, where nothing is to be learned: the server ends the transaction behind it
struct PanelReader {
  /// What a query returned.
  struct Outcome {
    let query: TrackedQuery
    var result: Result<ServerResult, ServerFault>
    /// What it read, if that was asked.
    var reads: TrackedQuery.Reads?
    /// Whether it ran without a savepoint, so that others failed with it, and what it read wasn't asked.
    var wasUnguarded = false
    /// Whether its duration is its own.
    var isTimed = false

    var hasFailed: Bool { if case .failure = result { true } else { false } }

    var duration: Duration {
      if case .success(let result) = result { result.duration } else { .zero }
    }
  }

  private let connection: ServerConnection
  private let isReplica: Bool
  private let hasSnapshots: Bool
  /// Whether the relations that queries read are to be learned.
  private let learns: Bool
  private let settings: ServerSettings
  /// The relations whose schema is to be marked; nil for none.
  var marksSchemaOf: Set<UInt32>?
  /// Whether their triggers belong to it.
  var marksTriggers = false
  /// What the observed queries read whose reads are fixed.
  var knownReads: Set<UInt32> = []
  /// Whether all of them are such queries.
  var knowsAll = false
  /// Whether the transaction is still open.
  private(set) var isOpen = false
  /// Whether a query of the transaction may have failed behind a savepoint, which is still there.
  private var hasSavepoint = false
  /// Whether the transaction has locks that no savepoint frees: of whatever queries.
  private var hasUnguardedLocks = false

  init(
    _ connection: ServerConnection, _ probe: ServerProbe, learns: Bool, _ settings: ServerSettings
  ) {
    self.connection = connection
    isReplica = probe.isReplica
    hasSnapshots = probe.hasSnapshots
    self.learns = learns
    self.settings = settings.within(probe.statementLimit)
  }

  /// A transaction that began.
  struct Snapshot {
    /// What ``CommitNoticing`` compares to notice commits: the snapshot, or on a standby the replay position.
    var mark: String
    /// How far a standby had come around it; nil on a primary.
    var view: ReplicaBarrier.View?
    var outcomes: [Outcome]
    /// What the schema is, if that was asked for: another text after each change.
    var schemaMark: String?
  }

  /// What each transaction is run with; two parameters.
  private static func settings(isLocal: Bool) -> String {
    """
    set_config('statement_timeout', $1, \(isLocal)), set_config('lock_timeout', $2, \(isLocal)), \
    set_config('idle_in_transaction_session_timeout', '5s', \(isLocal)), \
    set_config('datestyle', 'ISO', \(isLocal)), set_config('bytea_output', 'hex', \(isLocal)), \
    set_config('extra_float_digits', '1', \(isLocal))
    """
  }

  private static let snapshot = "pg_current_snapshot()::text"

  private var limits: [String?] {
    [settings.queryLimit.map(Self.milliseconds) ?? "0", Self.milliseconds(settings.lockLimit)]
  }

  /// The relations that a query read; whether they change without a commit that is noticed; whether their rows went
  /// after the snapshot; the text of views; and whether there are policies.
  private static func locks(withViews: Bool) -> String {
    """
    SELECT c.oid, c.relkind IN ('f', 'S') OR n.nspname = 'pg_catalog', \(isRewritten), \
    \(withViews ? "CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END" : "NULL"), c.relrowsecurity \
    FROM pg_locks l JOIN pg_class c ON c.oid = l.relation \
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' \
    AND l.mode = 'AccessShareLock' AND c.relkind IN ('r', 'p', 'm', 'v', 'S', 'f') \
    AND c.oid NOT IN ('pg_locks'::regclass, 'pg_class'::regclass, 'pg_namespace'::regclass)
    """
  }

  /// Whether the rows of a relation went after the snapshot: TRUNCATE and what rewrites a table hide them from older
  /// snapshots, too. The row of `pg_class` is as old as the snapshot, and the function returns the current file.
  private static let isRewritten = """
    c.relkind IN ('r', 'm') AND c.relfilenode <> 0 AND c.relfilenode <> pg_relation_filenode(c.oid)
    """

  /// Those of relations whose rows went after the snapshot: their numbers, with spaces between them.
  private static func rewritten(among oids: Set<UInt32>) -> String {
    """
    SELECT (SELECT string_agg(c.oid::text, ' ') FROM pg_class c WHERE c.oid = \(any(of: oids)) AND \(isRewritten))
    """
  }

  private static func any(of oids: Set<UInt32>) -> String { "ANY (\(array(of: oids)))" }

  /// The numbers are part of a statement's text: with a parameter it would be planned each time, which takes longer
  /// than to run it.
  private static func array(of oids: Set<UInt32>) -> String {
    "'{\(oids.sorted().map(String.init).joined(separator: ","))}'::oid[]"
  }

  /// Whether there are functions that users made: operators, casts, policies and types call them, too, which no text
  /// of a query shows. Triggers' functions are called by nothing else.
  private static let hasFunctions = """
    SELECT EXISTS (SELECT FROM pg_proc WHERE oid >= 16384 \
    AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype))
    """

  private static let wasRewritten = ServerFault(
    state: "40001", message: "a table was truncated or rewritten meanwhile")

  private static func milliseconds(_ duration: Duration) -> String {
    // Zero would be no limit at all.
    "\(max(1, duration.nanoseconds / 1_000_000))ms"
  }

  /// Begins the transaction and runs queries in it.
  ///
  /// - Throws: ``ServerFault`` when the connection is lost.
  mutating func begin(_ queries: [TrackedQuery]) throws(ServerFault) -> Snapshot {
    hasSavepoint = false
    hasUnguardedLocks = false
    let usesSession = learns && knowsAll
    // Without BEGIN, it ends with the last of its statements.
    isOpen = !usesSession || queries.contains(where: isGuarded)
    if usesSession { try setSession() } else { connection.hasSessionSettings = false }
    var steps: [ServerConnection.Step] = []
    // What was replayed before the snapshot is in it. It is asked for in a transaction of its own: BEGIN must come first.
    if isReplica { steps += [.statement(ServerProbe.replicaMark), .sync] }
    if isOpen { steps.append(.statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")) }
    let place = steps.count
    // Where nothing but known queries run, the last statement says in which snapshot they ran: one statement less.
    let saysLast = !isOpen && !isReplica && marksSchemaOf == nil && !queries.isEmpty
    if !saysLast {
      // After the snapshot: the functions run when it has been taken.
      let first =
        isReplica
        ? "concat_ws(' ', pg_last_wal_replay_lsn(), pg_last_wal_receive_lsn())"
        : hasSnapshots ? Self.snapshot : "''"
      // Not SET: a pooler would hand it to others. The snapshot is taken here.
      steps.append(
        usesSession
          ? own("SELECT \(first)")
          : own("SELECT \(first), \(Self.settings(isLocal: true))", limits))
    }
    var markPlace: Int?
    if let oids = marksSchemaOf {
      // The catalogs' locks must not count as those of a query.
      if isOpen { steps.append(.statement("SAVEPOINT livequery_mark")) }
      markPlace = steps.count
      let relations = Self.array(of: oids)
      steps.append(own(SchemaCatalogs.mark(of: relations, withTriggers: marksTriggers)))
      if isOpen { steps.append(.statement("ROLLBACK TO SAVEPOINT livequery_mark")) }
    }
    let (results, outcomes) = try run(steps, queries, sayingSnapshot: saysLast)
    if saysLast {
      // Before the synchronization. Where a query has failed, it was skipped, and all run again.
      let last = try? results.dropLast().last?.get()
      return Snapshot(mark: last?.text(1) ?? "", outcomes: outcomes)
    }
    var schemaMark: String?
    if let markPlace { schemaMark = try results[markPlace].get().text(0) }
    let mark = try results[isReplica ? 0 : place].get().text(0)
    let view = isReplica ? Self.view(mark, try results[place].get().text(0)) : nil
    return Snapshot(
      mark: mark ?? "", view: view, outcomes: outcomes, schemaMark: schemaMark)
  }

  /// Settings that stay cost a transaction nothing; with them it needs no BEGIN. But they are set again where a query
  /// may have changed them, and there must be no pooler.
  private func setSession() throws(ServerFault) {
    guard !connection.hasSessionSettings else { return }
    _ = try connection.run(
      """
      SELECT \(Self.settings(isLocal: false)), set_config('default_transaction_read_only', 'on', false), \
      set_config('default_transaction_isolation', 'repeatable read', false)
      """, limits, deadline: deadline(for: 1))
    connection.hasSessionSettings = true
  }

  private static func view(_ before: String?, _ after: String?) -> ReplicaBarrier.View? {
    let positions = (after ?? "").split(separator: " ").map { LogPosition.number(String($0)) }
    guard let before = before.flatMap(LogPosition.number), let replayed = positions.first ?? nil
    else { return nil }
    return ReplicaBarrier.View(
      before: before, after: replayed, received: positions.count > 1 ? positions[1] : nil)
  }

  /// A statement, and the texts of its parameters.
  typealias Statement = (statement: ServerStatement, values: [String?])

  /// Runs statements in a transaction of their own.
  ///
  /// - Parameter limit: How long each may take.
  /// - Throws: ``ServerFault`` when the connection is lost.
  static func read(
    _ statements: [Statement], _ connection: ServerConnection, _ probe: ServerProbe,
    _ settings: ServerSettings, limit: Duration?
  ) throws(ServerFault) -> [Result<ServerResult, ServerFault>] {
    var settings = settings
    settings.queryLimit = limit
    var reader = PanelReader(connection, probe, learns: false, settings)
    let queries = statements.map {
      TrackedQuery(TrackedQuery.Key(statement: $0.statement, values: $0.values))
    }
    let snapshot = try reader.begin(queries)
    try reader.end()
    return snapshot.outcomes.map(\.result)
  }

  /// One of the statements that are the same in each transaction. To plan what finds the locks takes longer than to
  /// run it. Where there is a stream of commits there is no pooler.
  private func own(_ sql: String, _ values: [String?] = []) -> ServerConnection.Step {
    learns ? .kept(sql, values: values) : .statement(sql, values: values)
  }

  /// Runs further queries in the transaction.
  mutating func run(_ queries: [TrackedQuery]) throws(ServerFault) -> [Outcome] {
    queries.isEmpty ? [] : try run([], queries, sayingSnapshot: false).1
  }

  /// Ends the transaction, if it is still open.
  func end() throws(ServerFault) { try finish("COMMIT") }

  /// Gives up the transaction, if it is still open.
  func rollBack() throws(ServerFault) { try finish("ROLLBACK") }

  private func finish(_ statement: String) throws(ServerFault) {
    guard isOpen else { return }
    _ = try connection.run(
      pipeline: [.statement(statement), .sync], limits: ResultLimits(), deadline: deadline(for: 1))
  }

  /// Each synchronization is a message that the server wakes up for, and what fails skips the rest up to there. So one
  /// follows each query that may fail, and nothing else.
  ///
  /// - Parameter sayingSnapshot: Whether the last statement says which snapshot it is.
  private mutating func run(
    _ head: [ServerConnection.Step], _ queries: [TrackedQuery], sayingSnapshot: Bool
  ) throws(ServerFault) -> ([Result<ServerResult, ServerFault>], [Outcome]) {
    let rollback = ServerConnection.Step.statement("ROLLBACK TO SAVEPOINT livequery_panel")
    // What the others have locked must not count as theirs.
    let guarded = queries.filter(isGuarded)
    let others = queries.filter { !isGuarded($0) }
    var steps = head
    var places: [Int] = []
    /// To send results apart takes the server a few microseconds, and this thread a wake more.
    func append(_ query: TrackedQuery) {
      places.append(steps.count)
      steps.append(
        .statement(query.key.statement.text, values: query.key.values, isTimed: query.isTimed))
    }
    for query in guarded {
      if hasSavepoint { steps += steps.isEmpty ? [rollback] : [.sync, rollback] }
      hasSavepoint = true
      steps.append(.statement("SAVEPOINT livequery_panel"))
      append(query)
      // What it read is locked by it until the savepoint is gone. What the second statement locks is not listed.
      steps.append(own(Self.locks(withViews: query.reads == nil)))
      if learns, query.reads == nil { steps.append(own(Self.hasFunctions)) }
    }
    if hasSavepoint {
      if !others.isEmpty { steps.append(.sync) }
      // Not only before further queries: what it has locked is free while its result is compared.
      steps.append(rollback)
    } else {
      hasUnguardedLocks = hasUnguardedLocks || !others.isEmpty
    }
    for query in others { append(query) }
    let last = steps.count
    if !others.isEmpty {
      steps.append(
        learns
          ? own(Self.rewritten(among: knownReads) + (sayingSnapshot ? ", " + Self.snapshot : ""))
          : .statement(Self.locks(withViews: false)))
    }
    steps.append(.sync)
    var limits = ResultLimits()
    limits.bytes = settings.resultBytes
    limits.refusesMore = true
    let begun = SystemClock.monotonic()
    let results = try connection.run(
      pipeline: steps, limits: limits, deadline: deadline(for: queries.count + 1))
    let isLong = SystemClock.monotonic() - begun > 1_000_000
    var outcomes = zip(places, guarded).map { place, query in
      outcome(of: query, results[place...])
    }
    for (place, query) in zip(places.dropFirst(guarded.count), others) {
      var outcome = Outcome(query: query, result: results[place], wasUnguarded: true)
      switch results[last] {
      case .success(let found):
        if wasRewritten(query, found) { outcome.result = .failure(Self.wasRewritten) }
      // Not every server that is polled can answer this.
      case .failure(let fault): if learns, !outcome.hasFailed { outcome.result = .failure(fault) }
      }
      outcomes.append(outcome)
    }
    for place in outcomes.indices { outcomes[place].isTimed = outcomes[place].query.isTimed }
    for query in queries { query.isTimed = isLong }
    return (results, outcomes)
  }

  /// Whether a query needs a savepoint: it may fail, what it reads is to be learned, or what it sets is to be undone.
  private func isGuarded(_ query: TrackedQuery) -> Bool {
    learns ? !query.isKnown : !query.isReliable || query.callsOthers
  }

  /// Whether what a query without a savepoint read is among the relations that were found to be rewritten: what it read
  /// was locked meanwhile.
  private func wasRewritten(_ query: TrackedQuery, _ found: ServerResult) -> Bool {
    guard learns else { return found.rows.contains { $0[2] == 1 } }
    return (found.text(0) ?? "").split(separator: " ").contains { oid in
      UInt32(oid).map { query.reads?.relations.contains($0) != false } ?? false
    }
  }

  private static func number(_ value: Value) -> UInt32? {
    if case .integer(let oid) = value { UInt32(truncatingIfNeeded: oid) } else { nil }
  }

  /// What came of a query behind a savepoint.
  ///
  /// - Parameter results: From its own on.
  private func outcome(
    of query: TrackedQuery, _ results: ArraySlice<Result<ServerResult, ServerFault>>
  ) -> Outcome {
    var outcome = Outcome(query: query, result: results[results.startIndex])
    guard case .success(let locks) = results[results.startIndex + 1] else { return outcome }
    if locks.rows.contains(where: { $0[2] == 1 }) { outcome.result = .failure(Self.wasRewritten) }
    if locks.rows.contains(where: { $0[1] == 1 || Self.isTimed(view: $0[3]) }) {
      query.dependsOnTime = true
    }
    guard learns, query.reads?.areFixed != true else { return outcome }
    // Locks of other queries would count as its own, for good: it is learned another time.
    if query.reads == nil, hasUnguardedLocks { return outcome }
    var reads = TrackedQuery.Reads(relations: Set(locks.rows.compactMap { Self.number($0[0]) }))
    if query.reads == nil, !locks.rows.isEmpty,
      case .success(let functions) = results[results.startIndex + 2], functions.rows == [[0]]
    {
      reads.areFixed =
        query.key.statement.callsKnownFunctions
        && locks.rows.allSatisfy { row in
          row[4] == 0 && Self.statement(ofView: row[3])?.callsKnownFunctions != false
        }
    }
    outcome.reads = reads
    return outcome
  }

  private static func isTimed(view definition: Value) -> Bool {
    statement(ofView: definition)?.dependsOnTime == true
  }

  private static func statement(ofView definition: Value) -> ServerStatement? {
    if case .text(let sql) = definition { ServerStatement(verbatim: sql) } else { nil }
  }

  /// The server ends each query in time by itself; this is for one that doesn't answer at all.
  private func deadline(for queries: Int) -> UInt64 {
    guard let limit = settings.queryLimit else { return .max }
    let now = SystemClock.monotonic()
    return now + UInt64(limit.nanoseconds) * UInt64(queries) + 5_000_000_000
  }
}
