internal import Synchronization

/// Records the commits that this `Database`'s writer made, so that the detector can tell them apart
/// from foreign commits.
///
/// Both count how far commits raised the file's change position. Any step that the detector sees
/// and the ledger does not account for came from elsewhere.
package final class CommitLedger: Sendable {
  /// What the ledger knows at one point in time.
  package struct Entry: Sendable, Equatable {
    /// The sum of all steps of the change position that own commits account for.
    package var accounted: UInt32 = 0
    /// The writer has decided to commit and has not accounted for it yet.
    package var isCommitting = false
    /// The writer holds the write lock, so no other connection can commit.
    package var holdsWriteLock = false
  }

  // A struct holds the closure: the compiler wraps a closure that is itself a mutex's value again
  // at each access, so its calls become slower and slower.
  private struct State {
    var entry = Entry()
    var listener: (@Sendable () -> Void)?
    /// The listener awaits the end of the transaction.
    var isAwaited = false
  }

  private let state = Mutex(State())

  package init() {}

  package var current: Entry { state.withLock { $0.entry } }

  /// What the ledger knows. If the writer holds the lock, the listener is called when the
  /// transaction ends.
  package func currentAwaitingEnd() -> Entry {
    state.withLock { state in
      if state.entry.isCommitting || state.entry.holdsWriteLock { state.isAwaited = true }
      return state.entry
    }
  }

  /// Calls `body` on the writer's thread when an own transaction ends that the listener awaits.
  package func onEnd(_ body: (@Sendable () -> Void)?) { state.withLock { $0.listener = body } }

  func setHoldsWriteLock(_ holds: Bool) { state.withLock { $0.entry.holdsWriteLock = holds } }

  func willCommit() { state.withLock { $0.entry.isCommitting = true } }

  /// Ends a commit that raised the change position by `steps`; 0 if it failed.
  func didEndCommit(steps: UInt32) {
    endCommit(steps: steps)
    announceEnd()
  }

  /// As ``didEndCommit(steps:)``, but the listener is called by ``announceEnd()``.
  func endCommit(steps: UInt32) {
    state.withLock { state in
      state.entry.accounted &+= steps
      state.entry.isCommitting = false
      state.entry.holdsWriteLock = false
    }
  }

  /// Calls the listener, if it awaits the end of a transaction that has ended.
  func announceEnd() {
    let listener = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.entry.isCommitting, !state.entry.holdsWriteLock, state.isAwaited else {
        return nil
      }
      state.isAwaited = false
      return state.listener
    }
    listener?()
  }
}
