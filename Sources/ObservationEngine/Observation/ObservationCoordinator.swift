internal import Synchronization

/// Runs what ``ObservationStateMachine`` decides: fetches in one short read transaction per job, and
/// posts what came of it once the transaction is closed.
final class ObservationCoordinator: DatabaseCompanion {
  typealias Lane = ObservationStateMachine.Lane

  struct State {
    var machine = ObservationStateMachine()
    var pace: RefreshPace
    /// By lane.
    var patience: [Lane: WriterPatience] = [:]
    /// By lane, for a rollback journal.
    var yield: [Lane: YieldPolicy] = [:]
    /// What was decided last, by lane.
    var yielding: [Lane: SnapshotWatch.Yielding] = [:]
    /// The timer runs for results that change as time goes by.
    var isTimerRunning = false
    /// A retry is on its way: one is enough.
    var isRetryDue = false
    /// Who else is told of the end, by number.
    var endings: [Int: @Sendable () -> Void] = [:]
    var lastEnding = 0
  }

  /// A refresh that is known to take no longer than `usual` runs on the writer right after an own
  /// commit, whose pages are still at hand there, and no thread need be woken: a third of the time.
  /// It is cancelled after `limit` nanoseconds, and then runs elsewhere.
  private enum OnWriter {
    static let usual = Duration.microseconds(300)
    static let limit: UInt64 = 2_000_000
  }

  let state: Mutex<State>
  private let lanes: [Lane: ConnectionQueue]
  /// Otherwise both are the writer's queue.
  let ownsLanes: Bool
  let configuration: Configuration
  let file: DatabaseFile?
  private let feed: CommitFeed
  private let detector: ExternalCommitDetector?
  private let handlers: CommitHandlers
  private let interest: ChangeInterest
  private let follower = Mutex<(feed: Int, handler: Int)?>(nil)
  /// Those who are called on the writer after each commit of their region.
  let commitObservers: CommitObservers

  /// Whether commits of others are looked for now and then, because the system does not tell of them.
  var isPolling: Bool { detector?.isPolling ?? false }

  init(database: Database) {
    configuration = database.configuration
    state = Mutex(State(pace: RefreshPace(least: configuration.minimumRefreshInterval)))
    file = database.file
    feed = database.feed
    handlers = database.commitHandlers
    interest = database.changeInterest
    commitObservers = CommitObservers(database: database)
    ownsLanes = database.readers != nil && file != nil
    let quick: ConnectionQueue
    let slow: ConnectionQueue
    if let readers = database.readers, file != nil {
      // A refresh that finds the file locked tells so soon, and tries again.
      let patience = min(configuration.busyTimeout, .milliseconds(100))
      quick = readers.makeQueue(label: "livequery.observer", busyTimeout: patience)
      slow = readers.makeQueue(label: "livequery.observer.slow")
    } else {
      quick = database.writer.queue
      slow = quick
    }
    lanes = [.quick: quick, .slow: slow]
    if let file, !database.isClosed {
      let (readers, writer) = (database.readers, database.writer.queue)
      detector = ExternalCommitDetector(
        file: file, configuration: configuration, ledger: database.ledger, feed: database.feed,
        generations: database.generations
      ) { [weak readers, weak writer, weak quick, weak slow] in
        for queue in (readers?.all ?? []) + [writer, quick, slow].compactMap(\.self) {
          queue.closeWhenIdle(keepsState: true)
        }
      }
      detector?.start()
      database.writer.afterOpening { [weak detector] in detector?.ensureWatching() }
    } else {
      detector = nil
    }
    let id = feed.follow { [weak self] event, changeset in
      guard let self else { return nil }
      state.withLock { state in
        // Within the lock, as wherever the time is compared with that of a commit.
        let now = SystemClock.monotonic()
        state.machine.note(event, changeset, now: now)
        if case .commit(let commit) = event {
          state.pace.noteCommits(commit.count)
          for lane in Lane.allCases {
            state.patience[lane, default: .init()].noteCommit(now: now)
            // Between the connections of a process SQLite itself keeps order.
            guard commit.origin == .external else { continue }
            state.yield[lane, default: .init()].noteCommits(commit.count, now: now)
          }
        }
      }
      // Own commits are acted upon on the writer, below.
      if case .commit(let commit) = event, commit.origin == .own {
        return CommitFeed.nothing(for: self)
      }
      return { self.startLanes() }
    }
    let handler = handlers.add { [weak self] connection, _, _ in self?.didCommit(connection) }
    interest.follow { [weak self] table in
      guard let self else { return nil }
      let read = state.withLock { $0.machine.interest(in: table) }
      guard let more = commitObservers.interest(in: table) else { return read }
      guard var both = read else { return more }
      both.formUnion(more)
      return both
    }
    follower.withLock { $0 = (id, handler) }
  }

