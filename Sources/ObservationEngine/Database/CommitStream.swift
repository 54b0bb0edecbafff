internal import Synchronization

/// Receives every event of a database, in order; see ``CommitStream``.
package protocol CommitFollower: AnyObject, Sendable {
  /// Notes an event.
  ///
  /// The stream calls it under its lock, so that all followers see all events in the same order; it
  /// must do nothing but note the event.
  ///
  /// - Returns: An action for the caller to perform once the lock is released.
  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action?

  /// How much it must know about a table's changes; `nil` when it is enough that the table changed.
  ///
  /// The writer asks on its queue at the first change of the table in a transaction, the detector on its
  /// thread for a foreign commit.
  func interest(in table: TableID) -> TableInterest?
}

extension CommitFollower {
  package func interest(in table: TableID) -> TableInterest? { nil }
}

/// Numbers all events of a database, own and foreign commits alike, and passes them to the
/// followers.
///
///     own commit      ─▶ CommitAccountant ─┐              ┌─▶ note, under the lock
///                                          ├─▶ publish ───┤
///     foreign commit  ─▶ detector ─────────┘              └─▶ action, with the writer's connection or none
package final class CommitStream: Sendable {
  /// Runs once the stream's lock is released. After an own commit it runs on the writer's queue
  /// with its connection, before any further write; after any other event, on the thread that
  /// observed it, without a connection.
  package typealias Action = @Sendable (Connection?) -> Void

  /// Keeps a follower registered for the lifetime of this object, or until ``end()``.
  package final class Registration: Sendable {
    private let stream: CommitStream
    private let id: Int

    fileprivate init(_ stream: CommitStream, _ id: Int) {
      self.stream = stream
      self.id = id
    }

    deinit { end() }

    package func end() { stream.state.withLock { $0.entries.removeAll { $0.id == id } } }
  }

  private struct Entry {
    let id: Int
    weak let follower: (any CommitFollower)?
  }

  private struct State {
    var ordinal = 0
    /// In order of registration.
    var entries: [Entry] = []
    var last = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of the newest observed commit; 0 before the first.
  package var ordinal: Int { state.withLock { $0.ordinal } }

  /// Registers `follower` for future events, behind the earlier followers, without retaining it.
  package func add(_ follower: any CommitFollower) -> Registration {
    state.withLock { state in
      state.last += 1
      state.entries.append(Entry(id: state.last, follower: follower))
      return Registration(self, state.last)
    }
  }

  /// Whether there is a follower.
  var isFollowed: Bool { state.withLock { !$0.entries.isEmpty } }

  /// What to capture of `table`; `nil` when it is enough that it changed.
  func interest(in table: TableID) -> TableInterest? {
    let followers = state.withLock { $0.entries.compactMap(\.follower) }
    return followers.reduce(into: nil) { all, follower in
      guard let interest = follower.interest(in: table) else { return }
      all?.formUnion(interest)
      all = all ?? interest
    }
  }

  /// Numbers a commit and lets all followers note it.
  ///
  /// - Parameter isNext: Called under the lock: whether no later commit has been published already.
  ///   Otherwise followers don't get the commit's rows, because they apply rows in the order of commits.
  /// - Returns: The commit, and the followers' actions, which the caller must perform.
  func record(
    origin: Commit.Origin, kind: Commit.Kind = .data, changeset: Changeset,
    evidence: Commit.Evidence? = nil, count: Int = 1, isNext: () -> Bool = { true }
  ) -> (commit: Commit, actions: [Action]) {
    let time = SystemClock.now()
    let observedAt = Duration.nanoseconds(Int64(SystemClock.monotonic()))
    // Kept until the lock is released: the end of a follower ends its registration.
    var followers: [any CommitFollower] = []
    defer { withExtendedLifetime(followers) {} }
    return state.withLock { state in
      state.ordinal += 1
      var changeset = changeset
      if !isNext() { changeset.forgetRows("an own commit came right after it") }
      let commit = Commit(
        ordinal: state.ordinal, origin: origin, kind: kind, tables: changeset.changedTables,
        evidence: evidence, rows: changeset.rowCounts, count: count, time: time,
        observedAt: observedAt)
      followers = state.entries.compactMap(\.follower)
      return (commit, followers.compactMap { $0.note(.commit(commit), changeset) })
    }
  }

  /// Publishes a commit that no connection of this `Database` can read right now.
  ///
  /// - Parameter isNext: As for ``record(origin:kind:changeset:evidence:count:isNext:)``.
  package func publish(
    origin: Commit.Origin, kind: Commit.Kind = .data, changeset: Changeset,
    evidence: Commit.Evidence? = nil, count: Int = 1, isNext: () -> Bool = { true }
  ) {
    let (_, actions) = record(
      origin: origin, kind: kind, changeset: changeset, evidence: evidence, count: count,
      isNext: isNext)
    for action in actions { action(nil) }
  }

  /// Publishes an event that is not a commit.
  package func publish(_ event: DatabaseEvent) {
    var followers: [any CommitFollower] = []
    defer { withExtendedLifetime(followers) {} }
    let actions = state.withLock { state in
      followers = state.entries.compactMap(\.follower)
      return followers.compactMap { $0.note(event, Changeset()) }
    }
    for action in actions { action(nil) }
  }

  /// Numbers a commit without notifying any follower.
  ///
  /// - Returns: Its ordinal.
  func countSilently() -> Int {
    state.withLock { state in
      state.ordinal += 1
      return state.ordinal
    }
  }
}

/// Makes the writer count the changed rows of every commit by kind, for its lifetime.
package final class RowCounting: CommitFollower {
  private let registration = Mutex<CommitStream.Registration?>(nil)

  package init(_ stream: CommitStream) {
    let registration = stream.add(self)
    self.registration.withLock { $0 = registration }
  }

  package func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? { nil }

  package func interest(in table: TableID) -> TableInterest? { .all(wantsRows: false) }
}
