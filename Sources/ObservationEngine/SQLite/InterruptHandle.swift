internal import CSQLite
internal import Synchronization

/// Cancels the statement that a connection is running, from any thread.
///
/// Proof of `@unchecked`: the pointer is read and cleared under the mutex alone, and the connection
/// clears it before it closes; `sqlite3_interrupt` may be called from any thread meanwhile.
final class InterruptHandle: @unchecked Sendable {
  private let state: Mutex<State>

  private struct State {
    nonisolated(unsafe) var handle: OpaquePointer?
    var job: UInt64 = 0
    var isInterrupted = false
  }

  init(_ handle: OpaquePointer) { state = Mutex(State(handle: handle)) }

  /// Says which job runs now; 0 for none.
  func begin(job: UInt64) {
    state.withLock {
      $0.job = job
      $0.isInterrupted = false
    }
  }

  /// Whether the running job was interrupted.
  var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

  /// Interrupts the connection if `job` is what it runs.
  func interrupt(job: UInt64) {
    state.withLock {
      guard $0.job == job, let handle = $0.handle else { return }
      $0.isInterrupted = true
      sqlite3_interrupt(handle)
    }
  }

  func invalidate() { state.withLock { $0.handle = nil } }
}
