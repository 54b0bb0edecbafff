internal import CLinux
internal import Dispatch
internal import Glibc
internal import ObservationEngine
internal import Synchronization

/// The thread of a server: it runs what others ask for, and otherwise waits for commits.
final class ServerThread: Sendable {
  typealias Job = @Sendable (ServerWork) -> Void

  private struct Inbox {
    var jobs: [Job] = []
    var isStopped = false
  }

  private let inbox = Mutex(Inbox())
  private let wake: Int32

  /// Connects on a new thread; blocks until that is done.
  ///
  /// - Throws: ``ServerFault``.
  init(
    _ address: ServerAddress, _ settings: ServerSettings,
    _ known: KnownServer
  ) throws(ServerFault) {
    wake = lq_eventfd()
    guard wake >= 0 else { throw ServerFault(message: String(cString: strerror(errno))) }
    let answer = Answer<Void>()
    let body: @Sendable (ServerThread) -> Void = { thread in
      do throws(ServerFault) {
        let work = try ServerWork(address, settings, known)
        answer.give(.success(()))
        thread.run(work)
      } catch {
        answer.give(.failure(error))
      }
    }
    Self.start(self, body)
    try answer.wait()
  }

  deinit { close(wake) }

  private final class Start: Sendable {
    let thread: ServerThread
    let body: @Sendable (ServerThread) -> Void

    init(_ thread: ServerThread, _ body: @escaping @Sendable (ServerThread) -> Void) {
      (self.thread, self.body) = (thread, body)
    }
  }

  private static func start(
    _ thread: ServerThread, _ body: @escaping @Sendable (ServerThread) -> Void
  ) {
    let start = Unmanaged.passRetained(Start(thread, body))
    var identifier = pthread_t()
    let result = pthread_create(
      &identifier, nil,
      { context in
        lq_leave_signals()
        let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
        start.body(start.thread)
        return nil
      }, start.toOpaque())
    precondition(result == 0, "no thread can be created: \(String(cString: strerror(result)))")
    pthread_detach(identifier)
  }

  private func run(_ work: ServerWork) {
    while true {
      let (jobs, isStopped) = inbox.withLock { inbox in
        defer { inbox.jobs = [] }
        return (inbox.jobs, inbox.isStopped)
      }
      for job in jobs { job(work) }
      if isStopped { return work.stopAll() }
      if jobs.isEmpty { wait(work) }
      work.turn()
    }
  }

  private func wait(_ work: ServerWork) {
    let now = SystemClock.monotonic()
    let next = work.nextTurnAt
    let left = next - min(now, next)
    if Waiting.wait(wake, work.descriptor, nanoseconds: next == .max ? nil : left) {
      lq_eventfd_drain(wake)
    }
  }

  /// Runs a job on the thread; after ``stop()`` it doesn't run.
  func perform(_ job: @escaping Job) {
    inbox.withLock { inbox in
      if !inbox.isStopped { inbox.jobs.append(job) }
    }
    lq_eventfd_signal(wake)
  }

  /// Runs a job and blocks until its result is there.
  func waiting<Output: Sendable>(
    _ body: @escaping @Sendable (ServerWork) throws(ServerFault) -> Output
  ) throws(ServerFault) -> Output {
    let answer = Answer<Output>()
    let isStopped = inbox.withLock { inbox in
      if !inbox.isStopped {
        inbox.jobs.append { work in
          do throws(ServerFault) { answer.give(.success(try body(work))) } catch {
            answer.give(.failure(error))
          }
        }
      }
      return inbox.isStopped
    }
    if isStopped { throw ServerFault(message: "the connection is closed") }
    lq_eventfd_signal(wake)
    return try answer.wait()
  }

  /// Ends the thread after the job that runs.
  func stop() {
    inbox.withLock { $0.isStopped = true }
    lq_eventfd_signal(wake)
  }
}

/// The result of a job, for a thread that waits for it.
private final class Answer<Output: Sendable>: Sendable {
  private let result = Mutex<Result<Output, ServerFault>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func give(_ value: Result<Output, ServerFault>) {
    result.withLock { $0 = value }
    semaphore.signal()
  }

  func wait() throws(ServerFault) -> Output {
    semaphore.wait()
    guard let value = result.withLock({ $0 }) else { preconditionFailure("no answer was given") }
    return try value.get()
  }
}
