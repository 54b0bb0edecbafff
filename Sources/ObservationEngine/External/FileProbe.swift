/// Reads the files of a database for ``CommitWatch``.
struct FileProbe: CommitWatch.Probe {
  let connection: Connection
  let file: DatabaseFile
  let identity: DatabaseFile.Identity
  let ledger: CommitLedger

  func ownCommits() -> CommitLedger.Entry { ledger.currentAwaitingEnd() }

  func read() -> CommitWatch.Reading { Self.read(connection, file) }

  static func read(_ connection: Connection, _ file: DatabaseFile) -> CommitWatch.Reading {
    switch connection.wal.indexState() {
    case .torn: return .torn
    case .header(let header): return .position(.wal(header))
    case .absent:
      // Before the header: a later write shows at the next check.
      let stamp = FileStamp(path: file.realPath)
      guard let header = connection.wal.fileHeader() else {
        return .position(.rollback(counter: nil, stamp: stamp))
      }
      // The rest of the header means nothing.
      if !header.hasMagic { return .lost(reason: "the file is no longer a database") }
      if header.isWAL { return .lost(reason: "the journal mode changed to WAL") }
      return .position(.rollback(counter: header.changeCounter, stamp: stamp))
    }
  }

  /// Whether the file is still empty, or a process writes to it, with a rollback journal as every
  /// new database has. For a file to which this process has no connection.
  static func isBeingMade(_ file: DatabaseFile) -> Bool {
    let path = file.realPath
    guard let identity = DatabaseFile.identity(of: path) else { return false }
    let process = ProcessFile(identity)
    guard process.connections == 0 else { return false }
    if DatabaseFile.size(of: path) == 0 { return true }
    return process.withoutConnections(to: path) { descriptor in
      LockRange.pendingAndReserved.isHeld(on: descriptor) == true
    } ?? false
  }

  func isWriteLocked() -> Bool {
    guard connection.wal.isOn else { return fileLock(ignoresOwn: false) != .none }
    guard let descriptor = ProcessFile(identity).descriptor(for: file.shmPath)
    else { return false }
    return LockRange.write.isHeld(on: descriptor) == true
  }

  func fileLock(ignoresOwn: Bool) -> CommitWatch.FileLock {
    guard let descriptor = ProcessFile(identity).descriptor(for: file.realPath)
    else { return .none }
    let locks = RollbackLocks(descriptor: descriptor)
    if ignoresOwn {
      switch locks.contention {
      case .exclusive: return .exclusive
      case .prepared: return .prepared
      // The journal belongs to our own transaction.
      case .none: if locks.isPrepared { return .none }
      }
    }
    if locks.isExclusive { return .exclusive }
    if locks.isPrepared { return .prepared }
    guard file.hasJournal(orUnreadable: false) else { return .none }
    // Another writer may have begun since.
    if locks.isExclusive { return .exclusive }
    return locks.isPrepared ? .prepared : .abandoned
  }

  /// Whether the file isn't a database any more, or was truncated, while no process writes to it.
  func isDamaged() -> Bool {
    // A write of this process isn't complete yet, and querying locks doesn't show its own.
    let own = ledger.current
    if own.isCommitting || own.holdsWriteLock { return false }
    guard let header = connection.wal.fileHeader() else { return false }
    if !header.hasMagic { return true }
    // In WAL mode the newest pages may only be in the WAL.
    guard !connection.wal.isOn, let size = DatabaseFile.size(of: file.realPath) else {
      return false
    }
    // A valid file is empty, or has at least one page of the smallest size.
    guard (1..<512).contains(size) || header.byteCount.map({ size < $0 }) == true else {
      return false
    }
    // A commit that changes the file's size may be under way, or have ended just now.
    return !isWriteLocked() && connection.wal.fileHeader() == header && ledger.current == own
  }

  /// The process that holds the write lock, as far as its traces show.
  func writer() -> Detector.Writer {
    guard !connection.wal.isOn else {
      return read() == .torn && !isWriteLocked() ? .dead : .alive
    }
    switch fileLock(ignoresOwn: false) {
    case .abandoned: return .dead
    case .exclusive: return .exclusive
    case .none, .prepared: return .alive
    }
  }
}
