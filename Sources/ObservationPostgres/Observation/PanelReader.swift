internal import ObservationEngine

/// One transaction in which queries run: read-only, of one snapshot, short, and in as few ways over the network as
/// possible.
///
///     begin ─▶ BEGIN; the snapshot; queries … ─▶ perhaps more queries ─▶ COMMIT
struct PanelReader {
  /// What a query returned.
  struct Outcome {
    let query: TrackedQuery
    var result: Result<ServerResult, ServerFault>
    /// The relations that it read, if that was asked.
    var reads: Set<UInt32>?

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
  /// Whether a query of the transaction may have failed behind a savepoint, which is still there.
  private var hasSavepoint = false

  init(
    _ connection: ServerConnection, _ probe: ServerProbe, learns: Bool, _ settings: ServerSettings
  ) {
    self.connection = connection
    isReplica = probe.isReplica
    hasSnapshots = probe.hasSnapshots
    self.learns = learns
    self.settings = settings
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

  private static let idleTimeout = "5s"

  /// The relations that a query read; whether they change without a commit that is noticed; whether their rows went
  /// after the snapshot; and the text of views.
  ///
  /// TRUNCATE and what rewrites a table hide its rows from older snapshots, too. The row of `pg_class` is as old as the
  /// snapshot, and the function returns the current file.
  private static func locks(withViews: Bool) -> String {
    """
    SELECT c.oid, c.relkind IN ('f', 'S') OR n.nspname = 'pg_catalog', c.relkind IN ('r', 'm') \
    AND c.relfilenode <> 0 AND c.relfilenode <> pg_relation_filenode(c.oid), \
    \(withViews ? "CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END" : "NULL") \
    FROM pg_locks l JOIN pg_class c ON c.oid = l.relation \
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' \
    AND l.mode = 'AccessShareLock' AND c.relkind IN ('r', 'p', 'm', 'v', 'S', 'f') \
    AND c.oid NOT IN ('pg_locks'::regclass, 'pg_class'::regclass, 'pg_namespace'::regclass)
    """
  }

  /// What says which rows a query has beyond those of its tables. A row of a catalog has a new `xmin` after each change,
  /// but not after VACUUM or ANALYZE. What users make has numbers from 16384 on (FirstNormalObjectId); the thousands of
  /// functions below are not read.
  ///
  /// The numbers are part of the text: with a parameter it would be planned each time, which takes longer than to run it.
  private static func schemaMark(of oids: Set<UInt32>, withTriggers: Bool) -> String {
    let list = oids.sorted().map(String.init).joined(separator: ",")
    let these = "ANY ('{\(list)}'::oid[])"
    let triggers = """
      (SELECT string_agg(concat(oid, ':', xmin), ',' ORDER BY oid) FROM pg_trigger WHERE tgrelid = \(these))
      """
    return """
      SELECT md5(concat_ws('|', \
      (SELECT string_agg(concat(oid, ':', xmin), ',' ORDER BY oid) FROM pg_class WHERE oid = \(these)), \
      (SELECT string_agg(concat(attrelid, ':', attnum, ':', xmin), ',' ORDER BY attrelid, attnum) FROM pg_attribute \
      WHERE attrelid = \(these) AND attnum > 0), \
      (SELECT string_agg(concat(oid, ':', xmin), ',' ORDER BY oid) FROM pg_rewrite WHERE ev_class = \(these)), \
      (SELECT string_agg(concat(oid, ':', xmin), ',' ORDER BY oid) FROM pg_policy WHERE polrelid = \(these)), \
      (SELECT string_agg(concat(inhrelid, ':', inhparent), ',' ORDER BY inhrelid, inhparent) FROM pg_inherits \
      WHERE inhparent = \(these)), \
      (SELECT string_agg(concat(oid, ':', xmin), ',' ORDER BY oid) FROM pg_proc \
      WHERE oid >= 16384), \
      \(withTriggers ? triggers : "NULL"), \
      (SELECT concat(count(*), ':', max(oid::text::bigint)) FROM pg_class WHERE oid >= 16384 AND relpersistence <> 't')))
      """
  }

  private static let isRewritten = ServerFault(
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
    var steps: [ServerConnection.Step] = []
    // What was replayed before the snapshot is in it. It is asked for in a transaction of its own: BEGIN must come first.
    if isReplica { steps += [.statement(ServerProbe.replicaMark), .sync] }
    let place = steps.count
    // After the snapshot: the functions run when it has been taken.
    let first =
      isReplica
      ? "concat_ws(' ', pg_last_wal_replay_lsn(), pg_last_wal_receive_lsn())"
      : hasSnapshots ? "pg_current_snapshot()::text" : "''"
    let limit = settings.queryLimit.map(Self.milliseconds) ?? "0"
    steps.append(.statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
    // Not SET: a pooler would hand it to others. The snapshot is taken here.
    steps.append(
      own(
        """
        SELECT \(first), set_config('statement_timeout', $1, true), \
        set_config('lock_timeout', $2, true), \
        set_config('idle_in_transaction_session_timeout', '\(Self.idleTimeout)', true), \
        set_config('datestyle', 'ISO', true), set_config('bytea_output', 'hex', true), \
        set_config('extra_float_digits', '1', true)
        """, [limit, Self.milliseconds(settings.lockLimit)]))
    var markPlace: Int?
    if let oids = marksSchemaOf {
      // The catalogs' locks must not count as those of a query.
      steps.append(.statement("SAVEPOINT livequery_mark"))
      markPlace = steps.count
      steps.append(own(Self.schemaMark(of: oids, withTriggers: marksTriggers)))
      steps.append(.statement("ROLLBACK TO SAVEPOINT livequery_mark"))
    }
    let (results, outcomes) = try run(steps, queries)
    var schemaMark: String?
    if let markPlace { schemaMark = try results[markPlace].get().text(0) }
    let mark = try results[isReplica ? 0 : place + 1].get().text(0)
    let view = isReplica ? Self.view(mark, try results[place + 1].get().text(0)) : nil
    return Snapshot(
      mark: mark ?? "", view: view, outcomes: outcomes, schemaMark: schemaMark)
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
    queries.isEmpty ? [] : try run([], queries).1
  }

  /// Ends the transaction.
  func end() throws(ServerFault) {
    _ = try connection.run(
      pipeline: [.statement("COMMIT"), .sync], limits: ResultLimits(), deadline: deadline(for: 1))
  }

  /// Each synchronization is a message that the server wakes up for, and what fails skips the rest up to there. So one
  /// follows each query that may fail, and nothing else.
  private mutating func run(
    _ head: [ServerConnection.Step], _ queries: [TrackedQuery]
  ) throws(ServerFault) -> ([Result<ServerResult, ServerFault>], [Outcome]) {
    let rollback = ServerConnection.Step.statement("ROLLBACK TO SAVEPOINT livequery_panel")
    var steps = head
    var places: [Int] = []
    for query in queries {
      let isGuarded = learns || !query.isReliable
      if hasSavepoint { steps += steps.isEmpty ? [rollback] : [.sync, rollback] }
      hasSavepoint = isGuarded
      if isGuarded { steps.append(.statement("SAVEPOINT livequery_panel")) }
      places.append(steps.count)
      steps.append(.statement(query.key.statement.text, values: query.key.values))
      // What it read is locked by it until the savepoint is gone.
      if isGuarded { steps.append(own(Self.locks(withViews: query.reads == nil))) }
    }
    let checksOthers = !learns && queries.contains(where: \.isReliable)
    if hasSavepoint {
      if checksOthers { steps.append(.sync) }
      // Not only before further queries: what it has locked is free while its result is compared.
      steps.append(rollback)
    }
    // What the others read is locked until the transaction ends.
    let last = checksOthers ? steps.count : nil
    if checksOthers { steps.append(.statement(Self.locks(withViews: false))) }
    steps.append(.sync)
    var limits = ResultLimits()
    limits.bytes = settings.resultBytes
    limits.refusesMore = true
    let results = try connection.run(
      pipeline: steps, limits: limits, deadline: deadline(for: queries.count + 1))
    let outcomes = zip(places, queries).map { place, query in
      var outcome = Outcome(query: query, result: results[place])
      let isGuarded = learns || !query.isReliable
      guard case .success(let locks)? = isGuarded ? results[place + 1] : last.map({ results[$0] })
      else { return outcome }
      if locks.rows.contains(where: { $0[2] == 1 }) { outcome.result = .failure(Self.isRewritten) }
      guard isGuarded else { return outcome }
      if learns {
        outcome.reads = Set(
          locks.rows.compactMap { row in
            if case .integer(let oid) = row[0] { UInt32(truncatingIfNeeded: oid) } else { nil }
          })
      }
      if locks.rows.contains(where: { $0[1] == 1 || Self.isTimed(view: $0[3]) }) {
        query.dependsOnTime = true
      }
      return outcome
    }
    return (results, outcomes)
  }

  private static func isTimed(view definition: Value) -> Bool {
    guard case .text(let sql) = definition else { return false }
    return ServerStatement(verbatim: sql).dependsOnTime
  }

  /// The server ends each query in time by itself; this is for one that doesn't answer at all.
  private func deadline(for queries: Int) -> UInt64 {
    guard let limit = settings.queryLimit else { return .max }
    let now = SystemClock.monotonic()
    return now + UInt64(limit.nanoseconds) * UInt64(queries) + 5_000_000_000
  }
}
