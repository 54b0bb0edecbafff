internal import Synchronization

/// Numbers what happens to a database, in order, and tells those who follow it.
package final class CommitFeed: Sendable {
  /// Takes note of an event; what it returns is run once the feed's lock is released.
  ///
  /// It is called under the lock, so that all followers see all events in the same order; it must
  /// only take note.
  package typealias Follower = @Sendable (DatabaseEvent, Changeset) -> (@Sendable () -> Void)?

  private struct State {
    var ordinal = 0
    var followers: [Int: Follower] = [:]
    var nextFollower = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of the newest observed commit; 0 before the first.
  package var ordinal: Int { state.withLock { $0.ordinal } }

  /// Publishes a commit under the next ordinal.
  @discardableResult
  package func publish(
    origin: Commit.Origin, kind: Commit.Kind = .data, changeset: Changeset,
    evidence: Commit.Evidence? = nil, count: Int = 1
  ) -> Commit {
    let time = SystemClock.now()
    let (commit, actions) = state.withLock { state in
      state.ordinal += 1
      let commit = Commit(
        ordinal: state.ordinal, origin: origin, kind: kind, tables: changeset.changedTables,
        evidence: evidence, rows: changeset.rowCounts, count: count, time: time)
      return (commit, state.followers.values.compactMap { $0(.commit(commit), changeset) })
    }
    for action in actions { action() }
    return commit
  }

  /// Whether anybody follows it.
  var isFollowed: Bool { state.withLock { !$0.followers.isEmpty } }

  /// Counts a commit that nobody is told of.
  func countUntold() { state.withLock { $0.ordinal += 1 } }

  /// Publishes what is no commit.
  package func publish(_ event: DatabaseEvent) {
    let actions = state.withLock { state in
      state.followers.values.compactMap { $0(event, Changeset()) }
    }
    for action in actions { action() }
  }

  /// Adds a follower; the result removes it.
  package func follow(_ follower: @escaping Follower) -> Int {
    state.withLock { state in
      state.nextFollower += 1
      state.followers[state.nextFollower] = follower
      return state.nextFollower
    }
  }

  package func unfollow(_ id: Int) {
    // What the follower refers to may end with it, which must not happen under the lock.
    let removed = state.withLock { $0.followers.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }

  /// An action that does nothing, for a follower that is `owner`'s.
  ///
  /// A follower which holds its owner weakly may be the last to hold it: returning this instead of
  /// `nil` lets it end after the feed's lock is released, since the end of an owner unfollows.
  package static func nothing(for owner: some AnyObject & Sendable) -> @Sendable () -> Void {
    { withExtendedLifetime(owner) {} }
  }
}
