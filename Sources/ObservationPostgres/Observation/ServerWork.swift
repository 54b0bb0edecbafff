internal import Glibc
internal import ObservationEngine

/// What the thread of a server does: it notices commits, and runs the queries that they concern.
///
///     connect ─▶ stream, if the server admits one; otherwise poll
///     a commit is reported, or the snapshot has moved ─▶ refresh: due queries in one transaction
///       ─▶ judge: what does that snapshot contain? ─▶ perhaps further queries ─▶ post ─▶ COMMIT
///
/// It belongs to one thread.
final class ServerWork {
  private enum Link {
    /// There is no connection; when to try again, and since when it is lost.
    case lost(since: UInt64, retryAt: UInt64, wait: UInt64)
    case open(ServerConnection, ServerProbe)
  }

  /// How commits are noticed at present.
  private enum Noticing {
    /// The mark of the newest snapshot, and when to ask for the next one.
    case polling(mark: String, at: UInt64)
    case streaming(Streaming)
    /// The server has no marks: when to run all queries again.
    case timer(at: UInt64)
  }

  /// An object: what waits in it is changed in place, whatever a turn runs into.
  private final class Streaming {
    let stream: any CommitStream
    var barrier: Barrier
    var map: TableMap
    /// Whether the snapshot is polled too, because commits without a wait for the disk were seen, and when next.
    var pollsBesides = false
    var pollAt: UInt64 = .max
    /// Transactions that were shown before the log reported them: their event is over.
    var shownEarly: Set<UInt32> = []
    /// The same on a standby: up to which position of the log.
    var shownEarlyUpTo: UInt64 = 0
    /// Until when no refresh is worth it, because a reported commit was not visible yet.
    var retryAt: UInt64 = 0
    var retryWait: UInt64 = 0

    /// What the schema was, where the stream doesn't say that it changed.
    var schemaMark: String?

    init(_ stream: any CommitStream, _ barrier: Barrier, _ map: TableMap) {
      (self.stream, self.barrier, self.map) = (stream, barrier, map)
    }
  }

  /// What decides which commits a snapshot contains.
  private enum Barrier {
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

  private struct Group {
    var queries: [TrackedQuery]
    let published: PublishedGroup
    var number = 0
    /// Whether it has got no result yet.
    var isNew = true
  }

  private let address: ServerAddress
  let settings: ServerSettings
  private let known: KnownServer
  private var link: Link
  private var noticing = Noticing.timer(at: 0)
  /// Why the stream isn't used, and when to try it again.
  private var refusal: String?
  private var streamRetryAt: UInt64 = .max
  /// Whether the stream is to be started, which waits until something is observed.
  private var mayStream = false
  /// Whether there was one.
  private var hasStreamed = false
  /// A slot that the server makes; meanwhile it is polled.
  private var slot: SlotStream?
  private var pace: PollPace
  /// That of the last primary.
  private var timeline: String?
  private var groups: [Int: Group] = [:]
  private var queries: [TrackedQuery.Key: TrackedQuery] = [:]
  private(set) var ordinal = 0

  // What is due.
  private var isAllDue = false
  private var clockDueAt: UInt64 = .max
  /// When queries that waited for a lock in vain run again.
  private var lockedDueAt: UInt64 = .max
  /// When the oldest commit that isn't shown yet was noticed; 0 for none.
  private var noticedAt: UInt64 = 0
  private var nextRefreshAt: UInt64 = 0
  private var notices: [DatabaseEvent] = []

  /// When the pause after the last refresh ends; commits that come later don't change it, as they do ``nextRefreshAt``.
  private var pauseEndsAt: UInt64 = 0
  private var saturation = Saturation()
  private var steadyPause = SteadyPause()

  private static let clockInterval: UInt64 = 1_000_000_000
  /// How long the snapshot is polled after a commit that was reported late.
  private static let besidesInterval: UInt64 = 10_000_000_000
  private static let retryLimit: UInt64 = 50_000_000
  /// How long to wait for a lock again, or after what the server refused.
  private static let refusalPause: UInt64 = 250_000_000
  /// A standby that replays with a delay of hours would fill the memory.
  private static let mostWaiting = 100_000
  private static let mostShownEarly = 1_000
  private static let longestPause: UInt64 = 10_000_000_000

  /// Connects.
  ///
  /// - Parameter known: Receives what other threads may know of the server.
  /// - Throws: ``ServerFault``.
  init(
    _ address: ServerAddress, _ settings: ServerSettings, _ known: KnownServer
  ) throws(ServerFault) {
    self.address = address
    self.settings = settings
    self.known = known
    let now = SystemClock.monotonic()
    pace = PollPace(fixed: settings.pollInterval.map { UInt64($0.nanoseconds) }, now: now)
    link = .lost(since: now, retryAt: now, wait: 0)
    try connect(deadline: now + UInt64(settings.connectLimit.nanoseconds))
  }

  // MARK: - The connection

