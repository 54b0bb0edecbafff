internal import Synchronization

/// An observed commit, told on the thread that noticed it.
public struct CommitNotice: Sendable {
  /// What was committed.
  public let commit: Commit
  /// When it was noticed, in nanoseconds of the monotonic clock (`CLOCK_MONOTONIC`), which all
  /// processes of a machine share.
  public let noticed: UInt64
}

/// Keeps a handler of commits called, for as long as this object lives.
public final class CommitSubscription: Sendable {
  /// What calls the handler. Several are called for one commit, and one may end another.
  private final class Follower: CommitFollower {
    private let handler: @Sendable (CommitNotice) -> Void
    let hasEnded = Atomic(false)

    init(_ handler: @escaping @Sendable (CommitNotice) -> Void) { self.handler = handler }

    func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
      guard case .commit(let commit) = event else { return nil }
      let notice = CommitNotice(commit: commit, noticed: SystemClock.monotonic())
      return { _ in if !self.hasEnded.load(ordering: .acquiring) { self.handler(notice) } }
    }

    func interest(in table: TableID) -> TableInterest? { .all(wantsRows: false) }
  }

  /// The database must outlive its followers.
  private let database: Database
  private let follower: Follower
  private let registration: CommitStream.Registration

  init(_ database: Database, _ handler: @escaping @Sendable (CommitNotice) -> Void) {
    self.database = database
    // The detector of foreign commits belongs to the coordinator, which is made when it is needed.
    _ = database.coordinator
    follower = Follower(handler)
    registration = database.commits.add(follower)
  }

  deinit { follower.hasEnded.store(true, ordering: .releasing) }
}

extension Database {
  /// Calls `handler` for every observed commit: own ones, and those of other processes.
  ///
  ///     let subscription = database.onCommit { notice in
  ///       log.info("\(notice.commit.origin) committed \(notice.commit.count) times")
  ///     }
  ///
  /// For logging, metrics and caches. For values, observe queries instead.
  ///
  /// ## Guarantees
  /// - Every commit from this call on is part of a notice.
  /// - Nothing is read from the database, and nothing is queued.
  ///
  /// ## Limits
  /// - The handler runs on the thread that noticed the commit: the writer's, or the detector's. It
  ///   must be quick, and must not wait for the database, since no further commit is noticed
  ///   meanwhile.
  /// - An own and a foreign commit at the same time can be told in either order; the ordinal of
  ///   their `Commit` says which was observed first.
  /// - After `close()`, only own commits are told.
  ///
  /// - Returns: The subscription; it ends with the object's life.
  public func onCommit(
    _ handler: @escaping @Sendable (CommitNotice) -> Void
  ) -> CommitSubscription {
    CommitSubscription(self, handler)
  }
}
