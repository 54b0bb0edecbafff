internal import ObservationEngine

/// What the thread of a server does: it notices commits, and runs the queries that they concern.
///
///     check: a commit is reported, or the snapshot has moved ─▶ refresh: due queries in one transaction
///       ─▶ judge: what does that snapshot contain? ─▶ perhaps further queries ─▶ post ─▶ COMMIT
///
/// It belongs to one thread.
final class ServerWork {
  private enum Link {
    /// There is no connection; why, since when, and when to try again.
    case lost(String, since: UInt64, retryAt: UInt64, wait: UInt64)
    case open(ServerConnection, ServerProbe, CommitNoticing)
  }

  private let address: ServerAddress
  private let settings: ServerSettings
  private let known: KnownServer
  private var link: Link
  private let queries: ObservedQueries
  /// That of the last primary.
  private var timeline: String?
  /// Whether the log was followed over an earlier connection.
  private var hasFollowed = false
  private var ordinal = 0
  /// To which primary the last loss of the connection led, as far as that is known; nil for the same one.
  private var failover: String?
  /// Whether results may differ by what was committed while there was no connection.
  private var isBehindGap = false
  /// Whether a mark has shown a commit whose effect only a slow query can show.
  private var hasGuess = false

  private var pace: ServerPace

  /// After which time an answer is late: longer than most refreshes, and as long as a user takes a panel for fresh.
  private static let usualAnswer: UInt64 = 500_000_000

