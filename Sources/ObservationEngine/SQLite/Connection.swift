internal import CSQLite

/// One SQLite connection.
///
/// Confined to one thread of execution at a time. Never keep it beyond the closure that received it: what
/// runs SQL throws a `DatabaseError` with code `misuse` then, and the properties trap.
public final class Connection {
  /// How a connection is opened.
  struct Options: Sendable {
    var isReadOnly = false
    /// Makes the file when there is none.
    var createsFile = false
    /// Why nothing is written, if there is more to say than that the database can only be read.
    var writeRefusal: String?
    /// Opens the file as one that nobody changes: the only way into a folder that cannot be
    /// written.
    var isImmutable = false
    /// Refuses writes, transactions, ATTACH and writing pragmas of the SQL that it is given.
    var isReader = false
    /// How long a statement waits for a lock, in milliseconds.
    var busyTimeout = Duration.seconds(5)
    /// Whether views and triggers of the file may call functions with side effects.
    var trustsSchema = false
    var enforcesForeignKeys = false
    /// The journal mode to change to; `nil` leaves it.
    var journalMode: JournalMode?
    var functions: [CustomFunction] = []
    var collations: [CustomCollation] = []
    var attachments: [(schema: String, path: String)] = []
    /// Called before the first use, and before a reader is restricted.
    var prepare: (@Sendable (Connection) throws -> Void)?
    /// How dates are stored.
    var dateFormat = DateFormat.iso8601
    /// What SQL may use, on a connection that only reads.
    var limits = ResourceLimits()
    /// What an error says of them.
    var limitRemedy = ""
    /// The content may go with the connection.
    fileprivate(set) var isInMemory = false
  }

  let handle: OpaquePointer
  let options: Options
  let interruptHandle: InterruptHandle
  let life = ConnectionLife()
  let authorizer = Authorizer()
  /// What the files that it has open say.
  let wal: WALView
  var statements = PreparedStatements()
  var schemaState = SchemaState()
  var transactionState = TransactionState()
  var fetchState = FetchState()
  var lockWait = LockWait()
  /// What it belongs to, and what is done when it closes.
  var lease = Lease()
  /// Hears of what the connection does; only a writing connection has one.
  var delegate: (any ConnectionDelegate)?
  /// The connection before this one had something that this one has not, and no statement was refused for it yet.
  var hasLostState = false

  /// The statements that are kept prepared.
  struct PreparedStatements {
    /// By who may run them: each kind is prepared under other rules (see ``Connection/cacheKind``).
    var caches = (0..<3).map { _ in StatementCache(capacity: 64) }
    var fixed = [OpaquePointer?](repeating: nil, count: FixedStatement.allCases.count)
  }

  /// What is known of the schemas.
  struct SchemaState {
    /// The version of each schema when ``catalog`` was read.
    var versions: [String: Int64]?
    /// The tables of the database as of ``versions``.
    var catalog = TableCatalog()
    /// The SQL that looks a row up, as long as the schema is the same.
    var lookups: [LookupPlace: String] = [:]
  }

  /// What is known of the open transaction, or the one that ended last.
  struct TransactionState {
    /// It was begun by the engine or by SQL that the engine was given: it is not one that could not be ended.
    var isKnown = false
    /// A job that may leave its transaction open has done so, and the jobs that follow are a part of it.
    var isKept = false
    /// A COMMIT or ROLLBACK of the engine runs, which nothing may interrupt.
    var isEnding = false
    /// SQLite asks whether to commit: no SQL may run.
    var isDeciding = false
    /// Why the last commit was refused by an observer of transactions.
    var refusal: (any Error)?
    /// It changed a schema, which may be rolled back yet.
    var hasChangedSchema = false
    /// It is being committed, and has surely left the schema as it was.
    var keptSchema = false
    /// A statement ran that may have written something else than rows, or SQLite's handle was lent.
    var mayHaveWrittenMore = false
    /// How many calls of ``Connection/savepoint(_:)`` are nested.
    var savepointDepth = 0
    /// What to do at its end.
    var endActions: [TransactionEndAction] = []
  }

