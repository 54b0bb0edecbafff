internal import CSQLite

/// SQLite's authorizer callback: records what a statement reads while it is prepared, and refuses
/// what a panel's query may not do.
///
/// Guarded by the connection's thread of execution: SQLite calls it only inside prepare and step.
final class Authorizer {
  /// Where the statement under preparation comes from.
  enum Policy {
    /// The engine itself: everything is allowed.
    case engine
    /// The console's user, or an application's write: everything except loading extensions.
    case writer
    /// A query that must not change anything, hold a transaction, or open files.
    case reader
  }

  /// The engine runs its own SQL. SQLite also calls the authorizer when it prepares a statement
  /// again, in the middle of a step, so the rules in force follow the connection and not the last
  /// `prepare`.
  var isEngine = false
  /// The connection may only read.
  var isReader = false
  /// The engine ends the open transaction, so its SQL may not.
  var managesTransaction = false
  /// Databases that every connection attaches, and that none may detach.
  var attached: Set<String> = []
  var policy: Policy { isEngine ? .engine : isReader ? .reader : .writer }
  /// The tables and columns read by the statement under preparation.
  private(set) var reads = Region()
  /// Whether the statement is a pragma that only reports. SQLite counts some of those as writing
  /// (`PRAGMA journal_mode`).
  private(set) var isReadingPragma = false
  /// Whether the statement begins or ends a transaction.
  private(set) var controlsTransaction = false
  /// Whether the statement begins or ends a savepoint.
  private(set) var controlsSavepoint = false
  /// Whether the statement changes a schema or a setting that other statements depend on.
  private(set) var changesSchema = false {
    didSet { hasSeenSchemaChange = hasSeenSchemaChange || changesSchema }
  }
  /// Set when any statement changes a schema, including ones that a virtual table prepares. The
  /// caller clears it.
  var hasSeenSchemaChange = false
  /// The schemas in which any statement alters or drops a table. The caller clears it.
  var schemasOfChangedTables: Set<String> = []
  /// Whether the statement, if it writes, may write something other than rows.
  private(set) var writesMore = false
  /// Whether the statement may change the journal mode.
  private(set) var changesJournalMode = false
  /// Whether a statement has named something in `temp`.
  private(set) var hasSeenTemp = false
  /// Whether a statement other than the engine's own was prepared that changes a setting of the
  /// connection, its attached databases, or something in `temp`: state that the next connection
  /// would lack.
  var hasMadeState = false
  /// The SQL functions that the statement under preparation calls, in lower case.
  private(set) var functions: Set<String> = []
  /// The views, or common table expressions, in which it calls functions or reads columns.
  private(set) var callers: Set<String> = []
  /// Why the last statement was refused, for the error.
  private(set) var refusal: String?

  func begin() {
    reads = Region()
    functions = []
    callers = []
    refusal = nil
    isReadingPragma = false
    controlsTransaction = false
    controlsSavepoint = false
    changesSchema = false
    writesMore = false
    changesJournalMode = false
  }

  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, schema, caller in
        let authorizer = Unmanaged<Authorizer>.fromOpaque(context!).takeUnretainedValue()
        if action == SQLITE_FUNCTION, let second {
          authorizer.functions.insert(String(cString: second).asciiLowercased)
        }
        if let caller, action == SQLITE_FUNCTION || action == SQLITE_READ {
          authorizer.callers.insert(String(cString: caller))
        }
        return authorizer.decide(
          action, first.map { String(cString: $0) }, second.map { String(cString: $0) },
          schema.map { String(cString: $0) })
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  private func decide(_ action: Int32, _ first: String?, _ second: String?, _ schema: String?)
    -> Int32
  {
    if schema == "temp", policy != .engine { hasSeenTemp = true }
    switch action {
    case SQLITE_READ:
      if let first {
        let table = TableID(schema: schema ?? "main", name: first)
        reads.insert(rowsOf: table)
        // Without a name, the rows alone are read.
        if let second, !second.isEmpty { reads.insert(column: second, of: table) }
      }
      return SQLITE_OK
    case SQLITE_SELECT, SQLITE_RECURSIVE:
      return SQLITE_OK
    case SQLITE_FUNCTION:
      if let name = second?.asciiLowercased, policy != .engine, name == "load_extension" {
        return refuse("extensions cannot be loaded")
      }
      return SQLITE_OK
    case SQLITE_PRAGMA:
      let name = first?.asciiLowercased ?? ""
      writesMore = true
      if Encryption.pragmas.contains(name), !Encryption.isAvailable {
        return refuse(Encryption.refusal(of: name))
      }
      if policy == .reader, !ReadingPragmas.allows(name, argument: second) {
        return refuse("PRAGMA \(name) is not allowed in a query that only reads")
      }
      isReadingPragma = policy == .reader
      if let second, policy != .engine, !ReadingPragmas.allows(name, argument: second) {
        // Statements may have been prepared under any setting.
        changesSchema = true
        changesJournalMode = changesJournalMode || name == "journal_mode"
        hasMadeState = hasMadeState || !PragmaScope.isFile(name)
      }
      if second == nil || ReadingPragmas.describesSchema(name) {
        reads.insertEverything(reason: "PRAGMA \(name)")
      }
      return SQLITE_OK
    case SQLITE_ATTACH, SQLITE_DETACH:
      changesSchema = true
      hasMadeState = hasMadeState || policy == .writer
      if policy == .reader { return refuse("ATTACH and DETACH are not allowed here") }
      if action == SQLITE_DETACH, policy == .writer, let first,
        attached.contains(first.asciiLowercased)
      {
        return refuse(
          "\(first) is attached to every connection by Configuration.attachments; "
            + "it goes when the database is closed")
      }
      return SQLITE_OK
    case SQLITE_TRANSACTION:
      controlsTransaction = true
      return decideTransaction(first ?? "")
    case SQLITE_SAVEPOINT:
      controlsSavepoint = true
      return policy == .reader
        ? refuse("a query that only reads cannot open or end a transaction") : SQLITE_OK
    default:
      hasMadeState = hasMadeState || (schema == "temp" && policy == .writer)
      changesSchema = changesSchema || Self.changesSchema(action)
      writesMore = writesMore || Self.changesSchema(action)
      switch action {
      case SQLITE_ALTER_TABLE: schemasOfChangedTables.insert(first?.asciiLowercased ?? "")
      case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE:
        schemasOfChangedTables.insert(schema?.asciiLowercased ?? "")
      default: break
      }
      // The rest writes. It is not refused here, because a virtual table prepares its own writing
      // statements when it is first read (R*Tree does). `Connection.prepare` refuses a reader's
      // statement that SQLite does not call read-only. As a second barrier, readers set query_only,
      // and on the writer `Connection.snapshot` undoes any write.
      return SQLITE_OK
    }
  }

