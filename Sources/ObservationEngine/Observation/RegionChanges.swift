/// The commits that touch a region; made by ``Database/changes(in:startsImmediately:)``.
///
/// Each iterator observes by itself.
public struct RegionChanges: AsyncSequence, Sendable {
  /// A commit, or several that were not taken in time.
  public typealias Element = Commit
  /// Nothing fails.
  public typealias Failure = Never

  let database: Database
  let region: Region
  let startsImmediately: Bool

  /// Begins to observe.
  public func makeAsyncIterator() -> Iterator {
    let observers = database.coordinator.commitObservers
    let start = startsImmediately ? Commit.beginning(ordinal: database.commits.ordinal) : nil
    let channel = NewestValue<Commit>(start)
    let id = observers.add(
      region, onEnd: { channel.finish() }, .reader { channel.post($1) })
    let subscription = ObservationSubscription { [database] in
      withExtendedLifetime(database) { observers.remove(id) }
      channel.cancel()
    }
    return Iterator(channel: channel, subscription: subscription)
  }

  /// Delivers commits one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let channel: NewestValue<Commit>
    let subscription: ObservationSubscription

    /// The next commit; `nil` when the task is cancelled, or the database closed.
    public mutating func next() async -> Commit? { await channel.next(isolation: nil) }

    /// Like ``next()``, but runs on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> Commit? {
      await channel.next(isolation: actor)
    }
  }
}

extension Commit {
  /// No commit at all: the state that an observer begins with.
  static func beginning(ordinal: Int) -> Commit {
    Commit(
      ordinal: ordinal, origin: .own, kind: .data, tables: Changeset().changedTables, count: 0,
      time: SystemClock.now())
  }

  /// This commit and a later one as one change.
  func merged(with later: Commit) -> Commit {
    Commit(
      ordinal: later.ordinal, origin: later.origin, kind: kind == .data ? later.kind : kind,
      tables: tables.union(later.tables), evidence: evidence.union(later.evidence),
      count: count + later.count, time: later.time)
  }
}

extension Commit: NewestMessage {
  typealias Known = Void

  mutating func merge(_ newer: Commit) { self = merged(with: newer) }
}