  private func connect(deadline: UInt64) throws(ServerFault) {
    let connection = try ServerConnection(address, .panels, deadline: deadline)
    let probe = try ServerProbe(connection, deadline: deadline)
    link = .open(connection, probe)
    if let former = timeline, let new = probe.timeline, former != new {
      note(
        "FAILED OVER: timeline \(Self.number(former)) → \(Self.number(new)); commits that only the old primary had "
          + "are gone")
    }
    timeline = probe.timeline ?? timeline
    known.note(connection.cancelTicket())
    chooseNoticing()
  }

  /// A timeline without its leading zeros.
  private static func number(_ timeline: String) -> String {
    UInt32(timeline, radix: 16).map(String.init) ?? timeline
  }

  /// Takes the best means that the server admits.
  private func chooseNoticing() {
    guard case .open(let connection, let probe) = link else { return }
    let now = SystemClock.monotonic()
    noticing =
      probe.hasSnapshots ? .polling(mark: "", at: now) : .timer(at: now)
    isAllDue = true
    refusal = probe.hasSnapshots ? probe.refusalOfStream : "the server has no pg_current_snapshot()"
    streamRetryAt = .max
    connection.served = nil
    slot = nil
    if settings.pollInterval != nil { refusal = "--poll asks for this interval" }
    mayStream =
      settings.pollInterval == nil && probe.hasSnapshots
      && (refusal == nil || probe.mayDecode && probe.refusalOfSlot == nil)
    reportFacts()
  }

  private func startStream() {
    guard case .open(let connection, let probe) = link else { return }
    let deadline = SystemClock.monotonic() + 3_000_000_000
    do throws(ServerFault) {
      if let reason = probe.refusalOfStream { throw ServerFault(message: reason) }
      let stream = try WALStream(address, beside: connection, deadline: deadline)
      let barrier: Barrier =
        probe.isReplica
        ? .replica(ReplicaBarrier())
        : .primary(CommitBarrier(running: try running(connection, deadline)))
      let map = try readMap(connection, probe, former: nil)
      noticing = .streaming(Streaming(stream, barrier, map))
      connection.served = stream
      (refusal, isAllDue, saturation, hasStreamed) = (nil, true, Saturation(), true)
      for query in queries.values { query.reads = nil }
    } catch {
      refusal =
        error.message.contains("pg_hba.conf")
        ? "pg_hba.conf has no replication line for this host" : error.message
      // What refused it once will do so again, unless there was one.
      streamRetryAt = hasStreamed ? SystemClock.monotonic() + 60_000_000_000 : .max
      askForSlot(connection, probe, deadline)
    }
  }

  /// Asks for the next means: the log as the server decodes it.
  private func askForSlot(
    _ connection: ServerConnection, _ probe: ServerProbe, _ deadline: UInt64
  ) {
    guard probe.mayDecode else { return }
    if let reason = probe.refusalOfSlot { return refuseSlot(reason) }
    do throws(ServerFault) {
      slot = try SlotStream(address, beside: connection, deadline: deadline)
      connection.served = slot
    } catch {
      refuseSlot(error.message)
    }
  }

  /// Adds why there is no slot to why the log itself can't be had.
  private func refuseSlot(_ reason: String) {
    slot = nil
    refusal = [refusal, "no slot: \(reason)"].compactMap(\.self).joined(separator: "; ")
  }

  /// Begins to take commits from the slot, once it is there.
  private func followSlot(
    _ connection: ServerConnection, _ probe: ServerProbe
  ) throws(ServerFault) {
    guard let slot else { return }
    slot.serve()
    if let failure = slot.failure {
      connection.served = nil
      refuseSlot(failure)
      reportFacts()
    } else if slot.isStreaming {
      self.slot = nil
      let map = try readMap(connection, probe, former: nil)
      // The server waited for what was running: each transaction is reported as a whole.
      noticing = .streaming(Streaming(slot, .primary(CommitBarrier(running: [])), map))
      (isAllDue, saturation, hasStreamed, streamRetryAt) = (true, Saturation(), true, .max)
      for query in queries.values { query.reads = nil }
      reportFacts()
    }
  }

  /// The transactions that are running: what they wrote before the stream began is unknown.
  private func running(
    _ connection: ServerConnection, _ deadline: UInt64
  ) throws(ServerFault) -> Set<UInt32> {
    let rows = try connection.run(
      """
      SELECT transactionid::text FROM pg_locks WHERE locktype = 'transactionid' \
      AND mode = 'ExclusiveLock' AND granted
      """, deadline: deadline
    ).rows
    return Set(rows.compactMap { if case .text(let text) = $0[0] { UInt32(text) } else { nil } })
  }

  private func readMap(
    _ connection: ServerConnection, _ probe: ServerProbe, former: TableMap?
  ) throws(ServerFault) -> TableMap {
    let deadline = SystemClock.monotonic() + 10_000_000_000
    let rows = try connection.run(TableMap.query, deadline: deadline).rows
    return TableMap(database: probe.databaseNumber, rows: rows, former: former)
  }

