internal import Synchronization

/// What observes a database: the detector of foreign commits, the observers of commits, and the runner of
/// refreshes, each given what happens to the database.
final class ObservationCoordinator: DatabaseCompanion {
  let runner: RefreshRunner
  /// The handlers that are called on the writer after each commit of their region.
  let commitObservers: CommitObservers
  private let feed: CommitFeed
  private let detector: ExternalCommitDetector?
  private let handlers: CommitHandlers
  private let interest: ChangeInterest
  private let follower = Mutex<(feed: Int, handler: Int)?>(nil)
  /// What else is called at the end, by number.
  private let endings = Mutex<(last: Int, all: [Int: @Sendable () -> Void])>((0, [:]))

  /// Whether foreign commits are checked for now and then, because the system does not report them.
  var isPolling: Bool { detector?.isPolling ?? false }

  init(database: Database) {
    feed = database.feed
    handlers = database.commitHandlers
    interest = database.changeInterest
    commitObservers = CommitObservers(database: database)
    runner = RefreshRunner(database: database, observers: commitObservers)
    if let file = database.file, !database.isClosed {
      let (readers, writer) = (database.readers, database.writer.queue)
      detector = ExternalCommitDetector(
        file: file, configuration: database.configuration, ledger: database.ledger,
        feed: database.feed, generations: database.generations
      ) { [weak readers, weak writer, weak runner] in
        let queues = (readers?.all ?? []) + [writer].compactMap(\.self) + (runner?.ownQueues ?? [])
        for queue in queues { queue.closeWhenIdle(keepsState: true) }
      }
      detector?.start()
      database.writer.afterOpening { [weak detector] in detector?.ensureWatching() }
    } else {
      detector = nil
    }
    follow()
  }

  deinit { stopFollowing() }

  private func follow() {
    let id = feed.follow { [weak self] event, changeset in
      guard let self else { return nil }
      runner.note(event, changeset)
      // Own commits are acted upon on the writer, below.
      if case .commit(let commit) = event, commit.origin == .own {
        return CommitFeed.nothing(for: self)
      }
      return { self.runner.proceed() }
    }
    let handler = handlers.add { [weak self] connection, _, _ in
      self?.runner.didCommit(connection)
    }
    interest.follow { [weak self] table in
      guard let self else { return nil }
      let read = runner.scheduler.withLock { $0.interest(in: table) }
      guard let more = commitObservers.interest(in: table) else { return read }
      guard var both = read else { return more }
      both.formUnion(more)
      return both
    }
    follower.withLock { $0 = (id, handler) }
  }

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
    skipsInitial: Bool, first: FirstFetch?
  ) -> RefreshScheduler.GroupID {
    runner.add(
      fetches, channel: channel, ordinal: feed.ordinal, wantsEvents: wantsEvents,
      skipsInitial: skipsInitial, first: first)
  }

  /// Checks for foreign commits now, and fetches every observation of the group again.
  func refresh(_ group: RefreshScheduler.GroupID) {
    detector?.poke()
    runner.request(group)
  }

  func interrupt() { runner.interrupt() }

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
