internal import Synchronization

/// Hears of everything that happens to a database, in order; see ``CommitStream``.
package protocol CommitFollower: AnyObject, Sendable {
  /// Takes note of an event.
  ///
  /// It is called under the stream's lock, so that all followers see all events in the same order; it must
  /// only take note.
  ///
  /// - Returns: What is to be done once the lock is released.
  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action?

  /// How much of a table's changes it must know; `nil` when that it changed is enough.
  ///
  /// It is called on the writer's queue at the first change of the table in a transaction, and on the
  /// detector's thread for a commit by another process.
  func interest(in table: TableID) -> TableInterest?
}

extension CommitFollower {
  package func interest(in table: TableID) -> TableInterest? { nil }
}

/// Numbers what happens to a database, own and foreign commits alike, and gives it to those who follow.
///
///     own commit      ─▶ CommitAccountant ─┐              ┌─▶ note, under the lock
///                                          ├─▶ publish ───┤
///     foreign commit  ─▶ detector ─────────┘              └─▶ action, with the writer's connection or none
package final class CommitStream: Sendable {
  /// Done once the stream's lock is released: after an own commit on the writer's queue with its connection, before any
  /// further write; after any other event on the thread that noticed it, without one.
  package typealias Action = @Sendable (Connection?) -> Void

  /// Has a follower follow for as long as this object lives, or until ``end()``.
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
    /// In the order in which they came.
    var entries: [Entry] = []
    var last = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of the newest observed commit; 0 before the first.
  package var ordinal: Int { state.withLock { $0.ordinal } }

  /// Has `follower` hear of what comes, after the followers that came before it. It is not kept alive.
  package func add(_ follower: any CommitFollower) -> Registration {
    state.withLock { state in
      state.last += 1
      state.entries.append(Entry(id: state.last, follower: follower))
      return Registration(self, state.last)
    }
  }

  /// Whether there is a follower.
  var isFollowed: Bool { state.withLock { !$0.entries.isEmpty } }

  /// What must be captured of `table`; `nil` when that it changed is enough.
  func interest(in table: TableID) -> TableInterest? {
    let followers = state.withLock { $0.entries.compactMap(\.follower) }
    return followers.reduce(into: nil) { all, follower in
      guard let interest = follower.interest(in: table) else { return }
      all?.formUnion(interest)
      all = all ?? interest
    }
  }

  /// Numbers a commit, and has all followers note it.
  ///
  /// - Parameter isNext: Asked under the lock: whether no commit that was published already came later.
  ///   Otherwise followers don't get its rows, because they take rows in the order of commits.
  /// - Returns: The commit, and the actions of the followers, for the caller to perform.
  func record(
    origin: Commit.Origin, kind: Commit.Kind = .data, changeset: Changeset,
    evidence: Commit.Evidence? = nil, count: Int = 1, isNext: () -> Bool = { true }
  ) -> (commit: Commit, actions: [Action]) {
    let time = SystemClock.now()
    // Kept until the lock is released: the end of a follower ends its registration.
    var followers: [any CommitFollower] = []
    defer { withExtendedLifetime(followers) {} }
    return state.withLock { state in
      state.ordinal += 1
      var changeset = changeset
      if !isNext() { changeset.forgetRows("an own commit came right after it") }
      let commit = Commit(
        ordinal: state.ordinal, origin: origin, kind: kind, tables: changeset.changedTables,
        evidence: evidence, rows: changeset.rowCounts, count: count, time: time)
      followers = state.entries.compactMap(\.follower)
      return (commit, followers.compactMap { $0.note(.commit(commit), changeset) })
    }
  }

  /// Publishes a commit of which no connection of this `Database` can read right now.
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

  /// Publishes what is no commit.
  package func publish(_ event: DatabaseEvent) {
    var followers: [any CommitFollower] = []
    defer { withExtendedLifetime(followers) {} }
    let actions = state.withLock { state in
      followers = state.entries.compactMap(\.follower)
      return followers.compactMap { $0.note(event, Changeset()) }
    }
    for action in actions { action(nil) }
  }

  /// Numbers a commit that no follower hears of.
  ///
  /// - Returns: Its ordinal.
  func countSilently() -> Int {
    state.withLock { state in
      state.ordinal += 1
      return state.ordinal
    }
  }
}

/// Has the changed rows of every commit counted by kind, for as long as it lives.
package final class RowCounting: CommitFollower {
  private let registration = Mutex<CommitStream.Registration?>(nil)

  package init(_ stream: CommitStream) {
    let registration = stream.add(self)
    self.registration.withLock { $0 = registration }
  }

  package func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? { nil }

  package func interest(in table: TableID) -> TableInterest? { .all(wantsRows: false) }
}
