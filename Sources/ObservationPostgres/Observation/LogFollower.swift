internal import ObservationEngine

/// Follows the log of a server: a commit waits here from its report until a snapshot contains it.
///
///     stream ─▶ take: reported ─▶ due: whose queries? ─▶ a snapshot ─▶ judge: shown, missing yet, or shown early
///
/// It asks the server nothing; ``CommitNoticing`` does, and says what came of it.
final class LogFollower {
  /// What decides which commits a snapshot contains.
  enum Barrier {
    case primary(CommitBarrier)
    case replica(ReplicaBarrier)

    /// The commits that were reported and that no snapshot contained yet.
    var waiting: [ReportedTransactions.Ended] {
      switch self {
      case .primary(let barrier): barrier.waiting
      case .replica(let barrier): barrier.waiting
      }
    }

    /// Those of them that are worth a snapshot.
    var ready: [ReportedTransactions.Ended] {
      switch self {
      case .primary(let barrier): barrier.waiting
      case .replica(let barrier): barrier.ready
      }
    }

    mutating func take(_ ended: ReportedTransactions.Ended) {
      switch consume self {
      case .primary(var barrier):
        barrier.take(ended)
        self = .primary(barrier)
      case .replica(var barrier):
        barrier.take(ended)
        self = .replica(barrier)
      }
    }
  }

  /// What the log reported since the last call.
  struct News {
    var hasCommits = false
    /// Transactions that changed nothing.
    var rolledBack: [UInt32] = []
  }

  let stream: any LogStream
  private var barrier: Barrier
  /// Replaced when a snapshot shows another schema.
  var map: TableMap

  /// Whether the snapshot is polled too, because commits without a wait for the disk were seen, and when next.
  private(set) var pollsBesides = false
  private var pollAt: UInt64 = .max
  /// Whether a poll has shown that there is another snapshot than the last one.
  private var wantsSnapshot = false
  /// What the last snapshot contained.
  private var lastMark: String?

  /// Transactions that were shown before the log reported them: their event is over.
  private var shownEarly: Set<UInt32> = []
  /// The same on a standby: up to which position of the log.
  private var shownEarlyUpTo: UInt64 = 0

  /// Until when no refresh is worth it, because a reported commit was not visible yet.
  private var retryAt: UInt64 = 0
  private var retryWait: UInt64 = 0
  /// What the schema was, where the stream doesn't say that it changed.
  private var schemaMark: String?

  /// How long the snapshot is polled after a commit that was reported late, and how often; in nanoseconds.
  private static let besidesDuration: UInt64 = 10_000_000_000
  private static let besidesInterval: UInt64 = 20_000_000
  private static let arrivingInterval: UInt64 = 1_000_000
  private static let retryLimit: UInt64 = 50_000_000
  /// A standby that replays with a delay of hours would fill the memory.
  private static let mostWaiting = 100_000
  private static let mostShownEarly = 1_000

  init(_ stream: any LogStream, _ barrier: Barrier, _ map: TableMap) {
    (self.stream, self.barrier, self.map) = (stream, barrier, map)
  }

  private var isReplica: Bool { if case .replica = barrier { true } else { false } }

  // MARK: - What the log reports

  /// Takes what has arrived.
  func take(at now: UInt64) -> News {
    stream.serve()
    if case .replica(var replica) = barrier, let next = stream.firstNext {
      replica.takeNext(next)
      barrier = .replica(replica)
    }
    // A standby that is late is not asked more often because more is waiting.
    let asksAtOnce = !isReplica || barrier.waiting.isEmpty
    var news = News()
    for var ended in stream.take() {
      ended.reportedAt = now
      barrier.take(ended)
      if ended.isCommit { news.hasCommits = true } else { news.rolledBack.append(ended.xid) }
    }
    if news.hasCommits, asksAtOnce { retryAt = 0 }
    return news
  }

  /// Since when a standby has had a commit that it has not replayed, on the monotonic clock; nil for none.
  var behindSince: UInt64? {
    guard isReplica else { return nil }
    return barrier.waiting.dropFirst(barrier.ready.count).first?.reportedAt
  }

