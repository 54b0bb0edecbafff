internal import CSQLite

extension Connection {
  /// Makes a reading connection never take the WRITE lock of a WAL database, except to rebuild an
  /// index that a dead writer left half written.
  func spareWriteLock(_ spares: Bool) {
    for schema in ["main"] + options.attachments.map(\.schema) {
      lq_spare_write_lock(handle, schema, spares ? 1 : 0)
    }
  }

  /// Checkpoints the WAL and truncates it, as the last program does when it closes the database. It
  /// never waits.
  ///
  /// It holds the WRITE lock while it truncates the WAL, for about a tenth of a millisecond:
  /// otherwise a program could commit to a WAL that is about to be gone. All slow work is done
  /// before that.
  ///
  /// Only for a connection that reads.
  ///
  /// - Parameters:
  ///   - emptyings: Where it notes that it has the lock, for writers of this process.
  ///   - isAlone: Called right before the lock is taken. If another program has the database open,
  ///     nothing is truncated.
  /// - Returns: Whether the WAL is empty.
  func emptyLog(noting emptyings: LogEmptyings, ifStill isAlone: () -> Bool) -> Bool {
    guard !hasOpenTransaction else { return false }
    // SQLite would wait for readers while holding the WRITE lock.
    sqlite3_busy_handler(handle, nil, nil)
    spareWriteLock(false)
    defer {
      spareWriteLock(true)
      installBusyHandler()
    }
    // If a reader or writer is in the way of the copy, the caller tries again.
    guard let copied = try? checkpoint(.passive), copied.isComplete, isAlone() else { return false }
    return emptyings.run { (try? checkpoint(.truncate)) != nil }
  }

  /// Copies the WAL into the database file, except for pages whose old version a reader still
  /// needs.
  ///
  /// - Returns: Whether it copied anything.
  func copyLog() -> Bool {
    guard !isReadOnly, let before = wal.checkpointProgress(), (try? checkpoint(.passive)) != nil
    else { return false }
    return wal.checkpointProgress() != before
  }

  /// Whether the database file has everything in the WAL whose index starts with `header`.
  func hasCopiedLog(_ header: WALIndexHeader) -> Bool {
    if header.lastFrame == 0 { return true }
    return wal.checkpointProgress()
      == CheckpointProgress(salts: header.salts, frames: header.lastFrame)
  }
}
