internal import CSQLite

// SQLite takes a name in double quotes that is no column for a text, unless it is told not to; see
// https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted

extension Connection {
  /// Whether statements take unknown names in double quotes for texts.
  func allowQuotedStrings(_ areAllowed: Bool) {
    _ = lq_db_config(handle, SQLITE_DBCONFIG_DQS_DML, areAllowed ? 1 : 0)
  }

  /// Allows texts in double quotes if a view or trigger of the file can only be used with them: SQLite
  /// has no such setting for the schema alone.
  ///
  /// - Complexity: Views and triggers with double quotes are compiled, once per version of the schema.
  func decideQuotedStrings() {
    allowQuotedStrings(false)
    let suspects = catalog.usesOfQuotes.filter { !compiles($0) }
    guard !suspects.isEmpty else { return }
    allowQuotedStrings(true)
    // A view that is broken one way or the other is no reason.
    if !suspects.contains(where: compiles) { allowQuotedStrings(false) }
  }

  /// Whether SQLite finds all columns that a statement names.
  private func compiles(_ sql: String) -> Bool {
    let wasRunning = isRunningEngineSQL
    isRunningEngineSQL = true
    defer { isRunningEngineSQL = wasRunning }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let result = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    return result == SQLITE_OK
      || !String(cString: sqlite3_errmsg(handle)).contains("no such column")
  }
}
