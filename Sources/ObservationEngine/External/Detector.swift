/// Decides what the detector of foreign commits does: when to check the file and when again, when
/// to open and close it, when to empty its WAL, and what to publish.
///
///              file gone, or can't be opened
///        ┌──────────────────────────────────────┐
///        ▼                                      │
///     closed ──────── opened ──────────────▶ watching ── nothing happens ──▶ dormant
///        ▲                                      │ ▲                             │
///        │◀─────────── file replaced ───────────┤ └── file changed, own write ──┤
///        │                                      ▼                               │
///        ├◀─────────────────────────────── letting go                           │
///        └◀──────────────────────────── file replaced ──────────────────────────┘
///
///     immutable: as dormant, for a file that is opened as one that never changes
///
/// Dormant means that this process has no connection open, so that other programs may switch the journal
/// mode, lock the file exclusively, or move another file into its place.
///
/// The machine has no file, clock, lock or thread. ``DetectorThread`` reports what happened, and performs
/// the actions that it is given, in order. The last of them may be a question; then the machine waits for
/// the answer and takes nothing else. Without a question it waits for ``Input/woke(_:)`` until
/// ``deadline``.
struct Detector: Equatable {
  /// What doesn't change while the detector runs.
  struct Settings: Equatable {
    var keepsConnectionsOpen = false
    /// LiteFS replicates into the file: its pages reach it past the WAL.
    var isReplica = false
    /// How often to check where inotify doesn't help, in nanoseconds.
    var pollInterval: UInt64 = 200_000_000
    /// How often to check besides inotify, in nanoseconds.
    var heartbeat: UInt64 = 1_000_000_000
    /// How long nothing must happen before connections are closed, in nanoseconds.
    var idleTimeout: UInt64 = 1_000_000_000
    /// The same since the last commit, while other processes have the file open.
    var patienceWithOthers: UInt64 = 10_000_000_000
  }

  /// How the system reports changes to the file.
  enum Listening: Equatable {
    case inotify
    /// inotify misses changes by other machines on this file system.
    case blind(fileSystem: String)
    /// No inotify instance or watch is available.
    case none
  }

  // MARK: - Inputs

  enum Input: Equatable {
    case start(Listening)
    /// An event, a request or the deadline ended the wait.
    case woke(Wake)
    case foundFile(FoundFile)
    case opened(Opened)
    /// The commits in the WAL; `nil` when they can't be counted.
    case countedCommits(UInt32?)
    case checked(Checked)
    case examinedWrite(isBeingCheckpointed: Bool, CheckpointProgress?)
    case foundLog(WALFiles, isOpenElsewhere: Bool)
    case foundWriter(Writer)
    case examinedFile(isDamaged: Bool)
    case foundUsers(Users)
    case emptiedLog(Bool)
    case copiedLog(Bool)
    case shutOpenings(Bool)
    case closedForDormancy(Closing)
    /// The map, or why there is none.
    case builtMap(Result<BuiltMap, DatabaseError>)
    case searchedMap(TableTracking.Map)
    case countedConnections(areAllClosed: Bool)
    case stop
  }

  /// What the thread finds when its wait ends.
  struct Wake: Equatable {
    var events = FileWatcher.Events()
    var isListening = true
    /// Which file stands at the path.
    var identity: FileIdentity?
    /// Taken after the events; of the WAL only while it isn't open.
    var fingerprint = FileFingerprint()
    /// How far the WAL that is open was copied; `nil` for none.
    var progress: CheckpointProgress?
    /// Why another `Database` of this process waits for all connections to the file to be closed.
    var reasonToClose: String?
    /// A writer of this process waits for the watch.
    var isWanted = false
    /// Connections of this process to the file.
    var connections = 0
  }

  /// A map of the tables' pages.
  struct BuiltMap: Equatable {
    /// What it stands for.
    let position: CommitWatch.Position
    /// The file is the one of which commits were reported so far (see ``TableTracker/isAsReported``).
    let isAsReported: Bool
  }

  enum FoundFile: Equatable {
    case missing
    /// It is empty as yet, or another process writes to it: a reader could make that process fail.
    case beingMade
    case present
  }

  enum Opened: Equatable {
    case failed
    /// As a file that never changes; its connection is closed again.
    case immutable(FileIdentity, FileFingerprint)
    case watching(OpenFile)
  }

  /// A file that was just opened.
  struct OpenFile: Equatable {
    var identity: FileIdentity
    var isReadOnly = false
    /// Position and ledger as of the opening.
    var commits: CommitWatch
    var log = WALFiles()
    var notes = CheckpointNotes()
    /// Taken before the position.
    var stamp = FileStamp()
    /// Taken after the position: what is copied into the file later shows as a difference from this.
    var fingerprint = FileFingerprint()
  }

  /// What a check found.
  struct Checked: Equatable {
    var commits: CommitWatch
    var finding: CommitWatch.Finding
    /// What the WAL says about the tables, if the position moved.
    var answer: TableTracker.Answer?
    var map = TableTracking.Map.missing
  }

  /// What the traces of a writer show that holds the lock for long.
  enum Writer: Equatable {
    case alive
    /// It left a torn header, or a journal.
    case dead
    /// It keeps readers out of the file.
    case exclusive
  }

  /// What uses the file at a moment when nothing happens.
  struct Users: Equatable {
    enum Others: Equatable {
      case none
      case present
      /// There is no wal-index at its path to ask.
      case unknown
    }

    /// Other processes that have the file open in WAL mode.
    var others = Others.none
    /// The writer of this process has a transaction.
    var holdsWriteLock = false
    /// All connections of this process are watches.
    var areAllWatches = true
    /// The file holds all that the WAL does.
    var hasCopiedLog = true
    /// Bytes in the -wal file.
    var logSize: Int64 = 0
    /// A program wrote to the file past its WAL.
    var isOverwritten = false
    /// Writes to the -wal file make events.
    var watchesLog = true
    /// How long the queries take, in nanoseconds, whose maintained results end with the connections.
    var costOfClosing: UInt64 = 0
  }