  private static let isLate = "the server's answer is late"

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
    queries = ObservedQueries(settings)
    pace = ServerPace(
      debounce: UInt64(settings.debounce.nanoseconds),
      interval: UInt64(settings.minimumInterval.nanoseconds))
    let now = SystemClock.monotonic()
    link = .lost("", since: now, retryAt: now, wait: 0)
    try connect(deadline: now + UInt64(settings.connectLimit.nanoseconds))
  }

  // MARK: - The connection

  private func connect(deadline: UInt64) throws(ServerFault) {
    let connection = try ServerConnection(address, .panels, deadline: deadline)
    let probe = try ServerProbe(connection, deadline: deadline)
    let noticing = CommitNoticing(
      address, connection, probe, settings, hasFollowed: hasFollowed)
    link = .open(connection, probe, noticing)
    queries.settings = settings.within(probe.statementLimit)
    pace.wantAll()
    timeline = timeline ?? probe.timeline
    known.home = ServerHome(peer: connection.peer, startedAt: probe.startedAt)
    known.note(connection.cancelTicket())
    known.note(noticing.facts)
  }

  /// A timeline without its leading zeros.
  private static func number(_ timeline: String) -> String {
    UInt32(timeline, radix: 16).map(String.init) ?? timeline
  }

  private func lose(_ fault: ServerFault) {
    guard case .open(_, _, let noticing) = link else { return }
    hasFollowed = noticing.hasFollowed
    let now = SystemClock.monotonic()
    let (since, time) = (noticing.heardAt, time(heard: noticing.heardAt))
    link = .lost(fault.message, since: since, retryAt: now + 50_000_000, wait: 50_000_000)
    (isBehindGap, hasGuess) = (true, false)
    queries.endLateness()
    queries.note("the connection to the server is lost (\(fault.message)); trying again")
    noteLoss(fault.message, since: time, noticing.facts)
  }

  private func noteLoss(_ reason: String, since time: Timestamp, _ facts: ServerFacts?) {
    if var facts {
      facts.loss = reason
      known.note(facts)
    }
    queries.markStale("no connection: \(reason)", since: time, ordinal: ordinal)
  }

  private func reconnect(_ reason: String, since: UInt64, wait: UInt64) {
    do throws(ServerFault) {
      try connect(deadline: SystemClock.monotonic() + 5_000_000_000)
      let gap = (SystemClock.monotonic() - since) / 100_000_000
      noteTimeline(behind: "reconnected, \(gap / 10).\(gap % 10) s not observed")
    } catch {
      // Between one and two times as long as the last wait, so that clients don't all come together.
      let longer = min(2_000_000_000, wait + UInt64.random(in: 0...wait))
      link = .lost(
        error.message, since: since, retryAt: SystemClock.monotonic() + longer, wait: longer)
      guard error.message != reason else { return }
      queries.note("there is no connection yet (\(error.message)); trying again")
      noteLoss(error.message, since: time(heard: since), known.facts)
    }
  }

  /// Notes that there is a connection again, and whether it leads to another primary: in one notice, since a screen has
  /// room for the newest alone.
  private func noteTimeline(behind notice: String) {
    guard case .open(_, let probe, _) = link else { return }
    if let former = timeline, let new = probe.timeline, former != new {
      failover = failover ?? "timeline \(Self.number(former)) → \(Self.number(new))"
    }
    timeline = probe.timeline ?? timeline
    if let failover {
      queries.note(
        "FAILED OVER: \(failover); commits that only the old primary had are gone; \(notice)")
    } else {
      queries.note(notice)
    }
    failover = nil
  }

  /// The time of day at which the server was heard of.
  private func time(heard moment: UInt64) -> Timestamp {
    let age = SystemClock.monotonic() - min(moment, SystemClock.monotonic())
    return Timestamp(microseconds: SystemClock.now().microseconds - Int64(age / 1_000))
  }

  /// What the server refused without closing the connection, such as a conflict with recovery, may succeed later.
  private func recover(from fault: ServerFault) {
    guard !fault.isLoss, case .open(let connection, _, _) = link, !connection.isLost else {
      return lose(fault)
    }
    do throws(ServerFault) {
      _ = try connection.run("ROLLBACK", deadline: SystemClock.monotonic() + 5_000_000_000)
    } catch {
      return lose(error)
    }
    pace.noteRefusal(at: SystemClock.monotonic())
    queries.markStale(fault.message, since: SystemClock.now(), ordinal: ordinal)
  }

  // MARK: - What other threads ask for

  /// Starts to observe a group of queries.
  func start(_ number: Int, _ keys: [TrackedQuery.Key], _ published: PublishedGroup) {
    queries.start(number, keys, published)
    pace.wantAll()
  }

  func stop(_ number: Int) { queries.stop(number) }

  /// Ends all groups.
  func stopAll() { queries.stopAll() }

  /// Runs all queries again.
  func refreshAll() { pace.wantAllAtOnce() }

  /// A statement of this program's console may have committed: asks now.
  func noteOwnStatement() {
    if case .open(_, _, let noticing) = link { noticing.checkAtOnce() }
  }

  private func opened() throws(ServerFault) -> (ServerConnection, ServerProbe) {
    guard case .open(let connection, let probe, _) = link else {
      throw ServerFault(message: "the connection to the server is lost")
    }
    return (connection, probe)
  }

  /// Runs statements on the panels' connection, in one snapshot.
  func read(
    _ statements: [PanelReader.Statement], limit: Duration?
  ) throws(ServerFault) -> [Result<ServerResult, ServerFault>] {
    let (connection, probe) = try opened()
    do throws(ServerFault) {
      return try PanelReader.read(statements, connection, probe, settings, limit: limit)
    } catch {
      lose(error)
      throw error
    }
  }

  /// The columns of a query, which does not run.
  func describe(_ statement: ServerStatement) throws(ServerFault) -> [ServerColumn] {
    let (connection, _) = try opened()
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
    if case .open(_, _, let noticing) = link { noticing.descriptor } else { -1 }
  }

  /// When the next turn is due, in nanoseconds of the monotonic clock.
  var nextTurnAt: UInt64 {
    switch link {
    case .lost(_, _, let retryAt, _): return retryAt
    case .open(_, _, let noticing):
      if queries.isEmpty { return noticing.servedBy }
      return min(
        pace.nextAt, noticing.lateAt(usual: Self.usualAnswer),
        queries.firstAwaited?.awaitedSince.map(pace.aloneAt(awaitedSince:)) ?? .max,
        noticing.nextCheck(refreshAt: pace.nextRefreshAt, isAllDue: pace.isAllDue))
    }
  }

  /// Does everything that is due.
  func turn() {
    if case .lost(let reason, let since, let retryAt, let wait) = link {
      guard SystemClock.monotonic() >= retryAt else { return }
      reconnect(reason, since: since, wait: wait)
    }
    guard case .open(let connection, let probe, let noticing) = link else { return }
    do throws(ServerFault) {
      watch(connection, noticing, isAlone: false)
      defer { connection.lateness = nil }
      if try notice(noticing) { return promote() }
      let now = SystemClock.monotonic()
      if !queries.isEmpty, now >= pace.nextRefreshAt, let due = due(noticing, now) {
        try refresh(queries.puttingOff(due), connection, probe, noticing)
      }
      if let slow = queries.firstAwaited, let since = slow.awaitedSince,
        SystemClock.monotonic() >= pace.aloneAt(awaitedSince: since)
      {
        // What was committed meanwhile would be in its snapshot without having been reported.
        if try notice(noticing) { return promote() }
        if SystemClock.monotonic() >= pace.aloneAt(awaitedSince: since) {
          watch(connection, noticing, isAlone: true)
          slow.awaitedSince = nil
          try refresh([slow], connection, probe, noticing, alone: slow)
        }
      }
    } catch {
      recover(from: error)
    }
    if endLateness(noticing) || queries.hasNotices { queries.postNotices(ordinal: ordinal) }
  }

  /// Notes that the server has answered, unless it is a standby that stays behind.
  ///
  /// - Returns: Whether that is to be delivered.
  private func endLateness(_ noticing: CommitNoticing) -> Bool {
    let now = SystemClock.monotonic()
    if let since = noticing.silentSince(at: now, usual: Self.usualAnswer) {
      queries.markLate(Self.isLate, since: time(heard: since), ordinal: ordinal)
      return false
    }
    guard let since = noticing.behindSince(at: now) else { return queries.endLateness() }
    queries.markLate(
      "the standby has received commits that it has not replayed", since: time(heard: since),
      ordinal: ordinal)
    return false
  }

  /// Has all panels marked as stale when the server's answer is late.
  ///
  /// - Parameter isAlone: Whether what is waited for is one slow query: then the others are as fresh as before until
  ///   something is committed, as far as the server says so by itself.
  private func watch(
    _ connection: ServerConnection, _ noticing: CommitNoticing, isAlone: Bool
  ) {
    let first = SystemClock.monotonic() + Self.usualAnswer
    let time = time(heard: noticing.heardAt)
    connection.lateness = ServerConnection.Lateness(at: first) { [unowned self] in
      if isAlone, noticing.reportsAll {
        let next = SystemClock.monotonic() + Self.usualAnswer
        guard noticing.hasNews else { return next }
      }
      queries.markLate(Self.isLate, since: time, ordinal: ordinal)
      return nil
    }
  }

  /// Finds out what was committed.
  ///
  /// - Returns: Whether the server, a standby, has become a primary.
  private func notice(_ noticing: CommitNoticing) throws(ServerFault) -> Bool {
    var noticed = CommitNoticing.Noticed()
    defer {
      take(noticed)
      known.note(noticing.facts)
    }
    try noticing.check(isObserved: !queries.isEmpty, isAllDue: pace.isAllDue, into: &noticed)
    return noticed.isPromoted
  }

  private func promote() {
    failover = "the standby is the primary now"
    lose(ServerFault(message: "the server was promoted"))
  }

  private func take(_ noticed: CommitNoticing.Noticed) {
    if noticed.concernsAll { pace.wantAll() }
    if noticed.beginsToFollow { queries.forgetReads() }
    if let notice = noticed.notice { queries.note(notice) }
    known.noteObserved(noticed.rolledBack)
    if let time = noticed.commitAt { pace.noteCommit(at: time) }
  }

  /// The queries to run; nil when no snapshot is worth it.
  private func due(_ noticing: CommitNoticing, _ now: UInt64) -> [TrackedQuery]? {
    let all = queries.all
    if pace.isAllDue { return all }
    let reported = noticing.due(at: now, among: all)
    let (clocks, locked) = (pace.areClocksDue(at: now), pace.areLockedDue(at: now))
    guard reported != nil || clocks || locked else { return nil }
    var due = reported ?? []
    func add(_ others: [TrackedQuery]) {
      due += others.filter { query in !due.contains { $0 === query } }
    }
    if clocks { add(all.filter(\.dependsOnTime)) }
    if locked { add(all.filter(\.isLocked)) }
    return due
  }

  // MARK: - Refreshing

  /// Runs queries in one snapshot, and those that the snapshot turns out to concern.
  ///
  /// - Parameter alone: The slow one that runs by itself; its change is that of a commit which was reported before.
  private func refresh(
    _ due: [TrackedQuery], _ connection: ServerConnection, _ probe: ServerProbe,
    _ noticing: CommitNoticing, alone: TrackedQuery? = nil
  ) throws(ServerFault) {
    let began = SystemClock.monotonic()
    let isAll = pace.isAllDue
    let learns = noticing.isFollowing
    let all = queries.all
    var reader = PanelReader(connection, probe, learns: learns, settings)
    if let reporter = noticing.reporter, !reporter.reportsAll {
      reader.marksSchemaOf = all.reduce(into: []) { $0.formUnion($1.reads?.relations ?? []) }
      reader.marksTriggers = reporter == .triggers
    }
    if noticing.expectsNewSchema { queries.forgetReads() }
    reader.knownReads = all.filter(\.isKnown).reduce(into: []) {
      $0.formUnion($1.reads?.relations ?? [])
    }
    // A transaction that stays open can run others behind a slow one, which then need not run twice.
    reader.knowsAll = alone == nil && all.allSatisfy(\.isKnown)
    let (outcomes, verdict) = try read(due, &reader, noticing, among: all)
    let duration = SystemClock.monotonic() - began
    let mustPoll =
      !isAll && alone == nil
      && noticing.stopFollowingIfSaturated(
        began: began, pauseEnded: pace.pauseEndsAt,
        ranAll: !outcomes.isEmpty && outcomes.count == all.count { !$0.isAwaited },
        commits: verdict.changes.count)
    // What shows rows again after a refusal needs no commit for it.
    let refused = outcomes.map(\.query).filter(\.wasRefused)
    let changed = queries.take(outcomes)
    let isSurprise = changed.contains { query in !refused.contains { $0 === query } }
    let changes = changes(verdict, noticing, changed, alone, isSurprise: isSurprise)
    _ = endLateness(noticing)
    publish(changes, verdict, changed, outcomes, began: began, duration: duration)
    setPace(after: outcomes.map(\.query), verdict, duration: duration, isAlone: alone != nil)
    try reader.end()
    if verdict.reloadsMap { try noticing.reloadMap() }
    if mustPoll {
      pace.wantAll()
      known.note(noticing.facts)
    }
  }

  /// Runs queries in one snapshot, and those that the snapshot turns out to concern.
  private func read(
    _ due: [TrackedQuery], _ reader: inout PanelReader, _ noticing: CommitNoticing,
    among all: [TrackedQuery]
  ) throws(ServerFault) -> ([PanelReader.Outcome], SnapshotVerdict) {
    var due = due
    var verdict = SnapshotVerdict()
    while true {
      let snapshot = try begin(due, &reader)
      verdict.add(noticing.judge(snapshot, among: all))
      var outcomes = snapshot.outcomes
      if verdict.reloadsMap {
        // Those whose reads weren't asked for may read others by now.
        if noticing.isFollowing { outcomes.removeAll(where: \.wasUnguarded) }
        queries.forgetReads()
      }
      let concerned = (verdict.concernsAll ? all : verdict.others).filter { query in
        !outcomes.contains { $0.query === query }
      }
      let own = concerned.filter { query in due.contains { $0 === query } }
      let rest =
        own + queries.puttingOff(concerned.filter { query in !own.contains { $0 === query } })
      if rest.isEmpty { return (outcomes, verdict) }
      for query in rest { query.isReliable = false }
      if reader.isOpen { return (outcomes + (try reader.run(rest)), verdict) }
      // Its snapshot has gone with it: all of them in another one, in a transaction that stays open.
      due += rest.filter { query in !due.contains { $0 === query } }
      reader.knowsAll = false
    }
  }

  private func begin(
    _ due: [TrackedQuery], _ reader: inout PanelReader
  ) throws(ServerFault) -> PanelReader.Snapshot {
    let snapshot = try reader.begin(due)
    guard snapshot.outcomes.contains(where: { $0.wasUnguarded && $0.hasFailed }) else {
      return snapshot
    }
    // One that worked until now failed, and those after it with it.
    for query in due { query.isReliable = false }
    try reader.rollBack()
    reader.knowsAll = false
    return try reader.begin(due)
  }

  /// The changes to report: what the log said, or what different results show.
  private func changes(
    _ verdict: SnapshotVerdict, _ noticing: CommitNoticing, _ changed: [TrackedQuery],
    _ alone: TrackedQuery?, isSurprise: Bool
  ) -> [SnapshotVerdict.Change] {
    var changes = verdict.changes
    let isFirst = queries.hasNew
    let hasChanged = !isFirst && changed.contains { !$0.dependsOnTime && $0 !== alone }
    let aloneHasChanged = !isFirst && changed.contains { !$0.dependsOnTime && $0 === alone }
    let showsGuess = aloneHasChanged && (hasGuess || verdict.isGuess)
    hasGuess =
      !showsGuess && !hasChanged && (hasGuess || verdict.isGuess) && queries.hasAwaited
    // What moved the mark may have been of another database, or rolled back.
    if verdict.isGuess && hasChanged || showsGuess {
      changes.append(
        SnapshotVerdict.Change(
          tables: .all(reason: "polling shows that something was committed, not what"),
          xids: verdict.ended))
    }
    // The slow one shows what was reported before.
    let isUnreported =
      !verdict.unreported.isEmpty && (alone == nil ? !changed.isEmpty : hasChanged)
    if isUnreported { noticing.noteUnreportedChange() }
    let isEarly = verdict.mayShowUpTo > 0 && hasChanged || isUnreported
    if isEarly, changes.isEmpty {
      changes.append(
        SnapshotVerdict.Change(
          tables: .all(reason: (noticing.reporter ?? .log).reasonOfUnreported),
          xids: verdict.unreported))
      noticing.noteShownEarly(verdict)
    }
    // What was committed meanwhile comes with the first results.
    let isBehind = alone == nil ? hasChanged : isBehindGap && aloneHasChanged
    if changes.isEmpty, isBehind, isSurprise {
      changes.append(
        SnapshotVerdict.Change(
          tables: .all(
            reason: isBehindGap
              ? "what was committed while there was no connection isn't known"
              : "the server did not report what changed"), xids: []))
    }
    if !changes.isEmpty || !queries.hasAwaited { isBehindGap = false }
    return changes
  }

  private func publish(
    _ changes: [SnapshotVerdict.Change], _ verdict: SnapshotVerdict, _ changed: [TrackedQuery],
    _ outcomes: [PanelReader.Outcome], began: UInt64, duration: UInt64
  ) {
    let now = SystemClock.now()
    let noticed = pace.noticedAt == 0 ? began : pace.noticedAt
    let events = changes.map { change in
      ordinal += 1
      return DatabaseEvent.commit(
        Commit(
          ordinal: ordinal, origin: known.areOwn(change.xids) ? .own : .external, kind: change.kind,
          tables: change.tables, evidence: Commit.Evidence.none, time: now,
          observedAt: .nanoseconds(Int64(noticed))))
    }
    // Before its results are delivered.
    known.note(ordinal: ordinal)
    known.noteObserved(verdict.ended)
    var refreshed = PublishedGroup.Refreshed()
    refreshed.reason = "the server's rows are not followed: the query runs"
    refreshed.ordinal = ordinal
    refreshed.duration = .nanoseconds(Int64(duration))
    refreshed.noticed = noticed
    refreshed.events = events
    queries.post(refreshed, changed: changed, outcomes: outcomes)
  }

  /// Sets when the next refresh may be, and when queries run that no commit concerns.
  private func setPace(
    after ran: [TrackedQuery], _ verdict: SnapshotVerdict, duration: UInt64, isAlone: Bool
  ) {
    let all = queries.all
    func haveRun(_ queries: [TrackedQuery]) -> Bool {
      queries.allSatisfy { query in query.isAwaited || ran.contains { $0 === query } }
    }
    let clocks = all.filter(\.dependsOnTime)
    let refresh = ServerPace.Refresh(
      duration: duration, ranQueries: !ran.isEmpty, ranAll: haveRun(all),
      commits: max(verdict.changes.count, verdict.ended.count), isPending: verdict.isPending,
      hasLocked: all.contains { $0.isLocked && !$0.isAwaited },
      ranClocks: clocks.isEmpty ? nil : haveRun(clocks))
    if isAlone {
      pace.noteAlone(refresh, at: SystemClock.monotonic())
    } else {
      pace.noteRefresh(refresh, at: SystemClock.monotonic())
    }
  }
}