  private func lose(_ fault: ServerFault) {
    let now = SystemClock.monotonic()
    if case .open = link {
      note("the connection to the server is lost (\(fault.message)); trying again")
      link = .lost(since: now, retryAt: now + 50_000_000, wait: 50_000_000)
      let staleness = Staleness(since: SystemClock.now(), reason: "no connection: \(fault.message)")
      for query in queries.values { query.staleness = query.staleness ?? staleness }
      noticing = .timer(at: .max)
      slot = nil
      postAll(changed: [])
    }
  }

  private func reconnect(since: UInt64, wait: UInt64) {
    do throws(ServerFault) {
      try connect(deadline: SystemClock.monotonic() + 5_000_000_000)
      let gap = (SystemClock.monotonic() - since) / 100_000_000
      note("reconnected, \(gap / 10).\(gap % 10) s not observed")
    } catch {
      // Between one and two times as long as the last wait, so that clients don't all come together.
      let longer = min(2_000_000_000, wait + UInt64.random(in: 0...wait))
      link = .lost(since: since, retryAt: SystemClock.monotonic() + longer, wait: longer)
    }
  }

  private func note(_ text: String) { notices.append(.notice(text, SystemClock.now())) }

  private func reportFacts() {
    guard case .open(let connection, let probe) = link else { return }
    let version = probe.version
    known.note(
      ServerFacts(
        databaseName: connection.databaseName, version: "\(version / 10_000).\(version % 10_000)",
        isReplica: probe.isReplica, means: means(probe), reason: refusal))
  }

  private func means(_ probe: ServerProbe) -> NoticingMeans {
    switch noticing {
    case .streaming(let streaming) where streaming.stream.isDecoded: return .decoding
    case .streaming(let streaming):
      return .wal(
        lag: streaming.pollsBesides ? .microseconds(streaming.stream.lag) : nil,
        isReplica: probe.isReplica)
    case .polling:
      let interval = pace.interval(at: SystemClock.monotonic())
      return .polling(every: .nanoseconds(Int64(interval)), isReplica: probe.isReplica)
    case .timer: return .timer(every: .nanoseconds(Int64(Self.clockInterval)))
    }
  }

  // MARK: - Groups

  /// Starts to observe queries.
  func start(_ number: Int, _ keys: [TrackedQuery.Key], _ published: PublishedGroup) {
    let tracked = keys.map { key in
      let query = queries[key] ?? TrackedQuery(key)
      queries[key] = query
      query.users += 1
      return query
    }
    groups[number] = Group(queries: tracked, published: published)
    isAllDue = true
  }

  func stop(_ number: Int) {
    guard let group = groups.removeValue(forKey: number) else { return }
    group.published.finish()
    for query in group.queries {
      query.users -= 1
      if query.users == 0 { queries[query.key] = nil }
    }
  }

  /// Ends all groups.
  func stopAll() { for number in groups.keys { stop(number) } }

  /// Runs all queries again.
  func refreshAll() {
    isAllDue = true
    nextRefreshAt = 0
  }

  /// A statement of this program's console may have committed: asks now.
  func noteOwnStatement() {
    if case .polling(let mark, _) = noticing { noticing = .polling(mark: mark, at: 0) }
  }

  /// Runs statements on the panels' connection, in one snapshot.
  func read(
    _ statements: [PanelReader.Statement], limit: Duration?
  ) throws(ServerFault) -> [Result<ServerResult, ServerFault>] {
    guard case .open(let connection, let probe) = link else {
      throw ServerFault(message: "the connection to the server is lost")
    }
    do throws(ServerFault) {
      return try PanelReader.read(statements, connection, probe, settings, limit: limit)
    } catch {
      lose(error)
      throw error
    }
  }

  /// The columns of a query, which does not run.
  func describe(_ statement: ServerStatement) throws(ServerFault) -> [ServerColumn] {
    guard case .open(let connection, _) = link else {
      throw ServerFault(message: "the connection to the server is lost")
    }
    do throws(ServerFault) {
      // It waits for the locks of its tables, in which nothing else must run.
      let deadline = SystemClock.monotonic() + 10_000_000_000
      _ = try connection.run("BEGIN READ ONLY", deadline: deadline)
      let limit = "\(max(1, settings.lockLimit.nanoseconds / 1_000_000))ms"
      _ = try connection.run(
        "SELECT set_config('lock_timeout', $1, true)", [limit], deadline: deadline)
      let columns = Result { () throws(ServerFault) in
        try connection.describe(statement.text, deadline: deadline)
      }
      _ = try connection.run("ROLLBACK", deadline: deadline)
      return try columns.get()
    } catch {
      if error.isLoss { lose(error) }
      throw error
    }
  }

  // MARK: - A turn

  /// What the thread waits for, in addition to being woken.
  var descriptor: Int32 {
    if case .streaming(let streaming) = noticing {
      streaming.stream.descriptor
    } else {
      slot?.descriptor ?? -1
    }
  }

