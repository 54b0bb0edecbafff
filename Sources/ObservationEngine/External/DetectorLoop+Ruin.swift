// A file that is no database any more while it is open, or that was written to past SQLite.

extension DetectorLoop {
  /// What was written to the file, and which commit explains it.
  struct WriteNotes {
    /// The file when events were last taken.
    var stamp = FileStamp()
    /// The bytes of the file changed, and no commit counted since.
    var isUnexplained = false
    /// A program closed the file since the last judgement, or may have.
    var mayBeClosed = false
  }

  /// Takes note of what happened to the file, before anything is read that tells why.
  ///
  /// - Returns: Whether it was written to.
  func noteWrites(_ events: FileWatcher.Events) -> Bool {
    let stamp = FileStamp(path: file.realPath)
    defer { writes.stamp = stamp }
    // Where events tell, a stamp that somebody set (touch) is no write.
    let mayMiss = events.overflow || isDeaf
    if events.closed || mayMiss { writes.mayBeClosed = true }
    return events.database || (mayMiss && stamp != writes.stamp)
  }

  /// Why the file is to be opened again, after a look that found no commit.
  ///
  /// In a rollback journal a write without a commit is a transaction that is rolled back after pages of it
  /// had reached the file; or somebody copies another database over this one, whose change counter happens
  /// to be the same. SQLite would take what it has cached for the new content for ever. Who copies closes
  /// the file afterwards, as programs with transactions seldom do.
  ///
  /// - Parameter isWritten: Bytes of it were written since the last look.
  func reasonForRuin(
    _ connection: Connection, _ probe: FileProbe, isWritten: Bool
  ) -> String? {
    if writes.isUnexplained, writes.mayBeClosed {
      return "the file was written to without a commit"
    }
    writes.mayBeClosed = false
    if isWritten, isRuined(connection, probe) { return "the file was damaged or cut" }
    return nil
  }

  /// Whether the file is no database any more, or was cut, while nobody writes to it.
  private func isRuined(_ connection: Connection, _ probe: FileProbe) -> Bool {
    // What this process writes is not done yet; its own locks are not seen by asking for locks.
    let own = ledger.current
    if own.isCommitting || own.holdsWriteLock { return false }
    guard let header = connection.wal.fileHeader() else { return false }
    if !header.hasMagic { return true }
    // In WAL mode the newest pages may be in the log alone.
    guard !connection.wal.isOn, let size = DatabaseFile.size(of: file.realPath) else {
      return false
    }
    // A file has no byte yet, or a page of the smallest size at least.
    guard (1..<512).contains(size) || header.byteCount.map({ size < $0 }) == true else {
      return false
    }
    // A commit that makes it longer, or shorter, may be on its way, or have ended just now.
    return !probe.isWriteLocked() && connection.wal.fileHeader() == header && ledger.current == own
  }
}
