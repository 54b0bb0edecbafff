internal import Synchronization

/// What observes a database: the detector of foreign commits, the observers of commits, and the runner of
/// refreshes, each given what happens to the database.
final class ObservationCoordinator: ObservationRuntime, CommitFollower {
  let runner: RefreshRunner
  /// The handlers that are called on the writer after each commit of their region.
  let commitObservers: CommitObservers
  private let commits: CommitStream
  private let detector: ExternalCommitDetector?
  private let registration = Mutex<CommitStream.Registration?>(nil)
  /// What else is called at the end, by number.
  private let endings = Mutex<(last: Int, all: [Int: @Sendable () -> Void])>((0, [:]))

  /// Why foreign commits are checked for now and then; `nil` as long as the system reports them.
  var pollingNotice: String? { detector?.pollingNotice }

  init(database: Database) {
    commits = database.commits
    commitObservers = CommitObservers(database: database)
    runner = RefreshRunner(database: database, observers: commitObservers)
    if let file = database.file, !database.isClosed {
      let (readers, writer) = (database.readers, database.writer.queue)
      detector = ExternalCommitDetector(
        file: file, configuration: database.configuration, ledger: database.ledger,
        commits: database.commits, epoch: database.epoch,
        closeIdleConnections: { [weak readers, weak writer, weak runner] in
          let queues =
            (readers?.all ?? []) + [writer].compactMap(\.self) + (runner?.ownQueues ?? [])
          for queue in queues { queue.closeWhenIdle(keepsState: true) }
        }, costOfClosing: { [weak runner] in runner?.maintained.costOfRunning ?? 0 })
      detector?.start()
      database.writer.afterOpening { [weak detector] in detector?.ensureWatching() }
    } else {
      detector = nil
    }
    let registration = commits.add(self)
    self.registration.withLock { $0 = registration }
  }

  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
    runner.note(event, changeset)
    return { connection in
      if let connection { self.runner.didCommit(connection) } else { self.runner.proceed() }
    }
  }

  func interest(in table: TableID) -> TableInterest? {
    let maintained = runner.maintained.interest(in: table)
    guard var interest = runner.scheduler.withLock({ $0.interest(in: table) }) else {
      return maintained
    }
    if let maintained { interest.formUnion(maintained) }
    return interest
  }

  /// Ends every observation: their sequences have no further element.
  private func endObservations() {
    registration.withLock { $0 }?.end()
    commitObservers.end()
    runner.end()
    for action in endings.withLock({ $0.all.values.map(\.self) }) { action() }
  }

  /// Calls `action` when observations end because the database is closed; see ``ignoreEnd(_:)``.
  func onEnd(_ action: @escaping @Sendable () -> Void) -> Int {
    endings.withLock { endings in
      endings.last += 1
      endings.all[endings.last] = action
      return endings.last
    }
  }

  func ignoreEnd(_ id: Int) {
    let removed = endings.withLock { $0.all.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }

  func add(
    _ fetches: [ObservedFetch], channel: NewestValue<Delivery>, wantsEvents: Bool,
    skipsInitial: Bool, transientErrors: TransientErrors, first: FirstFetch?
  ) -> RefreshScheduler.GroupID {
    runner.add(
      fetches, channel: channel, ordinal: commits.ordinal, wantsEvents: wantsEvents,
      skipsInitial: skipsInitial, transientErrors: transientErrors, first: first)
  }

  /// Checks for foreign commits now, and fetches every observation of the group again.
  func refresh(_ group: RefreshScheduler.GroupID) {
    detector?.poke()
    runner.request(group)
  }

  var queues: [ConnectionQueue] { runner.allQueues }

  func shutDown() {
    endObservations()
    detector?.beginToStop()
    runner.shutDown(keepsWriter: false)
    detector?.stop()
  }

  func close() {
    endObservations()
    detector?.stop()
    // The writer's queue first does what it was asked to do before.
    runner.shutDown(keepsWriter: true)
  }
}