  /// How the watch was closed to go dormant.
  struct Closing: Equatable {
    /// The file held all that was committed.
    var hasCopiedLog = true
    var fingerprint = FileFingerprint()
    /// What happened since the last wake. Closing writes no frame to the WAL and makes no file.
    var events = FileWatcher.Events()
  }

  // MARK: - Actions

  enum Action: Equatable {
    case publish(TableTracking.Change, count: Int = 1)
    case publishMissing
    case notice(String)
    case announcePolling(String)
    /// Publishes whether writers of this process have to wait for the watch before they write.
    case announceDormant(Bool)
    /// Lets the waiting writers go on without a watch.
    case releaseWriters
    /// Closes the watch's connection, if it is open, and gives up the map of tables.
    case close
    /// Has every connection of this `Database` opened again before its next use.
    case advanceEpoch
    /// Asks idle connections of this `Database` to close, unless they keep state.
    case closeIdle
    /// Asks idle connections of this `Database` to close, even with session state.
    case closeOutdated
    /// Asks idle connections of all databases of the process to close, even with session state.
    case closeEverywhere
    /// Keeps the process from opening connections; if it empties, every `Database` takes part.
    case shutOpenings(empties: Bool, reason: String)
    case admitOpenings
    /// Notes that the file was written to past its WAL.
    case noteOverwritten
    /// Ends all inotify watches: writers needn't make events in a burst.
    case pauseEvents
    /// Watches again; the next wake reports an overflow.
    case resumeEvents
    /// Follows the pages of tables; `resumingAt` goes on with the map from before dormancy.
    case trackTables(resumingAt: CommitWatch.Position?)
    case ask(Question)
  }

  enum Question: Equatable {
    /// Follow the links again: what stands at the path?
    case findFile
    case open(isFirst: Bool)
    case countCommits(upTo: WALIndexHeader)
    case check(CommitWatch)
    case examineWrite(WALFiles)
    case findLog(WALFiles)
    case findWriter
    case examineFile
    case findUsers(CommitWatch.Position)
    /// Copy the WAL and empty it, unless another process has it open by then.
    case emptyLog
    /// Copy what can be copied without waiting: did it copy anything?
    case copyLog
    /// Shut the file if it isn't shut and only watches are open: is it shut now?
    case shutOpenings
    case closeForDormancy(CommitWatch.Position)
    case buildMap(limit: UInt64)
    case searchMap
    case countConnections
  }

  // MARK: - State

  private enum Mode: Equatable {
    case unstarted
    /// Nothing is open: there is no file, or it can't be opened.
    case closed(Closed)
    case findingFile(Closed)
    case opening(Purpose)
    /// The file counts as immutable; any change makes the detector open it again.
    case immutable(Immutable)
    case watching(Watch)
    case checking(Watch, Check, Step)
    case goingDormant(Watch, DormancyStep)
    case dormant(DormantState)
    /// Opened again after dormancy: commits in a new WAL are being counted.
    case resuming(Watch, DormantMemory)
    /// Waits until this process has closed all its connections to the file.
    case lettingGo(Release)
    case countingConnections(Release)
    case stopped

    var name: String {
      switch self {
      case .unstarted: "unstarted"
      case .closed: "closed"
      case .findingFile: "finding the file"
      case .opening: "opening"
      case .immutable: "immutable"
      case .watching: "watching"
      case .checking(_, _, let step): "checking: \(step.name)"
      case .goingDormant(_, let step): "going dormant: \(step)"
      case .dormant: "dormant"
      case .resuming: "resuming"
      case .lettingGo: "letting go"
      case .countingConnections: "counting connections"
      case .stopped: "stopped"
      }
    }
  }

  /// What a check of an open file has asked for.
  private enum Step: Equatable {
    case write
    case log
    case position
    case writer
    case damage
    case usersToSave
    case emptying
    case usersToSleep(isSecondTry: Bool)
    case copying
    case building(since: UInt64)
    case searching

    var name: String {
      switch self {
      case .usersToSleep: "usersToSleep"
      case .building: "building"
      default: "\(self)"
      }
    }
  }

  private enum DormancyStep: Equatable {
    case shutting
    case position
    case closing
  }

  /// What led to a check.
  private struct Check: Equatable {
    /// Bytes of the file were written since the last one, or the events that would show it are
    /// missing.
    var isWritten = false
    /// The -wal and -shm files next to the file must be identified.
    var findsLog = false
  }

  private enum Purpose: Equatable {
    case first
    case again(Closed)
    /// The check found that the position is no longer valid.
    case lost(FileIdentity, reason: String)
    /// - Parameter events: `nil` when only this process asks.
    case waking(DormantState, events: FileWatcher.Events?)
    case wakingImmutable(Immutable)
  }

  private struct Closed: Equatable {
    /// The file that was open; `nil` for none.
    var identity: FileIdentity?
    /// Why it was closed, if it is opened again for that.
    var reason: String?
    /// Followers know that the file is missing, or can't be opened.
    var hasReportedMissing = false
    var hasReportedFailure = false
    /// Since when another process makes the file.
    var backoff = Backoff()
  }

  private struct Immutable: Equatable {
    var identity: FileIdentity
    var fingerprint: FileFingerprint
    var hasReportedFailure = false
  }

  private struct DormantState: Equatable {
    var identity: FileIdentity
    var fingerprint: FileFingerprint
    /// `nil` when nothing is left to go on from.
    var memory: DormantMemory?
    var hasReportedFailure = false
    /// When idle connections were last asked to close.
    var lastActivity: UInt64
  }

  /// What was known when all connections were closed, to go on from.
  private struct DormantMemory: Equatable {
    let commits: CommitWatch
    /// `nil` unless there is a map as of `commits`.
    let tables: TableTracking?
    /// The file held all that was committed, or there was no WAL.
    let isWholeInFile: Bool
  }

  private struct Release: Equatable {
    let identity: FileIdentity
    let reason: String
    var backoff = Backoff()
  }

