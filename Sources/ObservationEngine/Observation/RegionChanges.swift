/// The commits that touch a region; made by ``Database/changes(in:)``.
///
/// Each iterator observes by itself.
public struct RegionChanges: AsyncSequence, Sendable {
  /// A commit, or several that were not taken in time.
  public typealias Element = Commit
  /// Nothing fails.
  public typealias Failure = Never

  let database: Database
  let region: Region

  /// Begins to observe.
  public func makeAsyncIterator() -> Iterator {
    let mailbox = Mailbox<Commit> { $0 = $0.merged(with: $1) }
    let observers = database.coordinator.commitObservers
    let id = observers.add(region, onEnd: { mailbox.finish() }) { mailbox.post($1) }
    let subscription = ObservationSubscription { [database] in
      withExtendedLifetime(database) { observers.remove(id) }
      mailbox.cancel()
    }
    return Iterator(mailbox: mailbox, subscription: subscription)
  }

  /// Delivers commits one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let mailbox: Mailbox<Commit>
    let subscription: ObservationSubscription

    /// The next commit; `nil` when the task is cancelled, or the database closed.
    public mutating func next() async -> Commit? { await mailbox.next(isolation: nil) }

    /// As ``next()``, on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> Commit? {
      await mailbox.next(isolation: actor)
    }
  }
}

extension Commit {
  /// This commit and a later one as one change.
  func merged(with later: Commit) -> Commit {
    Commit(
      ordinal: later.ordinal, origin: later.origin, kind: kind == .data ? later.kind : kind,
      tables: tables.union(later.tables), evidence: evidence.union(later.evidence),
      count: count + later.count, time: later.time)
  }
}
