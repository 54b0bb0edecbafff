internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The detector's thread: waits, looks, publishes.
///
///             ┌────────── file gone, or cannot be opened ─────────┐
///             ▼                                                   │
///         detached ── opened ─▶ watching ── idle, no other ─▶ dormant
///             ▲                  │  ▲        process            │
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
  /// How often to look besides inotify, in nanoseconds.
  private var heartbeat: UInt64 = 1_000_000_000
  private var hasSaidMissing = false
  private var backoff = Backoff()
  /// Why something may have been committed that no position tells of, until it is published.
  var suspicion: String?
  /// The idle connections were asked to close: whether they have is soon to be seen.
  var isClosingConnections = false
  private var isFirstAttach = true
  /// The connections were opened as those of a file that nobody changes.
  private(set) var isImmutable = false
  /// inotify says nothing of changes by other machines here.
  private(set) var isBlind = false
  /// When something last happened, for going dormant.
  var lastActivity: UInt64 = 0
  private var burst = CommitBurst()
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
    watcher = FileWatcher(file: file)
    if let blind = BlindFileSystems.name(at: file.folder) {
      isBlind = true
      heartbeat = pollInterval
      notice("\(blind) tells of no changes: looking every \(pollInterval / 1_000_000) ms")
    } else if watcher == nil {
      stopListening()
    } else if configuration.pollInterval != nil {
      heartbeat = pollInterval
    }
  }

  private func stopListening() {
    watcher = nil
    heartbeat = pollInterval
    notice(
      "no inotify watch is to be had (fs.inotify limits): "
        + "looking every \(pollInterval / 1_000_000) ms")
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
      wait()
      lq_eventfd_drain(shared.wake)
      // Events first, then the look: what happens after the look makes new events.
      let events = watcher?.drain() ?? FileWatcher.Events(files: true)
      handle(events)
    }
    mode = .detached(since: 0)
    releaseWaiters()
    shared.stopped.signal()
  }

  private func wait() {
    let now = SystemClock.monotonic()
    if burst.isOn(now) {
      watcher?.pause()
      lq_wait_readable(shared.wake, -1, CommitBurst.pause)
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
    min(
      heartbeat, isClosingConnections ? 50_000_000 : .max, tracking?.timeToWork(now) ?? .max)
  }

  private func handle(_ events: FileWatcher.Events) {
    switch mode {
    case .detached:
      attachAgain()
    case .dormant(let fingerprint):
      leaveDormancyIfNeeded(fingerprint, events)
    case .watching:
      // One stat(2) a second finds what no event told: a replaced folder, a followed link.
      if fileWasReplaced() { return replaceFile() }
      if events.files || events.overflow { watcher?.watchFiles(of: file) }
      look(databaseWritten: events.database)
    }
  }

  func look(databaseWritten: Bool) {
    guard case .watching(let connection, var watch) = mode, let identity else {
      return publishSuspicion()
    }
    let probe = FileProbe(
      connection: connection, file: file, identity: identity, entry: ledger.current, book: ledger)
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
      lastActivity = now
    }
    switch finding {
    case .quiet:
      backoff.stop()
      publishSuspicion()
      if databaseWritten, connection.fileHeader()?.hasMagic == false {
        // Overwritten by something that is no SQLite: what we have open is worth nothing.
        return replaceFile()
      }
      if isClosingConnections || now - lastActivity > 1_000_000_000 {
        goDormantIfAlone(connection, watch)
      }
      if let text = tracking?.work(now, position: watch.last) { notice(text) }
    case .pending:
      backoff.start(now: now)
      // Whoever holds the lock may hold it for long, after a commit that we did not see.
      if backoff.elapsed(now: now) > 5_000_000 { publishSuspicion() }
      // A writer that died while it published leaves the header torn. Whoever reads next repairs it.
      if backoff.elapsed(now: now) > 50_000_000, probe.read() == .torn, !probe.isWriteLocked() {
        backoff.stop()
        suspicion = "a writer died in the middle of a commit"
        publishSuspicion()
      }
    case .commits(let count, let reason):
      backoff.stop()
      suspicion = nil
      lastActivity = now
      burst.note(count, now: now)
      let change = changed ?? TableTracking.Change(allReason: reason)
      feed.publish(
        origin: .external, kind: change.kind, changeset: change.changeset,
        evidence: change.evidence, count: count)
      // A commit can land between the look and here: look again without waiting for its event.
      // In a burst the next look comes by itself, after the pause, which a poke would end.
      if !burst.isOn(now) { shared.poke() }
    case .lost(let reason):
      backoff.stop()
      connection.close()
      mode = .detached(since: now)
      attach()
      feed.publish(origin: .external, changeset: Changeset(allReason: reason))
    }
  }

  private func publishSuspicion() {
    guard let reason = suspicion.take() else { return }
    feed.publish(origin: .external, changeset: Changeset(allReason: reason))
  }

  // MARK: - Opening

  /// Opens the watch connection and takes the position from which commits count.
  func attach() {
    // At first the file that the database was opened with: if another one stands there by now, the
    // next look sees that it was replaced.
    let found = isFirstAttach ? file.firstIdentity : DatabaseFile.identity(of: file.realPath)
    isFirstAttach = false
    lastActivity = SystemClock.monotonic()
    var options = Connection.Options()
    options.isReader = true
    options.isReadOnly = configuration.isReadOnly
    options.busyTimeout = 1_000
    do {
      let connection = try file.open(options)
      connection.usesWAL = try connection.journalMode == "wal"
      identity = found
      watcher?.watchFiles(of: file)
      isImmutable = connection.options.isImmutable
      if isImmutable {
        mode = .dormant(FileFingerprint(file))
        setDormant(false)
        return
      }
      let (entry, reading) = readBesideLedger(connection)
      guard case .position(let position) = reading else {
        connection.close()
        mode = .detached(since: lastActivity)
        return
      }
      mode = .watching(connection, CommitWatch(position: position, ledger: entry))
      if connection.usesWAL { tracking = TableTracking(TableTracker(connection: connection)) }
      hasSaidMissing = false
      setDormant(false)
    } catch {
      mode = .detached(since: lastActivity)
    }
  }

  private func readBesideLedger(_ connection: Connection)
    -> (CommitLedger.Entry, CommitWatch.Reading)
  {
    while true {
      let entry = ledger.current
      let reading = FileProbe.read(connection)
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
      let reason = kind == .data ? "the file could be opened again" : "another file is at the path"
      feed.publish(origin: .external, kind: kind, changeset: Changeset(allReason: reason))
      return
    }
  }

  func fileWasReplaced() -> Bool { DatabaseFile.identity(of: file.path) != identity }

  func replaceFile() {
    // Closing the watch connection first: the last descriptor on the old file may go with it.
    if case .watching(let connection, _) = mode { connection.close() }
    mode = .detached(since: SystemClock.monotonic())
    // A writer that waits for the watch need not wait for a file to come back.
    setDormant(false)
    generations.advance()
    attachAgain()
  }
}