  /// How well what was published describes the file.
  private enum Certainty: Equatable {
    case exact
    /// The map of tables was built after commits that aren't published yet, so it can't attribute them.
    case mapIsNewerThanReported
    /// A process may have committed without any position that shows it.
    case unconfirmedChange(reason: String)
  }

  /// What belongs to the connection that is open.
  private struct Watch: Equatable {
    let identity: FileIdentity
    let isReadOnly: Bool
    var commits: CommitWatch
    var certainty = Certainty.exact
    var backoff = Backoff()
    var burst: CommitBurst
    /// inotify is switched off for the time of a burst.
    var isPaused = false
    /// The next wake is due now.
    var isWakeDue = false
    /// Followers know that another process keeps them out of the file.
    var hasReportedLock = false

    /// The -wal and -shm files that the connection has open.
    let log: WALFiles
    var notes: CheckpointNotes
    var logFoundAt: UInt64
    /// They were deleted while other processes have them open: the process opens no other ones.
    var isShut = false

    /// The file when events were last taken.
    var stamp: FileStamp
    /// The bytes of the file changed, and no commit counted since.
    var isWriteUnexplained = false
    /// A program closed the file since the last judgement, or may have.
    var mayBeClosed = false

    /// When a process last committed, or the file was opened, or going dormant was last tried.
    var lastActivity: UInt64
    var lastChange: UInt64
    /// Idle connections were asked to close, or the WAL was copied: the next try may succeed.
    var isGoingDormant = false
    /// `nil` for a rollback journal, which doesn't record pages.
    var tables: TableTracking?

    init(_ file: OpenFile, now: UInt64) {
      identity = file.identity
      isReadOnly = file.isReadOnly
      commits = file.commits
      log = file.log
      notes = file.notes
      stamp = file.stamp
      (lastActivity, lastChange) = (now, now)
      let isWAL = Detector.isWAL(file.commits)
      burst = CommitBurst(pause: isWAL ? CommitBurst.pause : CommitBurst.rollbackPause)
      tables = isWAL ? TableTracking() : nil
      // A file that is missing already was deleted, most likely. While that goes on, the database is
      // opened once a second.
      logFoundAt = file.log.isIncomplete ? now : 0
    }

    var isWAL: Bool { Detector.isWAL(commits) }

    mutating func noteChange(_ now: UInt64) {
      (lastActivity, lastChange) = (now, now)
      isGoingDormant = false
    }

    /// Learns from the WAL what changed: commit by commit, or all together.
    mutating func changes(_ answer: TableTracker.Answer) -> [TableTracking.Change] {
      let changes = TableTracking.Change.changes(answer)
      guard certainty == .mapIsNewerThanReported else { return changes }
      certainty = .exact
      if case .schema = answer { return changes }
      return [
        TableTracking.Change(
          everything: "it was committed while the tables' pages were looked for")
      ]
    }

    /// Publishes what may have changed, if anything may have.
    mutating func confirmChange() -> [Action] {
      guard case .unconfirmedChange(let reason) = certainty else { return [] }
      certainty = .exact
      return [.publish(TableTracking.Change(everything: reason))]
    }
  }

  private let settings: Settings
  private var mode = Mode.unstarted
  private var listening = Listening.inotify
  private var saving = WALSaving()
  /// When the last input came.
  private var now: UInt64 = 0

  init(_ settings: Settings) { self.settings = settings }

  /// The name of the state, for traps and tests.
  var state: String { mode.name }

  private static func isWAL(_ commits: CommitWatch) -> Bool {
    if case .wal = commits.last { true } else { false }
  }

  private static let unopenable = "the file cannot be opened at present"
  private static let written = "another process wrote to the file"
  private static let writerDied = "a writer died in the middle of a commit"

  // MARK: - Events

  /// Takes what happened, and returns what to do.
  ///
  /// - Parameter now: Nanoseconds of a monotonic clock.
  mutating func handle(_ input: Input, now: UInt64) -> [Action] {
    guard let actions = reaction(to: input, now: now) else {
      fatalError("the detector is \(state), and got \(input)")
    }
    return actions
  }

  /// As ``handle(_:now:)``, but `nil` for an input that can't come in this state.
  mutating func reaction(to input: Input, now: UInt64) -> [Action]? {
    self.now = now
    switch (mode, input) {
    case (.unstarted, .start(let listening)):
      return start(listening)

    case (.closed(let closed), .woke(let wake)):
      return noteListening(wake) + find(closed)
    case (.findingFile(let closed), .foundFile(let file)):
      return found(file, closed)
    case (.opening(let purpose), .opened(let file)):
      return opened(file, purpose)

    case (.immutable(let file), .woke(let wake)):
      return noteListening(wake) + woke(file, wake)
    case (.dormant(let dormant), .woke(let wake)):
      return noteListening(wake) + woke(dormant, wake)
    case (.resuming(let watch, let memory), .countedCommits(let count)):
      return resume(watch, memory, commits: count)

    case (.watching(let watch), .woke(let wake)):
      return noteListening(wake) + woke(watch, wake)
    case (.checking(let watch, let check, let step), _):
      return answered(watch, check, step, input)
    case (.goingDormant(let watch, let step), _):
      return goingDormant(watch, step, input)

    case (.lettingGo(let release), .woke(let wake)):
      return noteListening(wake) + woke(release, wake)
    case (.countingConnections(let release), .countedConnections(let areAllClosed)):
      return counted(release, areAllClosed: areAllClosed)

    case (.closed, .stop), (.immutable, .stop), (.dormant, .stop):
      return stop([])
    case (.watching(let watch), .stop):
      return stop(watch.isShut ? [.close, .admitOpenings] : [.close])
    case (.lettingGo, .stop):
      return stop([.admitOpenings])
    default: return nil
    }
  }

