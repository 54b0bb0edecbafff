internal import Dispatch
internal import Synchronization

/// One connection and the serial queue on which everything that touches it runs.
///
/// SQLite blocks, so its calls stay off the threads that run Swift's tasks. The first job that
/// needs the connection opens it, and opens it again after ``FileEpoch`` has advanced.
///
/// Proof of `@unchecked`: `connection`, `openedEpoch` and `hasLostState` are touched on `queue` alone.
package final class ConnectionQueue: @unchecked Sendable {
  private let queue: DispatchQueue
  private let epoch: FileEpoch
  private let open: @Sendable () throws(DatabaseError) -> Connection
  private var connection: Connection?
  private var openedEpoch = 0
  /// The last connection took settings, attached databases or temporary tables with it.
  private var hasLostState = false
  private let jobs = Mutex(Jobs())

  private struct Jobs {
    /// The jobs that wait or run.
    var open: Set<UInt64> = []
    var last: UInt64 = 0
    /// For the open connection, to cancel the running job.
    var interrupt: InterruptHandle?
    var running: UInt64 = 0
    /// Whether a job has begun, which may still open the connection.
    var hasBegun = false
    /// Whether what begins is cancelled immediately.
    var isHeld = false
    /// The job of another queue that the running one waits for.
    var nested: (queue: ConnectionQueue, job: UInt64)?
    var cancelled: Set<UInt64> = []
    /// Runs at the end of each job.
    var afterJob: (@Sendable (Connection) -> Void)?
    /// Why no further job runs.
    var end: End?
  }

  private enum End {
    /// The database was closed; later callers get an error.
    case closed
    /// The program ends.
    case shutDown

    var error: any Error {
      switch self {
      case .closed: Database.closedError
      case .shutDown: CancellationError()
      }
    }
  }

  init(
    label: String, epoch: FileEpoch,
    open: @escaping @Sendable () throws(DatabaseError) -> Connection
  ) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
    self.epoch = epoch
    self.open = open
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(epoch))
    queue.setSpecific(key: Self.ownKey, value: ObjectIdentifier(self))
  }

  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private static let ownKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Whether the current thread runs on this queue, or within a job that uses the connection.
  private static func isCurrent(_ queue: ObjectIdentifier, _ connection: ObjectIdentifier) -> Bool {
    DispatchQueue.getSpecific(key: ownKey) == queue
      || RunningJob.current?.first { ObjectIdentifier($0.connection) == connection } != nil
  }

  /// Whether the current thread works for a queue of the same database: within a job, or in the
  /// code around one that releases what the job held.
  static func isCurrent(serving epoch: FileEpoch) -> Bool {
    DispatchQueue.getSpecific(key: key) == ObjectIdentifier(epoch)
      || RunningJob.current?.first { $0.queue.serves(epoch) } != nil
  }

  /// Jobs that wait or run.
  var load: Int { jobs.withLock { $0.open.count } }

  /// Whether `other` serves the same database.
  func serves(_ other: FileEpoch) -> Bool { epoch === other }

  /// Runs `body` on the queue after all earlier jobs; cancelling the task interrupts it.
  ///
  /// - Parameters:
  ///   - reserved: A place from ``enter()``.
  ///   - isLast: Whether to close the connection afterwards.
  ///   - mayLeaveTransaction: Whether a transaction that the job's SQL began stays open for later
  ///     jobs. Otherwise none does, whatever `body` did.
  /// - Throws: What `body` throws; `CancellationError`, immediately, when the task is cancelled
  ///   before `body` began.
  func perform<Output: Sendable>(
    as reserved: UInt64? = nil, isLast: Bool = false, mayLeaveTransaction: Bool = false,
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    let job = reserved ?? enter()
    let waiting = WaitingTask<Output>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.wait(continuation)
        queue.async {
          let result = Result {
            try self.run(job, within: nil, mayLeaveTransaction: mayLeaveTransaction, body)
          }
          if isLast { self.closeConnection() }
          waiting.resume(with: result)
        }
      }
    } onCancel: {
      // A job that has not started never will, so its task need not wait for its turn.
      if !cancel(job) { waiting.resume(with: .failure(CancellationError())) }
    }
  }

  /// Runs `body` on the queue and blocks the calling thread until it is done.
  ///
  /// - Precondition: Not called from a job of this queue, nor from a task.
  /// - Throws: What `body` throws; `DatabaseError` with code `busy` instead of a deadlock, when the
  ///   job that runs here waits for one that waits for this.
  func performAndWait<Output>(
    as reserved: UInt64? = nil, _ body: (Connection) throws -> Output
  ) throws -> Output {
    let job = reserved ?? enter()
    guard let outer = RunningJob.current else {
      return try queue.sync { try run(job, within: nil, body) }
    }
    do {
      try NestedWaits.begin(outer, for: self)
    } catch {
      leave(job)
      throw error
    }
    defer {
      NestedWaits.end(outer)
      outer.queue.jobs.withLock { $0.nested = nil }
    }
    let isCancelled = outer.queue.jobs.withLock { jobs in
      jobs.nested = (self, job)
      return jobs.cancelled.contains(outer.identifier)
    }
    if isCancelled { cancel(job) }
    return try queue.sync { try run(job, within: outer, body) }
  }

  /// Runs `body` on the queue; with the error if the connection can't be opened.
  package func enqueue(
    _ body: @escaping @Sendable (Result<Connection, DatabaseError>) -> Void
  ) {
    let job = enter()
    queue.async {
      do {
        try self.run(job, within: nil) { body(.success($0)) }
      } catch let error as DatabaseError {
        body(.failure(error))
      } catch is CancellationError {
        // No task waits for such a job: it is dropped because everything shuts down.
        body(.failure(Database.closedError))
      } catch {
        body(.failure(DatabaseError(code: .error, message: "\(error)")))
      }
    }
  }

  /// Makes an alarm that rings on this queue between its jobs, without being one.
  func makeAlarm(
    _ timer: RefreshTimer, _ action: @escaping @Sendable () -> Void
  ) -> RefreshTimer.Alarm {
    timer.makeAlarm(queue, action)
  }

  /// Cancels the statement that is running.
  package func interruptRunningJob() {
    jobs.withLock { jobs in
      if jobs.running != 0 { jobs.interrupt?.interrupt(job: jobs.running, by: .everything) }
    }
  }

  /// Lets no further job begin, and cancels the one that runs, until ``letGo()``.
  func hold() {
    queue.suspend()
    jobs.withLock { $0.isHeld = true }
    interruptRunningJob()
  }

  /// Ends what ``hold()`` began.
  func letGo() {
    jobs.withLock { $0.isHeld = false }
    queue.resume()
  }

  /// Whether a job runs now.
  var isRunning: Bool { jobs.withLock { $0.hasBegun } }

  /// Calls `action` at the end of each job, before the next one begins and before the caller gets
  /// the result.
  func afterEachJob(_ action: @escaping @Sendable (Connection) -> Void) {
    jobs.withLock { $0.afterJob = action }
  }

  // MARK: - Closing

  /// Closes the connection when it is next idle, unless further jobs wait or a transaction is open.
  ///
  /// - Parameter keepsState: Whether to keep a connection with settings, attached databases or
  ///   temporary tables open. Otherwise the next statement there fails once, and its error says
  ///   that they are gone.
  package func closeWhenIdle(keepsState: Bool) {
    guard load == 0 else { return }
    queue.async {
      guard self.load == 0, let connection = self.connection, !connection.hasOpenTransaction
      else { return }
      if keepsState, connection.holdsState { return }
      self.closeConnection()
    }
  }

  /// Cancels the running statement, drops the waiting jobs, and closes the connection for good.
  func shutDown() {
    jobs.withLock { jobs in
      jobs.end = .shutDown
      if jobs.running != 0 { jobs.interrupt?.interrupt(job: jobs.running, by: .everything) }
    }
    queue.sync { closeConnection() }
  }

  /// Closes the connection for good, after all earlier jobs.
  func close() {
    queue.sync {
      jobs.withLock { $0.end = $0.end ?? .closed }
      closeConnection()
    }
  }

  // MARK: - Jobs

  /// Reserves a place for a job. The caller must perform the job, or give the place up by
  /// ``leave(_:)``.
  func enter() -> UInt64 {
    jobs.withLock {
      $0.last += 1
      $0.open.insert($0.last)
      return $0.last
    }
  }

  /// Gives up a reserved place.
  func leave(_ job: UInt64) {
    jobs.withLock {
      $0.open.remove(job)
      $0.cancelled.remove(job)
    }
  }

  /// - Returns: Whether the job has started, or ended; otherwise it never starts.
  @discardableResult
  private func cancel(_ job: UInt64) -> Bool {
    let (hasBegun, nested) = jobs.withLock { jobs -> (Bool, (ConnectionQueue, UInt64)?) in
      // A job that has ended meanwhile would stay in the set forever.
      guard jobs.open.contains(job) else { return (true, nil) }
      jobs.cancelled.insert(job)
      jobs.interrupt?.interrupt(job: job, by: .cancellation)
      return jobs.running == job ? (true, jobs.nested) : (false, nil)
    }
    if let (queue, job) = nested { queue.cancel(job) }
    return hasBegun
  }

  private func run<Output>(
    _ job: UInt64, within outer: RunningJob?, mayLeaveTransaction: Bool = false,
    _ body: (Connection) throws -> Output
  ) throws -> Output {
    defer {
      jobs.withLock {
        $0.open.remove(job)
        ($0.running, $0.hasBegun) = (0, false)
        $0.interrupt?.begin(job: 0)
        $0.cancelled.remove(job)
      }
    }
    try jobs.withLock { jobs in
      if let end = jobs.end { throw end.error }
      if jobs.cancelled.contains(job) { throw CancellationError() }
      jobs.hasBegun = true
    }
    let connection = try current()
    // Never within a transaction that could not be ended: it shows an old state.
    guard connection.transactionState.isKept || connection.comeToRest() else {
      throw DatabaseError(
        code: .error, message: "the transaction of an earlier use could not be ended; try again")
    }
    // From here on, a cancellation reaches the statement.
    try jobs.withLock { jobs in
      jobs.running = job
      connection.interruptHandle.begin(job: job)
      if let end = jobs.end { throw end.error }
      if jobs.isHeld { jobs.interrupt?.interrupt(job: job, by: .everything) }
      if jobs.cancelled.contains(job) { throw CancellationError() }
    }
    var isGood = true
    defer { if !isGood, !connection.options.isInMemory { closeConnection() } }
    return try RunningJob.run(self, connection, job, within: outer) {
      let result = Result { try body(connection) }
      // Accounts for statements that were stepped by hand or through SQLite's own handle.
      connection.delegate?.settle()
      isGood = connection.finishJob(mayLeaveTransaction: mayLeaveTransaction)
      if isGood, let afterJob = jobs.withLock({ $0.afterJob }) {
        afterJob(connection)
        isGood = connection.finishJob(mayLeaveTransaction: mayLeaveTransaction)
      }
      return try result.get()
    }
  }

  private func current() throws(DatabaseError) -> Connection {
    let newest = epoch.current
    if let connection {
      if openedEpoch == newest { return connection }
      let lostTransaction = connection.hasOpenTransaction
      closeConnection()
      if lostTransaction {
        throw DatabaseError(
          code: .readOnly,
          message: "the file was replaced while the transaction was open: it is rolled back")
      }
    }
    let opened = try open()
    let (own, id) = (ObjectIdentifier(self), ObjectIdentifier(opened))
    opened.lease.isLent = { Self.isCurrent(own, id) }
    opened.lease.isOfCurrentFile = { [epoch] in epoch.current == newest }
    opened.hasLostState = hasLostState
    hasLostState = false
    if let file = opened.life.file {
      ProcessFile(file).queueDidOpen(self)
      opened.lease.onClose.append { ProcessFile(file).queueDidClose(own) }
    }
    connection = opened
    openedEpoch = newest
    jobs.withLock { $0.interrupt = opened.interruptHandle }
    return opened
  }

  private func closeConnection() {
    jobs.withLock { $0.interrupt = nil }
    // Only the writer reports lost session state.
    if let connection, !connection.options.isReader {
      hasLostState = hasLostState || connection.holdsState
    }
    connection?.close()
    connection = nil
  }
}

