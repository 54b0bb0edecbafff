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

  fileprivate enum Job {
    case ofActor(UnownedJob)
    /// Of a task that has waited, or has left its actor, and prefers this thread.
    case ofTask(UnownedJob, UnownedTaskExecutor)
  }

  private let jobs = Mutex<[Job]>([])
  /// The owner's pthread_t; 0 when no thread runs jobs.
  private let owner = Atomic<UInt>(0)

  init() {
    descriptor = lq_eventfd()
    precondition(descriptor >= 0, "eventfd failed: no descriptors are left")
  }

  deinit {
    close(descriptor)
  }

  func enqueue(_ job: consuming ExecutorJob) { add(.ofActor(UnownedJob(job))) }

  fileprivate func add(_ job: Job) {
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
    for job in taken {
      switch job {
      case .ofActor(let job): job.runSynchronously(on: executor)
      // This is the actor's thread: the actor's code in it need not be enqueued once more.
      case .ofTask(let job, let preference):
        job.runSynchronously(isolatedTo: executor, taskExecutor: preference)
      }
    }
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

/// What a task prefers whose waits are to end on the thread of an executor.
///
/// A continuation knows no actor. It resumes a task on a thread of the pool, which then enqueues it
/// for its actor: each wait costs one more thread that has to wake up. A task with a preference is
/// resumed where it prefers.
final class ThreadPreference: TaskExecutor {
  private let executor: MainThreadExecutor

  init(_ executor: MainThreadExecutor) { self.executor = executor }

  func enqueue(_ job: consuming ExecutorJob) {
    executor.add(.ofTask(UnownedJob(job), asUnownedTaskExecutor()))
  }
}
