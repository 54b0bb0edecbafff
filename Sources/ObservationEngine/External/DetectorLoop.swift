internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The detector's thread: waits, looks, publishes.
///
///             ┌────────── file gone, or cannot be opened ─────────┐
///             ▼                                                   │
///         detached ── opened ─▶ watching ── idle a while ──▶ dormant
///             ▲                  │  ▲                           │
///             └── file replaced ─┘  └── file changed, own write ─┘
///
/// Dormant means that no connection of the process is open, so that other programs may switch the
/// journal mode, lock the file exclusively, or move another file into its place.
///
/// Confined to its thread, but for `attach()` before the thread starts.
final class DetectorLoop {
  enum Mode {
    case detached(since: UInt64)
    case watching(Connection, CommitWatch)
    case dormant(FileFingerprint)
  }

  let shared: ExternalCommitDetector.Shared
  let file: DatabaseFile
  let ledger: CommitLedger
  let feed: CommitFeed
  let generations: FileGeneration
  let configuration: Configuration
  let closeIdleConnections: @Sendable () -> Void

  var mode: Mode = .detached(since: 0) {
    didSet { if case .watching = mode {} else { tracking = nil } }
  }
  var identity: DatabaseFile.Identity?
  private(set) var watcher: FileWatcher?
  /// Something may have been committed since the last look whose event was taken before it.
  var mustLookAgain = false
  /// How often to look besides inotify, in nanoseconds.
  private var heartbeat: UInt64 = 1_000_000_000
  private var hasSaidMissing = false
  private var backoff = Backoff()
  /// Why something may have been committed that no position tells of, until it is published.
  var suspicion: String?
  /// The idle connections were asked to close: whether they have is soon to be seen.
  var isClosingConnections = false
  var log = LogState()
  var saving = LogSaving()
  var writes = WriteNotes()
  /// What was known when the connections were closed.
  var rest: Rest?
  private var isFirstAttach = true
  /// Observers know that the file cannot be opened at present.
  private var hasToldOfWriter = false
  /// The connections were opened as those of a file that nobody changes.
  private(set) var isImmutable = false
  /// inotify says nothing of changes by other machines here.
  private(set) var isBlind = false
  /// When something last happened, or going dormant was last tried.
  var lastActivity: UInt64 = 0
  /// When something was last committed or opened.
  var lastChange: UInt64 = 0
  private var burst = CommitBurst()
  /// Observers know that another process keeps them out of the file.
  private var hasReportedLock = false
  /// Tells which tables changed, where that can be told; it has the connection that watches.
  var tracking: TableTracking?

  init(
    shared: ExternalCommitDetector.Shared, file: DatabaseFile, configuration: Configuration,
    ledger: CommitLedger, feed: CommitFeed, generations: FileGeneration,
    closeIdleConnections: @escaping @Sendable () -> Void
  ) {
    self.shared = shared
    self.file = file
    self.configuration = configuration
    self.ledger = ledger
    self.feed = feed
    self.generations = generations
    self.closeIdleConnections = closeIdleConnections
    startWatcher()
  }

  private func startWatcher() {
    if let owner = file.owner { notice(owner.notice) }
    watcher = FileWatcher(file: file, events: configuration.fileEvents)
    if let blind = configuration.fileEvents.blindFileSystem(file.folder) {
      isBlind = true
      beginToPoll()
      notice("\(blind) tells of no changes: looking every \(pollInterval / 1_000_000) ms")
    } else if watcher == nil {
      stopListening()
    } else if configuration.pollInterval != nil {
      heartbeat = pollInterval
    }
  }

  private func stopListening() {
    watcher = nil
    beginToPoll()
    notice(
      "no inotify watch is to be had (fs.inotify limits): "
        + "looking every \(pollInterval / 1_000_000) ms")
  }

  /// Nothing tells of changes, or not of all.
  var isDeaf: Bool { isBlind || watcher == nil }

  private func beginToPoll() {
    heartbeat = pollInterval
    shared.state.withLock { $0.isPolling = true }
  }

