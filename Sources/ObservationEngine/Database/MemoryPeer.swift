internal import Synchronization

/// One of the `Database` objects that share a database in memory: tells the others what it commits,
/// since there is no file that could be watched.
final class MemoryPeer: Sendable {
  private struct Entry {
    weak var peer: MemoryPeer?
  }

  /// One for the process, because shared memory is. By the name of the database.
  private static let peers = Mutex<[String: [Entry]]>([:])

  private let name: String
  private let feed: CommitFeed
  private let follower = Mutex(0)

  init(_ name: String, _ feed: CommitFeed) {
    self.name = name
    self.feed = feed
    let id = feed.follow { [weak self] event, changeset in
      guard let self else { return nil }
      guard case .commit(let commit) = event, commit.origin == .own else {
        return CommitFeed.nothing(for: self)
      }
      return { self.tellOthers(commit, changeset) }
    }
    follower.withLock { $0 = id }
    Self.peers.withLock { $0[name, default: []].append(Entry(peer: self)) }
  }

  deinit {
    feed.unfollow(follower.withLock { $0 })
    Self.peers.withLock { peers in
      peers[name]?.removeAll { $0.peer == nil || $0.peer === self }
      if peers[name]?.isEmpty == true { peers[name] = nil }
    }
  }

  private func tellOthers(_ commit: Commit, _ changeset: Changeset) {
    let others = Self.peers.withLock { $0[name]?.compactMap(\.peer) ?? [] }
    for other in others where other !== self {
      other.feed.publish(
        origin: .external, kind: commit.kind, changeset: changeset, count: commit.count)
    }
  }
}
