extension DatabaseError {
  /// Whether what failed may succeed a moment later although the program does nothing about it.
  ///
  /// An observation goes on after a transient error: it fetches again after the next commit, and otherwise a
  /// tenth of a second later. Any other error ends it.
  ///
  /// | SQLite's code | what heals it |
  /// | --- | --- |
  /// | `BUSY`, `LOCKED`, `PROTOCOL` | another connection releases its lock |
  /// | `INTERRUPT` | the fetch runs again |
  /// | `SCHEMA` | the statement is compiled again |
  /// | `CANTOPEN`, `READONLY_DBMOVED` | the file comes back to its path |
  /// | `READONLY_RECOVERY`, `_CANTLOCK`, `_CANTINIT`, `_ROLLBACK` | another process recovers the journal |
  /// | `FULL`, `IOERR` | the disk has space, or answers, again |
  ///
  /// Of `IOERR`, damaged data (`_DATA`, `_CORRUPTFS`) and a lack of memory (`_NOMEM`) aren't transient; neither
  /// are `CORRUPT`, `NOTADB`, `NOMEM`, `MISUSE`, nor what SQLite says of SQL that is wrong.
  public var isTransient: Bool {
    switch code.rawValue {
    case Extended.ioNoMemory, Extended.ioData, Extended.ioCorruptFileSystem: return false
    case Extended.readOnlyRecovery, Extended.readOnlyCannotLock, Extended.readOnlyRollback,
      Extended.readOnlyMoved, Extended.readOnlyCannotInitialize:
      return true
    default: break
    }
    switch code.primary {
    case .busy, .locked, .interrupted, .inputOutput, .full, .cannotOpen, .lockProtocol, .schema:
      return true
    default: return false
    }
  }

  /// SQLite's extended codes: the primary code, and a number in the bits above it.
  private enum Extended {
    static let ioNoMemory: Int32 = 10 | 12 << 8
    static let ioData: Int32 = 10 | 32 << 8
    static let ioCorruptFileSystem: Int32 = 10 | 33 << 8
    static let readOnlyRecovery: Int32 = 8 | 1 << 8
    static let readOnlyCannotLock: Int32 = 8 | 2 << 8
    static let readOnlyRollback: Int32 = 8 | 3 << 8
    static let readOnlyMoved: Int32 = 8 | 4 << 8
    static let readOnlyCannotInitialize: Int32 = 8 | 5 << 8
  }
}

extension DatabaseError.Code {
  /// A conflict within one connection, or one shared cache (SQLITE_LOCKED).
  package static let locked = DatabaseError.Code(rawValue: 6)
  /// The locking protocol of the WAL was lost against other processes (SQLITE_PROTOCOL).
  package static let lockProtocol = DatabaseError.Code(rawValue: 15)
}

extension Error {
  /// Whether this is a ``DatabaseError`` that may heal by itself; errors of the application never are.
  package var isTransient: Bool { (self as? DatabaseError)?.isTransient ?? false }
}
