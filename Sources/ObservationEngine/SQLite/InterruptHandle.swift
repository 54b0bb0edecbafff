internal import CSQLite
internal import Synchronization

/// Cancels the statement that a connection is running, from any thread.
///
/// SQLite ends *any* interrupted statement, even a COMMIT or a ROLLBACK, and then leaves the
/// transaction open. So the connection sets what an interruption may end:
///
///     BEGIN ─ statements ─ COMMIT ─ accounts, observers ─ statements
///     └──── anything ────┘ └ no ─┘ └── not by its task ─┘ └ anything
///
/// An interruption that may end nothing now is remembered, and ends later statements of the same
/// job.
///
/// Proof of `@unchecked`: the pointer is read and cleared only under the mutex, and the connection
/// clears it before it closes; `sqlite3_interrupt` may be called from any thread meanwhile.
final class InterruptHandle: @unchecked Sendable {
  /// What an interruption may not end now.
  enum Protection {
    case nothing
    /// Work after a COMMIT doesn't belong to the task that wrote: its cancellation comes too late.
    case fromCancellation
    /// The end of a transaction is all or nothing, and takes no longer than the disk.
    case fromAll
  }

  /// Who interrupts.
  enum Source {
    /// The task of a job was cancelled.
    case cancellation
    /// Everything that runs must end.
    case everything
  }

  private let state: Mutex<State>

  private struct State {
    nonisolated(unsafe) var handle: OpaquePointer?
    var job: UInt64 = 0
    /// The running job was interrupted.
    var isInterrupted = false
    /// The interruption isn't only the cancellation of its task.
    var isInterruptedByAll = false
    var protection = Protection.nothing

    /// Whether a running statement must end.
    var endsStatements: Bool {
      switch protection {
      case .nothing: isInterrupted
      case .fromCancellation: isInterruptedByAll
      case .fromAll: false
      }
    }
  }

  init(_ handle: OpaquePointer) { state = Mutex(State(handle: handle)) }

  /// Sets which job is running; 0 for none.
  func begin(job: UInt64) {
    state.withLock {
      $0.job = job
      $0.isInterrupted = false
      $0.isInterruptedByAll = false
    }
  }

  /// Whether the running job was interrupted.
  var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

  /// Whether a running statement must end.
  var endsStatements: Bool { state.withLock { $0.endsStatements } }

  /// Interrupts the connection if it is running `job`.
  func interrupt(job: UInt64, by source: Source) {
    state.withLock {
      guard $0.job == job, let handle = $0.handle else { return }
      $0.isInterrupted = true
      if source == .everything { $0.isInterruptedByAll = true }
      if $0.endsStatements { sqlite3_interrupt(handle) }
    }
  }

  /// Protects what runs from now on.
  ///
  /// - Returns: The previous protection.
  func protect(_ protection: Protection) -> Protection {
    state.withLock { state in
      defer { state.protection = protection }
      return state.protection
    }
  }

  func invalidate() { state.withLock { $0.handle = nil } }
}
