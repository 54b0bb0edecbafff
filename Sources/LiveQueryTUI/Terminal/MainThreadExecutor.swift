import CLinux
import Glibc
import Synchronization

/// Runs an actor's jobs on a thread that also waits for other events.
///
/// `enqueue` may be called on any thread; it wakes the owner's poll(2) through ``descriptor``.
/// The owner is the thread between ``claim()`` and ``release()``: the main thread in the program.
final class MainThreadExecutor: SerialExecutor {
  /// Readable while jobs wait.
  let descriptor: Int32

  private let jobs = Mutex<[UnownedJob]>([])
  /// The owner's pthread_t; 0 when no thread runs jobs.
  private let owner = Atomic<UInt>(0)

  init() {
    descriptor = lq_eventfd()
    precondition(descriptor >= 0, "eventfd failed: no descriptors are left")
  }

  deinit {
    close(descriptor)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasEmpty = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    // One wake is enough for all waiting jobs: the owner takes them together.
    if wasEmpty { lq_eventfd_signal(descriptor) }
  }

  /// Makes this thread the one that runs jobs.
  func claim() {
    let (claimed, _) = owner.compareExchange(
      expected: 0, desired: pthread_self(), ordering: .acquiringAndReleasing)
    precondition(claimed, "two loops run on one executor")
  }

  func release() {
    owner.store(0, ordering: .releasing)
  }

  /// Runs the jobs that wait now, not those that they add, so that a job that always adds itself
  /// again can't keep the owner from its other work.
  ///
  /// - Returns: Whether there were any.
  func runWaitingJobs() -> Bool {
    // Drained before the jobs are taken: a job added in between wakes the owner once more.
    lq_eventfd_drain(descriptor)
    let taken = jobs.withLock { jobs in
      let taken = jobs
      jobs.removeAll(keepingCapacity: true)
      return taken
    }
    let executor = asUnownedSerialExecutor()
    for job in taken { job.runSynchronously(on: executor) }
    return !taken.isEmpty
  }

  func isIsolatingCurrentContext() -> Bool? {
    owner.load(ordering: .acquiring) == pthread_self()
  }

  func checkIsolated() {
    precondition(
      isIsolatingCurrentContext() == true, "code of the screen ran on another thread")
  }
}
