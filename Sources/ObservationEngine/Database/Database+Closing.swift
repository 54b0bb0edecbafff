internal import Dispatch
internal import Glibc

extension Database {
  /// Cancels the statements that are running, on all connections, but not those that wait. Backups
  /// and ``vacuum(into:)`` continue: they end when their task is cancelled.
  ///
  /// The callers of those statements get an error with code `interrupted`.
  public func interrupt() {
    for queue in queues { queue.interruptRunningJob() }
  }

  private var queues: [ConnectionQueue] {
    let all = [writer.queue] + (readers?.all ?? []) + (observationRuntime?.queues ?? [])
    var seen: Set<ObjectIdentifier> = []
    return all.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// Runs `body`, which may stop the process, while no query holds a lock that others wait for: those that run are
  /// cancelled, and observations run theirs again afterwards.
  ///
  /// Blocks the calling thread until they have ended, for half a second at most.
  ///
  /// - Parameter sparesWriter: Whether the writer goes on with what it runs.
  package func whileStill(sparesWriter: Bool, _ body: () -> Void) {
    let held = queues.filter { !sparesWriter || $0 !== writer.queue }
    for queue in held { queue.hold() }
    let end = SystemClock.monotonic() + 500_000_000
    while held.contains(where: \.isRunning), SystemClock.monotonic() < end { usleep(1000) }
    body()
    for queue in held { queue.letGo() }
  }

  /// Closes all connections once they have finished their earlier jobs. An open transaction is
  /// rolled back, and SQLite removes the files that it made next to the database.
  ///
  /// Blocks the calling thread; a task awaits the other form, which doesn't. A closure of this
  /// database cannot wait for itself: there, closing begins when the closure has returned.
  ///
  /// ## Guarantees
  /// - Observations end: their sequences have no further element.
  /// - Every later access throws `DatabaseError` with code `misuse`.
  public func close() {
    if ConnectionQueue.isCurrent(serving: epoch) {
      DispatchQueue(label: "livequery.close").async { self.close() }
      return
    }
    isClosed = true
    takeObservationRuntime()?.close()
    writer.queue.close()
    readers?.close()
  }

  /// Closes all connections once they have finished their earlier jobs, as `close()` does, without
  /// blocking the task's thread.
  ///
  ///     await database.close()
  public func close() async { await onOwnThread { self.close() } }

  /// Cancels running jobs, drops waiting ones, rolls back an open transaction and closes all
  /// connections for good: for the end of a program, which must not wait for a long query.
  package func shutDown() {
    isClosed = true
    takeObservationRuntime()?.shutDown()
    writer.queue.shutDown()
    for queue in readers?.all ?? [] { queue.shutDown() }
  }

  /// What keeps an observation of a database with one connection from reading.
  static let openTransactionError = DatabaseError(
    code: .busy, message: "a transaction is open; commit it, or roll it back")

  static var closedError: DatabaseError {
    DatabaseError(
      code: .misuse, message: "the database is closed; open it again with a new Database")
  }
}
