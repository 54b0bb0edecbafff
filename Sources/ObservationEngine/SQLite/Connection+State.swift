internal import CSQLite

extension Connection {
  /// Whether a transaction is open.
  public var isInTransaction: Bool {
    requireUse()
    return hasOpenTransaction
  }

  /// Whether the database is read-only.
  package var isReadOnly: Bool {
    requireUse()
    return canOnlyRead
  }

  package var hasOpenTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
  var canOnlyRead: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// How dates are stored.
  package var dateFormat: DateFormat { options.dateFormat }

  /// The rowid of the most recently inserted row; 0 before the first.
  public var lastInsertedRowid: Int64 {
    requireUse()
    return sqlite3_last_insert_rowid(handle)
  }

  /// Rows changed by the most recent INSERT, UPDATE or DELETE.
  package var changes: Int { Int(sqlite3_changes64(handle)) }
  package var totalChanges: Int64 { sqlite3_total_changes64(handle) }

  /// Whether the transaction holds, or will take, a write lock on `main`.
  var isWritingMain: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

  /// Whether the transaction holds, or will take, a write lock on any database.
  package var isWriting: Bool { sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE }

  /// Pages that this connection has written to disk since it was opened.
  var pagesWritten: Int32 {
    var now: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &now, &highest, 0)
    return now
  }

  package var journalMode: String {
    get throws(DatabaseError) {
      guard case .text(let mode)? = try fetch(engine: "PRAGMA journal_mode").first?.first else {
        return "unknown"
      }
      return mode
    }
  }

  /// Throws if the connection is used after the closure that received it has returned: by then
  /// another thread may use it, or it may be closed.
  func checkUse() throws(DatabaseError) {
    guard isUsable else { throw DatabaseError(code: .misuse, message: Self.useRefusal) }
  }

  /// Traps where ``checkUse()`` would throw.
  func requireUse() { precondition(isUsable, Self.useRefusal) }

  private var isUsable: Bool { lease.isLent.map { $0() } ?? true && life.isOpen }

  private static let useRefusal =
    "this connection was used outside of the closure that received it; return values from there, and "
    + "ask the database for another access"

  /// Throws in the closure of a write that was cancelled: SQLite itself would run whatever takes few steps. And while
  /// SQLite asks whether to commit: running any statement then is undefined behaviour.
  ///
  /// See https://www.sqlite.org/c3ref/commit_hook.html
  func checkMayRun(_ sql: String) throws(DatabaseError) {
    if managesTransaction, interruptHandle.endsStatements { throw .cancelled(sql: sql) }
    guard transactionState.isDeciding else { return }
    throw DatabaseError(
      code: .misuse,
      message: "no SQL can run while a commit is decided; read in didCommit, or before the commit",
      sql: sql)
  }

  /// The error for the code that wrote: that of the observer that refused the commit, or `error`.
  func reported(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError, error.code == .refusedCommit else { return error }
    return transactionState.refusal.take() ?? error
  }

  /// Whether a database other than `main` and `temp` is attached.
  var hasAttachedDatabases: Bool {
    // The name of the database at index 2; 0 and 1 are main and temp.
    sqlite3_db_name(handle, 2) != nil
  }

  /// Whether closing the connection would lose session state that the next one lacks: a setting
  /// (`PRAGMA foreign_keys`), an attached database, tables in `temp`; or the pending error about
  /// such a loss.
  var holdsState: Bool { hasLostState || authorizer.hasMadeState }

  /// Throws an error, once, to the next statement of the application if its session state is lost.
  func tellLostState() throws(DatabaseError) {
    guard hasLostState, authorizer.policy == .writer else { return }
    hasLostState = false
    throw DatabaseError(
      code: .aborted,
      message: "the file had to be opened again: settings (PRAGMA), attached databases and "
        + "temporary tables are gone; nothing was run")
  }

  /// The schemas whose tables this connection reads or writes: `main`, attached databases, and
  /// `temp` once a statement has named it.
  var schemas: [String] {
    var schemas = ["main"]
    if authorizer.hasSeenTemp { schemas.append("temp") }
    return schemas + attachedSchemas
  }

  /// The attached databases, without `main` and `temp`.
  private var attachedSchemas: [String] {
    var schemas: [String] = []
    // 0 and 1 are main and temp.
    while let name = sqlite3_db_name(handle, 2 + Int32(schemas.count)) {
      schemas.append(String(cString: name))
    }
    return schemas
  }

  /// Compares the schema with the one behind the cached statements and the catalog.
  ///
  /// - Returns: Whether it changed; then both are renewed.
  func renewIfSchemaChanged() throws(DatabaseError) -> Bool {
    let main = try integer(of: .schemaVersion)
    if schemaState.versions?.count == 1, schemaState.versions?["main"] == main,
      !hasAttachedDatabases,
      !authorizer.hasSeenTemp
    {
      return false
    }
    var versions = ["main": main]
    for schema in schemas.dropFirst() {
      guard let version = try SchemaReader(self).version(of: schema) else { return false }
      // `temp` starts empty, and no statement has read it yet.
      if schema != "temp" || version != 0 { versions[schema] = version }
    }
    guard versions != schemaState.versions else { return false }
    forgetStatements()
    forgetDeltaTables()
    schemaState.catalog = try TableCatalog(reading: self)
    decideQuotedStrings()
    defer { schemaState.versions = versions }
    return schemaState.versions != nil
  }

  /// As ``renewIfSchemaChanged()``, for a transaction that has just been committed.
  ///
  /// If ``transaction(beforeCommit:_:)`` ran it, and no statement in it changed a schema, this
  /// reads nothing: reading would be another read transaction.
  func renewIfCommitChangedSchema() throws(DatabaseError) -> Bool {
    try transactionState.keptSchema ? false : renewIfSchemaChanged()
  }

  /// Runs `body` and records the region that its SQL reads.
  func recordingRegion<Output>(
    _ body: () throws -> Output
  ) -> (Result<Output, any Error>, Region) {
    let outer = fetchState.recorded
    fetchState.recorded = Region()
    defer { fetchState.recorded = outer }
    let result = Result { try body() }
    return (result, fetchState.recorded ?? Region())
  }

  /// Runs `body` without recording what its SQL reads.
  package func withoutRecording<Output>(_ body: () throws -> Output) rethrows -> Output {
    let outer = fetchState.recorded
    fetchState.recorded = nil
    defer { fetchState.recorded = outer }
    return try body()
  }

  /// Runs `body` with the connection restricted to reading, as if it had been opened as a reader.
  ///
  /// Read-only statements have their own cache. `PRAGMA query_only` is not used: it would make
  /// SQLite prepare every statement of the connection again, each time.
  ///
  /// - Throws: What `body` throws; `DatabaseError` when it has written nevertheless, which an SQL
  ///   function of a virtual table could do; see ``Database/snapshot(_:_:)`` for the consequences.
  func readingOnly<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isReadingOnly else { return try body() }
    isReadingOnly = true
    defer { isReadingOnly = false }
    return try body()
  }

  /// Runs `body`, in which equal queries run only once, and not at all if `source` has their results.
  func sharingResults<Result>(
    from source: ResultSource? = nil, _ body: () throws -> Result
  ) rethrows -> Result {
    fetchState.sharedResults = [:]
    fetchState.source = source
    defer {
      fetchState.sharedResults = nil
      fetchState.source = nil
    }
    return try body()
  }

  /// The result of a query in the running refresh without running it: that of an equal query which has run, or one
  /// that was kept up to date; `nil` when there is none, or no refresh runs.
  package func sharedResult(
    of sql: String, _ arguments: QueryArguments
  ) -> Result<RowSet, DatabaseError>? {
    guard fetchState.sharedResults != nil else { return nil }
    let key = QueryKey(sql: sql, arguments: arguments)
    if let known = fetchState.sharedResults?[key] {
      fetchState.usedResults.append((key, known.isMaintained))
      return known.result
    }
    guard let maintained = fetchState.source?.result(key, self) else { return nil }
    // A cancelled evaluation says nothing about the next one.
    if case .success = maintained {
      fetchState.sharedResults?[key] = SharedResult(result: maintained, isMaintained: true)
    }
    fetchState.usedResults.append((key, true))
    return maintained
  }

  /// Leaves the result of a query that ran to equal queries of the running refresh, if one runs.
  package func share(
    _ result: Result<RowSet, DatabaseError>, of sql: String, _ arguments: QueryArguments
  ) {
    let key = QueryKey(sql: sql, arguments: arguments)
    // A known result comes back here, from a panel that keeps it.
    guard fetchState.sharedResults != nil, fetchState.sharedResults?[key] == nil else { return }
    fetchState.sharedResults?[key] = SharedResult(result: result, isMaintained: false)
    fetchState.usedResults.append((key, false))
    if case .success(let rows) = result { fetchState.source?.didRun(key, rows) }
  }

  /// Notes that the running fetch ran a query whose result it doesn't leave to equal ones.
  func noteUnshared(_ sql: String, _ arguments: QueryArguments) {
    fetchState.usedResults.append((QueryKey(sql: sql, arguments: arguments), false))
  }

  /// Runs `body`, cancelling the statement in it that runs when `isOver` says so, or that of a budget around
  /// this one.
  package func withBudget<Output>(
    _ isOver: @escaping () -> Bool, _ body: () throws -> Output
  ) rethrows -> Output {
    let outer = fetchState.isOverBudget
    fetchState.isOverBudget = outer.map { outer in { outer() || isOver() } } ?? isOver
    defer { fetchState.isOverBudget = outer }
    return try body()
  }

  /// Checks every few thousand steps of a statement whether to go on; more often where each
  /// microsecond counts because a lock is held.
  ///
  /// `sqlite3_interrupt` alone is not enough: SQLite forgets it when no statement is running, for
  /// instance between two statements of one job.
  func installProgressHandler(every steps: Int32 = 2_000) {
    sqlite3_progress_handler(
      handle, steps,
      { context in
        let connection = Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue()
        // A budget for fetching doesn't cover the end of a transaction.
        let isOver =
          connection.interruptHandle.endsStatements
          || (!connection.transactionState.isEnding
            && connection.fetchState.isOverBudget?() == true)
        return isOver ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