  /// Whether commits were reported that no snapshot contained yet.
  var isWaiting: Bool { !barrier.waiting.isEmpty }

  /// Why it can't be followed further; nil while it can.
  var failure: String? {
    stream.failure
      ?? (isReplica && barrier.waiting.count >= Self.mostWaiting
        ? "the standby has much of its log still to replay" : nil)
  }

  /// When something is to be done without news, on the monotonic clock.
  ///
  /// - Parameter refreshAt: When the next refresh may be.
  func nextCheck(refreshAt: UInt64) -> UInt64 {
    // What was read during a refresh leaves its socket silent.
    if stream.hasNews { return 0 }
    let next = min(stream.servedBy, pollAt)
    return barrier.waiting.isEmpty ? next : min(next, max(refreshAt, retryAt))
  }

  /// Whether a standby is to be asked if it has replayed what its log reported.
  func wantsReplayed(at now: UInt64) -> Bool {
    guard isReplica else { return false }
    return !barrier.waiting.isEmpty && barrier.ready.isEmpty && now >= retryAt
  }

  /// Notes how far a standby has replayed its log.
  func takeReplayed(_ position: UInt64, at now: UInt64) {
    guard case .replica(var replica) = barrier else { return }
    replica.takeReplayed(position)
    barrier = .replica(replica)
    // It may replay hours later: a delay that its administrator chose, or a query that holds it up.
    setRetry(isMissing: replica.ready.isEmpty, at: now)
  }

  private func setRetry(isMissing: Bool, at now: UInt64) {
    retryWait = isMissing ? min(Self.retryLimit, max(100_000, retryWait * 2)) : 0
    retryAt = isMissing ? now + retryWait : 0
  }

  /// Decides whether the server is asked for its snapshot although nothing was reported: the log reports a commit once it
  /// is on the disk, but a primary with `synchronous_commit = off` shows it before.
  ///
  /// - Parameter interval: How often a server is polled, in nanoseconds.
  func wantsMark(at now: UInt64, every interval: UInt64) -> Bool {
    guard !isReplica else { return false }
    let late = stream.lateAt
    let polls = !stream.reporter.reportsAll || late > 0 && now < late + Self.besidesDuration
    if polls != pollsBesides {
      pollsBesides = polls
      pollAt = polls ? now : .max
    }
    guard pollAt <= now else { return false }
    // The snapshot would contain it before it is known what it changed.
    guard !stream.isArriving else {
      pollAt = now + Self.arrivingInterval
      return false
    }
    pollAt = now + (stream.reporter.reportsAll ? Self.besidesInterval : interval)
    return true
  }

  /// Takes what a snapshot would contain now: if that is what the last one contained, none is taken.
  func takeMark(_ mark: String?) {
    if mark == nil || mark != lastMark { wantsSnapshot = true }
  }

  // MARK: - What a snapshot contains

  /// The queries that reported commits concern, if a snapshot is worth it; nil if not.
  func due(at now: UInt64, among queries: [TrackedQuery]) -> [TrackedQuery]? {
    let reported = barrier.ready
    guard !reported.isEmpty, now >= retryAt else { return wantsSnapshot ? [] : nil }
    // A snapshot lacked one of them: whether the next one has it is known once it is taken.
    if retryWait > 0 { return [] }
    var relations: Set<UInt32> = []
    for ended in reported {
      switch map.changes(of: ended) {
      case .tables(let tables, isSchema: false): relations.formUnion(written(tables))
      case .tables, .unknown: return queries
      case .foreign: break
      }
    }
    return queries.filter { $0.isConcerned(by: relations) }
  }

  /// Whether a commit that was reported, and that no snapshot contained yet, changed the schema or may have.
  ///
  /// - Complexity: O(commits that wait).
  var expectsNewSchema: Bool {
    barrier.ready.contains { ended in
      switch map.changes(of: ended) {
      case .tables(_, isSchema: false), .foreign: false
      case .tables, .unknown: true
      }
    }
  }

  /// What a transaction may have written: not all tables are in its report.
  private func written(_ tables: Set<TableMap.Table>) -> Set<UInt32> {
    Set(tables.map(\.oid)).union(map.unreported)
  }