  /// When the thread is to wake at the latest; `nil` while the machine waits for an answer, or for nothing.
  var deadline: UInt64? {
    let heartbeat = now + (isDeaf ? settings.pollInterval : settings.heartbeat)
    switch mode {
    case .closed(let closed): return min(heartbeat, closed.backoff.due ?? .max)
    case .lettingGo(let release): return min(heartbeat, release.backoff.due ?? .max)
    case .immutable, .dormant: return heartbeat
    case .watching(let watch):
      if watch.isWakeDue { return now }
      if watch.isPaused { return now + watch.burst.pause }
      if let due = watch.backoff.due { return due }
      var deadline = heartbeat
      if watch.isGoingDormant { deadline = min(deadline, now + 50_000_000) }
      // A checkpoint explains a write only while it is among the notes, so the next notes are due.
      if watch.notes.isSettling { deadline = min(deadline, now + 5_000_000) }
      // While another process writes, no check is quiet enough for the rest.
      if watch.backoff.isOn { return deadline }
      return min(deadline, saving.due ?? .max, watch.tables?.due(now) ?? .max)
    case .unstarted, .findingFile, .opening, .checking, .goingDormant, .resuming,
      .countingConnections, .stopped:
      return nil
    }
  }

  private mutating func stop(_ actions: [Action]) -> [Action] {
    mode = .stopped
    return actions + [.releaseWriters]
  }

  // MARK: - Listening

  /// inotify reports no changes, or not all.
  private var isDeaf: Bool { listening != .inotify }

  private mutating func start(_ listening: Listening) -> [Action] {
    self.listening = listening
    var actions: [Action] = []
    switch listening {
    case .inotify: break
    case .blind(let fileSystem):
      actions += poll("\(fileSystem) reports no changes")
    case .none: actions += poll(Self.noWatch)
    }
    return actions + open(.first)
  }

  private static let noWatch = "no inotify watch is available (fs.inotify limits)"

  private func poll(_ reason: String) -> [Action] {
    let interval = settings.pollInterval / 1_000_000
    let notice = "\(reason): looking every \(interval) ms"
    return [.announcePolling(notice), .notice(notice)]
  }

  /// Notes that inotify has stopped working, for example because another program took the last
  /// watch during a burst.
  private mutating func noteListening(_ wake: Wake) -> [Action] {
    guard !wake.isListening, listening != .none else { return [] }
    listening = .none
    return poll(Self.noWatch)
  }

  // MARK: - Opening

  private mutating func find(_ closed: Closed) -> [Action] {
    mode = .findingFile(closed)
    return [.ask(.findFile)]
  }

  private mutating func found(_ file: FoundFile, _ closed: Closed) -> [Action] {
    var closed = closed
    switch file {
    case .missing:
      let isNews = !closed.hasReportedMissing
      closed.hasReportedMissing = true
      closed.backoff.stop()
      mode = .closed(closed)
      return isNews ? [.publishMissing] : []
    case .beingMade where closed.backoff.elapsed(now: now) < 2_000_000_000:
      closed.backoff.again(now: now)
      mode = .closed(closed)
      return []
    case .beingMade, .present:
      closed.backoff.stop()
      return open(.again(closed))
    }
  }

  private mutating func open(_ purpose: Purpose) -> [Action] {
    mode = .opening(purpose)
    return [.ask(.open(isFirst: purpose == .first))]
  }

  private mutating func opened(_ file: Opened, _ purpose: Purpose) -> [Action] {
    let actions: [Action]
    switch file {
    case .failed: return failedToOpen(purpose)
    case .immutable(let identity, let fingerprint):
      mode = .immutable(Immutable(identity: identity, fingerprint: fingerprint))
      actions = [.announceDormant(false)]
    case .watching(let open):
      let watch = Watch(open, now: now)
      // The program that had it open may have closed it just now.
      if !isDeaf { saving.begin(now) }
      switch purpose {
      case .first, .again, .lost: break
      case .waking(let dormant, let events): return wake(watch, open, dormant, events)
      case .wakingImmutable: return [.advanceEpoch] + goOn(watch, from: nil)
      }
      mode = .watching(watch)
      actions =
        watch.isWAL
        ? [.trackTables(resumingAt: nil), .announceDormant(false)] : [.announceDormant(false)]
    }
    switch purpose {
    case .first: return actions
    case .again(let closed):
      let reason = closed.reason ?? "the file could be opened again"
      var change = TableTracking.Change(everything: reason)
      if identity != closed.identity {
        change = TableTracking.Change(everything: "another file is at the path")
        change.kind = .fileReplaced
      }
      return actions + [.advanceEpoch, .publish(change)]
    case .lost(_, let reason):
      // Another program may have put other content into the file, so nothing read from it is valid.
      return actions + [.advanceEpoch, .publish(TableTracking.Change(everything: reason))]
    case .waking, .wakingImmutable:
      // Connections to a file that never changes don't read it again.
      return actions + [.advanceEpoch, .publish(TableTracking.Change(everything: Self.written))]
    }
  }

  /// The file that is open, if one is.
  private var identity: FileIdentity? {
    switch mode {
    case .watching(let watch): watch.identity
    case .immutable(let file): file.identity
    default: nil
    }
  }

  private mutating func failedToOpen(_ purpose: Purpose) -> [Action] {
    switch purpose {
    case .first:
      mode = .closed(Closed())
      return []
    case .again(var closed):
      defer { mode = .closed(closed) }
      return reportFailure(&closed.hasReportedFailure)
    case .lost(let identity, let reason):
      // This makes observers try, and report why their results are stale.
      mode = .closed(Closed(identity: identity, hasReportedFailure: true))
      return [.advanceEpoch, .publish(TableTracking.Change(everything: reason))]
    case .waking(var dormant, let events):
      // It may be locked at this moment: the next event or heartbeat tries again.
      defer { mode = .dormant(dormant) }
      guard events != nil else { return [.releaseWriters] }
      // Later, that write could not be told apart from earlier ones.
      dormant.memory = nil
      return [.releaseWriters] + reportFailure(&dormant.hasReportedFailure)
    case .wakingImmutable(var file):
      defer { mode = .immutable(file) }
      return [.releaseWriters] + reportFailure(&file.hasReportedFailure)
    }
  }