  /// When the next turn is due, in nanoseconds of the monotonic clock.
  var nextTurnAt: UInt64 {
    if case .lost(_, let retryAt, _) = link { return retryAt }
    var next = min(max(min(clockDueAt, lockedDueAt), nextRefreshAt), streamRetryAt)
    if groups.isEmpty { return servedBy }
    switch noticing {
    case .polling(_, let time), .timer(let time): next = min(next, time)
    case .streaming(let streaming):
      // What was read during a refresh leaves its socket silent.
      if streaming.stream.hasNews { return 0 }
      next = min(next, streaming.stream.servedBy, streaming.pollAt)
      if !streaming.barrier.waiting.isEmpty {
        next = min(next, max(nextRefreshAt, streaming.retryAt))
      }
    }
    if let slot { next = min(next, slot.failure == nil ? slot.servedBy : 0) }
    if isAllDue { next = min(next, nextRefreshAt) }
    return next
  }

  private var servedBy: UInt64 {
    if case .streaming(let streaming) = noticing {
      streaming.stream.servedBy
    } else {
      slot?.servedBy ?? .max
    }
  }

  /// Does everything that is due.
  func turn() {
    if case .lost(let since, let retryAt, let wait) = link {
      guard SystemClock.monotonic() >= retryAt else { return }
      reconnect(since: since, wait: wait)
    }
    guard case .open = link else { return }
    if mayStream, !groups.isEmpty {
      mayStream = false
      startStream()
      reportFacts()
    }
    do throws(ServerFault) {
      try notice()
      let now = SystemClock.monotonic()
      if now >= streamRetryAt {
        streamRetryAt = .max
        startStream()
        reportFacts()
      }
      if !groups.isEmpty, now >= nextRefreshAt { try refreshIfDue(now) }
    } catch {
      recover(from: error)
    }
    if !notices.isEmpty { postAll(changed: []) }
  }

  /// What the server refused without closing the connection, such as a conflict with recovery, may succeed later.
  private func recover(from fault: ServerFault) {
    guard !fault.isLoss, case .open(let connection, _) = link, !connection.isLost else {
      return lose(fault)
    }
    do throws(ServerFault) {
      _ = try connection.run("ROLLBACK", deadline: SystemClock.monotonic() + 5_000_000_000)
    } catch {
      return lose(error)
    }
    let staleness = Staleness(since: SystemClock.now(), reason: fault.message)
    for query in queries.values { query.staleness = query.staleness ?? staleness }
    isAllDue = true
    nextRefreshAt = SystemClock.monotonic() + Self.refusalPause
    if case .polling(let mark, _) = noticing { noticing = .polling(mark: mark, at: nextRefreshAt) }
    postAll(changed: [])
  }

  /// Finds out what was committed.
  private func notice() throws(ServerFault) {
    guard case .open(let connection, let probe) = link else { return }
    try followSlot(connection, probe)
    let now = SystemClock.monotonic()
    switch noticing {
    case .timer(let time):
      guard now >= time else { return }
      isAllDue = true
      noticing = .timer(at: now + Self.clockInterval)
    case .polling(let mark, let time):
      guard now >= time, !groups.isEmpty else { return }
      let former = pace.interval(at: now)
      let newest = try poll(connection, probe)
      let after = SystemClock.monotonic()
      if newest != mark {
        guard newest != nil else { return promote() }
        pace.noteChange(at: after)
        isAllDue = true
        noteCommit(at: after)
      }
      let interval = pace.interval(at: after)
      // The mark stays: that of the refresh replaces it. Until then there is nothing to be learned.
      noticing = .polling(mark: mark, at: max(after + interval, isAllDue ? nextRefreshAt : 0))
      if interval != former { reportFacts() }
    case .streaming(let streaming):
      streaming.stream.serve()
      if case .replica(var barrier) = streaming.barrier, let next = streaming.stream.firstNext {
        barrier.takeNext(next)
        streaming.barrier = .replica(barrier)
      }
      // A standby that is late is not asked more often because more is waiting.
      var asksAtOnce = !probe.isReplica || streaming.barrier.waiting.isEmpty
      for ended in streaming.stream.take() {
        streaming.barrier.take(ended)
        if ended.isCommit {
          pace.noteChange(at: now)
          if asksAtOnce { streaming.retryAt = 0 }
          asksAtOnce = false
          noteCommit(at: now)
        } else {
          known.noteObserved([ended.xid])
        }
      }
      if let failure = streaming.stream.failure { return loseStream(failure) }
      if case .replica(let barrier) = streaming.barrier {
        guard barrier.waiting.count < Self.mostWaiting else {
          return loseStream("the standby has much of its log still to replay")
        }
        guard try followReplay(streaming, barrier, connection, now) else { return promote() }
      } else {
        pollBesides(streaming, now)
      }
    }
  }