  private func decideTransaction(_ operation: String) -> Int32 {
    switch policy {
    case .engine: return SQLITE_OK
    case .reader: return refuse("a query that only reads cannot open or end a transaction")
    case .writer:
      guard managesTransaction else { return SQLITE_OK }
      return switch operation {
      case "COMMIT":
        refuse("the transaction is committed when the closure returns; remove the COMMIT")
      case "ROLLBACK":
        refuse("the transaction is rolled back when the closure throws: throw an error instead")
      default:
        refuse("a transaction is open already; nest with inTransaction or savepoint instead")
      }
    }
  }

  private static func changesSchema(_ action: Int32) -> Bool {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: false
    // CREATE, DROP, ALTER, REINDEX, ANALYZE, and virtual tables.
    default: true
    }
  }

  private func refuse(_ reason: String) -> Int32 {
    refusal = reason
    return SQLITE_DENY
  }
}

/// The pragmas that set a key in builds of SQLite with encryption.
///
/// Any other build ignores them, as it ignores all unknown pragmas: the file would silently stay
/// unencrypted.
enum Encryption {
  static let pragmas: Set<String> = [
    "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey",
  ]

  /// Whether the linked SQLite reports that it can encrypt, as SQLCipher and SEE do.
  static let isAvailable = sqlite3_compileoption_used("HAS_CODEC") != 0

  static func refusal(of pragma: String) -> String {
    "PRAGMA \(pragma) would not encrypt anything: the linked SQLite (\(String(cString: sqlite3_libversion()))) has no "
      + "encryption; link SQLCipher in its place, or encrypt the disk"
  }
}

/// The pragmas that only report.
enum ReadingPragmas {
  private static let withoutArgument: Set<String> = [
    "application_id", "auto_vacuum", "busy_timeout", "cache_size", "collation_list",
    "compile_options", "data_version", "database_list", "encoding", "foreign_key_check",
    "foreign_keys", "freelist_count", "function_list", "integrity_check", "journal_mode",
    "journal_size_limit", "max_page_count", "mmap_size", "module_list", "page_count", "page_size",
    "pragma_list", "quick_check", "schema_version", "synchronous", "table_list", "user_version",
    "wal_autocheckpoint",
  ]
  private static let schema: Set<String> = [
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
    "integrity_check", "quick_check", "table_info", "table_list", "table_xinfo",
  ]

  static func allows(_ name: String, argument: String?) -> Bool {
    schema.contains(name) || (argument == nil && withoutArgument.contains(name))
  }

  static func describesSchema(_ name: String) -> Bool { schema.contains(name) }
}

/// Where a pragma's effect lives, and so whether it survives the connection.
enum PragmaScope {
  /// Pragmas that change the file, or only perform an action.
  private static let file: Set<String> = [
    "application_id", "encoding", "incremental_vacuum", "journal_mode", "optimize",
    "schema_version", "shrink_memory", "user_version", "wal_checkpoint",
  ]

  /// Whether the effect survives the connection. An unknown pragma counts as the connection's own.
  static func isFile(_ name: String) -> Bool { file.contains(name) }
}
