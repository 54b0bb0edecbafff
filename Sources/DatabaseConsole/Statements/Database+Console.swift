package import ObservationEngine
internal import Synchronization

/// The progress of a statement that runs on another thread; safe to read from any thread.
package final class StatementProgress: Sendable {
  private let count = Atomic(0)

  package init() {}

  /// Rows that the statement has returned so far.
  package var rows: Int { count.load(ordering: .relaxed) }

  /// Notes how many rows there are so far.
  package func note(rows: Int) { count.store(rows, ordering: .relaxed) }
}

/// The outcome of one statement.
package struct StatementOutcome: Sendable {
  /// The result; `nil` for a statement without columns.
  package let rows: RowSet?
  /// How many rows there were, including those that were not kept.
  package let rowCount: Int
  /// Rows inserted, updated or deleted; `nil` for a statement that only reads.
  package let changes: Int?
  /// The ordinal of the commit that it made; `nil` without one, and on a server, which doesn't say.
  package var commit: Int?
  /// Whether a transaction is open after it.
  package var isInTransaction: Bool
  /// Whether that transaction keeps other connections from writing.
  package var holdsWriteLock = false

  package init(
    rows: RowSet?, rowCount: Int, changes: Int?, commit: Int? = nil, isInTransaction: Bool,
    holdsWriteLock: Bool = false
  ) {
    self.rows = rows
    self.rowCount = rowCount
    self.changes = changes
    self.commit = commit
    self.isInTransaction = isInTransaction
    self.holdsWriteLock = holdsWriteLock
  }
}

extension Database {
  /// Runs one statement on the writing connection as it is, in the transaction that is open there.
  ///
  /// - Parameters:
  ///   - arguments: A value for each of its parameters.
  ///   - rowLimit: Further rows are counted but not kept.
  ///   - byteLimit: So are rows once the kept ones take about this many bytes.
  ///   - progress: Counts the rows as they arrive.
  /// - Throws: `DatabaseError`; `CancellationError` when the task is cancelled before the statement
  ///   starts.
  package func run(
    statement sql: String, arguments: QueryArguments = [], rowLimit: Int, byteLimit: Int = .max,
    progress: StatementProgress? = nil
  ) async throws -> StatementOutcome {
    try await keepingTransaction { connection in
      try connection.run(
        statement: sql, arguments: arguments, rowLimit: rowLimit, byteLimit: byteLimit,
        progress: progress)
    }
  }

  /// Whether a transaction is open on the writing connection.
  package func isInTransaction() async -> Bool {
    // A connection that cannot be opened has no transaction.
    (try? await withoutTransaction { $0.isInTransaction }) ?? false
  }
}

extension Connection {
  /// Runs one statement as it is.
  ///
  /// - Parameters:
  ///   - arguments: A value for each of its parameters.
  ///   - rowLimit: Further rows are counted but not kept.
  ///   - byteLimit: So are rows once the kept ones take about this many bytes.
  ///   - progress: Counts the rows as they arrive.
  package func run(
    statement sql: String, arguments: QueryArguments = [], rowLimit: Int, byteLimit: Int = .max,
    progress: StatementProgress? = nil
  ) throws -> StatementOutcome {
    let statement = try prepare(sql)
    try statement.bind(arguments)
    let (before, commitBefore) = (totalChanges, lastCommitOrdinal)
    var rows: [[Value]] = []
    var rowCount = 0
    var bytes = 0
    while try statement.step() {
      rowCount += 1
      progress?.note(rows: rowCount)
      // The kept rows are the first ones, without gaps.
      guard rows.count == rowCount - 1, rowCount <= rowLimit, bytes < byteLimit else { continue }
      let row = statement.row
      if byteLimit < .max { bytes += row.reduce(32) { $0 + $1.byteCount } }
      rows.append(row)
    }
    let result =
      statement.columnNames.isEmpty ? nil : RowSet(columns: statement.columnNames, rows: rows)
    return StatementOutcome(
      rows: result, rowCount: rowCount,
      changes: statement.isReadOnly ? nil : totalChanges == before ? 0 : changes,
      commit: lastCommitOrdinal == commitBefore ? nil : lastCommitOrdinal,
      isInTransaction: isInTransaction, holdsWriteLock: isInTransaction && isWriting)
  }
}