  /// Asks a standby whether it has replayed what its log reported.
  ///
  /// - Returns: false when it has become a primary.
  private func followReplay(
    _ streaming: Streaming, _ barrier: ReplicaBarrier, _ connection: ServerConnection,
    _ now: UInt64
  ) throws(ServerFault) -> Bool {
    var barrier = barrier
    guard !barrier.waiting.isEmpty, barrier.ready.isEmpty, now >= streaming.retryAt else {
      return true
    }
    let answer = try connection.run(ServerProbe.replicaMark, deadline: now + 10_000_000_000)
    guard let position = answer.text(0).flatMap(LogPosition.number) else { return false }
    barrier.takeReplayed(position)
    streaming.barrier = .replica(barrier)
    if barrier.ready.isEmpty {
      // It may replay hours later: a delay that its administrator chose, or a query that holds it up.
      streaming.retryWait = min(Self.retryLimit, max(100_000, streaming.retryWait * 2))
      streaming.retryAt = SystemClock.monotonic() + streaming.retryWait
    } else {
      (streaming.retryWait, streaming.retryAt) = (0, 0)
    }
    return true
  }

  /// Notes when the oldest commit that isn't shown yet was noticed.
  private func noteCommit(at time: UInt64) {
    guard noticedAt == 0 else { return }
    noticedAt = time
    nextRefreshAt = max(nextRefreshAt, time + UInt64(settings.debounce.nanoseconds))
  }

  private func poll(
    _ connection: ServerConnection, _ probe: ServerProbe
  ) throws(ServerFault) -> String? {
    let deadline = SystemClock.monotonic() + 10_000_000_000
    return try connection.run(
      probe.isReplica ? ServerProbe.replicaMark : ServerProbe.primaryMark, deadline: deadline
    ).text(0)
  }

  /// The log reports a commit once it is on the disk, but a server with `synchronous_commit = off` shows it before.
  private func pollBesides(_ streaming: Streaming, _ now: UInt64) {
    let late = streaming.stream.lateAt
    let polls = streaming.stream.isDecoded || late > 0 && now < late + Self.besidesInterval
    if polls != streaming.pollsBesides {
      streaming.pollsBesides = polls
      streaming.pollAt = polls ? now : .max
      reportFacts()
    }
    guard streaming.pollAt <= now else { return }
    streaming.pollAt = now + (streaming.stream.isDecoded ? pace.interval(at: now) : 20_000_000)
    // A snapshot alone shows whether something is in it that the log has not reported.
    isAskedForSnapshot = true
  }

  private var isAskedForSnapshot = false

  /// The standby has become a primary.
  private func promote() {
    note("FAILED OVER: the standby is the primary now; commits that only the old one had are gone")
    lose(ServerFault(message: "the server was promoted"))
  }

  private func loseStream(_ reason: String) {
    note("the stream of the log has ended (\(reason)); polling")
    if case .open(let connection, _) = link { connection.served = nil }
    noticing = .polling(mark: "", at: 0)
    slot = nil
    // What it had not delivered is in no mark that polling compares with.
    isAllDue = true
    refusal = reason
    // One that an extension's records ended would end again.
    streamRetryAt = SystemClock.monotonic() + 10_000_000_000
    reportFacts()
  }

  // MARK: - Refreshing

  private func refreshIfDue(_ now: UInt64) throws(ServerFault) {
    var due: [TrackedQuery] = []
    let isClockDue = now >= clockDueAt
    var isWorthIt = isAllDue || isAskedForSnapshot
    if case .streaming(let streaming) = noticing, !isAllDue {
      let reported = streaming.barrier.ready
      if !reported.isEmpty, now >= streaming.retryAt {
        isWorthIt = true
        // A snapshot lacked one of them: whether the next one has it is known once it is taken.
        let isRetry = streaming.retryWait > 0
        due = isRetry ? [] : concerned(by: reported, streaming.map) ?? Array(queries.values)
      }
    } else if isAllDue {
      due = Array(queries.values)
    }
    if isClockDue {
      isWorthIt = true
      due += queries.values.filter { query in query.dependsOnTime && !due.contains { $0 === query }
      }
    }
    if now >= lockedDueAt {
      isWorthIt = true
      due += queries.values.filter { query in query.isLocked && !due.contains { $0 === query } }
    }
    guard isWorthIt else { return }
    try refresh(due)
  }

  /// The queries that reported commits concern; nil for all of them.
  private func concerned(
    by reported: [ReportedTransactions.Ended], _ map: TableMap
  ) -> [TrackedQuery]? {
    var tables: Set<UInt32> = []
    for ended in reported {
      switch changes(of: ended, map) {
      case .unknown: return nil
      case .tables(let changed, let isSchema):
        if isSchema { return nil }
        tables.formUnion(changed.map(\.oid))
        // Unlogged tables are not in the log: any transaction may have written them.
        tables.formUnion(map.unlogged)
      case .foreign: break
      }
    }
    return queries.values.filter { $0.isConcerned(by: tables) }
  }

  private enum Changes {
    case tables(Set<TableMap.Table>, isSchema: Bool)
    /// Of another database alone.
    case foreign
    case unknown
  }

  private func changes(of ended: ReportedTransactions.Ended, _ map: TableMap) -> Changes {
    guard ended.isComplete else { return .unknown }
    if !ended.relations.isEmpty {
      let tables = ended.relations.map { map.table(named: $0) }
      guard !tables.contains(nil) else { return .unknown }
      return .tables(Set(tables.compactMap(\.self)), isSchema: false)
    }
    let own = ended.files.filter(map.concerns)
    if own.isEmpty, !ended.files.isEmpty { return .foreign }
    var tables: Set<TableMap.Table> = []
    for file in own {
      guard let known = map.tables(of: file) else { return .unknown }
      tables.formUnion(known)
    }
    return .tables(tables.filter { !$0.isSystem }, isSchema: tables.contains(where: \.isSchema))
  }

