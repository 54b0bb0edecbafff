internal import CSQLite

/// One SQLite connection.
///
/// Confined to one thread of execution at a time. Never keep it beyond the closure that received
/// it: afterwards, methods that run SQL throw a `DatabaseError` with code `misuse`, and properties
/// trap.
public final class Connection {
  /// The options for opening a connection.
  struct Options: Sendable {
    var isReadOnly = false
    /// Creates the file if there is none.
    var createsFile = false
    /// Why writes are refused, when there is more to say than that the database is read-only.
    var writeRefusal: String?
    /// Opens the file as immutable: the only way in a folder that is not writable.
    var isImmutable = false
    /// Refuses writes, transactions, ATTACH and writing pragmas in the SQL that it runs.
    var isReader = false
    /// How long a statement waits for a lock.
    var busyTimeout = Duration.seconds(5)
    /// Whether views and triggers of the file may call functions with side effects.
    var trustsSchema = false
    var enforcesForeignKeys = false
    /// The journal mode to change to; `nil` keeps the current one.
    var journalMode: JournalMode?
    var functions: [CustomFunction] = []
    var collations: [CustomCollation] = []
    var attachments: [(schema: String, path: String)] = []
    /// Whether expressions in the schema can call functions of the application, or compare by its collations.
    var schemaCallsApplication = false
    /// Called before the first use, and before a reader is restricted.
    var prepare: (@Sendable (Connection) throws -> Void)?
    /// How dates are stored.
    var dateFormat = DateFormat.iso8601
    /// Limits on SQL, for a connection that only reads.
    var limits = ResourceLimits()
    /// How an error refers to them.
    var limitRemedy = ""
    /// The content may disappear with the connection.
    fileprivate(set) var isInMemory = false
  }

  let handle: OpaquePointer
  let options: Options
  let interruptHandle: InterruptHandle
  let life = ConnectionLife()
  let authorizer = Authorizer()
  /// The state of the files that it has open.
  let wal: WALView
  var statements = PreparedStatements()
  var schemaState = SchemaState()
  var transactionState = TransactionState()
  var fetchState = FetchState()
  var lockWait = LockWait()
  /// The owner's hooks: who may use it, and what closing it does.
  var lease = Lease()
  /// Receives what the connection does; only a writing connection has one.
  var delegate: (any ConnectionDelegate)?
  /// The ordinal of the last commit of this connection that was observed; `nil` before the first.
  package var lastCommitOrdinal: Int? { delegate?.lastOrdinal }
  /// The previous connection had session state that this one lacks, and no statement has reported
  /// it yet.
  var hasLostState = false

  /// The prepared statements that are reused.
  struct PreparedStatements {
    /// By the kind of caller: each kind is prepared under its own rules (see
    /// ``Connection/cacheKind``).
    var caches = (0..<3).map { _ in StatementCache(capacity: 64) }
    var fixed = [OpaquePointer?](repeating: nil, count: FixedStatement.allCases.count)
  }

  /// The known state of the schemas.
  struct SchemaState {
    /// The version of each schema when ``catalog`` was read.
    var versions: [String: Int64]?
    /// The tables of the database as of ``versions``.
    var catalog = TableCatalog()
    /// The SQL that finds a row by key, as long as the schema is unchanged.
    var lookups: [LookupPlace: String] = [:]
    /// Whether columns are the rowids of their tables, by the names of both, as long as the schema is
    /// unchanged.
    var rowidColumns: [[String]: Bool] = [:]
    /// What computes columns of changed rows, as long as the schema is unchanged; `nil` where they aren't computed.
    var computations: [TableID: ComputedColumns?] = [:]
    /// What can't be written in the tables of records, as long as the schema is unchanged.
    var writingLimits: [String: WritingLimits] = [:]
    /// The indexes of each schema by their root pages, as long as the schema is unchanged.
    var visitedIndexes: [String: [Int64: VisitedIndex]] = [:]
    /// The tables through which SQL reads changed rows.
    var deltaTables: [TableID: DeltaTable] = [:]
  }

  /// The state of the open transaction, or of the last one.
  struct TransactionState {
    /// The engine began it, or SQL that the engine ran did; so it isn't a leftover that could not
    /// be ended.
    var isKnown = false
    /// A job that may leave its transaction open has done so, and later jobs are part of it.
    var isKept = false
    /// A COMMIT or ROLLBACK of the engine is running, which nothing may interrupt.
    var isEnding = false
    /// SQLite is asking whether to commit: no SQL may run.
    var isDeciding = false
    /// Why an observer of transactions refused the last commit.
    var refusal: (any Error)?
    /// It changed a schema, and may still be rolled back.
    var hasChangedSchema = false
    /// It is being committed, and has certainly left the schema unchanged.
    var keptSchema = false
    /// A statement ran that may have written something other than rows, or SQLite's handle was
    /// lent.
    var mayHaveWrittenMore = false
    /// How many calls of ``Connection/savepoint(_:)`` are nested.
    var savepointDepth = 0
    /// What to do at its end.
    var endActions: [TransactionEndAction] = []
  }

