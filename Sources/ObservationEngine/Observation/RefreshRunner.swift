internal import Glibc
internal import Synchronization

/// Performs what ``RefreshScheduler`` decides: reads each job in one short transaction on the connection
/// of its lane, posts what came of it once the transaction is closed, and keeps the one deadline.
final class RefreshRunner: Sendable {
  typealias Lane = RefreshScheduler.Lane
  typealias Job = RefreshScheduler.Job

  /// Guards all decisions; nothing is performed under it.
  let scheduler: Mutex<RefreshScheduler>
  private let queues: [Lane: ConnectionQueue]
  /// Otherwise both lanes are the writer's queue.
  private let ownsQueues: Bool
  /// Where the states of maintained queries are read; `nil` where none are.
  private let stateQueue: ConnectionQueue?
  /// The queries whose results needn't be computed again.
  let maintained: MaintainedQueries
  private let configuration: Configuration
  private let file: DatabaseFile?
  private let observers: CommitObservers
  private let timer: RefreshTimer
  /// The alarm, once one was needed, and when it rings.
  private let alarm = Mutex<(alarm: RefreshTimer.Alarm, time: UInt64?)?>(nil)

  init(database: Database, observers: CommitObservers) {
    configuration = database.configuration
    file = database.file
    timer = configuration.refreshTimer
    self.observers = observers
    scheduler = Mutex(
      RefreshScheduler(
        .init(
          minimumInterval: configuration.minimumRefreshInterval, debounce: configuration.debounce,
          eventDelay: configuration.eventDelay,
          timeInterval: configuration.timeDependentRefreshInterval,
          refreshBudget: configuration.refreshBudget,
          snapshotBudget: configuration.snapshotBudget,
          snapshotBudgetRemedy: configuration.snapshotBudgetRemedy)))
    if let readers = database.readers, file != nil {
      // A refresh that finds the file locked reports that within 100 ms, and is tried again.
      let patience = min(configuration.busyTimeout, .milliseconds(100))
      queues = [
        .quick: readers.makeQueue(label: "livequery.observer", busyTimeout: patience),
        .slow: readers.makeQueue(label: "livequery.observer.slow"),
      ]
      ownsQueues = true
    } else {
      queues = [.quick: database.writer.queue, .slow: database.writer.queue]
      ownsQueues = false
    }
    // On a queue of its own, so that no value waits for a state.
    let stateQueue =
      ownsQueues ? database.readers?.makeQueue(label: "livequery.observer.state") : nil
    self.stateQueue = stateQueue
    maintained = MaintainedQueries(
      .init(configuration, isOff: stateQueue == nil),
      reportFault: { [commits = database.commits] fault in
        commits.publish(.notice("a maintained result was wrong: \(fault)", SystemClock.now()))
      }
    ) { [stateQueue] in stateQueue?.enqueue($0) }
    observers.onFailure { [weak self] in
      self?.decide { $0.observersFailed(now: $1) }
      self?.proceed()
    }
  }

  // MARK: - Events

  func add(
    _ fetches: [ObservedFetch], channel: NewestValue<Delivery>, ordinal: Int, wantsEvents: Bool,
    skipsInitial: Bool, transientErrors: TransientErrors, first: FirstFetch?
  ) -> RefreshScheduler.GroupID {
    let group = decide {
      $0.addGroup(
        fetches, channel: channel, ordinal: ordinal, wantsEvents: wantsEvents,
        skipsInitial: skipsInitial, transientErrors: transientErrors, first: first, now: $1)
    }
    proceed()
    return group
  }

  func remove(_ group: RefreshScheduler.GroupID) {
    let removed = decide { scheduler, _ in scheduler.removeGroup(group) }
    if let removed { maintained.forget(removed.members) }
    withExtendedLifetime(removed) {}
  }

  /// Fetches every observation of the group again, or one of them.
  func request(_ group: RefreshScheduler.GroupID, _ index: Int? = nil) {
    decide { $0.request(group, index, now: $1) }
    proceed()
  }

  /// Takes note of an event; called under the lock of the feed, and followed by ``proceed()`` or
  /// ``didCommit(_:)``.
  func note(_ event: DatabaseEvent, _ changeset: Changeset) {
    maintained.note(event, changeset)
    decide { $0.note(event, changeset, now: $1) }
  }