  deinit { stopFollowing() }

  private func stopFollowing() {
    guard let ids = follower.withLock({ $0.take() }) else { return }
    feed.unfollow(ids.feed)
    handlers.remove(ids.handler)
    interest.follow(nil)
  }

  /// Ends every observation: their sequences have no further element.
  private func endObservations() {
    stopFollowing()
    commitObservers.end()
    let ended = state.withLock { $0.machine.removeAll() }
    for mailbox in ended.mailboxes { mailbox.finish() }
    for action in state.withLock({ $0.endings.values.map(\.self) }) { action() }
  }

  /// Calls `action` when observations end because the database is closed; see ``ignoreEnd(_:)``.
  func onEnd(_ action: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastEnding += 1
      state.endings[state.lastEnding] = action
      return state.lastEnding
    }
  }

  func ignoreEnd(_ id: Int) { state.withLock { $0.endings[id] = nil } }

  /// Makes a look for foreign commits now, and every observation of the group fetched again.
  func refresh(_ group: ObservationStateMachine.GroupID) {
    detector?.poke()
    let now = SystemClock.monotonic()
    state.withLock { $0.machine.invalidateAll(group: group, now: now) }
    startLanes()
  }

  /// Makes one observation of the group fetched again.
  func refresh(_ index: Int, of group: ObservationStateMachine.GroupID) {
    state.withLock { $0.machine.invalidate(index, of: group) }
    startLanes()
  }

  func add(
    _ fetches: [ObservedFetch], mailbox: Mailbox<Delivery>, wantsEvents: Bool,
    first: FirstFetch? = nil
  ) -> ObservationStateMachine.GroupID {
    let ordinal = feed.ordinal
    let group = state.withLock {
      let group = $0.machine.addGroup(
        fetches, mailbox: mailbox, ordinal: ordinal, wantsEvents: wantsEvents)
      if let first { $0.machine.take(first, of: group) }
      return group
    }
    // What was fetched before may have nothing else to wait for.
    if first != nil { startTimer() }
    startLanes()
    return group
  }

  func remove(_ group: ObservationStateMachine.GroupID) {
    _ = state.withLock { $0.machine.removeGroup(group) }
  }

  /// Cancels a query that runs for itself because it is slow.
  func cancelSlowQuery() { lanes[.slow]?.interruptRunningJob() }

  func interrupt() {
    for queue in lanes.values { queue.interruptRunningJob() }
  }

  func shutDown() {
    endObservations()
    detector?.beginToStop()
    for queue in lanes.values { queue.shutDown() }
    detector?.stop()
  }

  func close() {
    endObservations()
    detector?.stop()
    // The writer's queue does first what it was asked before.
    guard ownsLanes else { return }
    for queue in lanes.values { queue.shutDown() }
  }

  // MARK: - Lanes

  /// Refreshes what an own commit concerns: at once where that is quick, on the writer's queue.
  private func didCommit(_ connection: Connection) {
    guard configuration.debounce == .zero, !connection.hasOpenTransaction else {
      return startLanes()
    }
    let now = SystemClock.monotonic()
    let isOnWriter = state.withLock { state in
      state.machine.canRunQuickly(within: OnWriter.usual) && state.pace.startOnWriter(now: now)
        && state.machine.startQuickLane()
    }
    guard isOnWriter else { return startLanes() }
    run(.quick, .success(connection), fetchLimit: now + OnWriter.limit)
  }

  private func startLanes() {
    let now = SystemClock.monotonic()
    let (started, news) = state.withLock { state in
      var started: [(Lane, Duration)] = []
      var news: ObservationStateMachine.Job?
      for lane in state.machine.startLanes() {
        guard lane == .quick else {
          started.append((lane, .zero))
          continue
        }
        let pause = Duration.nanoseconds(Int64(state.pace.start(now: now)))
        let wait = max(pause, configuration.debounce)
        if wait == .zero { news = state.machine.nextNews() }
        if news == nil { started.append((lane, wait)) }
      }
      return (started, news)
    }
    for (lane, wait) in started { run(lane, after: wait) }
    // Nothing is read: to wake another thread for it would cost more than all the rest.
    if let news { conclude(news, [], since: now) }
  }

  private func run(_ lane: Lane, after wait: Duration) {
    lanes[lane]?.enqueue(after: wait) { [weak self] connection in
      guard let self else { return }
      do throws(DatabaseError) {
        let wait = try waitForWriter(lane, connection)
        if wait > .zero { run(lane, after: wait) } else { run(lane, connection) }
      } catch {
        run(lane, .failure(error))
      }
    }
  }

  /// Has what rests from now on fetched again when its rest is over, if it must be.
  private func timeRests() {
    for rest in state.withLock({ $0.machine.takeRests() }) {
      configuration.refreshTimer.schedule(rest.duration) { [weak self] in
        guard let self else { return }
        state.withLock { $0.machine.restIsOver(rest) }
        startLanes()
      }
    }
  }

  /// Has the results fetched again, after a while, that change as time goes by, if there are any.
  private func startTimer() {
    guard let interval = configuration.timeDependentRefreshInterval else { return }
    let mustStart = state.withLock { state in
      guard !state.isTimerRunning, state.machine.dependsOnTime else { return false }
      state.isTimerRunning = true
      return true
    }
    guard mustStart else { return }
    configuration.refreshTimer.schedule(interval) { [weak self] in
      guard let self else { return }
      state.withLock { state in
        state.isTimerRunning = false
        state.machine.timeHasPassed()
      }
      startLanes()
    }
  }

  /// One run of a lane, on its connection's queue: a job, and then a new start if there is more.
  ///
  /// - Parameter fetchLimit: When what is not fetched yet is postponed, on the monotonic clock.
  private func run(
    _ lane: Lane, _ connection: Result<Connection, DatabaseError>, fetchLimit: UInt64? = nil
  ) {
    guard let job = state.withLock({ $0.machine.nextJob(lane) }) else { return }
    let started = SystemClock.monotonic()
    do {
      let connection = try connection.get()
      let outcomes = job.members.isEmpty ? [] : try fetch(job, connection, limit: fetchLimit)
      conclude(job, outcomes, since: started, isOnWriter: fetchLimit != nil)
    } catch let error as DatabaseError where error == Database.closedError {
      endObservations()
    } catch {
      let reason = (error as? DatabaseError)?.message ?? String(describing: error)
      let time = SystemClock.now()
      let posts = state.withLock { $0.machine.fail(job, reason: reason, time: time) }
      for post in posts { post.mailbox.post(post.delivery) }
      // Whoever makes a missing file anew must not find a reader in the way: the detector tells when
      // there is one again.
      if let file, DatabaseFile.identity(of: file.path) == nil { return }
      retryLater()
    }
  }

  /// Tells what came of a job that began at `started`, ends the run of its lane, and starts what is
  /// left to do.
  private func conclude(
    _ job: ObservationStateMachine.Job, _ outcomes: [Outcome], since started: UInt64,
    isOnWriter: Bool = false
  ) {
    let duration = Duration.nanoseconds(Int64(SystemClock.monotonic() - started))
    let time = SystemClock.now()
    // No other job fetches these members, so their last results stay until `finish`.
    let known = outcomes.isEmpty ? [:] : state.withLock { $0.machine.known(job) }
    let judged = outcomes.map { known[$0.id]?.judging($0) ?? $0 }
    let (posts, pause) = state.withLock {
      ($0.machine.finish(job, judged, duration: duration, time: time), $0.pace.pause)
    }
    // What is replaced may hold objects of the application, which must not end under the lock.
    withExtendedLifetime(known) {}
    for var post in posts {
      post.delivery.pause = .nanoseconds(Int64(pause))
      post.mailbox.post(post.delivery)
    }
    // Only now may the next run begin: deliveries are told in the order of their fetches.
    state.withLock { state in
      if job.lane == .quick {
        let now = SystemClock.monotonic()
        if isOnWriter { state.pace.endOnWriter(now: now) } else { state.pace.end(now: now) }
      }
      state.machine.pause(job.lane)
    }
    startLanes()
    startTimer()
    timeRests()
  }

  private func retryLater() {
    let mustSchedule = state.withLock { state in
      defer { state.isRetryDue = true }
      return !state.isRetryDue
    }
    guard mustSchedule else { return }
    // The queue has nothing else to do than to be this observer's, so it may keep the time.
    lanes[.quick]?.enqueue(after: .milliseconds(100)) { [weak self] _ in
      self?.state.withLock { $0.isRetryDue = false }
      self?.startLanes()
    }
  }
}