  private var pollInterval: UInt64 {
    UInt64(max(.milliseconds(1), configuration.pollInterval ?? .milliseconds(200)).nanoseconds)
  }

  func notice(_ text: String) { feed.publish(.notice(text, SystemClock.now())) }

  // MARK: - The thread

  func run() {
    shared.state.withLock { $0.thread = pthread_self() }
    lq_precise_timeouts()
    while !shared.state.withLock({ $0.shouldStop }) {
      if mustLookAgain {
        mustLookAgain = false
        look(isWritten: false)
        continue
      }
      wait()
      lq_eventfd_drain(shared.wake)
      // Events first, then the look: what happens after the look makes new events.
      let events = watcher?.drain() ?? FileWatcher.Events(files: true)
      handle(events)
    }
    mode = .detached(since: 0)
    admitConnections()
    releaseWaiters()
    shared.stopped.signal()
  }

  private func wait() {
    let now = SystemClock.monotonic()
    if burst.isOn(now) {
      watcher?.pause()
      lq_wait_readable(shared.wake, -1, burst.pause)
    } else if let watcher, watcher.isPaused {
      // What was committed before the watches were back made no event: look without waiting.
      if !watcher.resume(file) { stopListening() }
    } else {
      lq_wait_readable(
        shared.wake, watcher?.descriptor ?? -1,
        backoff.delay(now: now) ?? restingTime(now))
    }
  }

  /// How long to wait when nothing is under way.
  private func restingTime(_ now: UInt64) -> UInt64 {
    // While somebody writes there is no work.
    let isWaiting = backoff.elapsed(now: now) > 0
    return min(
      heartbeat, isClosingConnections ? 50_000_000 : .max, log.settlingTime,
      saving.wait(now),
      isWaiting ? .max : tracking?.timeToWork(now) ?? .max)
  }

  private func handle(_ events: FileWatcher.Events) {
    if letGoBesideAnother() { return }
    switch mode {
    case .detached:
      if hasLetGo() { attachAgain() }
    case .dormant(let fingerprint):
      leaveDormancyIfNeeded(fingerprint, events)
    case .watching(let connection, _):
      // One stat(2) a second finds what no event told: a replaced folder, a followed link.
      if fileWasReplaced() { return replaceFile() }
      if events.files || events.overflow { watcher?.watchFiles(of: file) }
      if events.closed || events.overflow { saving.begin(SystemClock.monotonic()) }
      let isWritten = noteWrites(events)
      if lostLog(connection, events, isWritten: isWritten) { return }
      look(isWritten: isWritten || events.overflow)
    }
  }