  /// Refreshes what an own commit concerns: here, on the writer's thread, where that is quick.
  func didCommit(_ connection: Connection) {
    if !connection.hasOpenTransaction, let job = decide({ $0.beginOnWriter(now: $1) }) {
      perform(job, .success(connection))
    }
    proceed()
  }

  /// Ends every observation: their sequences have no further element.
  func end() {
    let removed = decide { scheduler, _ in scheduler.removeAll() }
    for group in removed { group.channel.finish() }
  }

  /// All that it runs queries on; the writer's may be among them.
  var allQueues: [ConnectionQueue] { Array(queues.values) + stateQueues }

  /// Closes the connections of the lanes for good, or only those that are not the writer's.
  func shutDown(keepsWriter: Bool) {
    guard ownsQueues || !keepsWriter else { return }
    for queue in allQueues { queue.shutDown() }
  }

  private var stateQueues: [ConnectionQueue] { stateQueue.map { [$0] } ?? [] }

  /// The connections of the lanes, as far as they are not the writer's.
  var ownQueues: [ConnectionQueue] {
    ownsQueues ? Lane.allCases.compactMap { queues[$0] } + stateQueues : []
  }

  // MARK: - Actions

  /// Does what is to be done now, and sets the alarm for the rest.
  func proceed() {
    while true {
      switch decide({ $0.next(now: $1) }) {
      case .call(let lane):
        queues[lane]?.enqueue { [weak self] in self?.run(lane, $0) }
      case .post(let job): conclude(job, nil)
      case .callObservers: observers.tryAgain()
      case .wait(let time): return ring(at: time)
      case .idle: return
      }
    }
  }

  /// Lets the scheduler decide. The time is taken under the lock, so that no event comes from the future.
  @discardableResult
  private func decide<Decision>(
    _ body: (inout RefreshScheduler, _ now: UInt64) -> sending Decision
  ) -> sending Decision {
    scheduler.withLock { body(&$0, timer.now()) }
  }

  /// Rings at `time`, unless that is to happen earlier: then it is set again.
  private func ring(at time: UInt64) {
    alarm.withLock { set in
      guard time < set?.time ?? .max else { return }
      // On the queue of the lane that has most to do then: to wake a thread that wakes another takes twice as
      // long, and under a steady writer a moment to read is short.
      let alarm =
        set?.alarm
        ?? queues[.quick]!.makeAlarm(timer) { [weak self] in
          self?.alarm.withLock { $0?.time = nil }
          self?.proceed()
        }
      set = (alarm, time)
      alarm.ring(at: time)
    }
  }

  /// One run of a lane, on its connection's queue.
  private func run(_ lane: Lane, _ connection: Result<Connection, DatabaseError>) {
    if case .failure(let error) = connection, error == Database.closedError { end() }
    let locks = rollbackLocks(connection)
    while true {
      let sight = sight(of: connection, locks, on: lane)
      switch decide({ $0.begin(lane, seeing: sight, now: $1) }) {
      case .read(let job):
        perform(job, connection)
        return proceed()
      case .giveUp(let job, let reason):
        fail(job, DatabaseError(code: .busy, message: reason))
        return proceed()
      case .askAgain(let time): usleep(UInt32(time / 1_000))
      case .leave: return proceed()
      }
    }
  }

  private func rollbackLocks(_ connection: Result<Connection, DatabaseError>) -> RollbackLocks? {
    guard let file, configuration.snapshotBudget != nil, case .success(let connection) = connection,
      !connection.wal.isOn
    else { return nil }
    // A new file has no lock to be asked for as yet.
    return RollbackLocks(file)
  }

  private func sight(
    of connection: Result<Connection, DatabaseError>, _ locks: RollbackLocks?, on lane: Lane
  ) -> RefreshScheduler.Sight {
    guard case .success(let connection) = connection, file != nil else { return .nothing }
    if let locks {
      let counter = connection.wal.fileHeader()?.changeCounter
      return .journal(locks.contention, counter: counter)
    }
    guard lane == .slow, connection.wal.isOn, case .header(let log) = connection.wal.indexState()
    else { return .nothing }
    return .log(frames: log.lastFrame)
  }

