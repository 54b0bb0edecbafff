internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The thread of the detector: waits, performs what ``Detector`` decides, and answers its questions.
///
///     inotify, eventfd, deadline ─▶ Wake ─▶ Detector ─▶ actions ─▶ question
///                                              ▲                       │
///                                              └─────── answer ────────┘
///
/// It decides nothing. Confined to its thread, except for opening before the thread starts.
final class DetectorThread {
  private let shared: ExternalCommitDetector.Shared
  private let file: DatabaseFile
  private let configuration: Configuration
  private let ledger: CommitLedger
  private let commits: CommitStream
  private let epoch: FileEpoch
  private let closeIdleConnections: @Sendable () -> Void
  /// See ``Detector/Users/costOfClosing``.
  private let costOfClosing: @Sendable () -> UInt64

  private var detector: Detector
  private var watcher: FileWatcher?
  /// The connection of the watch, while it is open.
  private var connection: Connection?
  private var oldPages = OldPages()
  /// The file that was opened last.
  private var identity = DatabaseFile.Identity(device: 0, inode: 0)
  /// What the ledger accounted for at the last check.
  private var accounted: UInt32 = 0
  /// The map of tables, for ``connection`` or, while the detector is dormant, for the next one.
  private var tracker: TableTracker?

  init(
    shared: ExternalCommitDetector.Shared, file: DatabaseFile, configuration: Configuration,
    ledger: CommitLedger, commits: CommitStream, epoch: FileEpoch,
    closeIdleConnections: @escaping @Sendable () -> Void,
    costOfClosing: @escaping @Sendable () -> UInt64
  ) {
    self.shared = shared
    self.file = file
    self.configuration = configuration
    self.ledger = ledger
    self.commits = commits
    self.epoch = epoch
    self.closeIdleConnections = closeIdleConnections
    self.costOfClosing = costOfClosing
    detector = Detector(Detector.Settings(configuration, owner: file.owner))
  }

  // MARK: - The thread

  /// Opens the watch, and starts the thread, which owns this object from then on.
  func start() {
    watcher = FileWatcher(file: file, events: configuration.fileEvents)
    tell(.start(listening))
    shared.state.withLock { $0.hasStarted = true }
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<DetectorThread>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(result == 0, "pthread_create failed with \(result)")
    pthread_detach(thread)
    // The file may have been replaced since the database was opened.
    shared.poke()
  }

  private var listening: Detector.Listening {
    if let fileSystem = configuration.fileEvents.blindFileSystem(file.folder) {
      return .blind(fileSystem: fileSystem)
    }
    return watcher == nil ? .none : .inotify
  }

  private func run() {
    shared.state.withLock { $0.thread = pthread_self() }
    lq_precise_timeouts()
    lq_leave_signals()
    while !shared.state.withLock({ $0.shouldStop }) {
      if wait() { lq_eventfd_drain(shared.wakeDescriptor) }
      tell(.woke(wake()))
    }
    tell(.stop)
    shared.stopped.signal()
  }

  /// Passes an input to the machine, and performs its actions until it has no question.
  private func tell(_ input: Detector.Input) {
    var next: Detector.Input? = input
    while let input = next {
      next = nil
      for action in detector.handle(input, now: SystemClock.monotonic()) {
        if case .ask(let question) = action { next = answer(to: question) } else { perform(action) }
      }
    }
  }

  /// - Returns: Whether this process woke the thread.
  private func wait() -> Bool {
    guard let deadline = detector.deadline else {
      preconditionFailure("the detector is \(detector.state), and has no deadline")
    }
    let now = SystemClock.monotonic()
    // Ending a watch makes an event, too.
    let descriptor = watcher.map { $0.isPaused ? -1 : $0.descriptor } ?? -1
    return lq_wait_readable(shared.wakeDescriptor, descriptor, deadline > now ? deadline - now : 0)
      != 0
  }

  private func wake() -> Detector.Wake {
    // Events first: what happens after the files are examined makes new events.
    let events = watcher?.drain() ?? FileWatcher.Events(files: true)
    if events.files || events.overflow || connection == nil { watcher?.watchFiles(of: file) }
    var wake = Detector.Wake(events: events, isListening: watcher != nil)
    let path = file.realPath
    let status = FileStatus(path: file.path)
    wake.identity = status.identity
    wake.fingerprint = FileFingerprint(
      database: file.path == path ? status.stamp : FileStamp(path: path),
      // An open WAL tells more by its index.
      wal: connection == nil ? FileStamp(path: file.walPath) : FileStamp())
    if let connection {
      if connection.wal.isOn { wake.progress = connection.wal.checkpointProgress() }
      wake.reasonToClose = ProcessFile(identity).reasonToClose(besides: ObjectIdentifier(self))
    } else {
      wake.isWanted = shared.state.withLock { $0.mustWake }
      wake.connections = ProcessFile(identity).connections
    }
    return wake
  }

