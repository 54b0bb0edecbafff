internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Notices, on a thread of its own, that another process committed, and publishes it in the stream.
///
/// inotify wakes the thread; ``CommitWatch`` then decides from shared memory (WAL) or the file
/// header (rollback journal) whether a commit happened. No lock is taken and no transaction opened
/// for a check. ``Detector`` decides, and ``DetectorThread`` acts.
///
/// ## Guarantees
/// - A commit published by another process after ``start()`` returned is noticed: at once where
///   inotify works, within the poll interval where it does not, and by the heartbeat in any case.
///
/// ## Limits
/// - Several commits between two looks are one notice, with their number.
package final class ExternalCommitDetector: Sendable {
  private let shared: Shared
  private let thread: Mutex<DetectorThread?>

  /// What the thread shares with others.
  final class Shared: Sendable {
    struct State {
      var shouldStop = false
      /// A caller waits for the end already, or none may.
      var isAwaited = false
      var hasStarted = false
      /// The system reports no changes: the detector checks the file now and then.
      var isPolling = false
      /// Once it runs.
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
    let wake: Int32

    init(wake: Int32) { self.wake = wake }

    deinit { close(wake) }

    func poke() { lq_eventfd_signal(wake) }
  }

  package init(
    file: DatabaseFile, configuration: Configuration, ledger: CommitLedger, commits: CommitStream,
    generations: FileGeneration, closeIdleConnections: @escaping @Sendable () -> Void
  ) {
    shared = Shared(wake: lq_eventfd())
    thread = Mutex(
      DetectorThread(
        shared: shared, file: file, configuration: configuration, ledger: ledger, commits: commits,
        generations: generations, closeIdleConnections: closeIdleConnections))
    ledger.onEnd { [shared] in shared.poke() }
  }

  deinit { stop() }

  /// Begins to watch; what is committed from now on is noticed.
  package func start() {
    thread.withLock({ $0.take() })?.start()
  }

  /// Ends the watch soon, for ``stop()`` to wait less: its connection is closed meanwhile.
  package func beginToStop() {
    shared.state.withLock { $0.shouldStop = true }
    shared.poke()
  }

  /// Ends the watch; its connection is closed on return, unless the watch's own thread asks.
  package func stop() {
    let mustWait = shared.state.withLock { state in
      defer { (state.shouldStop, state.isAwaited) = (true, true) }
      // That thread runs the followers of what it publishes, and so can hold the last reference.
      let isOwn = state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
      return state.hasStarted && !state.isAwaited && !isOwn
    }
    guard mustWait else { return }
    shared.poke()
    shared.stopped.wait()
  }

  /// Whether the detector checks the file now and then, because the system reports no changes to it.
  package var isPolling: Bool { shared.state.withLock { $0.isPolling } }

  /// Checks now, whatever inotify says.
  package func poke() { shared.poke() }

  /// Returns once the detector watches the file, if it had gone dormant.
  ///
  /// Called by a connection that may write, before it does: its commits must be told from others'.
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