  /// Makes observers try, so that they report why their results are stale; once.
  private func reportFailure(_ hasReported: inout Bool) -> [Action] {
    guard !hasReported else { return [] }
    hasReported = true
    return [.publish(TableTracking.Change(everything: Self.unopenable))]
  }

  /// Opens the file that is at the path now.
  ///
  /// - Parameter reason: Why, if it is the same file.
  private mutating func replace(_ watch: Watch, because reason: String? = nil) -> [Action] {
    // Closing comes first: the last descriptor on the old file may go with it.
    var actions: [Action] = [.close, .announceDormant(false)]
    if watch.isShut { actions.append(.admitOpenings) }
    if watch.isPaused { actions.append(.resumeEvents) }
    return actions + [.advanceEpoch, .closeOutdated]
      + find(Closed(identity: watch.identity, reason: reason))
  }

  // MARK: - Dormant

  private mutating func woke(_ file: Immutable, _ wake: Wake) -> [Action] {
    if wake.identity != file.identity {
      return replaceDormant(file.identity, file.hasReportedFailure)
    }
    guard mayHoldCommits(wake, file.fingerprint) else { return [] }
    return open(.wakingImmutable(file))
  }

  private mutating func woke(_ dormant: DormantState, _ wake: Wake) -> [Action] {
    if wake.identity != dormant.identity {
      return replaceDormant(dormant.identity, dormant.hasReportedFailure)
    }
    if mayHoldCommits(wake, dormant.fingerprint) {
      return open(.waking(dormant, events: wake.events))
    }
    if wake.isWanted { return open(.waking(dormant, events: nil)) }
    // A refresh that was asked for may have opened a reader meanwhile.
    guard now - dormant.lastActivity > settings.idleTimeout, wake.connections > 0 else { return [] }
    var dormant = dormant
    dormant.lastActivity = now
    mode = .dormant(dormant)
    return [.closeIdle]
  }

  private mutating func replaceDormant(
    _ identity: FileIdentity, _ hasReportedFailure: Bool
  ) -> [Action] {
    // A writer that waits for the watch needn't wait for a file to come back.
    [.close, .announceDormant(false), .advanceEpoch, .closeOutdated]
      + find(Closed(identity: identity, hasReportedFailure: hasReportedFailure))
  }

  /// Whether a process may have committed since `fingerprint` was taken.
  private func mayHoldCommits(_ wake: Wake, _ fingerprint: FileFingerprint) -> Bool {
    // Two writes within one tick of the file system's clock leave the same time stamp, but events.
    let isReported = wake.events.wal || wake.events.database || wake.events.overflow
    return isReported || wake.fingerprint.differs(from: fingerprint)
  }

  /// Goes on from before dormancy, so that commits since are counted, and attributed to their tables.
  private mutating func wake(
    _ watch: Watch, _ file: OpenFile, _ dormant: DormantState, _ events: FileWatcher.Events?
  ) -> [Action] {
    guard let memory = dormant.memory, case .wal(let old) = memory.commits.last,
      case .wal(let new) = watch.commits.last
    else { return goOn(watch, from: nil) }
    // SQLite draws salts at random whenever a WAL begins again; all zeros are those of any WAL without a
    // frame.
    if old.salts == new.salts, old.salts != 0 {
      return goOn(watch, from: (memory.commits, memory.tables))
    }
    // All was copied into the file then, at the latest when the WAL was removed. Nothing was copied since:
    // all that was committed is in the new WAL, from its beginning on.
    let isUntouched =
      events?.database != true && events?.overflow != true
      && !dormant.fingerprint.hasOtherDatabase(than: file.fingerprint)
    guard isUntouched, memory.isWholeInFile else { return goOn(watch, from: nil) }
    guard new.lastFrame > 0 else { return resume(watch, memory, commits: 0) }
    mode = .resuming(watch, memory)
    return [.ask(.countCommits(upTo: new))]
  }

  private mutating func resume(
    _ watch: Watch, _ memory: DormantMemory, commits: UInt32?
  ) -> [Action] {
    guard let commits, case .wal(let new) = watch.commits.last else {
      return goOn(watch, from: nil)
    }
    let beginning = CommitWatch(
      position: .wal(new.beginning(before: commits)), accounted: memory.commits.accounted)
    return goOn(watch, from: (beginning, memory.tables))
  }

  /// Checks a file that was opened again after changes.
  ///
  /// - Parameter start: From where the commits since are counted; `nil` when it is unknown.
  private mutating func goOn(
    _ watch: Watch, from start: (commits: CommitWatch, tables: TableTracking?)?
  ) -> [Action] {
    var watch = watch
    var resumed: CommitWatch.Position?
    if let start {
      watch.commits = start.commits
      if let tables = start.tables {
        watch.tables = tables
        resumed = start.commits.last
      }
    } else {
      // Even an empty WAL proves nothing: a commit may be in the file already. If the writer is
      // about to commit more, that commit will be reported.
      watch.certainty = .unconfirmedChange(reason: Self.written)
    }
    let tracking: [Action] = watch.isWAL ? [.trackTables(resumingAt: resumed)] : []
    return tracking + [.announceDormant(false)] + ask(.position, watch, Check())
  }

  // MARK: - Watching

  private mutating func woke(_ watch: Watch, _ wake: Wake) -> [Action] {
    var watch = watch
    watch.isWakeDue = false
    if let reason = wake.reasonToClose { return letGo(watch, reason) }
    // One stat(2) a second finds what no event reports: a replaced folder, a link that leads elsewhere.
    if wake.identity != watch.identity { return replace(watch) }
    let events = wake.events
    if events.closed || events.overflow { saving.begin(now) }
    // If events are reliable, a time stamp that a program set (touch) isn't a write.
    let mayMiss = events.overflow || isDeaf
    if events.closed || mayMiss { watch.mayBeClosed = true }
    let isWritten =
      events.database || (mayMiss && wake.fingerprint.database != watch.stamp)
    watch.stamp = wake.fingerprint.database
    var check = Check(isWritten: isWritten || events.overflow)
    guard watch.isWAL else { return ask(.position, watch, check) }

    if let progress = wake.progress { watch.notes.add(progress) }
    check.findsLog = events.files || events.overflow || now - watch.logFoundAt >= 1_000_000_000
    if isWritten {
      // A database has one page at least before it gets a WAL.
      if wake.fingerprint.database.size == 0 { return letGoOfOverwritten(watch) }
      // A replica of LiteFS has no other way to write; it counts each commit in the wal-index.
      if !settings.isReplica, watch.notes.areAllEqual { return ask(.write, watch, check) }
    }
    return findLog(watch, check)
  }