  private func perform(_ job: Job, _ connection: Result<Connection, DatabaseError>) {
    do {
      conclude(job, try read(job, connection.get()))
    } catch {
      if error as? DatabaseError == Database.closedError { end() }
      fail(job, error)
    }
  }

  private func conclude(_ job: Job, _ reading: RefreshScheduler.Reading?) {
    let time = SystemClock.now()
    post(decide { $0.finish(job, reading, now: $1, time: time) }, of: job)
  }

  private func fail(_ job: Job, _ error: any Error) {
    let time = SystemClock.now()
    let isMissing = file.map { DatabaseFile.identity(of: $0.path) == nil } ?? false
    post(
      decide { $0.fail(job, error, isFileMissing: isMissing, now: $1, time: time) },
      of: job)
  }

  private func post(_ posts: RefreshScheduler.Posts, of job: Job) {
    for post in posts.all { post.channel.post(post.delivery) }
    decide { $0.didPost(job, now: $1) }
  }
}

// MARK: - Reading

extension RefreshRunner {
  /// Fetches the members of a job in one read transaction, each distinct query once, and closes it.
  ///
  /// - Throws: When no snapshot is available: then nothing was fetched.
  func read(_ job: Job, _ connection: Connection) throws -> RefreshScheduler.Reading {
    if !ownsQueues, connection.hasOpenTransaction {
      // There is one connection: uncommitted changes of the console would be seen.
      throw Database.openTransactionError
    }
    var reading = RefreshScheduler.Reading(outcomes: [])
    // The job may be due because another file came to the path after the connection was handed out: what is
    // reported later is reported while the job runs.
    guard connection.lease.isOfCurrentFile() else { return reading }
    if job.awaitsCommit, job.limit == nil, connection.wal.isOn { connection.waitForNextCommit() }
    reading.began = timer.now()
    let limits = Limits(job, configuration)
    // What is quick comes to its end, and the writer is not refused.
    let ownPatience = min(configuration.busyTimeout / 2, configuration.refreshBudget)
    let watch = SnapshotWatch(
      connection, file: file, yielding: job.yielding, looksAhead: job.lane == .slow,
      ownPatience: ownPatience)
    reading.outcomes = try connection.markedSnapshot { connection in
      if let room = connection.fetchState.resultRoom {
        connection.fetchState.resultRoom = max(0, room - job.heldBytes)
      }
      // The writer must not wait.
      if job.limit == nil, let position = connection.snapshotMark?.position {
        maintained.awaitCommits(upTo: position, for: job.members.map(\.id))
      }
      var member = 0
      return connection.sharingResults(from: maintained.source { member }) {
        fetchAll(job, connection, limits, watch) { member = $0 }
      }
    }
    reading.yieldReason = watch.yieldReason
    reading.metWriter = watch.metWriter
    return reading
  }

  private func fetchAll(
    _ job: Job, _ connection: Connection, _ limits: Limits, _ watch: SnapshotWatch,
    willFetch: (RefreshScheduler.MemberID) -> Void
  ) -> [RefreshScheduler.Outcome] {
    // On the writer all of it takes less than a check is worth.
    let isChecked = job.limit == nil && limits.watchesWriters
    // What is watched counts from here.
    if isChecked { _ = watch.mustEnd() }
    var outcomes: [RefreshScheduler.Outcome] = []
    for member in job.members {
      // The first is always tried: something must come of each job.
      if !outcomes.isEmpty, isChecked, SystemClock.monotonic() >= limits.job || watch.mustEnd() {
        break
      }
      willFetch(member.id)
      let outcome = fetch(member, connection, limits, watch)
      // What its observation used is forgotten when that ends, which may have been meanwhile.
      if !scheduler.withLock({ $0.isWanted(member.id) }) { maintained.forget([member.id]) }
      outcomes.append(outcome)
      if outcome.interruption == .limit || isChecked && watch.yieldReason != nil { break }
    }
    if job.limit == nil, job.learnsWriter { watch.meetWriter() }
    return outcomes
  }

