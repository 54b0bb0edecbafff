// A file that is no database any more while it is open.

extension DetectorLoop {
  /// Whether the file is no database any more, or was cut, while nobody writes to it.
  func isRuined(_ connection: Connection, _ probe: FileProbe) -> Bool {
    // What this process writes is not done yet; its own locks are not seen by asking for locks.
    let own = ledger.current
    if own.isCommitting || own.holdsWriteLock { return false }
    guard let header = connection.fileHeader() else { return false }
    if !header.hasMagic { return true }
    // In WAL mode the newest pages may be in the log alone.
    guard !connection.usesWAL, let stated = header.byteCount,
      let size = DatabaseFile.size(of: file.realPath), size < stated
    else { return false }
    // A commit that makes it longer, or shorter, may be on its way, or have ended just now.
    return !probe.isWriteLocked() && connection.fileHeader() == header && ledger.current == own
  }
}