  private mutating func findLog(_ watch: Watch, _ check: Check) -> [Action] {
    guard check.findsLog else { return ask(.position, watch, check) }
    var watch = watch
    watch.logFoundAt = now
    return ask(.log, watch, check)
  }

  /// Asks the question of a step, and waits for its answer.
  private mutating func ask(_ step: Step, _ watch: Watch, _ check: Check) -> [Action] {
    mode = .checking(watch, check, step)
    let question: Question =
      switch step {
      case .write: .examineWrite(watch.log)
      case .log: .findLog(watch.log)
      case .position: .check(watch.commits)
      case .writer: .findWriter
      case .damage: .examineFile
      case .usersToSave, .usersToSleep: .findUsers(watch.commits.last)
      case .emptying: .emptyLog
      case .copying: .copyLog
      case .building: .buildMap(limit: watch.tables!.schedule.limit)
      case .searching: .searchMap
      }
    return [.ask(question)]
  }

  private mutating func answered(
    _ watch: Watch, _ check: Check, _ step: Step, _ input: Input
  ) -> [Action]? {
    var watch = watch
    switch (step, input) {
    case (.write, .examinedWrite(let isBeingCheckpointed, let progress)):
      guard !isBeingCheckpointed else { return findLog(watch, check) }
      // A checkpoint may have ended just before it was asked for.
      if let progress { watch.notes.add(progress) }
      return watch.notes.areAllEqual ? letGoOfOverwritten(watch) : findLog(watch, check)
    case (.log, .foundLog(let files, let isOpenElsewhere)):
      return foundLog(watch, check, files, isOpenElsewhere: isOpenElsewhere)
    case (.position, .checked(let checked)):
      return self.checked(watch, check, checked)
    case (.writer, .foundWriter(let writer)):
      return found(writer, watch)
    case (.damage, .examinedFile(let isDamaged)):
      return isDamaged ? replace(watch, because: "the file was damaged or cut") : save(watch)
    case (.usersToSave, .foundUsers(let users)):
      return save(watch, users)
    case (.emptying, .emptiedLog(let isEmpty)):
      guard isEmpty else {
        saving.tryLater(now)
        return sleep(watch)
      }
      saving.didEmpty(now)
      // The WAL began again, which is to be seen before the next commit; and the events of this write must
      // be taken before dormancy, or they would pass for another process's.
      watch.isWakeDue = true
      return wait(watch)
    case (.usersToSleep(let isSecondTry), .foundUsers(let users)):
      return sleep(watch, users, isSecondTry: isSecondTry)
    case (.copying, .copiedLog(let hasCopied)):
      watch.isGoingDormant = hasCopied
      return hasCopied ? track(watch) : goDormant(watch)
    case (.building(let start), .builtMap(let result)):
      return built(watch, result, since: start)
    case (.searching, .searchedMap(let map)):
      watch.tables?.map = map
      return wait(watch)
    default: return nil
    }
  }

  /// Ends a check.
  private mutating func wait(_ watch: Watch) -> [Action] {
    var watch = watch
    defer { mode = .watching(watch) }
    let isInBurst = watch.burst.isOn(now)
    guard isInBurst != watch.isPaused else { return [] }
    watch.isPaused = isInBurst
    // What was committed before the watches were back made no event.
    watch.isWakeDue = !isInBurst
    return [isInBurst ? .pauseEvents : .resumeEvents]
  }

  // MARK: - Commits

  private mutating func checked(
    _ watch: Watch, _ check: Check, _ checked: Checked
  ) -> [Action] {
    var watch = watch
    let own = checked.commits.accounted &- watch.commits.accounted
    if own != 0 {
      // Own commits cause events, too, which slow the writer down for nothing.
      watch.burst.note(Int(own), now: now)
      watch.noteChange(now)
      watch.isWriteUnexplained = false
    }
    watch.commits = checked.commits
    // Own commits move pages, too.
    let changes = checked.answer.map { watch.changes($0) }
    watch.tables?.map = checked.map
    // Of own commits nothing else is published here.
    if checked.answer == .overwritten {
      watch.certainty = .unconfirmedChange(reason: TableTracking.Change.overwritten)
    }
    switch checked.finding {
    case .quiet: return quiet(watch, check)
    case .written:
      watch.isWriteUnexplained = true
      return quiet(watch, check)
    case .pending: return pending(watch, check)
    case .commits(let count, let reason):
      watch.backoff.stop()
      watch.hasReportedLock = false
      // What seemed to have changed is part of this.
      if case .unconfirmedChange = watch.certainty { watch.certainty = .exact }
      watch.isWriteUnexplained = false
      watch.noteChange(now)
      watch.burst.note(count, now: now)
      let published = Self.publish(
        changes ?? [TableTracking.Change(everything: reason)], count: count)
      // Another commit can come between the check and here: check again without waiting for its event.
      // In a burst the next check comes after the pause anyway.
      return published + (watch.burst.isOn(now) ? wait(watch) : ask(.position, watch, Check()))
    case .lost(let reason):
      // No connection may be opened before all have let go of the WAL that was deleted.
      if watch.isShut { return letGo(watch, reason) }
      let resuming: [Action] = watch.isPaused ? [.resumeEvents] : []
      return [.close] + resuming + open(.lost(watch.identity, reason: reason))
    }
  }

