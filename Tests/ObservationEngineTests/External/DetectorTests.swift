import Testing

@testable import ObservationEngine

/// Short stories of the detector: the races that its comments name, and when it wakes.
struct DetectorTests {
  private typealias Bench = DetectorBench
  private let millisecond = DetectorBench.millisecond
  private let second = DetectorBench.second
  private let heartbeat = DetectorBench.second

  private static let check = Detector.Action.ask(.check(Bench.wal(5)))

  // MARK: - Commits

  @Test func `a commit is published, and the file checked again without waiting`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake { $0.events = .wal })
    let found = bench.tell(
      Bench.checked(
        Bench.wal(6, frame: 12), .commits(1, reason: "another process committed"),
        answer: .tables([TableID(name: "player")])))
    let change = TableTracking.Change.changes(.tables([TableID(name: "player")]))[0]
    #expect(found == [.publish(change), .ask(.check(Bench.wal(6, frame: 12)))])
    #expect(bench.tell(Bench.checked(Bench.wal(6, frame: 12))) == [])
    #expect(bench.wait == heartbeat)
  }

  @Test func `commits that are known one by one are published one by one`() {
    let changesets = ["player", "map"].map { name in
      Changeset([TableID(name: name): .rows(Commit.RowCounts(inserted: 1), updatedColumns: [])])
    }
    let changes = TableTracking.Change.changes(.commits(changesets))
    #expect(changes.map(\.changeset) == changesets)
    func found(_ count: Int) -> [Detector.Action] {
      var bench = Bench.watching()
      bench.tell(Bench.wake { $0.events = .wal })
      return bench.tell(
        Bench.checked(
          Bench.wal(7, frame: 12), .commits(count, reason: "another process committed"),
          answer: .commits(changesets)))
    }
    let check = Detector.Action.ask(.check(Bench.wal(7, frame: 12)))
    #expect(found(2) == [.publish(changes[0]), .publish(changes[1]), check])
    // What the log and its index count differently is one change.
    var all = changes[0]
    all.changeset.formUnion(changesets[1])
    #expect(found(3) == [.publish(all, count: 3), check])
  }

  @Test func `without an answer of the WAL a commit may be anything`() {
    var bench = Bench.watching(Detector.Settings(), Bench.rollback(5))
    bench.tell(Bench.wake { $0.events = .database })
    let found = bench.tell(
      Bench.checked(Bench.rollback(7), .commits(2, reason: "no pages"), map: .missing))
    #expect(found == [Bench.all("no pages", count: 2), .ask(.check(Bench.rollback(7)))])
  }

  /// Commits until inotify is paused.
  private func burst() -> DetectorBench {
    var bench = Bench.watching()
    for number in UInt32(1)...40 {
      bench.tell(Bench.wake { $0.events = .wal }, after: millisecond)
      let commits = Bench.wal(5 + number)
      let actions = bench.tell(Bench.checked(commits, .commits(1, reason: "a commit")))
      if actions.last == .pauseEvents { return bench }
      bench.tell(Bench.checked(commits))
    }
    return bench
  }

  @Test func `in a burst the file is checked now and then, and nothing listened to`() {
    var bench = burst()
    #expect(bench.state == "watching")
    #expect(bench.wait == CommitBurst.pause)
    bench.tell(Bench.wake(), after: CommitBurst.pause)
    #expect(bench.tell(Bench.checked(Bench.wal(38))) == [])
    #expect(bench.wait == CommitBurst.pause)
  }

  @Test func `after a burst what made no event is looked for without waiting`() {
    var bench = burst()
    bench.tell(Bench.wake(), after: 3 * CommitBurst.pause)
    #expect(bench.tell(Bench.checked(Bench.wal(38))) == [.resumeEvents])
    #expect(bench.wait == 0)
    bench.tell(Bench.wake { $0.events = .overflow })
    bench.tell(Bench.foundLog)
    #expect(bench.state == "checking: position")
  }

  @Test func `inotify that is lost after a burst makes it poll, and says so`() {
    var bench = Bench.watching()
    let actions = bench.tell(Bench.wake { $0.isListening = false })
    let notice = "no inotify watch is available (fs.inotify limits): looking every 200 ms"
    #expect(actions == [.announcePolling(notice), .notice(notice), Self.check])
    // Where no event tells that a program closed the file, each quiet check asks.
    #expect(bench.tell(Bench.checked()) == [.ask(.findUsers(Bench.wal(5).last))])
    bench.tell(Bench.users { $0.logSize = 0 })
    #expect(bench.wait == 200 * millisecond)
    #expect(bench.tell(Bench.wake { $0.isListening = false }) == [Self.check])
  }

  @Test func `a file system that is blind is polled, and what it can't tell is read`() {
    var bench = DetectorBench()
    let actions = bench.tell(.start(.blind(fileSystem: "NFS")))
    let notice = "NFS reports no changes: looking every 200 ms"
    #expect(
      actions == [
        .announcePolling(notice), .notice(notice), .ask(.open(isFirst: true)),
      ])
    bench.tell(Bench.open())
    bench.comeToWatch()
    #expect(bench.wait == 200 * millisecond)
    // A stamp that changed is a write that made no event.
    bench.tell(Bench.wake { $0.fingerprint = FileFingerprint() })
    #expect(bench.state == "checking: write")
  }

  // MARK: - Waiting for a writer

  /// Finds a writer at work at one wake after another, and returns how long each wait is.
  private func waits(_ bench: inout DetectorBench, count: Int) -> [UInt64] {
    (0..<count).map { _ in
      bench.tell(Bench.checked(Bench.wal(5), .pending))
      if bench.state == "checking: writer" { bench.tell(.foundWriter(.alive)) }
      let wait = bench.wait ?? 0
      bench.tell(Bench.wake(), after: wait)
      if bench.state == "checking: log" { bench.tell(Bench.foundLog) }
      return wait
    }
  }

  @Test func `a writer is waited for in short steps, and after a while in longer ones`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake())
    #expect(waits(&bench, count: 7).map { $0 / 1_000 } == [20, 30, 45, 67, 101, 151, 200])
    _ = waits(&bench, count: 300)
    #expect(waits(&bench, count: 2) == [2 * millisecond, 2 * millisecond])
    _ = waits(&bench, count: 5_000)
    #expect(waits(&bench, count: 2) == [heartbeat, heartbeat])
    // It writes: it may be about to commit.
    bench.tell(Bench.checked(Bench.wal(5), .pending))
    bench.tell(.foundWriter(.alive))
    bench.tell(Bench.wake { $0.events = .overflow })
    bench.tell(Bench.foundLog)
    bench.tell(Bench.checked(Bench.wal(5), .pending))
    #expect(bench.wait == 2 * millisecond)
  }

  @Test func `a lock that is held for very long makes nothing spin`() {
    var bench = Bench.watching()
    // A program closed the file: the WAL is to be saved.
    bench.tell(Bench.wake { $0.events = .closed })
    _ = waits(&bench, count: 10_000)
    #expect(waits(&bench, count: 3) == [heartbeat, heartbeat, heartbeat])
  }

  @Test func `a writer that died is reported, once its traces have stood for a while`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake())
    #expect(bench.tell(Bench.checked(Bench.wal(5), .pending)) == [])
    bench.tell(Bench.wake(), after: 60 * millisecond)
    #expect(bench.tell(Bench.checked(Bench.wal(5), .pending)) == [.ask(.findWriter)])
    let actions = bench.tell(.foundWriter(.dead))
    #expect(actions == [Bench.all("a writer died in the middle of a commit")])
    #expect(bench.wait == heartbeat)
  }

  @Test func `a process that keeps the file for itself is reported once`() {
    var bench = Bench.watching(Detector.Settings(), Bench.rollback(5))
    func meet(after time: UInt64) -> [Detector.Action] {
      bench.tell(Bench.wake(), after: time)
      bench.tell(Bench.checked(Bench.rollback(5), .pending))
      return bench.state == "watching" ? [] : bench.tell(.foundWriter(.exclusive))
    }
    let reported = [Bench.all("another process has the file for itself")]
    #expect(meet(after: 0) == [])
    #expect(meet(after: 400 * millisecond) == [])
    #expect(meet(after: 101 * millisecond) == reported)
    #expect(meet(after: second) == [])
    // It let go meanwhile.
    bench.tell(Bench.wake())
    bench.tell(Bench.checked(Bench.rollback(5)))
    #expect(meet(after: 0) == [])
    #expect(meet(after: second) == reported)
  }

  // MARK: - Tables

  @Test func `what was committed before the map was built may be anything, once`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake())
    #expect(bench.tell(Bench.checked(map: .missing)) == [.ask(.buildMap(limit: 100_000_000))])
    bench.tell(.builtMap(.success(Bench.map(6))))
    let player = TableTracker.Answer.tables([TableID(name: "player")])
    func commit(_ number: UInt32, _ answer: TableTracker.Answer) -> Detector.Action? {
      bench.tell(Bench.wake(), after: 10 * millisecond)
      let actions = bench.tell(
        Bench.checked(Bench.wal(number), .commits(1, reason: "a commit"), answer: answer))
      bench.tell(Bench.checked(Bench.wal(number)))
      return actions.first
    }
    #expect(
      commit(6, player) == Bench.all("it was committed while the tables' pages were looked for"))
    #expect(commit(7, player) == .publish(TableTracking.Change.changes(player)[0]))
  }

  @Test(arguments: [UInt32(5), 6])
  func `a file that isn't the reported one when its map is built has its WAL let go of`(
    position: UInt32
  ) {
    var bench = Bench.watching()
    bench.tell(Bench.wake())
    bench.tell(Bench.checked(map: .missing))
    let actions = bench.tell(.builtMap(.success(Bench.map(position, isAsReported: false))))
    #expect(
      actions == [.noteOverwritten] + Bench.lettingGo("the file was written to past its -wal"))
  }

  @Test(arguments: [false, true])
  func `what is found of an overwritten file is reported once, also without a foreign commit`(
    isCommitted: Bool
  ) {
    var bench = Bench.watching()
    bench.tell(Bench.wake())
    let finding = isCommitted ? CommitWatch.Finding.commits(1, reason: "a commit") : .quiet
    let everything = Bench.all("the file was written to past its WAL")
    let found = bench.tell(
      Bench.checked(Bench.wal(6, own: isCommitted ? 0 : 1), finding, answer: .overwritten))
    #expect(found.filter { $0 == everything }.count == 1)
    // Behind a commit it looks again at once.
    if isCommitted { bench.tell(Bench.checked(Bench.wal(6))) }
    bench.tell(Bench.wake())
    #expect(!bench.tell(Bench.checked(Bench.wal(6, own: isCommitted ? 0 : 1))).contains(everything))
  }

  @Test func `a map is built again at most in a twentieth of the time`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake())
    bench.tell(Bench.checked(map: .missing))
    #expect(bench.tell(.builtMap(.success(Bench.map(5))), after: 10 * millisecond) == [])
    bench.tell(Bench.wake())
    #expect(bench.tell(Bench.checked(map: .missing)) == [])
    #expect(bench.wait == 200 * millisecond)
    bench.tell(Bench.wake(), after: 200 * millisecond)
    bench.tell(Bench.checked(map: .missing))
    #expect(bench.state == "checking: building")
    let damage = DatabaseError(code: .corrupt, message: "page 3 is damaged")
    guard case .notice(let text)? = bench.tell(.builtMap(.failure(damage))).first else {
      Issue.record("a damaged page is reported")
      return
    }
    #expect(text.contains("page 3 is damaged"))
  }

  @Test func `pages that the map leaves out are searched for without waiting`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake())
    #expect(bench.tell(Bench.checked(map: .incomplete)) == [.ask(.searchMap)])
    bench.tell(.searchedMap(.incomplete))
    #expect(bench.wait == 0)
  }

  // MARK: - The file

  @Test func `a file that is replaced is opened again, and published as another`() {
    var bench = Bench.watching()
    #expect(bench.tell(Bench.wake { $0.identity = Bench.otherFile }) == Bench.replacing)
    #expect(bench.tell(.foundFile(.present)) == [.ask(.open(isFirst: false))])
    let actions = bench.tell(Bench.open(Bench.wal(1), file: Bench.otherFile))
    #expect(
      actions == [
        .trackTables(resumingAt: nil), .announceDormant(false), .advanceEpoch,
        Bench.all("another file is at the path", kind: .fileReplaced),
      ])
  }

  @Test func `a file that is gone is reported once, and one that can't be opened once`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake { $0.identity = nil })
    #expect(bench.tell(.foundFile(.missing)) == [.publishMissing])
    #expect(bench.wait == heartbeat)
    bench.tell(Bench.wake())
    #expect(bench.tell(.foundFile(.missing)) == [])
    for actions in [[Bench.all("the file cannot be opened at present")], []] {
      bench.tell(Bench.wake())
      bench.tell(.foundFile(.present))
      #expect(bench.tell(.opened(.failed)) == actions)
      #expect(bench.wait == heartbeat)
    }
    bench.tell(Bench.wake())
    bench.tell(.foundFile(.present))
    #expect(bench.tell(Bench.open()).last == Bench.all("the file could be opened again"))
  }

  @Test func `a file that is being made is left to its maker, for two seconds at most`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake { $0.identity = Bench.otherFile })
    #expect(bench.tell(.foundFile(.beingMade)) == [])
    #expect(bench.wait == 20_000)
    bench.tell(Bench.wake(), after: second)
    #expect(bench.tell(.foundFile(.beingMade)) == [])
    #expect(bench.wait == 2 * millisecond)
    bench.tell(Bench.wake(), after: second)
    #expect(bench.tell(.foundFile(.beingMade)) == [.ask(.open(isFirst: false))])
  }

  @Test func `a position that counts for nothing has the file opened and all reported`() {
    var bench = Bench.watching(Detector.Settings(), Bench.rollback(5))
    bench.tell(Bench.wake())
    let lost = Bench.checked(Bench.rollback(5), .lost(reason: "the counter went back"))
    #expect(bench.tell(lost) == [.close, .ask(.open(isFirst: false))])
    var failing = bench
    #expect(
      bench.tell(Bench.open(Bench.rollback(3)))
        == [.announceDormant(false), .advanceEpoch, Bench.all("the counter went back")])
    #expect(
      failing.tell(.opened(.failed)) == [.advanceEpoch, Bench.all("the counter went back")])
    // That makes observers try; they needn't be told twice.
    failing.tell(Bench.wake())
    failing.tell(.foundFile(.present))
    #expect(failing.tell(.opened(.failed)) == [])
  }

  @Test func `a file that is written to without a commit, and closed, is opened again`() {
    var bench = Bench.watching(Detector.Settings(), Bench.rollback(5))
    func write(_ events: FileWatcher.Events) -> [Detector.Action] {
      bench.tell(Bench.wake { $0.events = events })
      return bench.tell(Bench.checked(Bench.rollback(5), .written))
    }
    // A transaction that is rolled back.
    #expect(write(.database) == [.ask(.examineFile)])
    bench.tell(.examinedFile(isDamaged: false))
    let expected = Bench.replacing
    #expect(write(.closed) == expected)
    bench.tell(.foundFile(.present))
    let reason = Bench.all("the file was written to without a commit")
    #expect(bench.tell(Bench.open(Bench.rollback(5))).last == reason)
  }

  @Test func `a file that is damaged is opened again`() {
    var bench = DetectorTableTests.Place.damage.bench
    #expect(bench.tell(.examinedFile(isDamaged: true)) == Bench.replacing)
  }

  @Test func `a file that never changes is opened again when it does`() {
    var bench = DetectorTableTests.Place.immutable.bench
    #expect(bench.tell(Bench.wake { $0.events = .database }) == [.ask(.open(isFirst: false))])
    var watched = bench
    #expect(
      bench.tell(.opened(.immutable(Bench.file, Bench.fingerprint)))
        == [.announceDormant(false), .advanceEpoch, Bench.all("another process wrote to the file")])
    #expect(
      watched.tell(Bench.open(Bench.rollback(5)))
        == [.advanceEpoch, .announceDormant(false), .ask(.check(Bench.rollback(5)))])
    #expect(
      watched.tell(Bench.checked(Bench.rollback(5)))
        == [Bench.all("another process wrote to the file")])
  }

  // MARK: - The WAL

  @Test func `a WAL that only this process has is let go of when it is deleted`() {
    var bench = DetectorTableTests.Place.log.bench
    #expect(
      bench.tell(.foundLog(WALFiles(), isOpenElsewhere: false))
        == Bench.lettingGo("the -wal or -shm file was deleted"))
    #expect(bench.tell(.countedConnections(areAllClosed: false)) == [.closeEverywhere])
    #expect(bench.wait == 20_000)
    bench.tell(Bench.wake())
    #expect(
      bench.tell(.countedConnections(areAllClosed: true)) == [.admitOpenings, .ask(.findFile)])
    bench.tell(.foundFile(.present))
    #expect(bench.tell(Bench.open()).last == Bench.all("the -wal or -shm file was deleted"))
  }

  @Test func `a deleted WAL that others have open is stayed with until they are gone`() {
    var bench = DetectorTableTests.Place.log.bench
    let reason = "the -wal or -shm file was deleted while other programs have it open"
    #expect(
      bench.tell(.foundLog(WALFiles(), isOpenElsewhere: true))
        == [.shutOpenings(empties: false, reason: reason), .notice(reason), Self.check])
    bench.tell(Bench.checked())
    bench.tell(Bench.wake { $0.events = .files })
    #expect(bench.tell(.foundLog(WALFiles(), isOpenElsewhere: true)) == [Self.check])
    var stopped = bench
    stopped.tell(Bench.checked())
    #expect(stopped.tell(.stop) == [.close, .admitOpenings, .releaseWriters])
    // No other one may be opened before all have let go, whatever else is found.
    #expect(
      bench.tell(Bench.checked(Bench.wal(5), .lost(reason: "lost")))
        == Bench.lettingGo("lost"))
    // Another file at the path has a WAL of its own.
    bench.tell(.countedConnections(areAllClosed: false))
    #expect(
      bench.tell(Bench.wake { $0.identity = Bench.otherFile })
        == [.admitOpenings, .ask(.findFile)])
  }

  @Test func `another WAL at the path has all let go of theirs`() {
    var bench = DetectorTableTests.Place.log.bench
    let other = WALFiles(log: Bench.otherFile, index: Bench.log.index)
    #expect(
      bench.tell(.foundLog(other, isOpenElsewhere: true))
        == Bench.lettingGo("another -wal or -shm file is next to the database"))
  }

  @Test func `a write that a checkpoint explains is none past the WAL`() {
    var bench = DetectorTableTests.Place.write.bench
    var running = bench
    #expect(running.tell(.examinedWrite(isBeingCheckpointed: true, nil)) == [Self.check])
    let later = CheckpointProgress(salts: 7, frames: 9)
    #expect(bench.tell(.examinedWrite(isBeingCheckpointed: false, later)) == [Self.check])
    bench.tell(Bench.checked())
    bench.tell(.examinedFile(isDamaged: false))
    // Soon the notes are to be of the time after it.
    #expect(bench.wait == 5 * millisecond)
  }

  @Test func `a replica of LiteFS may write past the WAL`() {
    var settings = Detector.Settings()
    settings.isReplica = true
    var bench = Bench.watching(settings)
    #expect(bench.tell(Bench.wake { $0.events = .database }) == [Self.check])
  }

  @Test func `a file that is cut to nothing has its WAL let go of`() {
    var bench = Bench.watching()
    let actions = bench.tell(
      Bench.wake {
        $0.events = .database
        $0.fingerprint = FileFingerprint(database: FileStamp(inode: 1, size: 0, modified: 9))
      })
    #expect(
      actions == [.noteOverwritten] + Bench.lettingGo("the file was written to past its -wal"))
  }

  @Test func `the WAL is emptied once a program has closed the file and none is left`() {
    var bench = Bench.watching()
    bench.tell(Bench.wake { $0.events = .closed })
    bench.tell(Bench.checked())
    #expect(bench.wait == WALSaving.shortestCalm)
    func ask(after time: UInt64) -> [Detector.Action] {
      bench.tell(Bench.wake(), after: time)
      return bench.tell(Bench.checked())
    }
    let question = [Detector.Action.ask(.findUsers(Bench.wal(5).last))]
    #expect(ask(after: 20 * millisecond) == question)
    bench.tell(Bench.users { $0.others = .present })
    #expect(bench.wait == 4 * millisecond)
    #expect(ask(after: 4 * millisecond) == question)
    bench.tell(Bench.users { $0.holdsWriteLock = true })
    #expect(ask(after: 8 * millisecond) == question)
    #expect(bench.tell(Bench.users()) == [.ask(.emptyLog)])
    #expect(bench.tell(.emptiedLog(false)) == [])
    #expect(ask(after: 16 * millisecond) == question)
    bench.tell(Bench.users())
    // The WAL begins again: that is to be seen before the next commit. Whatever else is due must wait for
    // the events of this write.
    #expect(bench.tell(.emptiedLog(true)) == [])
    #expect(bench.wait == 0)
    #expect(bench.tell(Bench.wake(), after: 0) == [Self.check])
    bench.tell(Bench.checked())
    #expect(bench.wait == heartbeat)
    // The next program comes soon after it: from now on it waits longer.
    bench.tell(Bench.wake { $0.events = .closed }, after: 100 * millisecond)
    bench.tell(Bench.checked())
    #expect(bench.wait == 2 * WALSaving.shortestCalm)
  }

  @Test func `a program that stays has its WAL left to it`() {
    var bench = DetectorTableTests.Place.usersToSave.bench
    var waits: [UInt64?] = []
    while waits.count < 10 {
      bench.tell(Bench.users { $0.others = .present })
      waits.append(bench.wait)
      if waits.last == heartbeat { break }
      bench.tell(Bench.wake(), after: bench.wait ?? 0)
      bench.tell(Bench.checked())
    }
    #expect(waits.dropLast() == [4, 8, 16, 32, 64].map { $0 * millisecond })
    #expect(waits.last == heartbeat)
  }

  @Test(arguments: [true, false])
  func `a WAL that is empty, or was written past, is left alone`(_ isEmpty: Bool) {
    var bench = DetectorTableTests.Place.usersToSave.bench
    bench.tell(
      Bench.users {
        $0.logSize = isEmpty ? 0 : 4_152
        $0.isOverwritten = !isEmpty
      })
    #expect(bench.state == "watching")
    #expect(bench.wait == heartbeat)
  }

  // MARK: - Dormancy

  /// What keeps connections open, at the moment when they might be closed.
  @Test(arguments: [
    Detector.Users(others: .present), Detector.Users(others: .unknown),
    Detector.Users(holdsWriteLock: true), Detector.Users(watchesLog: false),
  ])
  func `what is in use stays open`(_ users: Detector.Users) {
    var bench = Bench.idle()
    #expect(bench.tell(.foundUsers(users)) == [])
    // At most one try a second.
    bench.tell(Bench.wake(), after: second / 2)
    #expect(bench.tell(Bench.checked()) == [])
  }

  @Test func `after ten seconds without a commit it goes dormant although others stay`() {
    var bench = Bench.watching()
    var tries = 0
    for _ in 1...20 where bench.state != "going dormant: shutting" {
      bench.tell(Bench.wake(), after: second)
      bench.tell(Bench.foundLog)
      bench.tell(Bench.checked())
      guard bench.state == "checking: usersToSleep" else { continue }
      tries += 1
      bench.tell(Bench.users { $0.others = .present })
    }
    // After more than a second each, that is at every other wake; the last one succeeds.
    #expect(tries == 6)
  }

  /// The first number is how long queries take, in milliseconds, that would run again; the second after how many
  /// seconds it goes dormant, with a try every other second.
  @Test(arguments: [(0, 1), (10, 1), (100, 5), (500, 25), (3_000, 31), (Int.max / 1_000_000, 31)])
  func `it waits for 50 times as long as closing costs, for half a minute at most`(
    _ cost: Int, _ seconds: Int
  ) {
    var bench = Bench.watching()
    var passed = 0
    while bench.state != "going dormant: shutting", passed < 40 {
      passed += 1
      bench.tell(Bench.wake(), after: second)
      bench.tell(Bench.foundLog)
      bench.tell(Bench.checked())
      guard bench.state == "checking: usersToSleep" else { continue }
      bench.tell(Bench.users { $0.costOfClosing = UInt64(cost) * millisecond })
    }
    #expect(passed == seconds)
  }

  @Test func `idle connections are asked to close, and looked for soon, but once`() {
    var bench = Bench.idle()
    #expect(bench.tell(Bench.users { $0.areAllWatches = false }) == [.closeIdle])
    #expect(bench.wait == 50 * millisecond)
    bench.tell(Bench.wake(), after: 50 * millisecond)
    bench.tell(Bench.checked())
    #expect(bench.state == "checking: usersToSleep")
    var gone = bench
    #expect(bench.tell(Bench.users { $0.areAllWatches = false }) == [])
    #expect(bench.wait == heartbeat)
    #expect(gone.tell(Bench.users()) == [.announceDormant(true), .ask(.shutOpenings)])
  }

  @Test func `a commit ends the attempt to go dormant, so that its events come first`() {
    var bench = DetectorTableTests.Place.copying.bench
    bench.tell(.copiedLog(true))
    bench.tell(Bench.wake(), after: 50 * millisecond)
    #expect(bench.tell(Bench.checked(Bench.wal(6, own: 1))) == [])
    #expect(bench.state == "watching")
    #expect(bench.wait == heartbeat)
  }

  @Test func `the WAL is copied before the last connection closes`() {
    var bench = DetectorTableTests.Place.copying.bench
    var busy = bench
    #expect(bench.tell(.copiedLog(true)) == [])
    #expect(bench.wait == 50 * millisecond)
    #expect(busy.tell(.copiedLog(false)) == [.announceDormant(true), .ask(.shutOpenings)])
  }

  @Test func `a connection that opens in that moment keeps the watch open`() {
    var bench = DetectorTableTests.Place.shutting.bench
    #expect(bench.tell(.shutOpenings(false)) == [.announceDormant(false)])
    #expect(bench.state == "watching")
  }

  @Test func `a commit in that moment is published before anything closes`() {
    var bench = DetectorTableTests.Place.lastCheck.bench
    var own = bench
    #expect(
      bench.tell(Bench.checked(Bench.wal(6), .commits(1, reason: "a commit")))
        == [
          .admitOpenings, .announceDormant(false), Bench.all("a commit"),
          .ask(.check(Bench.wal(6))),
        ])
    // An own one is accounted for, and not taken for another process's later.
    #expect(
      own.tell(Bench.checked(Bench.wal(6, own: 1))) == [.admitOpenings, .announceDormant(false)])
    #expect(own.state == "watching")
  }

  @Test(arguments: [
    FileWatcher.Events.wal, .database, .overflow, FileWatcher.Events(files: true, created: true),
  ])
  func `what happens while the watch closes has it opened again`(_ events: FileWatcher.Events) {
    var bench = DetectorTableTests.Place.closing.bench
    let closing = Detector.Closing(fingerprint: Bench.fingerprint, events: events)
    #expect(
      bench.tell(.closedForDormancy(closing)) == [.admitOpenings, .ask(.open(isFirst: false))])
  }

  @Test func `a dormant detector is idle but for its heartbeat`() {
    var bench = Bench.dormant()
    for _ in 1...5 {
      #expect(bench.wait == heartbeat)
      #expect(bench.tell(Bench.wake(), after: heartbeat) == [])
    }
  }

  @Test func `a reader that was opened since is asked to close, once in a while`() {
    var bench = Bench.dormant()
    #expect(bench.tell(Bench.wake { $0.connections = 1 }) == [])
    #expect(bench.tell(Bench.wake { $0.connections = 1 }, after: 2 * second) == [.closeIdle])
    #expect(bench.tell(Bench.wake { $0.connections = 1 }, after: second / 2) == [])
  }

  @Test(arguments: [
    FileFingerprint(database: Bench.fingerprint.database, wal: FileStamp()),
    FileFingerprint(
      database: Bench.fingerprint.database, wal: FileStamp(inode: 9, size: 0, modified: 9)),
  ])
  func `a WAL that is gone or empty holds no commit`(_ fingerprint: FileFingerprint) {
    var bench = Bench.dormant()
    #expect(bench.tell(Bench.wake { $0.fingerprint = fingerprint }) == [])
  }

  @Test(arguments: [
    FileFingerprint(
      database: FileStamp(inode: 1, size: 9_000, modified: 6), wal: Bench.fingerprint.wal),
    FileFingerprint(
      database: Bench.fingerprint.database, wal: FileStamp(inode: 3, size: 9_000, modified: 6)),
  ])
  func `a change that made no event wakes it`(_ fingerprint: FileFingerprint) {
    var bench = Bench.dormant()
    let actions = bench.tell(Bench.wake { $0.fingerprint = fingerprint })
    #expect(actions == [.ask(.open(isFirst: false))])
  }

  @Test func `in the same WAL commits count from where they were`() {
    var bench = Bench.dormant()
    bench.tell(Bench.wake { $0.events = .wal })
    #expect(
      bench.tell(Bench.open(Bench.wal(7, frame: 14)))
        == [.trackTables(resumingAt: Bench.wal(5).last), .announceDormant(false), Self.check])
  }

  @Test func `a writer of this process has the watch opened, and nothing published`() {
    var bench = Bench.dormant()
    #expect(bench.tell(Bench.wake { $0.isWanted = true }) == [.ask(.open(isFirst: false))])
    var failing = bench
    // SQLite deleted the WAL at the close, after it had copied all.
    let empty = CommitWatch(
      position: .wal(Bench.header(5, frame: 0, salts: 0)), accounted: 0)
    let actions = bench.tell(Bench.open(empty))
    #expect(actions.contains(.announceDormant(false)))
    #expect(bench.tell(Bench.checked(empty)) == [])
    #expect(failing.tell(.opened(.failed)) == [.releaseWriters])
    #expect(failing.state == "dormant")
  }

  @Test(arguments: [FileWatcher.Events.database, .overflow])
  func `what may be in the file already may be anything, unless a commit tells`(
    _ events: FileWatcher.Events
  ) {
    var bench = Bench.dormant()
    bench.tell(Bench.wake { $0.events = events })
    let new = Bench.wal(2, frame: 3, salts: 2)
    #expect(
      bench.tell(Bench.open(new))
        == [.trackTables(resumingAt: nil), .announceDormant(false), .ask(.check(new))])
    var quiet = bench
    var pending = bench
    let reason = [Bench.all("another process wrote to the file")]
    #expect(quiet.tell(Bench.checked(new)) == reason)
    #expect(pending.tell(Bench.checked(new, .pending)) == [])
    pending.tell(Bench.wake(), after: 6 * millisecond)
    if pending.state == "checking: log" { pending.tell(Bench.foundLog) }
    #expect(pending.tell(Bench.checked(new, .pending)) == reason)
    let next = Bench.wal(3, frame: 5, salts: 2)
    bench.tell(Bench.checked(next, .commits(1, reason: "a commit")))
    #expect(bench.tell(Bench.checked(next)) == [])
  }

  @Test func `a new WAL that can't be counted may hold anything`() {
    var bench = DetectorTableTests.Place.resuming.bench
    bench.tell(.countedCommits(nil))
    let new = Bench.wal(8, frame: 3, salts: 2)
    #expect(
      bench.tell(Bench.checked(new)) == [Bench.all("another process wrote to the file")])
  }

  @Test func `a WAL that wasn't copied is not gone on from`() {
    var bench = Bench.dormant(
      Detector.Closing(hasCopiedLog: false, fingerprint: Bench.fingerprint))
    bench.tell(Bench.wake { $0.events = .wal })
    let new = Bench.wal(8, frame: 3, salts: 2)
    let actions = bench.tell(Bench.open(new))
    #expect(actions.last == .ask(.check(new)))
  }

  @Test func `a file that can't be opened after changes is reported once, and tried again`() {
    var bench = Bench.dormant()
    for report in [[Bench.all("the file cannot be opened at present")], []] {
      #expect(bench.tell(Bench.wake { $0.events = .wal }) == [.ask(.open(isFirst: false))])
      #expect(bench.tell(.opened(.failed)) == [.releaseWriters] + report)
      #expect(bench.wait == heartbeat)
    }
    // What was written can't be told from what was there before.
    bench.tell(Bench.wake { $0.events = .wal })
    let commits = Bench.wal(7, frame: 14)
    #expect(bench.tell(Bench.open(commits)).last == .ask(.check(commits)))
  }

  @Test func `a dormant file that is replaced is opened as another`() {
    var bench = Bench.dormant()
    let actions = bench.tell(Bench.wake { $0.identity = Bench.otherFile })
    #expect(actions == Bench.replacing)
  }

  @Test(arguments: [true, false])
  func `it never goes dormant where no event would wake it`(_ isBlind: Bool) {
    var settings = Detector.Settings()
    settings.keepsConnectionsOpen = !isBlind
    var bench = DetectorBench(settings)
    bench.tell(.start(isBlind ? .none : .inotify))
    bench.tell(Bench.open())
    for _ in 1...20 {
      bench.tell(Bench.wake(), after: second)
      if bench.state == "checking: log" { bench.tell(Bench.foundLog) }
      bench.tell(Bench.checked())
      if bench.state == "checking: usersToSave" { bench.tell(Bench.users { $0.logSize = 0 }) }
      #expect(bench.state == "watching")
    }
  }
}
