internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Detects, on a separate thread, that another process committed, and publishes it in the stream.
///
/// inotify wakes the thread; ``CommitWatch`` then decides from shared memory (WAL) or the file
/// header (rollback journal) whether a commit happened. No lock is taken and no transaction opened
/// for a check. ``Detector`` decides, and ``DetectorThread`` acts.
///
/// ## Guarantees
/// - A commit that another process publishes after ``start()`` has returned is detected:
///   immediately if inotify works, otherwise within the poll interval, and at the latest by the
///   heartbeat.
///
/// ## Limits
/// - Several commits between two checks are published as one, with their number.
package final class ExternalCommitDetector: Sendable {
  private let shared: Shared
  private let thread: Mutex<DetectorThread?>

  /// The state that the thread shares with callers.
  final class Shared: Sendable {
    struct State {
      var shouldStop = false
      /// A caller waits for the end already, or none may.
      var isAwaited = false
      var hasStarted = false
      /// Why the detector checks the file now and then: the system reports no changes.
      var pollingNotice: String?
      /// `nil` until it runs.
      var thread: pthread_t?
      /// The thread has no connection open (see ``Detector``): a connection that writes must wait until
      /// the thread watches again.
      var isDormant = false
      var mustWake = false
      var waiters: [DispatchSemaphore] = []
    }

    let state = Mutex(State())
    /// Signalled when the thread has ended.
    let stopped = DispatchSemaphore(value: 0)
    /// Wakes the thread; -1 once it is closed. Under a lock, because another file may then have its
    /// number.
    private let wake: Mutex<Int32>

    init(wake: Int32) { self.wake = Mutex(wake) }

    deinit { closeWake() }

    /// For the thread, while it runs.
    var wakeDescriptor: Int32 { wake.withLock { $0 } }

    func poke() { wake.withLock { if $0 >= 0 { lq_eventfd_signal($0) } } }

    /// Called when the thread has ended, or never starts.
    func closeWake() {
      wake.withLock { wake in
        if wake >= 0 { close(wake) }
        wake = -1
      }
    }
  }

  package init(
    file: DatabaseFile, configuration: Configuration, ledger: CommitLedger, commits: CommitStream,
    epoch: FileEpoch, closeIdleConnections: @escaping @Sendable () -> Void,
    costOfClosing: @escaping @Sendable () -> UInt64
  ) {
    shared = Shared(wake: lq_eventfd())
    thread = Mutex(
      DetectorThread(
        shared: shared, file: file, configuration: configuration, ledger: ledger, commits: commits,
        epoch: epoch, closeIdleConnections: closeIdleConnections, costOfClosing: costOfClosing))
    ledger.onEnd { [shared] in shared.poke() }
  }

  deinit { stop() }

  /// Starts watching; later commits are detected.
  package func start() {
    thread.withLock({ $0.take() })?.start()
  }

  /// Starts to end the watch, so that ``stop()`` waits less: its connection closes meanwhile.
  package func beginToStop() {
    shared.state.withLock { $0.shouldStop = true }
    shared.poke()
  }

  /// Ends the watch; its connection is closed on return, unless the watch's own thread calls this.
  package func stop() {
    let (hasStarted, mustWait) = shared.state.withLock { state in
      defer { (state.shouldStop, state.isAwaited) = (true, true) }
      // That thread runs the followers of what it publishes, and so can hold the last reference.
      let isOwn = state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
      return (state.hasStarted, state.hasStarted && !state.isAwaited && !isOwn)
    }
    if mustWait {
      shared.poke()
      shared.stopped.wait()
    }
    // Otherwise its thread may still use it.
    if mustWait || !hasStarted { shared.closeWake() }
  }

  /// Why the detector checks the file now and then; `nil` as long as the system reports changes to it.
  package var pollingNotice: String? { shared.state.withLock { $0.pollingNotice } }

  /// Checks now, whatever inotify says.
  package func poke() { shared.poke() }

  /// Returns once the detector watches the file, if it had gone dormant.
  ///
  /// A connection that may write calls this first: its commits must be told apart from foreign
  /// ones.
  package func ensureWatching() {
    let semaphore: DispatchSemaphore? = shared.state.withLock { state in
      guard state.isDormant, !state.shouldStop else { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiters.append(semaphore)
      state.mustWake = true
      return semaphore
    }
    guard let semaphore else { return }
    shared.poke()
    semaphore.wait()
  }
}