  private func fetch(
    _ member: (id: RefreshScheduler.MemberID, fetch: ObservedFetch), _ connection: Connection,
    _ limits: Limits, _ watch: SnapshotWatch
  ) -> RefreshScheduler.Outcome {
    let start = SystemClock.monotonic()
    let budget = limits.member.map { start + $0 } ?? .max
    let limit = min(budget, limits.postponing)
    let room = connection.fetchState.resultRoom
    var wasCancelled = false
    let isOver = { [self] in
      let isOver =
        SystemClock.monotonic() > limit || (limits.watchesWriters && watch.mustEnd())
        || !scheduler.withLock { $0.isWanted(member.id) }
      if isOver { wasCancelled = true }
      return isOver
    }
    connection.fetchState.usedResults.removeAll(keepingCapacity: true)
    var (result, region) = connection.withBudget(isOver) {
      connection.recordingRegion { try member.fetch.run(connection) }
    }
    let end = SystemClock.monotonic()
    // The closure of the application may have handled the error of the statement that was cancelled.
    if wasCancelled {
      result = .failure(DatabaseError.cancelled())
    }
    if case .failure = result {
      // What failed holds nothing.
      connection.fetchState.resultRoom = room
      // It may have read less than it would have: only everything is safe to watch.
      region.insertEverything(reason: "the last fetch failed")
    }
    var outcome = RefreshScheduler.Outcome(
      id: member.id, result: result, region: region, duration: .nanoseconds(Int64(end - start)),
      method: method(connection.fetchState))
    if let room, let left = connection.fetchState.resultRoom { outcome.heldBytes = room - left }
    guard case .failure(let error as DatabaseError) = result, error.code.primary == .interrupted
    else { return outcome }
    if let yieldReason = watch.yieldReason {
      outcome.interruption = .yieldReason(yieldReason)
    } else if end > limit {
      outcome.interruption = limit < budget ? .limit : .budget
    }
    return outcome
  }

  /// How the result of the fetch that has just ended came about: by running a query, if any of its queries ran.
  private func method(_ state: Connection.FetchState) -> RefreshMethod {
    guard let run = state.usedResults.first(where: { !$0.isMaintained }) else {
      return state.usedResults.isEmpty ? .recomputed(reason: nil) : .maintained
    }
    let report = maintained.report(of: run.key.sql, run.key.arguments)
    return .recomputed(reason: report?.reason)
  }

  /// Until when a job may do what, on the monotonic clock.
  private struct Limits {
    /// The whole job: what has not begun by then is postponed.
    let job: UInt64
    /// One member, for so long; `nil` for ever.
    let member: UInt64?
    /// On the writer: what is not done by then is postponed.
    let postponing: UInt64
    let watchesWriters: Bool

    init(_ job: Job, _ configuration: Configuration) {
      let start = SystemClock.monotonic()
      let whole = configuration.snapshotBudget
      let member =
        job.lane == .slow
        ? whole : min(configuration.refreshBudget, whole ?? configuration.refreshBudget)
      self.job = whole.map { start + $0.clockNanoseconds } ?? .max
      self.member = member.map(\.clockNanoseconds)
      postponing = job.limit.map { start + $0 } ?? .max
      watchesWriters = whole != nil
    }
  }
}

extension Connection {
  /// Waits until another process has published a commit, for a fifth of a millisecond at most.
  ///
  /// A reader that meets a header of the wal-index which is being written takes the WRITE lock to read it
  /// again (`walIndexReadHdr`), and a writer without a busy timeout can meet that lock. A writer that
  /// commits without a pause publishes a header every few ten microseconds: right after one, the next
  /// is as far away as it can be.
  fileprivate func waitForNextCommit() {
    guard case .header(let first) = wal.indexState() else { return }
    let end = SystemClock.monotonic() + 200_000
    while SystemClock.monotonic() < end {
      if case .header(let header) = wal.indexState(), header != first { return }
    }
  }
}

extension MaintainedQueries.Settings {
  fileprivate init(_ configuration: Configuration, isOff: Bool) {
    self.init(
      memory: isOff ? 0 : configuration.maintenanceMemory,
      audits: configuration.auditsMaintenance, isEager: configuration.maintainsEagerly,
      longest: (configuration.snapshotBudget ?? .seconds(3_600)).clockNanoseconds)
  }
}