  func look(isWritten: Bool) {
    guard case .watching(let connection, var watch) = mode, let identity else {
      return publishSuspicion()
    }
    // A snapshot that could not be given up, for want of memory or by a failing disk, keeps the log from
    // being reset: it is tried again at each look.
    connection.comeToRest()
    let probe = FileProbe(
      connection: connection, file: file, identity: identity, ledger: ledger)
    let (accounted, position) = (watch.accounted, watch.last)
    let finding = watch.look(probe)
    mode = .watching(connection, watch)
    // Own commits move pages, too.
    let changed =
      watch.last == position ? nil : tracking?.changed(to: watch.last)
    let now = SystemClock.monotonic()
    if watch.accounted != accounted {
      // Own commits make events too, which are listened to for nothing.
      burst.note(Int(watch.accounted &- accounted), now: now)
      noteChange(now)
      writes.isUnexplained = false
    }
    switch finding {
    case .quiet, .written:
      backoff.stop()
      hasReportedLock = false
      publishSuspicion()
      if finding == .written { writes.isUnexplained = true }
      if let reason = reasonForRuin(connection, probe, isWritten: isWritten) {
        // What we have open is worth nothing.
        return replaceFile(because: reason)
      }
      saveLogIfLast(connection)
      if isClosingConnections || now - lastActivity > 1_000_000_000 {
        goDormantIfIdle(connection, watch)
      }
      if let text = tracking?.work(now, position: watch.last) { notice(text) }
    case .pending:
      backoff.start(now: now)
      if isWritten { backoff.prolong(now: now) }
      // Whoever holds the lock may hold it for long, after a commit that we did not see.
      if backoff.elapsed(now: now) > 5_000_000 { publishSuspicion() }
      // A writer that died while it published leaves the header torn. Whoever reads next repairs it.
      if backoff.elapsed(now: now) > 50_000_000, probe.read() == .torn, !probe.isWriteLocked() {
        backoff.stop()
        suspicion = "a writer died in the middle of a commit"
        publishSuspicion()
      }
      if !connection.usesWAL { suspectLock(probe, now) }
    case .commits(let count, let reason):
      backoff.stop()
      hasReportedLock = false
      suspicion = nil
      writes.isUnexplained = false
      noteChange(now)
      burst.note(count, now: now)
      let change = changed ?? TableTracking.Change(allReason: reason)
      feed.publish(
        origin: .external, kind: change.kind, changeset: change.changeset,
        evidence: change.evidence, count: count)
      // A commit can land between the look and here: look again without waiting for its event.
      // In a burst the next look comes by itself, after the pause, which a poke would end.
      if !burst.isOn(now) { mustLookAgain = true }
    case .lost(let reason):
      backoff.stop()
      // Nobody may open the file before all have let go of the log that was deleted.
      if log.shut != nil { return letGo(connection, identity, reason) }
      connection.close()
      mode = .detached(since: now)
      attach()
      // If it cannot be opened, what is told here is what makes observers try.
      if case .detached = mode { hasToldOfWriter = true }
      // Somebody may have put another content into the file: what was read of it is worth nothing.
      generations.advance()
      feed.publish(origin: .external, changeset: Changeset(allReason: reason))
    }
  }

  /// Has observers try to read where a look cannot tell what is committed.
  private func suspectLock(_ probe: FileProbe, _ now: UInt64) {
    let elapsed = backoff.elapsed(now: now)
    switch probe.fileLock(ignoresOwn: false) {
    case .abandoned where elapsed > 50_000_000:
      // Whoever reads next rolls back what it left, or finds it committed.
      backoff.stop()
      suspicion = "a writer died in the middle of a commit"
    case .exclusive where elapsed > 500_000_000 && !hasReportedLock:
      // A program in EXCLUSIVE locking mode commits again and again without letting go. Those who
      // cannot read say so, and try again until they can.
      hasReportedLock = true
      suspicion = "another process has the file for itself"
    default: return
    }
    publishSuspicion()
  }

  private func noteChange(_ now: UInt64) {
    lastActivity = now
    lastChange = now
  }

  /// Looks again within a millisecond or so, and less often after a while.
  func retrySoon() { backoff.start(now: SystemClock.monotonic()) }

  private func publishSuspicion() {
    guard let reason = suspicion.take() else { return }
    feed.publish(origin: .external, changeset: Changeset(allReason: reason))
  }

  // MARK: - Opening

