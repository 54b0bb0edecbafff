internal import CLinux
internal import Dispatch
internal import Synchronization

// Closing every connection of the process while nothing happens, and coming back.

extension DetectorLoop {
  func goDormantIfAlone(_ connection: Connection, _ watch: CommitWatch) {
    let isSecondLook = isClosingConnections
    isClosingConnections = false
    guard case .wal = watch.last, let identity, !configuration.keepsConnectionsOpen,
      // Without events nobody would tell what is committed while the watch connection closes.
      let watcher, watcher.watchesLog, !watcher.isPaused, !isBlind
    else { return }
    let now = SystemClock.monotonic()
    lastActivity = now  // at most one attempt a second
    guard let shm = DescriptorRegistry.shared.descriptor(for: file.shmPath, of: identity),
      lq_is_locked_by_other_process(shm, 128, 1) == 0, !ledger.current.holdsWriteLock
    else { return }
    // The connections close on their own queues; the watch goes when it is the last one left. What
    // is busy meanwhile is asked again a second later.
    if DescriptorRegistry.shared.connections(to: identity) > 1 {
      if !isSecondLook {
        closeIdleConnections()
        isClosingConnections = true
      }
      return
    }
    setDormant(true)
    // Somebody may have opened a connection before it saw the flag: then go on.
    guard DescriptorRegistry.shared.connections(to: identity) == 1 else {
      setDormant(false)
      return
    }
    // An own commit before the flag was set, of a connection that is closed already, is still to be
    // accounted for here: once the watch is gone its position would be taken for somebody else's.
    var again = watch
    let probe = FileProbe(
      connection: connection, file: file, identity: identity, entry: ledger.current, book: ledger)
    guard again.look(probe) == .quiet, again == watch else {
      setDormant(false)
      shared.poke()
      return
    }
    connection.close()
    mode = .detached(since: now)
    let fingerprint = FileFingerprint(file)
    // Our own close writes no frame to the log. If somebody did since the last look, or is still
    // there so that the log stayed, the fingerprint may already hold a commit that nobody saw.
    let events = watcher.drain()
    if events.wal || events.overflow || fingerprint.walSize > 0 {
      attach()
      if case .detached = mode { setDormant(false) }
      suspicion = "another process opened the file"
      look(databaseWritten: false)
    } else {
      mode = .dormant(fingerprint)
      watcher.watchFiles(of: file)
    }
  }

  func leaveDormancyIfNeeded(
    _ fingerprint: FileFingerprint, _ events: FileWatcher.Events
  ) {
    let mustWake = shared.state.withLock { $0.mustWake }
    if fileWasReplaced() { return replaceFile() }
    let now = FileFingerprint(file)
    // Two writes within one tick of the file system's clock leave the same time stamp, but events.
    if now.differs(from: fingerprint) || events.wal || events.database || events.overflow {
      let wasImmutable = isImmutable
      attach()
      if case .detached = mode {
        // Locked at this moment, perhaps: tried again at the next event or heartbeat.
        mode = .dormant(fingerprint)
        releaseWaiters()
        return
      }
      // Such a connection never looks at the log: all of them are opened anew.
      if wasImmutable { generations.advance() }
      suspicion = "another process wrote to the file"
      // It may be about to commit what it wrote: then the commit itself tells.
      look(databaseWritten: false)
    } else if mustWake {
      attach()
      if case .detached = mode {
        mode = .dormant(fingerprint)
        releaseWaiters()
      }
    } else {
      watcher?.watchFiles(of: file)
      closeWhatWasOpenedSince()
    }
  }

  /// A reader may have been opened meanwhile, for a refresh that was asked for.
  private func closeWhatWasOpenedSince() {
    let now = SystemClock.monotonic()
    guard !isImmutable, now - lastActivity > 1_000_000_000, let identity,
      DescriptorRegistry.shared.connections(to: identity) > 0
    else { return }
    lastActivity = now
    closeIdleConnections()
  }

  func setDormant(_ isDormant: Bool) {
    shared.state.withLock { $0.isDormant = isDormant }
    if !isDormant { releaseWaiters() }
  }

  func releaseWaiters() {
    let waiters = shared.state.withLock { state in
      state.mustWake = false
      state.isDormant = state.isDormant && !state.shouldStop
      return state.waiters.take()
    }
    for waiter in waiters { waiter.signal() }
  }
}

extension Array {
  fileprivate mutating func take() -> [Element] {
    defer { self = [] }
    return self
  }
}