  /// Judges a snapshot that was taken after everything that was reported.
  func judge(
    _ taken: PanelReader.Snapshot, at now: UInt64, among queries: [TrackedQuery]
  ) -> SnapshotVerdict {
    (wantsSnapshot, lastMark) = (false, taken.mark)
    var verdict = SnapshotVerdict()
    switch barrier {
    case .primary(var primary):
      guard let snapshot = ServerSnapshot(taken.mark) else {
        verdict.concernsAll = true
        return verdict
      }
      let judged = primary.judge(snapshot)
      barrier = .primary(primary)
      if schemaMark != taken.schemaMark {
        if schemaMark != nil { (verdict.concernsAll, verdict.reloadsMap) = (true, true) }
        schemaMark = taken.schemaMark
      }
      verdict.unreported = judged.unreported
      verdict.concernsAll = verdict.concernsAll || !judged.unreported.isEmpty
      verdict.isPending = judged.isPending
      verdict.ended = judged.visible.map(\.xid) + judged.unreported
      for ended in judged.visible { add(ended, to: &verdict, queries) }
      // A subtransaction is never reported by itself.
      if shownEarly.count > Self.mostShownEarly {
        shownEarly = shownEarly.filter { snapshot.widened($0) >= snapshot.xmin }
      }
      setRetry(isMissing: judged.isPending, at: now)
    case .replica(var replica):
      guard let view = taken.view else {
        verdict.concernsAll = true
        return verdict
      }
      let judged = replica.judge(view, streamed: stream.takenUpTo)
      barrier = .replica(replica)
      verdict.concernsAll = judged.isAhead
      verdict.isPending = !replica.waiting.isEmpty
      verdict.mayShowUpTo = judged.isAhead || !judged.possible.isEmpty ? judged.upper ?? .max : 0
      for ended in judged.visible { add(ended, to: &verdict, queries) }
      // They may be in it: their tables' queries run, but their events wait until that is sure.
      for ended in judged.possible { concern(ended, &verdict, queries) }
    }
    return verdict
  }

  /// Adds a commit that a snapshot contains.
  private func add(
    _ ended: ReportedTransactions.Ended, to verdict: inout SnapshotVerdict,
    _ queries: [TrackedQuery]
  ) {
    let wasShown = shownEarly.remove(ended.xid) != nil || ended.end <= shownEarlyUpTo
    var change: SnapshotVerdict.Change?
    switch concern(ended, &verdict, queries) {
    case .foreign: break
    case .unknown:
      verdict.reloadsMap = true
      change = SnapshotVerdict.Change(
        tables: .all(reason: "the log doesn't say which tables it changed"),
        // A file that came after the map is that of a new table, or of one that was rewritten.
        kind: ended.isComplete ? .schema : .data, xids: [ended.xid])
    // Temporary and unlogged tables, notifications: what the feed could say is nothing.
    case .tables([], isSchema: false): break
    case .tables(let tables, let isSchema):
      verdict.reloadsMap = verdict.reloadsMap || isSchema
      change = SnapshotVerdict.Change(
        tables: .named(unordered: tables.map(\.name)), kind: isSchema ? .schema : .data,
        xids: [ended.xid])
    }
    if !wasShown, let change { verdict.changes.append(change) }
  }

  /// Adds the queries that a commit concerns.
  @discardableResult
  private func concern(
    _ ended: ReportedTransactions.Ended, _ verdict: inout SnapshotVerdict, _ queries: [TrackedQuery]
  ) -> TableMap.Changes {
    let changes = map.changes(of: ended)
    switch changes {
    case .foreign: break
    case .tables(let tables, isSchema: false):
      let relations = written(tables)
      verdict.add(queries.filter { $0.isConcerned(by: relations) })
    case .tables, .unknown: verdict.concernsAll = true
    }
    return changes
  }

  /// Notes that the user was shown what a snapshot contains beyond what the log had reported.
  func noteShownEarly(_ verdict: SnapshotVerdict) {
    shownEarly.formUnion(verdict.unreported)
    if verdict.mayShowUpTo < .max { shownEarlyUpTo = max(shownEarlyUpTo, verdict.mayShowUpTo) }
  }
}