  // MARK: - Actions

  private func perform(_ action: Detector.Action) {
    switch action {
    case .publish(let change, let count):
      commits.publish(
        origin: .external, kind: change.kind, changeset: change.changeset,
        evidence: change.evidence, count: count
      ) { [ledger, accounted] in
        // The entry begins before a commit is made, and ends after it is published.
        let entry = ledger.current
        return !entry.isCommitting && entry.accounted == accounted
      }
    case .publishMissing: commits.publish(.fileMissing(SystemClock.now()))
    case .notice(let text): commits.publish(.notice(text, SystemClock.now()))
    case .announcePolling(let notice): shared.state.withLock { $0.pollingNotice = notice }
    case .announceDormant(let isDormant):
      shared.state.withLock { $0.isDormant = isDormant }
      if !isDormant { releaseWriters() }
    case .releaseWriters: releaseWriters()
    case .close:
      close()
      tracker = nil
    case .advanceEpoch: epoch.advance()
    case .closeIdle: closeIdleConnections()
    // A file that was moved must be left alone; another database may have been opened there.
    case .closeOutdated: ProcessFile(identity).closeAllIdle(of: epoch)
    case .closeEverywhere: ProcessFile(identity).closeAllIdle()
    case .shutOpenings(let empties, let reason):
      ProcessFile(identity).hold(hold(for: empties ? .emptying : .keepingOut, reason))
    case .admitOpenings: ProcessFile(identity).release(ObjectIdentifier(self))
    case .noteOverwritten: ProcessFile(identity).noteOverwritten()
    case .pauseEvents: watcher?.pause()
    case .resumeEvents: if watcher?.resume(file) == false { watcher = nil }
    case .trackTables(let position):
      if case .wal(let header)? = position, let tracker {
        tracker.resume(openConnection, at: header)
      } else {
        tracker = TableTracker(connection: openConnection)
      }
    case .ask: preconditionFailure("a question is to be answered, not performed")
    }
  }

  private func close() {
    if let connection { oldPages.end(connection) }
    connection?.close()
    connection = nil
  }

  private func hold(for purpose: ProcessFile.Purpose, _ reason: String) -> ProcessFile.OpenHold {
    ProcessFile.OpenHold(owner: ObjectIdentifier(self), purpose: purpose, reason: reason)
  }

