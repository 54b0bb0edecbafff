internal import CSQLite

extension Connection {
  /// Runs `body` without triggers and without the actions and checks of foreign keys, to restore
  /// rows exactly as they were, including rows that triggers and actions had changed.
  ///
  /// Triggers of `temp` still run: SQLite has no switch for them.
  ///
  /// - Returns: What `body` returns.
  package func withoutTriggersAndForeignKeys<Output>(_ body: () throws -> Output) rethrows -> Output
  {
    let triggers = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, -1)
    let keys = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, -1)
    _ = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    _ = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0)
    defer {
      _ = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, triggers)
      _ = lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, keys)
    }
    return try body()
  }

  /// Whether foreign keys are enforced on this connection now.
  package var enforcesForeignKeys: Bool {
    lq_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, -1) == 1
  }
}
