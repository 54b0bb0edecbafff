internal import Glibc
internal import Synchronization

/// A job that runs on the current thread, with the jobs around it: the closure of a job may use
/// another database, or its own again.
///
///     first.writeWaiting { … second.readWaiting { … first.writeWaiting { … } } }
///       RunningJob(first) ◀──── RunningJob(second)     joins the open transaction of `first`
///
/// The thread has it, not the task: a task that a closure starts must not appear to hold the
/// connection.
final class RunningJob {
  let queue: ConnectionQueue
  let connection: Connection
  let identifier: UInt64
  let outer: RunningJob?

  private init(
    _ queue: ConnectionQueue, _ connection: Connection, _ identifier: UInt64, _ outer: RunningJob?
  ) {
    self.queue = queue
    self.connection = connection
    self.identifier = identifier
    self.outer = outer
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let result = pthread_key_create(&key, nil)
    precondition(result == 0, "pthread_key_create failed with \(result)")
    return key
  }()

  /// The innermost job of this thread.
  static var current: RunningJob? {
    pthread_getspecific(key).map {
      Unmanaged<RunningJob>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Runs `body` as a job within `outer`, which may have begun on another thread that waits for
  /// this one.
  static func run<Output>(
    _ queue: ConnectionQueue, _ connection: Connection, _ identifier: UInt64,
    within outer: RunningJob?, _ body: () throws -> Output
  ) rethrows -> Output {
    let job = RunningJob(queue, connection, identifier, outer)
    let before = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(job).toOpaque())
    // The thread's value doesn't own `job`: `job` lives until the value is replaced.
    return try withExtendedLifetime(job) {
      defer { pthread_setspecific(key, before) }
      return try body()
    }
  }

  /// The innermost job, from this one outwards, for which `isWanted` is true.
  func first(where isWanted: (RunningJob) -> Bool) -> RunningJob? {
    var job: RunningJob? = self
    while let candidate = job {
      if isWanted(candidate) { return candidate }
      job = candidate.outer
    }
    return nil
  }
}

/// Records which job waits for which queue, so that a deadlock becomes an error.
///
///     thread 1:  A holds ── waits for ─▶ B        thread 2:  B holds ── waits for ─▶ A   refused
///
/// Only jobs within jobs are recorded: other jobs hold nothing while they wait.
enum NestedWaits {
  /// Keyed by the queue whose running job waits; a queue runs one job, which waits for one queue at
  /// a time.
  private static let waits = Mutex<[ObjectIdentifier: ObjectIdentifier]>([:])

  /// Records that `job` is about to wait for `target`.
  ///
  /// - Throws: `DatabaseError` when `target` waits for `job`, directly or through others.
  static func begin(_ job: RunningJob, for target: ConnectionQueue) throws(DatabaseError) {
    let isCircular = waits.withLock { waits in
      var next: ObjectIdentifier? = ObjectIdentifier(target)
      while let queue = next {
        if job.first(where: { ObjectIdentifier($0.queue) == queue }) != nil { return true }
        next = waits[queue]
      }
      waits[ObjectIdentifier(job.queue)] = ObjectIdentifier(target)
      return false
    }
    if isCircular {
      throw DatabaseError(
        code: .busy,
        message: "this would wait for ever: the other database is in use by a closure that waits "
          + "for this one; use databases in each other's closures in one order only")
    }
  }

  static func end(_ job: RunningJob) {
    waits.withLock { $0[ObjectIdentifier(job.queue)] = nil }
  }
}
