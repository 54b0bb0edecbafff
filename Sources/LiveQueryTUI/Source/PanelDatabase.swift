import Dashboard
import DatabaseConsole
import ObservationEngine

/// What the program asks of the database that its panels show: an SQLite file, or a PostgreSQL
/// server.
///
/// The functions that block say so; all others may be called from the screen's thread.
protocol PanelDatabase: Sendable {
  /// Whose SQL it understands.
  var dialect: SQLDialect { get }

  /// The number of the newest commit that was observed.
  var newestOrdinal: Int { get }

  /// Observes queries together, and reads windows of those long results that are windowed. Begins
  /// now.
  func observation(of queries: [Query<RowSet>], windowed: Set<Int>) -> any PanelObservation

  /// Runs queries once, in one snapshot.
  ///
  /// - Parameters:
  ///   - limit: How long they may take together.
  ///   - lateness: The error of those that take longer.
  /// - Throws: `DatabaseError` when the database can't be read at all.
  func results(
    of queries: [Query<RowSet>], limit: Duration?, lateness: DatabaseError?
  ) async throws -> [Result<RowSet, DatabaseError>]

  /// Checks a query without running it. Blocks.
  func describe(query sql: String) throws -> StatementDescription

  /// The rows of a query of the program's own. Blocks.
  func rowsWaiting(_ sql: String) throws -> [[Value]]

  /// Tables first, then views, each ordered by name. Blocks.
  func tables() throws -> [TableDescription]

  /// What is to be known of it from the start, for the user.
  var ownerNotice: String? { get }

  /// Why changes are looked for now and then, or aren't noticed in the best way. An observation
  /// that begins later gets no notice.
  var pollingNotice: String? { get }

  /// Whether nothing can be written, whatever was asked for. Blocks.
  func refusesWrites() -> Bool

  /// Runs a body that calls functions which block, where that keeps no other work waiting.
  func inBackground<Output: Sendable>(
    _ body: @escaping @Sendable () throws -> Output
  ) async throws -> Output

  // MARK: For the screen

  func vocabulary() async throws -> SQLVocabulary
  func schema() async throws -> SchemaDescription
  /// The row that a column of a query's result refers to by a foreign key; nil when it is none.
  func reference(ofColumn column: Int, in sql: String) async throws -> RowReference?
  func rowCounts(of tables: [String], limit: Int64) async throws -> [String: RowCount]
  /// The bytes that each table and index occupies, by its name.
  func storageSizes() async throws -> [String: Int64]

  /// Summarizes columns of a table or view, in a limited time; stops early when the task is
  /// cancelled.
  ///
  /// - Returns: By column; those that the time was too short for are missing.
  func statistics(
    of table: String, columns: [String], within limit: Duration
  ) async throws -> [String: ColumnStatistics]

  /// How a panel's query is refreshed, in lines.
  func refreshText(of query: Query<RowSet>) async -> [String]

  /// The journal mode of a file; nil for a server.
  func currentJournalMode() async throws -> String?
  /// What the first and the last line of the screen show of it; nil for a database in memory.
  func info(journalMode: String) -> DatabaseInfo?

  // MARK: For the console

  /// Runs one statement as it is, in the transaction that is open.
  ///
  /// - Parameter isWholeTransaction: It changes something and no transaction is open: it is its own
  ///   transaction.
  func run(
    _ sql: String, _ arguments: QueryArguments, isWholeTransaction: Bool, rowLimit: Int,
    byteLimit: Int, progress: StatementProgress?
  ) async throws -> StatementOutcome

  /// Whether a transaction is open in the console.
  func isInTransaction() async -> Bool

  /// What the database said besides, while the console's last statement ran.
  func consoleNotices() async -> [String]

  /// Records own transactions to undo them; nil where that isn't possible.
  func undoJournal() -> UndoJournal?

  // MARK: Ending

  /// Cancels what runs.
  func interrupt()
  /// Runs `body`, which may stop the process, while nothing but the console holds up others.
  ///
  /// - Parameter sparesConsole: Whether the console goes on with what it runs.
  func whileStill(sparesConsole: Bool, _ body: () -> Void)
  /// Cancels what runs, and closes all.
  func shutDown()
}

extension PanelDatabase {
  func rowCounts(of tables: [String]) async throws -> [String: RowCount] {
    try await rowCounts(of: tables, limit: 100_000)
  }
}

/// The results of observed panels, as they come.
protocol PanelObservation: AsyncSequence<GroupUpdate<RowSet>, Never>, Sendable {
  /// Moves the window of a windowed query.
  func show(_ window: RowWindow, of index: Int)
  /// Checks for commits now, and runs all queries again.
  func refresh()
}
