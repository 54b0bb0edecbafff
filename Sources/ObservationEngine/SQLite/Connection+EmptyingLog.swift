internal import CSQLite

extension Connection {
  /// Has a connection that only reads never take the WRITE lock of a WAL database, but to make the index
  /// that a dead writer left half written.
  func spareWriteLock(_ spares: Bool) {
    for schema in ["main"] + options.attachments.map(\.schema) {
      lq_spare_write_lock(handle, schema, spares ? 1 : 0)
    }
  }

  /// Copies the log into the database file and cuts it to nothing, as the last program does that closes
  /// the database; it waits for nobody.
  ///
  /// While the log is cut, the WRITE lock is held, for a tenth of a millisecond or so: nothing else keeps a program
  /// from committing to a log that is about to be gone. All that takes time is done before that.
  ///
  /// For a connection that only reads.
  ///
  /// - Parameter isAlone: Asked right before the lock is taken; if somebody else has the database open,
  ///   nothing is cut.
  /// - Returns: Whether the log is empty.
  func emptyLog(ifStill isAlone: () -> Bool) -> Bool {
    guard !hasOpenTransaction else { return false }
    // SQLite would wait for readers with the WRITE lock held.
    sqlite3_busy_handler(handle, nil, nil)
    spareWriteLock(false)
    defer {
      spareWriteLock(true)
      installBusyHandler()
    }
    // What cannot be copied now, because somebody reads or writes, is tried again by the caller.
    guard let copied = try? checkpoint(.passive), copied.isComplete, isAlone() else { return false }
    return (try? checkpoint(.truncate)) != nil
  }

  /// Copies the log into the database file as far as no reader needs what stands there.
  ///
  /// - Returns: Whether it copied anything.
  func copyLog() -> Bool {
    guard !isReadOnly, let before = wal.checkpointProgress(), (try? checkpoint(.passive)) != nil
    else { return false }
    return wal.checkpointProgress() != before
  }

  /// Whether the database file holds all that the log does whose index begins with `header`.
  func hasCopiedLog(_ header: WALIndexHeader) -> Bool {
    if header.lastFrame == 0 { return true }
    return wal.checkpointProgress()
      == CheckpointProgress(salts: header.salts, frames: header.lastFrame)
  }
}