  /// The state of the running fetch, or refresh.
  struct FetchState {
    /// What its SQL reads; `nil` while that is not recorded.
    var recorded: Region?
    /// Results of the running refresh, so that equal queries run once.
    var sharedResults: [QueryKey: SharedResult]?
    /// The queries whose results the running fetch used, each with how it came about.
    var usedResults: [(key: QueryKey, isMaintained: Bool)] = []
    /// Where results come from that need not be computed by running their query.
    var source: ResultSource?
    /// How many bytes of rows may still be loaded; `nil` for no limit.
    var resultRoom: Int?
    /// Called every few thousand virtual-machine steps; `true` cancels the statement.
    var isOverBudget: (() -> Bool)?
  }

  /// The wait for a lock that another connection holds.
  struct LockWait {
    /// When the waiting statement started to wait, in nanoseconds.
    var since: UInt64 = 0
    /// The last wait ended because the job was interrupted.
    var wasStopped = false
    /// The count of ``Lease/emptyings`` when a lock was last refused.
    var emptyings = 0
  }

  /// Who may use a connection, and what closing it means for other connections.
  struct Lease {
    /// Whether the current thread may use the connection: set once by the owning queue before it
    /// lends the connection. `nil` for a connection with a single user.
    var isLent: (() -> Bool)?
    /// Whether no other file has been found at the path since it was opened.
    var isOfCurrentFile: () -> Bool = { true }
    /// Decides, when the connection is closed, what to do with its WAL, which SQLite checkpoints
    /// and deletes when no other connection has it open.
    var logEnding: ((Connection) -> WALEnding)?
    /// Runs the closing while no other connection to the same file is being closed.
    var closeExclusively: ((_ close: () -> Void) -> Void)?
    /// The times when this process empties the WALs of the files.
    var emptyings: [LogEmptyings] = []
    /// Called once the connection is closed.
    var onClose: [() -> Void] = []
  }

  /// The tables of the database.
  package var catalog: TableCatalog { schemaState.catalog }
  /// Whether the running SQL is the engine's own.
  var isRunningEngineSQL: Bool {
    get { authorizer.isEngine }
    set { authorizer.isEngine = newValue }
  }
  /// Whether the SQL that it runs may only read.
  var isReadingOnly: Bool {
    get { authorizer.isReader }
    set { authorizer.isReader = newValue }
  }

  /// Opens a database file, a private in-memory database for `:memory:`, or a private temporary file for an
  /// empty path.
  convenience init(path: String, options: Options) throws(DatabaseError) {
    let name = options.isImmutable ? "file:\(percentEncoded(path))?immutable=1" : path
    var options = options
    options.isInMemory = path == ":memory:" || path.isEmpty
    try self.init(name: name, isURI: options.isImmutable, options)
  }

  /// Opens the in-memory database of this name, which all connections of the process with that name
  /// share: names that begin with a slash are shared. See
  /// https://www.sqlite.org/src/file/src/memdb.c
  convenience init(sharedMemory name: String, options: Options) throws(DatabaseError) {
    var options = options
    // This call may create the database, so it can't be read-only.
    options.isReadOnly = false
    options.isInMemory = true
    try self.init(name: "file:/\(percentEncoded(name))?vfs=memdb", isURI: true, options)
  }

