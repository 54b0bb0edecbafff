internal import Synchronization

/// Which commits the writer of this `Database` made itself, so that the detector of foreign commits
/// can tell them apart.
///
/// Both count the same thing: by how much commits raised the change position of the file. What the
/// detector sees beyond what the ledger accounts for came from elsewhere.
package final class CommitLedger: Sendable {
  /// What the ledger knows at one moment.
  package struct Entry: Sendable, Equatable {
    /// The sum of all steps of the change position that own commits account for.
    package var accounted: UInt32 = 0
    /// The writer is between deciding to commit and having accounted for it.
    package var isCommitting = false
    /// The writer holds the write lock: nobody else can commit.
    package var holdsWriteLock = false
  }

  // A closure that is a mutex's value itself is wrapped anew, by the compiler, at each access, and
  // its calls become slower and slower: so it has a struct around it.
  private struct Listener {
    var body: (@Sendable () -> Void)?
  }

  private let entry = Mutex(Entry())
  private let listener = Mutex(Listener())

  package init() {}

  package var current: Entry { entry.withLock { $0 } }

  /// Calls `body` whenever an own transaction ends, on the writer's thread.
  package func onEnd(_ body: (@Sendable () -> Void)?) { listener.withLock { $0.body = body } }

  func setHoldsWriteLock(_ holds: Bool) { entry.withLock { $0.holdsWriteLock = holds } }

  func willCommit() { entry.withLock { $0.isCommitting = true } }

  /// Ends a commit which raised the change position by `steps`; 0 when it failed.
  func didEndCommit(steps: UInt32) {
    entry.withLock {
      $0.accounted &+= steps
      $0.isCommitting = false
      $0.holdsWriteLock = false
    }
    listener.withLock { $0.body }?()
  }
}
