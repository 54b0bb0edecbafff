internal import Synchronization

/// Calls a handler for each commit, until it has ended. Several are called for one commit, and one may end
/// another.
private final class CommitHandler: CommitFollower {
  private let handler: @Sendable (Commit) -> Void
  private let hasEnded = Atomic(false)

  init(_ handler: @escaping @Sendable (Commit) -> Void) { self.handler = handler }

  func end() { hasEnded.store(true, ordering: .releasing) }

  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
    guard case .commit(let commit) = event else { return nil }
    return { _ in if !self.hasEnded.load(ordering: .acquiring) { self.handler(commit) } }
  }

  func interest(in table: TableID) -> TableInterest? { .all(wantsRows: false) }
}

extension Database {
  /// Calls `handler` for every observed commit: own ones, and those of other processes.
  ///
  ///     let subscription = database.onCommit { commit in
  ///       log.info("\(commit.origin) committed \(commit.count) times")
  ///     }
  ///
  /// For logging, metrics and caches. For values, observe queries instead.
  ///
  /// ## Guarantees
  /// - Every commit from this call on is part of a call.
  /// - Nothing is read from the database, and nothing is queued.
  ///
  /// ## Limits
  /// - The handler runs on the thread that noticed the commit: the writer's, or the detector's. It
  ///   must be quick, and must not wait for the database, since no further commit is noticed
  ///   meanwhile.
  /// - An own and a foreign commit at the same time can be delivered in either order; the ordinal of
  ///   their `Commit` says which was observed first.
  /// - After `close()`, only own commits are delivered.
  ///
  /// - Returns: The subscription; it ends with the object's life.
  public func onCommit(
    _ handler: @escaping @Sendable (Commit) -> Void
  ) -> ObservationSubscription {
    // The detector of foreign commits belongs to the coordinator, which is made when it is needed.
    _ = coordinator
    let follower = CommitHandler(handler)
    let registration = commits.add(follower)
    // The database must outlive its followers.
    return ObservationSubscription { [self] in
      follower.end()
      withExtendedLifetime(self) { registration.end() }
    }
  }
}