  /// Runs queries in one snapshot, and those that the snapshot turns out to concern.
  private func refresh(_ due: [TrackedQuery]) throws(ServerFault) {
    guard case .open(let connection, let probe) = link else { return }
    let began = SystemClock.monotonic()
    let isAll = isAllDue
    isAskedForSnapshot = false
    let learns = if case .streaming = noticing { true } else { false }
    var reader = PanelReader(connection, probe, learns: learns, settings)
    if case .streaming(let streaming) = noticing, streaming.stream.isDecoded {
      reader.marksSchemaOf = queries.values.reduce(into: []) { $0.formUnion($1.reads ?? []) }
    }
    var snapshot = try reader.begin(due)
    if !learns, zip(due, snapshot.outcomes).contains(where: { $0.isReliable && $1.hasFailed }) {
      // One that worked until now failed, and those after it with it.
      for query in due { query.isReliable = false }
      _ = try connection.run("ROLLBACK", deadline: SystemClock.monotonic() + 10_000_000_000)
      snapshot = try reader.begin(due)
    }
    var ran = zip(due, snapshot.outcomes).map { ($0, $1) }
    let verdict = judge(snapshot)
    if verdict.concernsAll, !isAll {
      let rest = queries.values.filter { query in !due.contains { $0 === query } }
      for query in rest { query.isReliable = false }
      ran += zip(rest, try reader.run(rest)).map { ($0, $1) }
    } else if !verdict.others.isEmpty {
      let rest = verdict.others.filter { query in !due.contains { $0 === query } }
      for query in rest { query.isReliable = false }
      ran += zip(rest, try reader.run(rest)).map { ($0, $1) }
    }
    let duration = SystemClock.monotonic() - began
    isAllDue = false
    let changed = take(ran)
    let isSaturated =
      learns && !isAll
      && saturation.note(
        began: began, pauseEnded: pauseEndsAt, ranAll: ran.count == queries.count,
        commits: verdict.commits.count)
    publish(changed, ran, verdict, began: began, duration: duration, isAll: isAll)
    try reader.end()
    if verdict.reloadsMap { try reloadMap(connection, probe) }
    if isSaturated { pauseStream() }
  }

  /// Polls for a while: a server that is busy need not send its log too.
  private func pauseStream() {
    if case .open(let connection, _) = link { connection.served = nil }
    noticing = .polling(mark: "", at: 0)
    isAllDue = true
    refusal = "so many commits that all panels run all the time; the log is tried again in 10 s"
    streamRetryAt = SystemClock.monotonic() + 10_000_000_000
    reportFacts()
  }

  /// What a snapshot contains.
  private struct Verdict {
    /// Whether it may have changed any query's result, beyond what was expected.
    var concernsAll = false
    /// Queries that reported commits in it concern.
    var others: [TrackedQuery] = []
    /// The changes to report.
    var commits: [Change] = []
    var reloadsMap = false
    /// Transactions in it that the log has not reported.
    var unreported: [UInt32] = []
    /// The same on a standby: up to which position it may contain commits whose events are still to come; 0 for none.
    var mayShowUpTo: UInt64 = 0
    /// Whether reported commits are missing from it.
    var isPending = false
    /// Whether the mark alone showed a commit, so that only a different result shows that there was one.
    var isGuess = false
    /// The transactions that ended since the last mark, as far as that is known.
    var ended: [UInt32] = []
  }

  /// A commit, as the feed shows it.
  private struct Change {
    var tables: Commit.Tables
    var kind = Commit.Kind.data
    /// The transactions that it may be.
    var xids: [UInt32]
  }

  private func judge(_ taken: PanelReader.Snapshot) -> Verdict {
    var verdict = Verdict()
    let mark = taken.mark
    switch noticing {
    case .timer: verdict.isGuess = true
    case .polling(let former, let time):
      noticing = .polling(mark: mark, at: time)
      verdict.isGuess = former != mark && !former.isEmpty
      verdict.concernsAll = verdict.isGuess
      if let former = ServerSnapshot(former), let newest = ServerSnapshot(mark) {
        verdict.ended = newest.ended(since: former).map { UInt32(truncatingIfNeeded: $0) }
      }
    case .streaming(let streaming):
      guard case .primary(var barrier) = streaming.barrier else {
        judge(taken.view, &verdict, streaming)
        return verdict
      }
      guard let snapshot = ServerSnapshot(mark) else {
        verdict.concernsAll = true
        return verdict
      }
      let judged = barrier.judge(snapshot)
      streaming.barrier = .primary(barrier)
      if streaming.schemaMark != taken.schemaMark {
        if streaming.schemaMark != nil { (verdict.concernsAll, verdict.reloadsMap) = (true, true) }
        streaming.schemaMark = taken.schemaMark
      }
      verdict.unreported = judged.unreported
      verdict.concernsAll = verdict.concernsAll || !judged.unreported.isEmpty
      verdict.isPending = judged.isPending
      verdict.ended = judged.visible.map(\.xid) + judged.unreported
      for ended in judged.visible { add(ended, to: &verdict, streaming) }
      // A subtransaction is never reported by itself.
      if streaming.shownEarly.count > Self.mostShownEarly {
        streaming.shownEarly = streaming.shownEarly.filter { snapshot.widened($0) >= snapshot.xmin }
      }
      streaming.retryWait =
        judged.isPending ? min(Self.retryLimit, max(100_000, streaming.retryWait * 2)) : 0
      streaming.retryAt = judged.isPending ? SystemClock.monotonic() + streaming.retryWait : 0
    }
    return verdict
  }