/// The task that waits for a job. It resumes once, with the result or with its cancellation,
/// whichever comes first.
final class WaitingTask<Output: Sendable>: Sendable {
  private enum State {
    case notYet
    case waiting(CheckedContinuation<Output, any Error>)
    /// The cancellation came before the task waited.
    case early(Result<Output, any Error>)
    case done
  }

  private let state = Mutex(State.notYet)

  func wait(_ continuation: CheckedContinuation<Output, any Error>) {
    let early: Result<Output, any Error>? = state.withLock { state in
      guard case .early(let result) = state else {
        state = .waiting(continuation)
        return nil
      }
      state = .done
      return result
    }
    if let early { continuation.resume(with: early) }
  }

  /// - Returns: Whether the task resumes with this result.
  @discardableResult
  func resume(with result: Result<Output, any Error>) -> Bool {
    let (continuation, isFirst) = state.withLock {
      state -> (CheckedContinuation<Output, any Error>?, Bool) in
      switch state {
      case .notYet:
        state = .early(result)
        return (nil, true)
      case .waiting(let continuation):
        state = .done
        return (continuation, true)
      case .early, .done: return (nil, false)
      }
    }
    continuation?.resume(with: result)
    return isFirst
  }
}

/// Counts how often another file was found at the path.
package final class FileEpoch: Sendable {
  private let number = Atomic(0)

  package init() {}

  package var current: Int { number.load(ordering: .acquiring) }

  /// Makes every connection open again before its next use.
  package func advance() { number.add(1, ordering: .acquiringAndReleasing) }
}
