internal import Synchronization

/// One of the `Database` objects that share an in-memory database. It notifies the others of its
/// commits, since there is no file to watch.
final class MemoryPeer: CommitFollower {
  private struct Entry {
    weak var peer: MemoryPeer?
  }

  /// One table per process, because shared memory is. Keyed by the database's name.
  private static let peers = Mutex<[String: [Entry]]>([:])

  private let name: String
  private let commits: CommitStream
  private let registration = Mutex<CommitStream.Registration?>(nil)

  init(_ name: String, _ commits: CommitStream) {
    self.name = name
    self.commits = commits
    let registration = commits.add(self)
    self.registration.withLock { $0 = registration }
    Self.peers.withLock { $0[name, default: []].append(Entry(peer: self)) }
  }

  deinit {
    Self.peers.withLock { peers in
      peers[name]?.removeAll { $0.peer == nil || $0.peer === self }
      if peers[name]?.isEmpty == true { peers[name] = nil }
    }
  }

  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
    guard case .commit(let commit) = event, commit.origin == .own else { return nil }
    return { _ in self.tellOthers(commit, changeset) }
  }

  private func tellOthers(_ commit: Commit, _ changeset: Changeset) {
    let others = Self.peers.withLock { $0[name]?.compactMap(\.peer) ?? [] }
    for other in others where other !== self {
      other.commits.publish(
        origin: .external, kind: commit.kind, changeset: changeset, count: commit.count)
    }
  }
}
