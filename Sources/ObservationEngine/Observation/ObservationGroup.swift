/// Observations whose results are delivered together, for as long as this object lives.
package final class ObservationGroup: Sendable {
  private let channel: NewestValue<Delivery>
  private let coordinator: ObservationCoordinator
  private let id: RefreshScheduler.GroupID
  /// The request to have changed rows counted, which events report.
  private let counting: RowCounting?
  /// The database must outlive what observes it.
  private let database: Database

  /// - Parameters:
  ///   - wantsEvents: Whether to deliver every event, and not results alone.
  ///   - skipsInitial: Takes the first value of each member as one that the consumer knows. An error is
  ///     delivered all the same, and so is the value that follows it.
  ///   - transientErrors: What becomes of errors that may heal. With `wantsEvents` it doesn't matter: of an
  ///     error that keeps all members from being fetched such a consumer gets the staleness.
  ///   - first: What the members were found to be a moment ago, and what the consumer was given.
  init(
    _ database: Database, _ fetches: [ObservedFetch], wantsEvents: Bool = false,
    skipsInitial: Bool = false, transientErrors: TransientErrors = .delivered,
    first: FirstFetch? = nil
  ) {
    self.database = database
    channel = NewestValue(
      known: Delivery.Known(fetches, wantsEvents: wantsEvents, first: first))
    coordinator = database.coordinator
    id = coordinator.add(
      fetches, channel: channel, wantsEvents: wantsEvents, skipsInitial: skipsInitial,
      transientErrors: transientErrors, first: first)
    counting = wantsEvents ? RowCounting(database.commits) : nil
  }

  /// A group that is delivered every event as well.
  package convenience init(observing fetches: [ObservedFetch], in database: Database) {
    self.init(database, fetches, wantsEvents: true)
  }

  deinit {
    cancel()
  }

  /// The next delivery; `nil` when the task is cancelled.
  ///
  /// - Precondition: One consumer at a time.
  func next(isolation: isolated (any Actor)?) async -> Delivery? {
    await channel.next(isolation: isolation)
  }

  /// Calls `handler` with every delivery from now on; see ``NewestValue/deliver(to:onEnd:)``.
  func deliver(
    to handler: @escaping @Sendable (Delivery) -> Void, onEnd: (@Sendable () -> Void)? = nil
  ) {
    channel.deliver(to: handler, onEnd: onEnd)
  }

  /// Ends the observation: no call of a handler begins after this, and no task waits for a delivery.
  func cancel() {
    coordinator.runner.remove(id)
    channel.cancel()
  }

  /// Checks for foreign commits now, and has every member fetched again.
  package func refresh() { coordinator.refresh(id) }

  /// Has one member fetched again.
  package func refresh(_ index: Int) { coordinator.runner.request(id, index) }
}

/// What was fetched for an observation before it began, so that it begins without another fetch.
struct FirstFetch: Sendable {
  struct Member: Sendable {
    let result: Result<any Sendable, any Error>
    var region: Region
    let duration: Duration
    /// Whether another fetch of the same state would give the same.
    var isCurrent = true
  }

  /// By the index of the member.
  let members: [Member]
  /// The newest commit that had been observed before the fetch.
  let ordinal: Int

  /// Whether there is an error in place of a value.
  var hasFailed: Bool {
    members.contains { if case .failure = $0.result { true } else { false } }
  }
}

extension Database {
  /// Why foreign commits are checked for now and then; `nil` as long as the system reports them.
  package var pollingNotice: String? { coordinator.pollingNotice }

  /// Starts the detection of foreign commits, for followers of ``commits``; observations start it too.
  ///
  /// Blocks while a connection is opened, up to a second when another program locks the file.
  package func detectForeignCommits() { _ = coordinator }

  var coordinator: ObservationCoordinator {
    let runtime = observationRuntime { ObservationCoordinator(database: self) }
    guard let coordinator = runtime as? ObservationCoordinator else {
      preconditionFailure("a database is observed by \(type(of: runtime))")
    }
    return coordinator
  }
}