  /// Judges a snapshot of a standby.
  private func judge(
    _ view: ReplicaBarrier.View?, _ verdict: inout Verdict, _ streaming: Streaming
  ) {
    guard case .replica(var barrier) = streaming.barrier, let view else {
      verdict.concernsAll = true
      return
    }
    let judged = barrier.judge(view, streamed: streaming.stream.takenUpTo)
    streaming.barrier = .replica(barrier)
    verdict.concernsAll = judged.isAhead
    verdict.isPending = !barrier.waiting.isEmpty
    verdict.mayShowUpTo = judged.isAhead || !judged.possible.isEmpty ? judged.upper ?? .max : 0
    for ended in judged.visible { add(ended, to: &verdict, streaming) }
    // They may be in it: their tables' queries run, but their events wait until that is sure.
    for ended in judged.possible {
      var others = Verdict()
      add(ended, to: &others, streaming)
      verdict.concernsAll = verdict.concernsAll || others.concernsAll
      verdict.others += others.others.filter { query in !verdict.others.contains { $0 === query } }
    }
  }

  private func add(
    _ ended: ReportedTransactions.Ended, to verdict: inout Verdict, _ streaming: Streaming
  ) {
    let wasShown =
      streaming.shownEarly.remove(ended.xid) != nil
      || ended.end <= streaming.shownEarlyUpTo
    switch changes(of: ended, streaming.map) {
    case .foreign: return
    case .unknown:
      verdict.concernsAll = true
      verdict.reloadsMap = true
      if !wasShown {
        verdict.commits.append(
          Change(
            tables: .all(reason: "the log doesn't say which tables it changed"),
            kind: .schema, xids: [ended.xid]))
      }
    case .tables(let tables, let isSchema):
      if isSchema {
        verdict.concernsAll = true
        verdict.reloadsMap = true
      } else {
        let numbers = Set(tables.map(\.oid)).union(streaming.map.unlogged)
        verdict.others += queries.values.filter { query in
          query.isConcerned(by: numbers) && !verdict.others.contains { $0 === query }
        }
      }
      // Temporary and unlogged tables, notifications: what the feed could say is nothing.
      if wasShown || tables.isEmpty && !isSchema { return }
      verdict.commits.append(
        Change(
          tables: .named(unordered: tables.map(\.name)), kind: isSchema ? .schema : .data,
          xids: [ended.xid]))
    }
  }

  private func reloadMap(
    _ connection: ServerConnection, _ probe: ServerProbe
  ) throws(ServerFault) {
    guard case .streaming(let streaming) = noticing else { return }
    streaming.map = try readMap(connection, probe, former: streaming.map)
  }

  /// Takes over what queries returned.
  ///
  /// - Returns: Those whose results differ from the last ones.
  private func take(_ ran: [(TrackedQuery, PanelReader.Outcome)]) -> [TrackedQuery] {
    var changed: [TrackedQuery] = []
    for (query, outcome) in ran {
      switch outcome.result {
      case .success(let result):
        query.isReliable = true
        query.isLocked = false
        query.staleness = nil
        query.reads = outcome.reads ?? query.reads
        let rows = result.rowSet ?? RowSet.empty
        if query.take(.success(rows)) { changed.append(query) }
      case .failure(let fault):
        query.isReliable = false
        query.reads = nil
        let error = shown(fault, in: query.key.statement)
        // It is tried again; until then the last rows stay.
        query.isLocked = error.code.primary == .busy
        if query.isLocked, query.result != nil {
          query.staleness =
            query.staleness ?? Staleness(since: SystemClock.now(), reason: error.message)
        } else {
          query.staleness = nil
          if query.take(.failure(error)) { changed.append(query) }
        }
      }
    }
    return changed
  }

  private func shown(_ fault: ServerFault, in statement: ServerStatement) -> DatabaseError {
    var fault = fault
    if fault.state == "57014", let limit = settings.queryLimit {
      fault.message =
        "cancelled: the query took more than \(limit.nanoseconds / 1_000_000) ms"
      fault.hint = settings.queryLimitRemedy
    } else if fault.state == ServerFault.tooBig {
      fault.hint = settings.resultBytesRemedy
    }
    return fault.error(in: statement)
  }

  // MARK: - Publishing

