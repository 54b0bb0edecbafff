import CSQLite

extension Connection {
  /// Copies another database over the content of this one, as the shell's `.restore` does.
  func restore(from path: String) throws {
    var source: OpaquePointer?
    defer { sqlite3_close(source) }
    let code = sqlite3_open_v2(path, &source, SQLITE_OPEN_READONLY, nil)
    guard code == SQLITE_OK else {
      throw WriterError(code: code, message: "\(path): \(String(cString: sqlite3_errmsg(source)))")
    }
    guard let backup = sqlite3_backup_init(handle, "main", source, "main") else {
      throw failure(sqlite3_errcode(handle))
    }
    // One step of all pages: one transaction.
    let result = sqlite3_backup_step(backup, -1)
    sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE else { throw failure(result) }
  }
}
