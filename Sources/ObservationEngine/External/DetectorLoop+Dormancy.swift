internal import CLinux
internal import Dispatch
internal import Synchronization

// Closing every connection of the process while nothing happens, and coming back.

extension DetectorLoop {
  /// Closes every connection if nothing happens.
  ///
  /// Others that have the database open make it take longer: opening it again costs a millisecond. But any of them may want to lock it
  /// exclusively some time, and several observers would otherwise keep each other awake for ever.
  func goDormantIfIdle(_ connection: Connection, _ watch: CommitWatch) {
    let isSecondLook = isClosingConnections
    isClosingConnections = false
    guard case .wal(let header) = watch.last, let identity, !configuration.keepsConnectionsOpen,
      // Without events nobody would tell what is committed while nothing is open.
      let watcher, watcher.watchesLog, !watcher.isPaused, !isBlind
    else { return }
    let now = SystemClock.monotonic()
    lastActivity = now  // at most one attempt a second
    guard let shm = ProcessFile(identity).descriptor(for: file.shmPath),
      LockRange.open.isHeldElsewhere(on: shm) == false
        || now - lastChange > UInt64(configuration.patienceWithOthers.nanoseconds),
      !ledger.current.holdsWriteLock
    else { return }
    // The connections close on their own queues; the watch goes when only watches are left. What
    // is busy meanwhile is asked again a second later.
    if !ProcessFile(identity).hasOnlyWatches {
      if !isSecondLook {
        closeIdleConnections()
        isClosingConnections = true
      }
      return
    }
    // Then only another process can write while the last connection is being closed.
    if !connection.hasCopiedLog(header), isLast(identity), connection.copyLog() {
      isClosingConnections = true
      return
    }
    setDormant(true)
    // Nobody of this process opens the file while it is let go: making a log would look like somebody
    // else's doing, with our own last checkpoint as what they wrote.
    let reason = "\(file.path): its connections are being closed"
    guard ProcessFile(identity).holdIfFree(hold(for: .resting, reason)) else {
      setDormant(false)
      return
    }
    // Somebody may have opened a connection before it saw the flag: then go on.
    guard ProcessFile(identity).hasOnlyWatches else {
      ProcessFile(identity).release(ObjectIdentifier(self))
      setDormant(false)
      return
    }
    // An own commit before the flag was set, of a connection that is closed already, is still to be
    // accounted for here: once the watch is gone its position would be taken for somebody else's.
    var again = watch
    let probe = FileProbe(
      connection: connection, file: file, identity: identity, ledger: ledger)
    guard again.look(probe) == .quiet, again == watch else {
      ProcessFile(identity).release(ObjectIdentifier(self))
      setDormant(false)
      shared.poke()
      return
    }
    let hasCopiedLog = connection.hasCopiedLog(header)
    connection.close()
    let tracking = tracking
    mode = .detached(since: now)
    let fingerprint = FileFingerprint(file)
    rest = Rest(
      watch: watch, tracking: tracking, fingerprint: fingerprint, hasCopiedLog: hasCopiedLog)
    // Our own close writes no frame to the log, and makes no file; nor does it write to the database once
    // the log is copied. If another process did since the last look, the fingerprint may already hold
    // its commit, which is not reported yet.
    let events = watcher.drain()
    mode = .dormant(fingerprint)
    watcher.watchFiles(of: file)
    ProcessFile(identity).release(ObjectIdentifier(self))
    if events.wal || events.database || events.overflow || events.created {
      wake(fingerprint, because: events)
    }
  }

  func leaveDormancyIfNeeded(
    _ fingerprint: FileFingerprint, _ events: FileWatcher.Events
  ) {
    let mustWake = shared.state.withLock { $0.mustWake }
    if fileWasReplaced() { return replaceFile() }
    // Before the files are looked at: what is written to them later makes events.
    watcher?.watchFiles(of: file)
    // Two writes within one tick of the file system's clock leave the same time stamp, but events.
    let isTold = events.wal || events.database || events.overflow
    if isTold || FileFingerprint(file).differs(from: fingerprint) {
      wake(fingerprint, because: events)
    } else if mustWake {
      wake(fingerprint, because: nil)
    } else {
      closeWhatWasOpenedSince()
    }
  }

  /// Opens the watch again, and tells what was committed meanwhile.
  ///
  /// - Parameter events: `nil` when only this process asks.
  private func wake(_ fingerprint: FileFingerprint, because events: FileWatcher.Events?) {
    let wasImmutable = isImmutable
    let goesOn = attach(after: rest, events: events)
    let written = "another process wrote to the file"
    switch mode {
    case .detached:
      // Locked at this moment, perhaps: tried again at the next event or heartbeat. Observers learn
      // that their results are stale, and why.
      mode = .dormant(fingerprint)
      releaseWaiters()
      if events != nil {
        // What was written meanwhile is not to be told from what was before.
        rest = nil
        tellThatItCannotBeOpened()
      }
    case .dormant:
      // Such connections never look at the file again.
      generations.advance()
      commits.publish(origin: .external, changeset: Changeset(allReason: written))
    case .watching:
      if wasImmutable { generations.advance() }
      // Even an empty log proves nothing: what somebody committed may be in the file already.
      if !goesOn { suspicion = written }
      rest = nil
      // It may be about to commit what it wrote: then the commit itself tells.
      look(isWritten: false)
    }
  }

  /// A reader may have been opened meanwhile, for a refresh that was asked for.
  private func closeWhatWasOpenedSince() {
    let now = SystemClock.monotonic()
    guard !isImmutable, now - lastActivity > 1_000_000_000, let identity,
      ProcessFile(identity).connections > 0
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
