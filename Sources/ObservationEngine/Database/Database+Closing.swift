internal import Dispatch

extension Database {
  /// Cancels the statements that run now, on all connections; those that wait are not affected.
  /// Backups and ``vacuum(into:)`` are left alone: they end when their task is cancelled.
  ///
  /// The callers of those statements get an error with code `interrupted`.
  public func interrupt() {
    writer.queue.interruptRunningJob()
    for queue in readers?.all ?? [] { queue.interruptRunningJob() }
    observationRuntime?.interrupt()
  }

  /// Closes all connections once they have done what they were asked before; an open transaction is
  /// rolled back, and SQLite removes the files that it made next to the database.
  ///
  /// Blocks the calling thread; a task awaits the other form, which doesn't. Within a closure of this
  /// database nothing can be waited for: there, closing begins when the closure has returned.
  ///
  /// ## Guarantees
  /// - Observations end: their sequences have no further element.
  /// - Every later access throws `DatabaseError` with code `misuse`.
  public func close() {
    if ConnectionQueue.isCurrent(serving: generations) {
      DispatchQueue(label: "livequery.close").async { self.close() }
      return
    }
    isClosed = true
    takeObservationRuntime()?.close()
    writer.queue.close()
    readers?.close()
  }

  /// Closes all connections once they have done what they were asked before, as `close()` does,
  /// without blocking the thread of the task.
  ///
  ///     await database.close()
  public func close() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "livequery.close").async {
        self.close()
        continuation.resume()
      }
    }
  }

  /// Cancels what runs, drops what waits, rolls back an open transaction and closes all
  /// connections, for good: for the end of a program, which must not wait for a long query.
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
