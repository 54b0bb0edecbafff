internal import CSQLite
internal import Glibc

extension DatabaseError {
  /// The error that `handle` reports for its last call.
  ///
  /// - Parameter baseOffset: The byte offset in `sql` of the text given to SQLite.
  init(handle: OpaquePointer?, result: Int32, sql: String? = nil, baseOffset: Int = 0) {
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? result
    let code = extended & 0xff == result & 0xff ? extended : result
    var text =
      handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      ?? String(cString: sqlite3_errstr(result))
    if Code(rawValue: code).primary == .cannotOpen, let number = handle.map(sqlite3_system_errno) {
      text += Self.reason(number)
    }
    let offset = handle.map { Int(sqlite3_error_offset($0)) } ?? -1
    self.init(
      code: Code(rawValue: code),
      message: Self.explain(Code(rawValue: code), text),
      sql: sql,
      offset: offset < 0 || sql == nil ? nil : offset + baseOffset)
  }

  /// The error of a statement that doesn't run because its job was cancelled.
  static func cancelled(sql: String? = nil) -> DatabaseError {
    DatabaseError(handle: nil, result: SQLITE_INTERRUPT, sql: sql)
  }

  /// Why the system did not open a file.
  private static func reason(_ number: Int32) -> String {
    guard number != 0 else { return "" }
    let remedy =
      switch number {
      case EMFILE: "; close files of this process, or raise its limit (ulimit -n)"
      case ENFILE: "; close files, or raise the system's limit (fs.file-max)"
      default: ""
      }
    return ": \(String(cString: strerror(number)))\(remedy)"
  }

  /// SQLite's message, with a remedy if one is known.
  static func explain(_ code: Code, _ text: String) -> String {
    switch code.primary {
    case .busy:
      // SQLite's own message adds something when a recovery or a snapshot is in the way.
      "the database is locked by another connection"
        + (text == "database is locked" ? "" : " (\(text))")
        + "; try again, or raise the busy timeout"
    case .notADatabase:
      "the file is not an SQLite database, or it is encrypted"
    case .corrupt where text.includes(" - unsafe use of "): text
    case .corrupt:
      "the database is damaged (\(text)); run 'PRAGMA integrity_check' for details; '.recover' of sqlite3 saves what it can"
    case .full: "the disk is full (\(text))"
    case .interrupted: "the statement was cancelled"
    default: text
    }
  }
}
