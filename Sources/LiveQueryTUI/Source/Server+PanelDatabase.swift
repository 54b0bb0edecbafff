import Dashboard
import DatabaseConsole
import ObservationEngine
import ObservationPostgres

extension ServerObservation: PanelObservation {
  /// Results of a server are complete: there is no window to move.
  func show(_ window: RowWindow, of index: Int) {}
}

/// A PostgreSQL server.
extension Server: PanelDatabase {
  var dialect: SQLDialect { .postgres }
  var ownerNotice: String? { nil }
  var pollingNotice: String? {
    let facts = facts
    guard facts.loss == nil, let reason = facts.reason, reason != ServerFacts.isAskedFor else {
      return nil
    }
    return "\(facts.means.explanation); no better way: \(reason)"
  }

  func observation(of queries: [Query<RowSet>], windowed: Set<Int>) -> any PanelObservation {
    observe(queries.map(PanelQuery.init))
  }

  func results(
    of queries: [Query<RowSet>], limit: Duration?, lateness: DatabaseError?
  ) async throws -> [Result<RowSet, DatabaseError>] {
    try await results(of: queries.map(PanelQuery.init), limit: limit).map { result in
      result.mapError { error in error.code == .interrupted ? lateness ?? error : error }
    }
  }

  func describe(query sql: String) throws -> StatementDescription {
    let statement = ServerStatement(sql)
    guard statement.isQuery else {
      throw DatabaseError(
        code: .readOnly,
        message: "a panel must be a query: SELECT, WITH, VALUES, TABLE, SHOW or EXPLAIN", sql: sql,
        offset: 0)
    }
    if let writing = statement.writing {
      throw DatabaseError(
        code: .readOnly, message: "a panel only reads: \(writing.word.uppercased()) can't be in it",
        sql: sql,
        offset: writing.offset)
    }
    return StatementDescription(
      parameters: statement.names, columns: try columns(of: statement).map(\.name))
  }

  func rowsWaiting(_ sql: String) throws -> [[Value]] { try rowsWaiting(sql, []) }

  // A standby may become a primary: the screen follows that.
  func refusesWrites() -> Bool { false }

  func inBackground<Output: Sendable>(
    _ body: @escaping @Sendable () throws -> Output
  ) async throws -> Output {
    try await onOwnThread(body)
  }

  func refreshText(of query: Query<RowSet>) async -> [String] {
    [
      facts.means.isPushed
        ? "run again after each commit to a table that it reads" : "run again after each commit",
      facts.means.explanation,
    ]
  }

  func currentJournalMode() async throws -> String? { nil }

  func info(journalMode: String) -> DatabaseInfo? {
    let facts = facts
    return DatabaseInfo(
      watch: facts.means.channel,
      server: DatabaseInfo.Server(
        version: "PG \(facts.version)", headline: facts.means.headline,
        isPushed: facts.means.isPushed, isReplica: facts.isReplica,
        notes: (facts.loss.map { ["no connection: \($0)"] } ?? [facts.means.explanation])
          + (facts.reason.map { ["no better way: \($0)"] } ?? [])
          + ["own transactions can't be undone here"]))
  }

  func run(
    _ sql: String, _ arguments: QueryArguments, isWholeTransaction: Bool, rowLimit: Int,
    byteLimit: Int, progress: StatementProgress?
  ) async throws -> StatementOutcome {
    let outcome = try await run(
      ServerStatement(sql), arguments.positional.map(\.parameterText), rowLimit: rowLimit,
      byteLimit: byteLimit
    ) { progress?.note(rows: $0) }
    return StatementOutcome(
      rows: outcome.rows, rowCount: outcome.rowCount, changes: outcome.changes,
      isInTransaction: outcome.isInTransaction)
  }

  func undoJournal() -> UndoJournal? { nil }

  func interrupt() { cancelQueries() }

  // The server ends what a stopped program holds.
  func whileStill(sparesConsole: Bool, _ body: () -> Void) { body() }
}

extension Server.PanelQuery {
  /// A panel's query, with the values of `--param`.
  fileprivate init(_ query: Query<RowSet>) {
    self.init(sql: query.sql, parameters: query.arguments.named)
  }
}