  /// What the running fetch, or refresh, must know.
  struct FetchState {
    /// What its SQL reads; `nil` when that is not recorded.
    var recorded: Region?
    /// Results of the running refresh, so that equal queries run once.
    var sharedResults: [QueryKey: Result<RowSet, DatabaseError>]?
    /// How many bytes of rows may still be held; `nil` for any number.
    var resultRoom: Int?
    /// Called each few thousand virtual-machine steps; `true` cancels the statement.
    var isOverBudget: (() -> Bool)?
  }

  /// The wait for a lock that another connection holds.
  struct LockWait {
    /// When the statement that waits began to, in nanoseconds.
    var since: UInt64 = 0
    /// The last wait ended because the job was interrupted.
    var wasStopped = false
  }

  /// To whom a connection is lent, and what its closing means for others.
  struct Lease {
    /// Whether the current thread may use the connection: set by the queue that owns it, once, before it is
    /// lent. `nil` for a connection that has one user.
    var isLent: (() -> Bool)?
    /// Whether no other file was found at the path since it was opened.
    var isOfCurrentFile: () -> Bool = { true }
    /// Asked when the connection is closed: what to do with the log that it has open, which SQLite copies
    /// and deletes when no other connection has it open.
    var logEnding: ((Connection) -> LogEnding)?
    /// Runs what closes the connection while no other one to the same file is being closed.
    var closeExclusively: ((_ close: () -> Void) -> Void)?
    /// Called once the connection is closed.
    var onClose: [() -> Void] = []
  }

  /// The tables of the database.
  package var catalog: TableCatalog { schemaState.catalog }
  /// Whether the SQL that runs is the engine's own.
  var isRunningEngineSQL: Bool {
    get { authorizer.isEngine }
    set { authorizer.isEngine = newValue }
  }
  /// Whether the SQL that it is given may only read.
  var isReadingOnly: Bool {
    get { authorizer.isReader }
    set { authorizer.isReader = newValue }
  }

  /// Opens a database file, or a private database in memory for `:memory:`.
  convenience init(path: String, options: Options) throws(DatabaseError) {
    let name = options.isImmutable ? "file:\(percentEncoded(path))?immutable=1" : path
    var options = options
    options.isInMemory = path == ":memory:"
    try self.init(name: name, isURI: options.isImmutable, options)
  }

  /// Opens the database in memory of this name, which all connections of the process share that
  /// name it: names that begin with a slash are shared.
  /// See https://www.sqlite.org/src/file/src/memdb.c
  convenience init(sharedMemory name: String, options: Options) throws(DatabaseError) {
    var options = options
    // There is nothing to protect when it was made a moment ago by this very call.
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
    _ = lq_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, options.trustsSchema ? 1 : 0)
    _ = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    // A misspelt column in double quotes would be a text: DELETE FROM t WHERE "agee" > 1 empties t.
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
    // Every connection is prepared alike.
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

  /// Gives a new file the WAL mode where its file system allows that.
  func preferWAL() throws(DatabaseError) { _ = try fetch(engine: "PRAGMA journal_mode = wal") }

  deinit { close() }

  /// Closes the connection now, whoever still refers to it; it must not be used afterwards.
  func close() {
    guard life.isOpen else { return }
    life.didClose()
    interruptHandle.invalidate()
    delegate?.connectionWillClose()
    // SQLite keeps a connection, and its locks, for as long as a statement of it is left.
    comeToRest()
    forgetStatements()
    finalizeFixedStatements()
    // An interruption that came too late for its statement would end the checkpoint of the last close,
    // and leave the log where it is. The next statement forgets it.
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
    // A function that is refused is told as a plain error, not as SQLITE_AUTH.
    let isRefusal =
      error.code.primary == .authorization || error.message.hasPrefix("not authorized")
    if isRefusal, let refusal = authorizer.refusal {
      return DatabaseError(code: error.code, message: refusal, sql: sql, offset: error.offset)
    }
    return explainLimit(error)
  }
}

/// Identifies a query and its arguments.
struct QueryKey: Hashable {
  var sql: String
  var arguments: QueryArguments
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
