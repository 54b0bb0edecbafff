import Dashboard
import DatabaseConsole
import ObservationEngine
import Synchronization

extension WindowedObservation: PanelObservation {}

/// An SQLite file.
extension Database: PanelDatabase {
  func whileStill(sparesConsole: Bool, _ body: () -> Void) {
    whileStill(sparesWriter: sparesConsole, body)
  }

  var dialect: SQLDialect { .sqlite }

  var newestOrdinal: Int { commits.ordinal }

  func observation(of queries: [Query<RowSet>], windowed: Set<Int>) -> any PanelObservation {
    observe(all: queries, windowed: windowed)
  }

  func results(
    of queries: [Query<RowSet>], limit: Duration?, lateness: DatabaseError?
  ) async throws -> [Result<RowSet, DatabaseError>] {
    let end = limit.map { MonotonicClock.now + UInt64($0.nanoseconds) } ?? .max
    return try await read { connection in
      queries.map { query in
        Result {
          try connection.withBudget({ MonotonicClock.now > end }) { try connection.fetch(query) }
        }.mapError {
          let error = $0 as? DatabaseError ?? DatabaseError(code: .error, message: "\($0)")
          let isOver = error.code.primary == .interrupted && MonotonicClock.now > end
          return isOver ? lateness ?? error : error
        }
      }
    }
  }

  func rowsWaiting(_ sql: String) throws -> [[Value]] {
    try readWaiting { try $0.fetchAll(SQL(raw: sql)).rows }
  }

  func refusesWrites() -> Bool {
    // If that can't be determined, the panels will report why.
    (try? readWaiting { $0.isReadOnly }) == true
  }

  func inBackground<Output: Sendable>(
    _ body: @escaping @Sendable () throws -> Output
  ) async throws -> Output {
    try await read { _ in try body() }
  }

  func statistics(
    of table: String, columns: [String], within limit: Duration
  ) async throws -> [String: ColumnStatistics] {
    let end = MonotonicClock.now + UInt64(limit.nanoseconds)
    return try await statistics(of: table, columns: columns) { MonotonicClock.now > end }
  }

  func refreshText(of query: Query<RowSet>) async -> [String] {
    let report = maintenance(of: query)
    let isUndecided = report?.reason == MaintainedQueries.Report.isUndecided
    return RefreshText.lines(
      report, isUndecided ? try? await maintenanceProspect(of: query) : nil)
  }

  func currentJournalMode() async throws -> String? {
    try await journalMode()
  }

  func info(journalMode: String) -> DatabaseInfo? {
    guard let file else { return nil }
    return DatabaseInfo(
      journalMode: journalMode, fileBytes: DatabaseFile.size(of: file.realPath),
      walBytes: DatabaseFile.size(of: file.walPath),
      watch: pollingNotice == nil ? "inotify" : "polling")
  }

  func run(
    _ sql: String, _ arguments: QueryArguments, isWholeTransaction: Bool, rowLimit: Int,
    byteLimit: Int, progress: StatementProgress?
  ) async throws -> StatementOutcome {
    guard isWholeTransaction else {
      return try await run(
        statement: sql, arguments: arguments, rowLimit: rowLimit, byteLimit: byteLimit,
        progress: progress)
    }
    let kept = KeptOutcome()
    let change = Transaction {
      kept.keep(
        try $0.run(
          statement: sql, arguments: arguments, rowLimit: rowLimit, byteLimit: byteLimit,
          progress: progress))
    }
    let ordinal = try await commit(change)
    guard var outcome = kept.outcome else { throw CancellationError() }
    (outcome.commit, outcome.isInTransaction) = (ordinal, false)
    return outcome
  }

  /// SQLite has none.
  func consoleNotices() async -> [String] { [] }

  func undoJournal() -> UndoJournal? { UndoJournal(self) }
}

/// The outcome of a statement, stored by the transaction that runs it.
private final class KeptOutcome: Sendable {
  private let kept = Mutex<StatementOutcome?>(nil)

  var outcome: StatementOutcome? { kept.withLock { $0 } }

  func keep(_ outcome: StatementOutcome) { kept.withLock { $0 = outcome } }
}