  private func releaseWriters() {
    let waiters = shared.state.withLock { state in
      state.mustWake = false
      state.isDormant = state.isDormant && !state.shouldStop
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  // MARK: - Answers

  private func answer(to question: Detector.Question) -> Detector.Input {
    switch question {
    case .check, .examineWrite, .findLog, .findWriter: break
    // Only between two checks of a commit that is being written may a read transaction be open.
    default: if let connection { oldPages.end(connection) }
    }
    switch question {
    case .findFile: return .foundFile(findFile())
    case .open(let isFirst): return .opened((try? open(isFirst: isFirst)) ?? .failed)
    case .countCommits(let header):
      let found = openConnection.wal.commits(
        upTo: header.lastFrame, salts: header.salts, pageSize: header.pageSize)
      return .countedCommits(found?.count)
    case .check(let watch): return .checked(check(watch))
    case .examineWrite(let log):
      return .examinedWrite(
        isBeingCheckpointed: isBeingCheckpointed(log), openConnection.wal.checkpointProgress())
    case .findLog(let log):
      let index = log.index.flatMap { ProcessFile(identity).descriptor(on: $0) }
      let isOpenElsewhere = index.map { LockRange.open.isHeldElsewhere(on: $0) == true } ?? false
      return .foundLog(WALFiles(beside: file), isOpenElsewhere: isOpenElsewhere)
    case .findWriter: return .foundWriter(probe.writer())
    case .examineFile: return .examinedFile(isDamaged: probe.isDamaged())
    case .findUsers(let position): return .foundUsers(users(at: position))
    case .emptyLog:
      guard let emptyings = ProcessFile(identity).emptyings else { return .emptiedLog(false) }
      return .emptiedLog(openConnection.emptyLog(noting: emptyings) { otherUsers == .none })
    case .copyLog: return .copiedLog(openConnection.copyLog())
    case .shutOpenings: return .shutOpenings(shutOpenings())
    case .closeForDormancy(let position): return .closedForDormancy(closeForDormancy(position))
    case .buildMap(let limit): return .builtMap(buildMap(within: limit))
    case .searchMap:
      _ = openTracker.scanSlice()
      return .searchedMap(openTracker.state)
    case .countConnections:
      let areAllClosed = ProcessFile(identity).isEmptied(by: ObjectIdentifier(self))
      return .countedConnections(areAllClosed: areAllClosed)
    }
  }

  private var openConnection: Connection {
    guard let connection else {
      preconditionFailure("the detector is \(detector.state), and its connection isn't open")
    }
    return connection
  }

  private var openTracker: TableTracker {
    guard let tracker else {
      preconditionFailure("the detector is \(detector.state), and tracks no tables")
    }
    return tracker
  }

  private var probe: FileProbe {
    FileProbe(connection: openConnection, file: file, identity: identity, ledger: ledger)
  }

  private func findFile() -> Detector.FoundFile {
    guard DatabaseFile.identity(of: file.path) != nil else { return .missing }
    file.resolveAgain()
    _ = watcher?.watchFolders(of: file)
    watcher?.watchFiles(of: file)
    return FileProbe.isBeingMade(file) ? .beingMade : .present
  }

  private func check(_ watch: CommitWatch) -> Detector.Checked {
    // A snapshot that could not be released, because memory is low or the disk fails, keeps the WAL
    // from being reset: each check tries again.
    if !oldPages.areKept { openConnection.comeToRest() }
    var commits = watch
    let finding = commits.look(probe)
    accounted = commits.accounted
    var answer: TableTracker.Answer?
    if commits.last != watch.last, case .wal(let header) = commits.last {
      answer = tracker?.advance(to: header, rows: interest(finding, from: watch, to: commits))
    }
    if finding == .pending, case .wal(let header) = commits.last {
      keepOldPages(behind: header)
    } else {
      oldPages.end(openConnection)
    }
    return Detector.Checked(
      commits: commits, finding: finding, answer: answer, map: tracker?.state ?? .missing)
  }

  private func keepOldPages(behind header: WALIndexHeader) {
    guard let base = tracker?.base else { return }
    oldPages.writerIsBusy(
      behind: header, pageSize: base.form.pageSize, openConnection
    ) { [commits] in
      base.roots.tableIDs.contains { commits.interest(in: $0) != nil }
    }
  }

  /// How much of a table's rows the followers must know; `nil` when no commit is published, or own commits are
  /// among those that were found, whose rows the hooks have reported already.
  private func interest(
    _ finding: CommitWatch.Finding, from old: CommitWatch, to new: CommitWatch
  ) -> TableTracker.Interest? {
    guard case .commits = finding, old.accounted == new.accounted else { return nil }
    return { [commits] in commits.interest(in: $0) }
  }

  /// Whether a process holds the CKPT lock, and so copies the WAL into the file.
  private func isBeingCheckpointed(_ log: WALFiles) -> Bool {
    guard let index = log.index, let descriptor = ProcessFile(identity).descriptor(on: index)
    else { return true }
    return LockRange.checkpoint.isHeld(on: descriptor) != false
  }

  private var otherUsers: Detector.Users.Others {
    guard let index = ProcessFile(identity).descriptor(for: file.shmPath) else { return .unknown }
    return LockRange.open.isHeldElsewhere(on: index) == false ? .none : .present
  }

  private func users(at position: CommitWatch.Position) -> Detector.Users {
    Detector.Users(
      others: otherUsers, holdsWriteLock: ledger.current.holdsWriteLock,
      areAllWatches: ProcessFile(identity).hasOnlyWatches, hasCopiedLog: hasCopiedLog(position),
      logSize: FileStamp(path: file.walPath).size,
      isOverwritten: ProcessFile(identity).isOverwritten,
      watchesLog: watcher?.watchesLog == true, costOfClosing: costOfClosing())
  }

  private func hasCopiedLog(_ position: CommitWatch.Position) -> Bool {
    guard case .wal(let header) = position else { return false }
    return openConnection.hasCopiedLog(header)
  }

  private func buildMap(within limit: UInt64) -> Result<Detector.BuiltMap, DatabaseError> {
    do throws(DatabaseError) {
      try openTracker.build(within: limit)
    } catch {
      return .failure(error)
    }
    guard let header = openTracker.base?.header else { preconditionFailure("no map was built") }
    return .success(
      Detector.BuiltMap(position: .wal(header), isAsReported: openTracker.isAsReported))
  }

  // MARK: - Opening and closing

  /// Opens the watch's connection, and takes the position from which commits count.
  ///
  /// - Parameter isFirst: Counts the file as the one that the `Database` was opened with. If another one
  ///   stands at the path by now, the next wake sees that it was replaced.
  /// - Throws: `DatabaseError`.
  private func open(isFirst: Bool) throws(DatabaseError) -> Detector.Opened {
    let found = isFirst ? file.firstIdentity : DatabaseFile.identity(of: file.realPath)
    guard let found else { return .failed }
    var options = Connection.Options()
    options.isReader = true
    options.isReadOnly = configuration.isReadOnly
    options.busyTimeout = .seconds(1)
    options.limits = configuration.limits
    options.schemaCallsApplication = configuration.schemaCallsApplication
    let connection = try file.open(options)
    connection.wal.isOn = try connection.journalMode == "wal"
    watcher?.watchFiles(of: file)
    if connection.options.isImmutable {
      connection.close()
      identity = found
      return .immutable(found, FileFingerprint(file))
    }
    ProcessFile(found).watchDidOpen()
    connection.lease.onClose.insert({ ProcessFile(found).watchWillClose() }, at: 0)

    let (log, notes, stamp) = beginLog(connection, of: found)
    guard let commits = position(connection) else {
      connection.close()
      return .failed
    }
    self.connection = connection
    identity = found
    return .watching(
      Detector.OpenFile(
        identity: found, isReadOnly: connection.isReadOnly, commits: commits, log: log,
        notes: notes, stamp: stamp, fingerprint: FileFingerprint(file)))
  }

  /// Takes note of the WAL that a connection has just opened.
  ///
  /// Takes the events that wait: a write before this moment is nothing to be explained.
  private func beginLog(
    _ connection: Connection, of identity: DatabaseFile.Identity
  ) -> (WALFiles, CheckpointNotes, FileStamp) {
    var notes = CheckpointNotes()
    guard connection.wal.isOn else { return (WALFiles(), notes, FileStamp(path: file.realPath)) }
    let log = WALFiles(openBeside: file)
    // Opened while the path still leads to it.
    if !log.isIncomplete { _ = ProcessFile(identity).descriptor(for: file.shmPath) }
    if let progress = connection.wal.checkpointProgress() { notes.add(progress) }
    _ = watcher?.drain()
    let stamp = FileStamp(path: file.realPath)
    if let progress = connection.wal.checkpointProgress() { notes.add(progress) }
    // The events that were drained may have been of a commit.
    shared.poke()
    return (log, notes, stamp)
  }

  /// The position of the file and what the ledger accounts for in it; `nil` when it can't be read.
  private func position(_ connection: Connection) -> CommitWatch? {
    while true {
      let entry = ledger.current
      let reading = FileProbe.read(connection, file)
      // Otherwise an own commit may be in the one and not in the other.
      if !entry.isCommitting, ledger.current == entry {
        guard case .position(let position) = reading else { return nil }
        return CommitWatch(position: position, ledger: entry)
      }
      sched_yield()
    }
  }

  /// Keeps the process from opening the file, unless it has a connection open that doesn't only watch.
  private func shutOpenings() -> Bool {
    let reason = "\(file.path): its connections are being closed"
    guard ProcessFile(identity).holdIfFree(hold(for: .resting, reason)) else { return false }
    // A connection may have been opened before it could see the flag.
    if ProcessFile(identity).hasOnlyWatches { return true }
    ProcessFile(identity).release(ObjectIdentifier(self))
    return false
  }

  private func closeForDormancy(_ position: CommitWatch.Position) -> Detector.Closing {
    let hasCopiedLog = hasCopiedLog(position)
    close()
    let fingerprint = FileFingerprint(file)
    let events = watcher?.drain() ?? FileWatcher.Events(overflow: true)
    watcher?.watchFiles(of: file)
    return Detector.Closing(
      hasCopiedLog: hasCopiedLog, fingerprint: fingerprint, events: events)
  }
}