  /// Publishes commits one by one if each is known by itself, and all as one otherwise.
  private static func publish(_ changes: [TableTracking.Change], count: Int) -> [Action] {
    if changes.count == count { return changes.map { .publish($0) } }
    guard var all = changes.first else { return [] }
    for change in changes.dropFirst() { all.changeset.formUnion(change.changeset) }
    return [.publish(all, count: count)]
  }

  private mutating func pending(_ watch: Watch, _ check: Check) -> [Action] {
    var watch = watch
    watch.backoff.again(now: now, isWritten: check.isWritten)
    let elapsed = watch.backoff.elapsed(now: now)
    // The process that holds the lock may hold it for long, after a commit that wasn't seen.
    let actions = elapsed > 5_000_000 ? watch.confirmChange() : []
    return actions + (elapsed > 50_000_000 ? ask(.writer, watch, check) : wait(watch))
  }

  private mutating func found(_ writer: Writer, _ watch: Watch) -> [Action] {
    var watch = watch
    switch writer {
    case .alive: return wait(watch)
    case .dead:
      // The next reader repairs what it left, or finds it committed.
      watch.backoff.stop()
      return [.publish(TableTracking.Change(everything: Self.writerDied))] + wait(watch)
    case .exclusive:
      let elapsed = watch.backoff.elapsed(now: now)
      guard elapsed > 500_000_000, !watch.hasReportedLock else { return wait(watch) }
      // A program in EXCLUSIVE locking mode commits again and again without releasing the lock.
      // Observers that can't read report it, and try again until they can.
      watch.hasReportedLock = true
      let reason = "another process has the file for itself"
      return [.publish(TableTracking.Change(everything: reason))] + wait(watch)
    }
  }

  /// With a rollback journal, a write without a commit is a transaction that is rolled back after
  /// some of its pages reached the file. Or a program copies another database over this one, whose
  /// change counter happens to be the same: SQLite would use its outdated cache forever. A program
  /// that copies closes the file afterwards, as programs with transactions seldom do.
  private mutating func quiet(_ watch: Watch, _ check: Check) -> [Action] {
    var watch = watch
    watch.backoff.stop()
    watch.hasReportedLock = false
    let actions = watch.confirmChange()
    if watch.isWriteUnexplained, watch.mayBeClosed {
      return actions + replace(watch, because: "the file was written to without a commit")
    }
    watch.mayBeClosed = false
    return actions + (check.isWritten ? ask(.damage, watch, check) : save(watch))
  }

  // MARK: - The WAL

  /// Empties the WAL if a program closed the file a moment ago, and no other has it open.
  private mutating func save(_ watch: Watch) -> [Action] {
    // If no event reports that a program closed the file, each quiet check assumes it.
    let isDue =
      saving.isDue(now) || (isDeaf && now - watch.lastActivity > WALSaving.shortestCalm)
    guard isDue else { return sleep(watch) }
    guard watch.isWAL, !watch.isReadOnly, !watch.isShut else {
      saving.stop()
      return sleep(watch)
    }
    return ask(.usersToSave, watch, Check())
  }

  private mutating func save(_ watch: Watch, _ users: Users) -> [Action] {
    guard users.logSize > 0, !users.isOverwritten else {
      saving.stop()
      return sleep(watch)
    }
    guard users.others == .none else {
      // A process that ends closes the file before it lets go of the index.
      if saving.isGivenUp(now) { saving.stop() } else { saving.tryLater(now) }
      return sleep(watch)
    }
    guard !users.holdsWriteLock else {
      saving.tryLater(now)
      return sleep(watch)
    }
    return ask(.emptying, watch, Check())
  }

  private mutating func foundLog(
    _ watch: Watch, _ check: Check, _ files: WALFiles, isOpenElsewhere: Bool
  ) -> [Action] {
    switch watch.log.fate(files) {
    case .present: return ask(.position, watch, check)
    case .replaced:
      return letGo(watch, "another -wal or -shm file is next to the database")
    case .missing:
      guard isOpenElsewhere else { return letGo(watch, "the -wal or -shm file was deleted") }
      guard !watch.isShut else { return ask(.position, watch, check) }
      // The other processes continue with the deleted files, and their commits are only there. A
      // connection that is opened now would make another WAL.
      var watch = watch
      watch.isShut = true
      let reason = "the -wal or -shm file was deleted while other programs have it open"
      return [.shutOpenings(empties: false, reason: reason), .notice(reason)]
        + ask(.position, watch, check)
    }
  }

  private mutating func letGoOfOverwritten(_ watch: Watch) -> [Action] {
    [.noteOverwritten] + letGo(watch, "the file was written to past its -wal")
  }

  /// Makes the process close all connections to the file, and opens it again.
  private mutating func letGo(_ watch: Watch, _ reason: String) -> [Action] {
    let release = Release(identity: watch.identity, reason: reason)
    var actions: [Action] = [
      .shutOpenings(empties: true, reason: reason), .close, .announceDormant(false),
      // A connection that isn't idle closes before its next use.
      .advanceEpoch, .notice(reason + "; it is opened again"),
    ]
    if watch.isPaused { actions.append(.resumeEvents) }
    mode = .countingConnections(release)
    return actions + [.ask(.countConnections)]
  }

  private mutating func woke(_ release: Release, _ wake: Wake) -> [Action] {
    // Another file at the path has a WAL of its own.
    guard wake.identity == release.identity else {
      return [.admitOpenings] + find(Closed(identity: release.identity))
    }
    mode = .countingConnections(release)
    return [.ask(.countConnections)]
  }

  private mutating func counted(_ release: Release, areAllClosed: Bool) -> [Action] {
    guard !areAllClosed else {
      return [.admitOpenings]
        + find(Closed(identity: release.identity, reason: release.reason))
    }
    var release = release
    release.backoff.again(now: now)
    mode = .lettingGo(release)
    return [.closeEverywhere]
  }

  // MARK: - Going dormant