  private init(name: String, isURI: Bool, _ options: Options) throws(DatabaseError) {
    self.options = options
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    flags |= options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    if isURI { flags |= SQLITE_OPEN_URI }
    if options.createsFile { flags |= SQLITE_OPEN_CREATE }
    var handle: OpaquePointer?
    let result = sqlite3_open_v2(name, &handle, flags, nil)
    guard result == SQLITE_OK, let handle else {
      let error = DatabaseError(handle: handle, result: result)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    interruptHandle = InterruptHandle(handle)
    wal = WALView(handle)
    try setUp()
  }

  private func setUp() throws(DatabaseError) {
    _ = lq_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // Before 3.41 SQLite keeps its own JSON functions from schemas that aren't trusted, and before 3.44 FTS5 and R*Tree:
    // a file with such a generated column could not be read, one with such a trigger not be written. The application's
    // functions are kept from schemas by themselves: see `install`.
    let trustsSchema = options.trustsSchema || sqlite3_libversion_number() < 3_044_000
    _ = lq_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, trustsSchema ? 1 : 0)
    _ = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    // A misspelt column in double quotes would be a string: DELETE FROM t WHERE "agee" > 1 empties
    // t.
    _ = lq_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    allowQuotedStrings(false)
    _ = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, options.enforcesForeignKeys ? 1 : 0)
    if options.isReader { lowerLimits() }
    authorizer.install(on: handle)
    installBusyHandler()
    installProgressHandler()
    for function in options.functions { try install(function) }
    for collation in options.collations { try install(collation) }
    for (schema, path) in options.attachments {
      _ = try fetch(engine: "ATTACH ?1 AS \(schema.quotedIdentifier)", [.text(path)])
    }
    authorizer.attached = Set(options.attachments.map(\.schema.asciiLowercased))
    if let mode = options.journalMode { try change(to: mode) }
    do { try options.prepare?(self) } catch let error as DatabaseError { throw error } catch {
      throw DatabaseError(
        code: .error, message: "Configuration.prepareConnection failed: \(error)")
    }
    // Every connection is prepared alike, so this is not session state.
    authorizer.hasMadeState = false
    if options.isReader {
      try execute(engine: "PRAGMA query_only = 1")
      isReadingOnly = true
    }
  }

  private func change(to mode: JournalMode) throws(DatabaseError) {
    guard try journalMode != mode.rawValue else { return }
    let rows = try fetch(engine: "PRAGMA journal_mode = \(mode.rawValue)")
    guard rows.first?.first == .text(mode.rawValue) else {
      throw DatabaseError(
        code: .misuse,
        message:
          "the journal mode cannot be \(mode.rawValue) here; leave Configuration.journalMode nil")
    }
  }

  /// Gives a new file the WAL mode if its file system allows that.
  func preferWAL() throws(DatabaseError) { _ = try fetch(engine: "PRAGMA journal_mode = wal") }

  deinit { close() }

  /// Closes the connection now, even if it is still referenced; it must not be used afterwards.
  func close() {
    guard life.isOpen else { return }
    life.didClose()
    interruptHandle.invalidate()
    delegate?.connectionWillClose()
    // SQLite keeps a connection, and its locks, open as long as one of its statements exists.
    comeToRest()
    forgetStatements()
    finalizeFixedStatements()
    // An interruption that came too late for its statement would end the checkpoint of the last
    // close, and leave the WAL in place. Running a statement clears it.
    isRunningEngineSQL = true
    sqlite3_exec(handle, "SELECT 1", nil, nil, nil)
    if let closeExclusively = lease.closeExclusively {
      closeExclusively(closeHandle)
    } else {
      closeHandle()
    }
    for action in lease.onClose { action() }
  }

  private func closeHandle() {
    switch lease.logEnding?(self) ?? .usual {
    case .usual: break
    case .keepingFiles:
      // https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlpersistwal
      var isKept: Int32 = 1
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    case .leavingAll: _ = lq_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }
    sqlite3_close_v2(handle)
  }

  func error(_ result: Int32, sql: String?, baseOffset: Int = 0) -> DatabaseError {
    let error = DatabaseError(handle: handle, result: result, sql: sql, baseOffset: baseOffset)
    defer { lockWait.wasStopped = false }
    if lockWait.wasStopped, error.code.primary == .busy {
      return DatabaseError(
        code: .interrupted, message: "the statement was cancelled while it waited for a lock",
        sql: sql)
    }
    if error.code == .refusedCommit, let refusal = transactionState.refusal {
      return DatabaseError(
        code: error.code, message: "an observer refused the commit: \(refusal)", sql: sql)
    }
    if error.code.primary == .readOnly, let refusal = options.writeRefusal {
      return DatabaseError(code: error.code, message: refusal, sql: sql, offset: error.offset)
    }
    // SQLite reports a refused function as a plain error, not as SQLITE_AUTH.
    let isRefusal =
      error.code.primary == .authorization || error.message.hasPrefix("not authorized")
    if isRefusal, let refusal = authorizer.refusal {
      return DatabaseError(code: error.code, message: refusal, sql: sql, offset: error.offset)
    }
    return explainLimit(error)
  }
}

/// Provides results of queries within a refresh, and learns what the others are.
struct ResultSource {
  /// The result of a query in the open transaction; `nil` when the query must run.
  let result: (QueryKey, Connection) -> Result<RowSet, DatabaseError>?
  /// Called when a query ran to its end.
  let didRun: (QueryKey, RowSet) -> Void
}

/// A result that equal queries of a refresh share.
struct SharedResult {
  let result: Result<RowSet, DatabaseError>
  /// Whether it is from ``ResultSource``: the query did not run.
  let isMaintained: Bool
}

/// Identifies a query and its arguments.
struct QueryKey: Hashable {
  let sql: String
  let arguments: QueryArguments

  static func == (left: QueryKey, right: QueryKey) -> Bool {
    left.sql.isExactly(right.sql) && left.arguments == right.arguments
  }
}

private func percentEncoded(_ path: String) -> String {
  let digits = Array("0123456789ABCDEF")
  return path.utf8.reduce(into: "") { text, byte in
    switch byte {
    case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"), 0...0x20, 0x7f...:
      text += "%" + String(digits[Int(byte >> 4)]) + String(digits[Int(byte & 15)])
    default: text.unicodeScalars.append(Unicode.Scalar(byte))
    }
  }
}