  private func publish(
    _ changed: [TrackedQuery], _ ran: [(TrackedQuery, PanelReader.Outcome)], _ verdict: Verdict,
    began: UInt64, duration: UInt64, isAll: Bool
  ) {
    var commits = verdict.commits
    let isFirst = groups.values.contains(where: \.isNew)
    // What moved the mark may have been of another database, or rolled back.
    if verdict.isGuess, !isFirst, changed.contains(where: { !$0.dependsOnTime }) {
      commits.append(
        Change(
          tables: .all(reason: "polling shows that something was committed, not what"),
          xids: verdict.ended))
    }
    if verdict.mayShowUpTo > 0, !isFirst, commits.isEmpty,
      changed.contains(where: { !$0.dependsOnTime }),
      case .streaming(let streaming) = noticing
    {
      commits.append(
        Change(tables: .all(reason: "it was visible before the log reported it"), xids: []))
      if verdict.mayShowUpTo < .max { streaming.shownEarlyUpTo = verdict.mayShowUpTo }
    }
    if !verdict.unreported.isEmpty, case .streaming(let streaming) = noticing {
      if !changed.isEmpty, commits.isEmpty {
        commits.append(
          Change(
            tables: .all(reason: "it was visible before the log reported it"),
            xids: verdict.unreported))
        streaming.shownEarly.formUnion(verdict.unreported)
      }
    }
    let now = SystemClock.now()
    let events = commits.map { commit in
      ordinal += 1
      return DatabaseEvent.commit(
        Commit(
          ordinal: ordinal, origin: known.areOwn(commit.xids) ? .own : .external, kind: commit.kind,
          tables: commit.tables, evidence: Commit.Evidence.none, time: now,
          observedAt: .nanoseconds(Int64(noticedAt == 0 ? began : noticedAt))))
    }
    // Before its results are delivered.
    known.note(ordinal: ordinal)
    known.noteObserved(verdict.ended)
    var refreshed = PublishedGroup.Refreshed()
    refreshed.reason = "the server's rows are not followed: the query runs"
    refreshed.ordinal = ordinal
    refreshed.duration = .nanoseconds(Int64(duration))
    refreshed.noticed = noticedAt == 0 ? began : noticedAt
    refreshed.events = events
    post(refreshed, changed: changed, ran: ran)
    steadyPause.note(commits: max(verdict.commits.count, verdict.ended.count))
    setPace(duration: duration, isPending: verdict.isPending, hasRun: !ran.isEmpty)
    setClock(after: ran.map(\.0))
  }

  /// Sets when queries over the time run again: a second after the last time that all of them ran.
  private func setClock(after ran: [TrackedQuery]) {
    let clocks = queries.values.filter(\.dependsOnTime)
    if clocks.isEmpty {
      clockDueAt = .max
    } else if clockDueAt == .max || clocks.allSatisfy({ clock in ran.contains { $0 === clock } }) {
      clockDueAt = SystemClock.monotonic() + Self.clockInterval
    }
  }

  private func setPace(duration: UInt64, isPending: Bool, hasRun: Bool) {
    let now = SystemClock.monotonic()
    if !isPending { noticedAt = 0 }
    // A program that was stopped within a refresh would pause for as long again.
    let pause = max(
      UInt64(settings.minimumInterval.nanoseconds), min(duration, Self.longestPause),
      steadyPause.length)
    // To look for a commit that is missing yet is a matter of a snapshot.
    nextRefreshAt = now + (isPending ? hasRun ? min(duration, pause) : 0 : pause)
    pauseEndsAt = nextRefreshAt
    // What failed for a lock is tried again, but a little later.
    lockedDueAt = queries.values.contains(where: \.isLocked) ? now + Self.refusalPause : .max
  }

  /// Delivers to all groups what they don't know, with notices.
  private func postAll(changed: [TrackedQuery]) {
    var refreshed = PublishedGroup.Refreshed()
    refreshed.ordinal = ordinal
    post(refreshed, changed: changed, ran: [])
  }

  private func post(
    _ common: PublishedGroup.Refreshed, changed: [TrackedQuery],
    ran: [(TrackedQuery, PanelReader.Outcome)]
  ) {
    var common = common
    common.events += notices
    notices = []
    for number in groups.keys {
      guard var group = groups[number] else { continue }
      var refreshed = common
      for (index, query) in group.queries.enumerated() {
        let isNew = group.isNew || changed.contains { $0 === query }
        if isNew, let result = query.result { refreshed.results[index] = result }
        if let staleness = query.staleness { refreshed.stale[index] = staleness }
        if let (_, outcome) = ran.first(where: { $0.0 === query }) {
          refreshed.durations[index] = outcome.duration
        }
      }
      if group.isNew, group.queries.allSatisfy({ $0.result != nil }) { group.isNew = false }
      group.number += 1
      groups[number] = group
      group.published.post(refreshed, number: group.number)
    }
  }
}

extension PanelReader.Outcome {
  var hasFailed: Bool { if case .failure = result { true } else { false } }

  var duration: Duration {
    if case .success(let result) = result { result.duration } else { .zero }
  }
}