  /// Closes every connection if nothing happens.
  ///
  /// If other processes have the file open, the detector waits longer before it closes: opening again costs
  /// a millisecond. But it does close: any of them may want to lock the file exclusively some time, and two
  /// idle observers would otherwise keep each other's connections open forever.
  private mutating func sleep(_ watch: Watch) -> [Action] {
    guard watch.isGoingDormant || now - watch.lastActivity > settings.idleTimeout else {
      return track(watch)
    }
    var watch = watch
    let isSecondTry = watch.isGoingDormant
    watch.isGoingDormant = false
    // Without events no commit would be noticed while nothing is open.
    guard watch.isWAL, !settings.keepsConnectionsOpen, !isDeaf, !watch.isPaused else {
      return track(watch)
    }
    // At most one try in this time.
    watch.lastActivity = now
    return ask(.usersToSleep(isSecondTry: isSecondTry), watch, Check())
  }

  /// So many times as long as what it costs to close connections must pass without a commit before they are.
  private static let closingWorth: UInt64 = 50
  /// In nanoseconds: a program that wants to lock the file exclusively waits no longer.
  private static let longestPatience: UInt64 = 30_000_000_000

  private mutating func sleep(_ watch: Watch, _ users: Users, isSecondTry: Bool) -> [Action] {
    let quiet = now - watch.lastChange
    let (cost, isOverflow) = users.costOfClosing.multipliedReportingOverflow(by: Self.closingWorth)
    guard users.watchesLog, !users.holdsWriteLock, users.others != .unknown,
      users.others == .none || quiet > settings.patienceWithOthers,
      quiet >= min(isOverflow ? .max : cost, Self.longestPatience)
    else { return track(watch) }
    var watch = watch
    // Connections close on their own queues; the watch closes when only watches are left. A connection
    // that is busy meanwhile is asked again later.
    if !users.areAllWatches {
      guard !isSecondTry else { return track(watch) }
      watch.isGoingDormant = true
      return [.closeIdle] + track(watch)
    }
    // After that only another process can write while the last connection is being closed.
    if !users.hasCopiedLog, users.others == .none { return ask(.copying, watch, Check()) }
    return goDormant(watch)
  }

  /// Keeps the process from opening the file while it is being closed: a WAL made then would look like
  /// another process's doing, with the detector's last checkpoint as what that process wrote.
  private mutating func goDormant(_ watch: Watch) -> [Action] {
    mode = .goingDormant(watch, .shutting)
    return [.announceDormant(true), .ask(.shutOpenings)]
  }

  private mutating func goingDormant(
    _ watch: Watch, _ step: DormancyStep, _ input: Input
  ) -> [Action]? {
    switch (step, input) {
    case (.shutting, .shutOpenings(let isShut)):
      guard isShut else { return [.announceDormant(false)] + track(watch) }
      // An own commit before the flag was set, by a connection that is closed already, is still to be
      // accounted for: once the watch is closed its position would be taken for another process's.
      mode = .goingDormant(watch, .position)
      return [.ask(.check(watch.commits))]
    case (.position, .checked(let checked)):
      guard checked.finding == .quiet, checked.commits == watch.commits else {
        return [.admitOpenings, .announceDormant(false)]
          + self.checked(watch, Check(), checked)
      }
      mode = .goingDormant(watch, .closing)
      return [.ask(.closeForDormancy(watch.commits.last))]
    case (.closing, .closedForDormancy(let closing)):
      return closed(watch, closing)
    default: return nil
    }
  }

  private mutating func closed(_ watch: Watch, _ closing: Closing) -> [Action] {
    let hasMap = watch.tables.map { $0.map != .missing } ?? false
    let memory = DormantMemory(
      commits: watch.commits,
      tables: hasMap && watch.certainty == .exact ? watch.tables : nil,
      isWholeInFile: closing.hasCopiedLog || closing.fingerprint.walSize == 0)
    let dormant = DormantState(
      identity: watch.identity, fingerprint: closing.fingerprint, memory: memory,
      lastActivity: watch.lastActivity)
    mode = .dormant(dormant)
    // Closing writes no frame to the WAL, and makes no file; nor does it write to the database once the WAL
    // is copied. If another process did since the last check, the fingerprint may already hold its commit,
    // which isn't published yet.
    let events = closing.events
    guard events.wal || events.database || events.overflow || events.created else {
      return [.admitOpenings]
    }
    return [.admitOpenings] + open(.waking(dormant, events: events))
  }

  // MARK: - Tables

  /// Makes the map of the tables' pages if that is due, or searches a little.
  private mutating func track(_ watch: Watch) -> [Action] {
    guard let tables = watch.tables else { return wait(watch) }
    switch tables.map {
    case .complete: return wait(watch)
    case .incomplete: return ask(.searching, watch, Check())
    case .missing:
      guard tables.schedule.isDue(now) else { return wait(watch) }
      return ask(.building(since: now), watch, Check())
    }
  }

  private mutating func built(
    _ watch: Watch, _ result: Result<BuiltMap, DatabaseError>, since start: UInt64
  ) -> [Action] {
    var watch = watch
    switch result {
    case .success(let map):
      watch.tables?.map = .complete
      watch.tables?.schedule.didBuild(from: start, to: now)
      if map.isAsReported, map.position == watch.commits.last { return wait(watch) }
      // A replica of LiteFS writes the pages of a commit before it counts it.
      guard map.isAsReported || settings.isReplica else { return letGoOfOverwritten(watch) }
      watch.certainty = .mapIsNewerThanReported
      return wait(watch)
    case .failure(let error):
      let notice = watch.tables?.schedule.didFail(error, from: start, to: now)
      return (notice.map { [.notice($0)] } ?? []) + wait(watch)
    }
  }
}

extension Detector.Settings {
  init(_ configuration: Configuration, owner: FileOwner?) {
    keepsConnectionsOpen = configuration.keepsConnectionsOpen
    isReplica = owner == .liteFS
    idleTimeout = configuration.idleTimeout.clockNanoseconds
    patienceWithOthers = configuration.patienceWithOthers.clockNanoseconds
    guard let interval = configuration.pollInterval else { return }
    pollInterval = max(.milliseconds(1), interval).clockNanoseconds
    heartbeat = pollInterval
  }
}
