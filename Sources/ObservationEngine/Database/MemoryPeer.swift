internal import Synchronization

/// One of the `Database` objects that share a database in memory: tells the others what it commits,
/// since there is no file that could be watched.
final class MemoryPeer: CommitFollower {
  private struct Entry {
    weak var peer: MemoryPeer?
  }

  /// One for the process, because shared memory is. By the name of the database.
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