  /// Opens the watch connection and takes the position from which commits count.
  ///
  /// - Parameters:
  ///   - rest: What was known when the connections were closed.
  ///   - events: What happened to the file since, beyond what its time stamps tell.
  /// - Returns: Whether it goes on from there, so that what was committed meanwhile is still to be told.
  @discardableResult
  func attach(after rest: Rest? = nil, events: FileWatcher.Events? = nil) -> Bool {
    // At first the file that the database was opened with: if another one stands there by now, the
    // next look sees that it was replaced.
    let found = isFirstAttach ? file.firstIdentity : DatabaseFile.identity(of: file.realPath)
    isFirstAttach = false
    noteChange(SystemClock.monotonic())
    var options = Connection.Options()
    options.isReader = true
    options.isReadOnly = configuration.isReadOnly
    options.busyTimeout = .seconds(1)
    options.limits = configuration.limits
    do {
      let connection = try file.open(options)
      connection.usesWAL = try connection.journalMode == "wal"
      identity = found
      writes = WriteNotes()
      // Whoever had it open may have closed it just now.
      if !isDeaf { saving.begin(lastActivity) }
      watcher?.watchFiles(of: file)
      isImmutable = connection.options.isImmutable
      if isImmutable {
        mode = .dormant(FileFingerprint(file))
        setDormant(false)
        return false
      }
      if let found {
        DescriptorRegistry.shared.watchDidOpen(found)
        connection.onClose.insert({ DescriptorRegistry.shared.watchWillClose(found) }, at: 0)
      }
      beginLog(connection)
      let (entry, reading) = readBesideLedger(connection)
      guard case .position(let position) = reading else {
        connection.close()
        mode = .detached(since: lastActivity)
        return false
      }
      var watch = CommitWatch(position: position, ledger: entry)
      burst = CommitBurst(
        pause: connection.usesWAL ? CommitBurst.pause : CommitBurst.rollbackPause)
      hasReportedLock = false
      // After the position was read: what is copied into the file later is counted from there.
      let isUntouched =
        events?.database != true && events?.overflow != true
        && rest?.fingerprint.hasOtherDatabase(than: FileFingerprint(file)) == false
      let resumed = rest?.resume(watch, connection, isUntouched: isUntouched)
      if let resumed { watch = resumed }
      mode = .watching(connection, watch)
      if connection.usesWAL {
        tracking =
          resumed.flatMap { rest?.tracking?.resumed(connection, at: $0.last) }
          ?? TableTracking(TableTracker(connection: connection))
      }
      hasSaidMissing = false
      hasToldOfWriter = false
      setDormant(false)
      return resumed != nil
    } catch {
      mode = .detached(since: lastActivity)
      return false
    }
  }

  private func readBesideLedger(_ connection: Connection)
    -> (CommitLedger.Entry, CommitWatch.Reading)
  {
    while true {
      let entry = ledger.current
      let reading = FileProbe.read(connection, file)
      // Otherwise an own commit may be in the one and not in the other.
      if !entry.isCommitting, ledger.current == entry { return (entry, reading) }
      sched_yield()
    }
  }

  private func attachAgain() {
    guard DatabaseFile.identity(of: file.path) != nil else {
      if !hasSaidMissing { feed.publish(.fileMissing(SystemClock.now())) }
      hasSaidMissing = true
      return
    }
    let previous = identity
    file.resolveAgain()
    _ = watcher?.watchFolders(of: file)
    watcher?.watchFiles(of: file)
    // Somebody makes the file at this moment: a reader in its way could make their commit fail.
    let now = SystemClock.monotonic()
    if FileProbe.isBeingMade(file), backoff.elapsed(now: now) < 2_000_000_000 {
      backoff.start(now: now)
      return
    }
    backoff.stop()
    attach()
    guard case .detached = mode else {
      generations.advance()
      let kind: Commit.Kind = identity == previous ? .data : .fileReplaced
      let reason =
        kind == .fileReplaced
        ? "another file is at the path"
        : log.reasonToReopen ?? "the file could be opened again"
      log.reasonToReopen = nil
      feed.publish(origin: .external, kind: kind, changeset: Changeset(allReason: reason))
      return
    }
    tellThatItCannotBeOpened()
  }

  /// Makes observers try, so that they say why their results are stale; once.
  func tellThatItCannotBeOpened() {
    guard !hasToldOfWriter else { return }
    hasToldOfWriter = true
    feed.publish(
      origin: .external, changeset: Changeset(allReason: "the file cannot be opened at present"))
  }

  func fileWasReplaced() -> Bool { DatabaseFile.identity(of: file.path) != identity }

  /// Opens what stands at the path now.
  ///
  /// - Parameter reason: Why, if it is the same file.
  func replaceFile(because reason: String? = nil) {
    // Closing the watch connection first: the last descriptor on the old file may go with it.
    if case .watching(let connection, _) = mode { connection.close() }
    mode = .detached(since: SystemClock.monotonic())
    // A writer that waits for the watch need not wait for a file to come back.
    setDormant(false)
    admitConnections()
    log.reasonToReopen = reason
    generations.advance()
    // What stands elsewhere by now is to be left alone; another database may have been opened there.
    if let identity {
      DescriptorRegistry.shared.queues.closeAllIdle(identity, of: generations)
    }
    attachAgain()
  }
}
