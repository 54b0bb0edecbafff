/// One consumer of the commits that touch a region.
final class CommitSource: ElementSource {
  typealias Failure = Never

  private let channel: NewestValue<Commit>
  private let subscription: ObservationSubscription

  init(_ database: Database, _ region: Region, startsImmediately: Bool) {
    let observers = database.coordinator.commitObservers
    let start = startsImmediately ? Commit.beginning(ordinal: database.commits.ordinal) : nil
    let channel = NewestValue<Commit>(start)
    self.channel = channel
    let id = observers.add(
      region, onEnd: { channel.finish() }, .reader { channel.post($1) })
    // The database must outlive its followers.
    subscription = ObservationSubscription { [database] in
      withExtendedLifetime(database) { observers.remove(id) }
      channel.cancel()
    }
  }

  func next(isolation: isolated (any Actor)?) async -> Commit? {
    await channel.next(isolation: isolation)
  }
}

extension Commit {
  /// No commit: the state that an observer begins with.
  static func beginning(ordinal: Int) -> Commit {
    Commit(
      ordinal: ordinal, origin: .own, kind: .data, tables: Changeset().changedTables, count: 0,
      time: SystemClock.now(), observedAt: .nanoseconds(Int64(SystemClock.monotonic())))
  }

  /// This commit and a later one as one change.
  func merged(with later: Commit) -> Commit {
    Commit(
      ordinal: later.ordinal, origin: later.origin, kind: kind == .data ? later.kind : kind,
      tables: tables.union(later.tables), evidence: evidence.union(later.evidence),
      count: count + later.count, time: later.time, observedAt: later.observedAt)
  }
}

extension Commit: NewestMessage {
  typealias Known = Void

  mutating func merge(_ newer: Commit) { self = merged(with: newer) }
}
