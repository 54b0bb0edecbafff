internal import CLinux

// The files beside a database in WAL mode, deleted or replaced by hand while they are open, and the
// file itself, written to past them.

extension DetectorLoop {
  /// What is known of the log that the connections have open.
  struct LogState {
    var files = LogFiles()
    var checkpoints = CheckpointNotes()
    var lastCheck: UInt64 = 0
    /// The database that is shut for new connections.
    var shut: DatabaseFile.Identity?
    /// All connections are being closed, and why.
    var reasonToReopen: String?

    /// When to take note again, in nanoseconds from now. A checkpoint explains a write only as long as
    /// it is among the notes: these are soon to be of the time after it.
    var settlingTime: UInt64 { checkpoints.isSettling ? 5_000_000 : .max }
  }

  /// Begins anew for a connection that was just opened.
  ///
  /// Takes the events that wait: a write before this moment is nothing to be explained.
  func beginLog(_ connection: Connection) {
    admitConnections()
    log.files = LogFiles()
    log.checkpoints = CheckpointNotes()
    log.lastCheck = 0
    guard connection.wal.isOn, let identity else { return }
    log.files = LogFiles(openBeside: file)
    // They were deleted already, most likely. Should that go on, it is opened once a second.
    if log.files.isIncomplete {
      log.lastCheck = SystemClock.monotonic()
    } else {
      // Opened while the path still leads to it.
      _ = ProcessFile(identity).descriptor(for: file.shmPath)
    }
    noteCheckpoints(connection)
    _ = watcher?.drain()
    writes.stamp = FileStamp(path: file.realPath)
    noteCheckpoints(connection)
    // What was drained may have told of something.
    shared.poke()
  }

  private func noteCheckpoints(_ connection: Connection) {
    if let progress = connection.wal.checkpointProgress() { log.checkpoints.add(progress) }
  }

  /// Looks whether what is open is still what others see.
  ///
  /// - Returns: Whether all connections are being closed because it is not.
  /// - Complexity: Two stat(2) a second, and when a file of the database came or went.
  func lostLog(
    _ connection: Connection, _ events: FileWatcher.Events, isWritten: Bool
  ) -> Bool {
    guard connection.wal.isOn, let identity else { return false }
    noteCheckpoints(connection)
    if isWritten, isWrittenPastLog(connection, identity) {
      ProcessFile(identity).noteOverwritten()
      letGo(connection, identity, "the file was written to past its -wal")
      return true
    }
    let now = SystemClock.monotonic()
    guard events.files || events.overflow || now - log.lastCheck >= 1_000_000_000 else {
      return false
    }
    log.lastCheck = now
    let found = LogFiles(beside: file)
    switch log.files.fate(found) {
    case .present: return false
    case .replaced:
      letGo(connection, identity, "another -wal or -shm file stands beside the database")
      return true
    case .missing:
      guard isSharedByOthers(identity) else {
        letGo(connection, identity, "the -wal or -shm file was deleted")
        return true
      }
      // The others go on with what was deleted, and what they commit is to be seen there alone; what
      // would be opened now would be another log.
      if log.shut == nil {
        shut(identity, "the -wal or -shm file was deleted while other programs have it open")
      }
      return false
    }
  }

  /// Whether somebody else than a checkpoint wrote to the file, which just changed.
  private func isWrittenPastLog(
    _ connection: Connection, _ identity: DatabaseFile.Identity
  ) -> Bool {
    // A database has one page at least before it gets a log.
    if DatabaseFile.size(of: file.realPath) == 0 { return true }
    // Its replicas have no other way; they count each commit in the wal-index.
    if file.owner == .liteFS { return false }
    return log.checkpoints.areAllEqual && !isBeingCheckpointed(identity)
      && isUnexplainedStill(connection)
  }

  /// Whether still no checkpoint is noted, now that none runs: one may have ended just before.
  private func isUnexplainedStill(_ connection: Connection) -> Bool {
    noteCheckpoints(connection)
    return log.checkpoints.areAllEqual
  }

  /// Whether somebody copies the log into the file: holds the CKPT lock.
  private func isBeingCheckpointed(_ identity: DatabaseFile.Identity) -> Bool {
    guard let index = log.files.index,
      let descriptor = ProcessFile(identity).descriptor(on: index)
    else { return true }
    return LockRange.checkpoint.isHeld(on: descriptor) != false
  }

  /// Whether another process has the wal-index open that this one has.
  private func isSharedByOthers(_ identity: DatabaseFile.Identity) -> Bool {
    guard let index = log.files.index,
      let descriptor = ProcessFile(identity).descriptor(on: index)
    else { return false }
    return LockRange.open.isHeldElsewhere(on: descriptor) == true
  }

  func hold(for purpose: ProcessFile.Purpose, _ reason: String) -> ProcessFile.OpenHold {
    ProcessFile.OpenHold(owner: ObjectIdentifier(self), purpose: purpose, reason: reason)
  }

  /// Keeps the process from opening connections; what is open stays.
  private func shut(_ identity: DatabaseFile.Identity, _ reason: String) {
    ProcessFile(identity).hold(hold(for: .keepingOut, reason))
    log.shut = identity
    notice(reason)
  }

  /// Closes the watch's connection if another database of this process waits for that.
  func letGoBesideAnother() -> Bool {
    guard case .watching(let connection, _) = mode, let identity,
      let reason = ProcessFile(identity).reasonToClose(besides: ObjectIdentifier(self))
    else { return false }
    letGo(connection, identity, reason)
    return true
  }

  func letGo(
    _ connection: Connection, _ identity: DatabaseFile.Identity, _ reason: String
  ) {
    ProcessFile(identity).hold(hold(for: .emptying, reason))
    log.shut = identity
    log.reasonToReopen = reason
    connection.close()
    mode = .detached(since: SystemClock.monotonic())
    setDormant(false)
    // What is not idle closes before its next use.
    generations.advance()
    notice(reason + "; it is opened again")
    retrySoon()
    _ = hasLetGo()
  }

  /// Whether nothing is open any more of what was to be closed; asks for it again otherwise.
  func hasLetGo() -> Bool {
    guard log.reasonToReopen != nil, let identity = log.shut else { return true }
    // Another file at the path has a log of its own.
    guard DatabaseFile.identity(of: file.path) == identity else {
      log.reasonToReopen = nil
      admitConnections()
      return true
    }
    let isEmptied = ProcessFile(identity).isEmptied(by: ObjectIdentifier(self))
    guard isEmptied else {
      ProcessFile(identity).closeAllIdle()
      return false
    }
    admitConnections()
    return true
  }

  /// Lets the process open connections again.
  func admitConnections() {
    guard let identity = log.shut else { return }
    ProcessFile(identity).release(ObjectIdentifier(self))
    log.shut = nil
  }
}
