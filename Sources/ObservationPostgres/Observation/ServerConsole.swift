internal import Dispatch
package import ObservationEngine
internal import Synchronization

/// The outcome of a statement of the console.
package struct ConsoleOutcome: Sendable {
  /// The result; nil for a statement without columns.
  package let rows: RowSet?
  /// How many rows there were, including those that were not kept.
  package let rowCount: Int
  /// Rows inserted, updated or deleted; nil for a statement that does none of it.
  package let changes: Int?
  package let isInTransaction: Bool
}

/// The connection of the console, which is opened by its first statement.
///
/// Statements run one after another on a queue of their own.
final class ServerConsole: Sendable {
  private let address: ServerAddress
  private let queue = DispatchQueue(label: "livequery console")
  // Used on the queue alone.
  private nonisolated(unsafe) var connection: ServerConnection?
  // The same. Where the panels were when it was opened.
  private nonisolated(unsafe) var home: ServerHome?
  // The same. Whether the server can say which transaction is running.
  private nonisolated(unsafe) var knowsTransactions = false
  // The same. What the server said on a connection that is lost.
  private nonisolated(unsafe) var lastWords: [String] = []
  /// Cancels the statement that runs.
  private let running = Mutex<CancelTicket?>(nil)

  private let isReadOnly: Bool
  /// Receives the transactions of the console before they commit.
  private let known: KnownServer

  /// Called before a connection is opened.
  private let beforeOpening: @Sendable () -> Void

  init(
    _ address: ServerAddress, isReadOnly: Bool, _ known: KnownServer,
    beforeOpening: @escaping @Sendable () -> Void
  ) {
    self.address = address
    self.known = known
    self.isReadOnly = isReadOnly
    self.beforeOpening = beforeOpening
  }

  func run(
    _ statement: ServerStatement, _ arguments: [String?], rowLimit: Int, byteLimit: Int,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws(DatabaseError) -> ConsoleOutcome {
    // It may come before there is anything to cancel.
    let isCancelled = Flag()
    let result: Result<ConsoleOutcome, ServerFault> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [self] in
          var limits = ResultLimits()
          (limits.rows, limits.bytes, limits.progress) = (rowLimit, byteLimit, progress)
          continuation.resume(returning: perform(statement, arguments, limits, isCancelled))
        }
      }
    } onCancel: {
      isCancelled.raise()
      let ticket = running.withLock { $0 }
      // It blocks until the server has received it.
      DispatchQueue(label: "livequery cancel").async { ticket?.cancel() }
    }
    do throws(ServerFault) { return try result.get() } catch { throw error.error(in: statement) }
  }

  private func perform(
    _ statement: ServerStatement, _ arguments: [String?], _ limits: ResultLimits,
    _ isCancelled: Flag
  ) -> Result<ConsoleOutcome, ServerFault> {
    var wasInTransaction = false
    do throws(ServerFault) {
      let connection = try openConnection()
      wasInTransaction = connection.isInTransaction
      let hadFailed = connection.hasFailedTransaction
      _ = connection.takeNotices()
      lastWords = []
      running.withLock { $0 = connection.cancelTicket() }
      defer { running.withLock { $0 = nil } }
      if isCancelled.isRaised { throw ServerFault(state: "57014", message: "cancelled") }
      let result = try run(statement, arguments, limits, on: connection)
      if !connection.isInTransaction { known.noteOwnEnd() }
      // The answer to COMMIT, too, once a statement of the transaction has failed.
      if hadFailed, result.command == "ROLLBACK", !statement.rollsBack {
        throw ServerFault(
          state: "25P02",
          message: "nothing was committed: a statement of this transaction had failed")
      }
      return .success(
        ConsoleOutcome(
          rows: result.rowSet, rowCount: result.rowCount, changes: result.changes,
          isInTransaction: connection.isInTransaction))
    } catch {
      var fault = error
      if fault.state == "25P02", connection?.isInTransaction == true {
        fault.hint = "ROLLBACK ends the transaction"
      }
      if fault.isLoss {
        // The fault has that one already.
        lastWords = (connection?.takeNotices() ?? [])
          .filter { !$0.hasPrefix(ServerConnection.fatal) }
        let hadSession = connection != nil
        connection = nil
        let lost = "settings and temporary tables of this session are gone"
        if statement.commits {
          fault.hint = "whether it was committed isn't known; \(lost)"
        } else if wasInTransaction {
          fault.hint = "the transaction is rolled back; \(lost)"
        } else if hadSession {
          fault.hint = lost
        }
      }
      return .failure(fault)
    }
  }

  private func run(
    _ statement: ServerStatement, _ arguments: [String?], _ limits: ResultLimits,
    on connection: ServerConnection
  ) throws(ServerFault) -> ServerResult {
    if isReadOnly, statement.copies || statement.mayCommit, !connection.isInTransaction {
      _ = try connection.run("BEGIN READ ONLY")
      let result = Result { () throws(ServerFault) in
        try connection.run(statement.text, arguments, limits: limits)
      }
      // Where that fails, there is no transaction any more.
      _ = try? connection.run("COMMIT")
      return try result.get()
    }
    // A pipeline has no COPY.
    guard !statement.copies else {
      if isReadOnly { _ = try connection.run("SET transaction_read_only = on") }
      return try connection.run(statement.text, arguments, limits: limits)
    }
    if isReadOnly {
      return try connection.run(readOnly: statement.text, arguments, limits: limits)
    }
    return knowsTransactions
      ? try connection.run(statement.text, arguments, limits: limits) { known.noteOwn($0) }
      : try connection.run(statement.text, arguments, limits: limits)
  }

  // States as SQL names them: transaction rollback, connection rejected.
  private static let rolledBack = "40000"
  private static let rejected = "08004"

  private func openConnection() throws(ServerFault) -> ServerConnection {
    let newest = known.home
    if let connection, !connection.isLost {
      if home == newest { return connection }
      // What is typed now would go to a server that no panel shows.
      let wasInTransaction = connection.isInTransaction
      self.connection = nil
      if wasInTransaction {
        known.noteOwnEnd()
        throw ServerFault(
          state: Self.rolledBack,
          message: "the panels have reached another server: the transaction is rolled back")
      }
    }
    beforeOpening()
    let deadline = SystemClock.monotonic() + 10_000_000_000
    let opened = try ServerConnection(address, .console, at: newest?.peer, deadline: deadline)
    let startedAt = (try? opened.run(ServerProbe.startQuery, deadline: deadline))?.text(0)
    guard newest?.isSame(startedAt: startedAt) != false else {
      throw ServerFault(
        state: Self.rejected,
        message: "this is another server than that of the panels, or it has just started again")
    }
    home = newest
    knowsTransactions = (try? opened.run(ServerConnection.ownNumber)) != nil
    connection = opened
    return opened
  }

  func isInTransaction() async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: connection?.isInTransaction == true)
      }
    }
  }

  /// What the server said besides, while the last statement ran.
  func takeNotices() async -> [String] {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: lastWords + (connection?.takeNotices() ?? []))
        lastWords = []
      }
    }
  }

  /// Cancels what runs; the connection ends with this object.
  func close() { running.withLock { $0 }?.cancel() }
}

/// What is true from some moment on.
private final class Flag: Sendable {
  private let value = Mutex(false)

  var isRaised: Bool { value.withLock { $0 } }

  func raise() { value.withLock { $0 = true } }
}
