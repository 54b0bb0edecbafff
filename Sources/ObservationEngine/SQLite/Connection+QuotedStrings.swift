internal import CSQLite

// Unless configured otherwise, SQLite reads a double-quoted name that isn't a column as a string;
// see
// https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted

extension Connection {
  /// Sets whether statements read unknown double-quoted names as strings.
  func allowQuotedStrings(_ areAllowed: Bool) {
    _ = lq_db_config(handle, SQLITE_DBCONFIG_DQS_DML, areAllowed ? 1 : 0)
  }

  /// Allows double-quoted strings if a view or trigger of the file needs them: SQLite has no such
  /// setting for the schema alone.
  ///
  /// - Complexity: Compiles the views and triggers that contain double quotes, once per schema
  ///   version.
  func decideQuotedStrings() {
    allowQuotedStrings(false)
    let suspects = catalog.usesOfQuotes.filter { !compiles($0) }
    guard !suspects.isEmpty else { return }
    allowQuotedStrings(true)
    // A view that fails with and without them does not count.
    if !suspects.contains(where: compiles) { allowQuotedStrings(false) }
  }

  /// Whether statements read unknown double-quoted names as strings.
  var allowsQuotedStrings: Bool { lq_db_config(handle, SQLITE_DBCONFIG_DQS_DML, -1) == 1 }

  /// Whether SQLite finds every column that a statement names.
  private func compiles(_ sql: String) -> Bool {
    let wasRunning = isRunningEngineSQL
    isRunningEngineSQL = true
    defer { isRunningEngineSQL = wasRunning }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let result = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    return result == SQLITE_OK
      || !String(cString: sqlite3_errmsg(handle)).includes("no such column")
  }
}
