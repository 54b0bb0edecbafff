/// Why SQLite, or the engine on top of it, could not do what it was asked to.
public struct DatabaseError: Error, Sendable, Hashable {
  /// An SQLite result code; the extended code where SQLite reports one.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// SQLite's number.
    public let rawValue: Int32
    /// The code with SQLite's number `rawValue`.
    public init(rawValue: Int32) { self.rawValue = rawValue }
    /// The code without its extension: the low eight bits.
    public var primary: Code { Code(rawValue: rawValue & 0xff) }

    /// SQL error or missing database (SQLITE_ERROR).
    public static let error = Code(rawValue: 1)
    /// The authorizer refused (SQLITE_AUTH; SQLITE_PERM is a separate code).
    package static let authorization = Code(rawValue: 23)
    /// The statement or its transaction was aborted (SQLITE_ABORT).
    public static let aborted = Code(rawValue: 4)
    /// Another connection holds a lock (SQLITE_BUSY).
    public static let busy = Code(rawValue: 5)
    /// A write to something read-only (SQLITE_READONLY).
    public static let readOnly = Code(rawValue: 8)
    /// The statement was cancelled (SQLITE_INTERRUPT).
    public static let interrupted = Code(rawValue: 9)
    /// Reading or writing the file failed (SQLITE_IOERR).
    public static let inputOutput = Code(rawValue: 10)
    /// The file's content is damaged (SQLITE_CORRUPT).
    public static let corrupt = Code(rawValue: 11)
    /// There is no such row (SQLITE_NOTFOUND).
    public static let notFound = Code(rawValue: 12)
    /// The disk is full (SQLITE_FULL).
    public static let full = Code(rawValue: 13)
    /// The file cannot be opened (SQLITE_CANTOPEN).
    public static let cannotOpen = Code(rawValue: 14)
    /// The schema changed under a statement (SQLITE_SCHEMA).
    package static let schema = Code(rawValue: 17)
    /// A constraint failed (SQLITE_CONSTRAINT).
    public static let constraint = Code(rawValue: 19)
    /// A transaction observer refused the commit (SQLITE_CONSTRAINT_COMMITHOOK).
    public static let refusedCommit = Code(rawValue: 531)
    /// A foreign key has no matching row (SQLITE_CONSTRAINT_FOREIGNKEY).
    public static let foreignKey = Code(rawValue: 787)
    /// The library was used out of order (SQLITE_MISUSE).
    public static let misuse = Code(rawValue: 21)
    /// The file is not a database, or is encrypted (SQLITE_NOTADB).
    public static let notADatabase = Code(rawValue: 26)
    /// A parameter or column index is out of range (SQLITE_RANGE).
    public static let range = Code(rawValue: 25)
    /// Types do not fit (SQLITE_MISMATCH).
    public static let mismatch = Code(rawValue: 20)
    /// A value, a statement or a result is larger than a limit (see ``ResourceLimits``), or a consumer of
    /// ``ValueObservation/everyCommit(buffering:)`` did not keep up.
    public static let tooBig = Code(rawValue: 18)
    /// Memory is exhausted, or the allowed memory is (SQLITE_NOMEM).
    public static let outOfMemory = Code(rawValue: 7)
  }

  /// What kind of failure this is.
  public let code: Code
  /// What failed, and the remedy if one is known.
  public let message: String
  /// The statement that failed, if there was one. Bound values are never part of it.
  public let sql: String?
  /// The byte offset in ``sql`` of the offending token, if SQLite knows it.
  public let offset: Int?

  /// An error made of its parts.
  public init(code: Code, message: String, sql: String? = nil, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
    self.offset = offset
  }
}

extension DatabaseError: CustomStringConvertible {
  /// The message with what can be done in Swift, then the statement.
  public var description: String {
    guard let sql else { return message + advice }
    return "\(message)\(advice) — in: \(sql)"
  }

  /// What can be done in Swift; a program shows the message alone, since its users can't do that.
  private var advice: String {
    switch code.primary {
    case .corrupt where message.includes(" - unsafe use of "):
      "; CustomFunction.SchemaUse says which functions a schema may use"
    case .error where message.hasPrefix("cannot VACUUM from within a transaction"):
      "; use database.vacuum()"
    case .error where message.hasPrefix("no such function: "):
      "; functions in Swift are declared in Configuration.functions"
    case .error where message.hasPrefix("no such collation sequence: "):
      "; collations in Swift are declared in Configuration.collations"
    case .cannotOpen where [Self.emptyPath, Self.memoryPath].contains(message):
      "; use Database(inMemory:) for a database without a file"
    default: ""
    }
  }

  static let emptyPath = "the path of the database is empty; name a file"
  static let memoryPath = ":memory: isn't a path; name a file, ./:memory: for one of that name"
}
