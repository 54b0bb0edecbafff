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

  // The closure is part of a struct: one that is a mutex's value itself is wrapped anew, by the
  // compiler, at each access, and its calls become slower and slower.
  private struct State {
    var entry = Entry()
    var listener: (@Sendable () -> Void)?
    /// The listener waits for the end of the transaction.
    var isAwaited = false
  }

  private let state = Mutex(State())

  package init() {}

  package var current: Entry { state.withLock { $0.entry } }

  /// What the ledger knows; while the writer holds the lock, the listener is called at the end.
  package func currentAwaitingEnd() -> Entry {
    state.withLock { state in
      if state.entry.isCommitting || state.entry.holdsWriteLock { state.isAwaited = true }
      return state.entry
    }
  }

  /// Calls `body` when an own transaction ends that somebody awaits, on the writer's thread.
  package func onEnd(_ body: (@Sendable () -> Void)?) { state.withLock { $0.listener = body } }

  func setHoldsWriteLock(_ holds: Bool) { state.withLock { $0.entry.holdsWriteLock = holds } }

  func willCommit() { state.withLock { $0.entry.isCommitting = true } }

  /// Ends a commit which raised the change position by `steps`; 0 when it failed.
  func didEndCommit(steps: UInt32) {
    let listener = state.withLock { state in
      state.entry.accounted &+= steps
      state.entry.isCommitting = false
      state.entry.holdsWriteLock = false
      defer { state.isAwaited = false }
      return state.isAwaited ? state.listener : nil
    }
    listener?()
  }
}
