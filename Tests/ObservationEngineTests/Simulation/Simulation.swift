import TestSupport

@testable import ObservationEngine

/// One history: other processes and this one commit, the detector looks, results are fetched and
/// delivered, in an order that a seed decides.
///
/// What is real: ``Detector`` with its clock, ``CommitWatch``, ``RefreshScheduler`` and ``NewestValue``. What is a
/// model: the file, the detector's thread, the lanes' threads around a job, and the clock. Every step is one that a thread
/// could take next. Looks may come late, as when an event is lost or the thread is not scheduled.
struct Simulation {
  /// A rule that is broken, to see that this is found.
  enum Mutant: String, CaseIterable {
    /// Own commits are taken for foreign ones.
    case ignoresLedger
    /// A counter is believed while a commit is under way.
    case ignoresLocks
    /// No lock is asked for while the ledger says that the own writer has it.
    case trustsLedger
    /// What is reported names a table too few.
    case forgetsTable
    /// A snapshot is begun before the job that it is for.
    case readsTooEarly
    /// A lane reads from the file that was replaced before it took its job.
    case keepsConnection
    /// The alarm never rings.
    case lacksAlarm
    /// A job that failed is taken for one whose file is missing, and not tried again.
    case retriesNever
    /// No look follows when events were lost.
    case lacksHeartbeat
  }

  /// What a thread does next, with what decides where it may do several things.
  struct Step: CustomStringConvertible {
    enum Kind: UInt8, CaseIterable {
      case foreign, secondForeign, own, publishOwn, look, quick, slow, alarm, request, replace
    }
    var kind: Kind
    var choice: UInt32
    /// What others do in the middle of it: between the probes of a look.
    var within: [Step] = []

    var description: String {
      "\(kind)(\(choice))\(within.isEmpty ? "" : " within: \(within)")"
    }
  }

  /// What a history is made from.
  struct Script {
    var isWAL: Bool
    var diesVisibly: Bool
    var gaps: Set<SimulatedFile.Gap>
    var steps: [Step]

    init(seed: UInt64, gaps: Set<SimulatedFile.Gap> = []) {
      var random = SeededRandom(seed: seed)
      self.gaps = gaps
      isWAL = Bool.random(using: &random)
      diesVisibly = random.onceIn(3)
      // By history, some threads are hardly ever scheduled.
      let weights = Step.Kind.allCases.map { _ in [1, 3, 10].randomElement(using: &random)! }
      let total = weights.reduce(0, +)
      func step() -> Step {
        var rest = Int.random(in: 0..<total, using: &random)
        for (kind, weight) in zip(Step.Kind.allCases, weights) {
          rest -= weight
          if rest < 0 {
            return Step(kind: kind, choice: UInt32.random(in: 0...UInt32.max, using: &random))
          }
        }
        return Step(kind: .look, choice: 0)
      }
      steps = (0..<Int.random(in: 10...60, using: &random)).map { _ in step() }
      for index in steps.indices where steps[index].kind == .look {
        steps[index].within = (0..<Int.random(in: 0...5, using: &random)).map { _ in step() }
      }
    }
  }

  private var file: SimulatedFile
  private let mutant: Mutant?
  private var detector: Detector
  /// Nanoseconds; each look is a millisecond after the one before.
  private var clock: UInt64 = 1_000_000_000_000
  /// What a look has found that is about to be published.
  private var found: CommitWatch.Position?
  /// Foreign commits that were reported, as far as they can be counted.
  private var reported = 0
  /// Why not all of what must be is.
  private(set) var failure: String?

  private var scheduler = RefreshScheduler()
  /// Stands still, but for the alarm.
  private var now: UInt64 = 1_000_000_000
  /// When the alarm rings.
  private var alarm: UInt64?
  private var ordinal = 0
  private var members: [Member] = []
  private var lanes: [RefreshScheduler.Lane: Lane] = [:]
  /// What each lane has open: which file, and since when.
  private var connections: [RefreshScheduler.Lane: (generation: Int, file: Int)] = [:]
  /// Counts how often the detector found another file.
  private var generation = 0

  /// A consumer's view of one member.
  private struct Member {
    /// The tables that it reads, as bits.
    let tables: Int
    let id: RefreshScheduler.MemberID
    let values: Journal<Int>
    /// What was delivered last: the sum of the versions of its tables.
    var value = -1
    /// How many values were looked at.
    var seen = 0
  }

  /// How far the thread of a lane is.
  private enum Lane {
    /// It was called, and has no connection yet.
    case called
    /// It has its connection, and no job yet.
    case begun(early: [Int])
    /// It has taken a job, and has no snapshot yet.
    case taken(RefreshScheduler.Job, early: [Int])
    case read(RefreshScheduler.Job, [Int])
    /// What came of its job is to be posted.
    case posting(RefreshScheduler.Job, RefreshScheduler.Posts)
  }

  init(_ script: Script, mutant: Mutant? = nil) {
    file = SimulatedFile(
      isWAL: script.isWAL, diesVisibly: script.diesVisibly, gaps: script.gaps)
    self.mutant = mutant
    var settings = Detector.Settings()
    settings.keepsConnectionsOpen = true
    detector = Detector(settings)
    for group in [[1, 2], [4], [3, 7]] {
      let fetches = group.map { _ in ObservedFetch({ _ in 0 }, areEqual: { $0 == $1 }) }
      let channel = NewestValue<Delivery>(known: .init(fetches, wantsEvents: true))
      let id = scheduler.addGroup(fetches, channel: channel, ordinal: 0, now: now)
      let journals = group.map { _ in Journal<Int>() }
      channel.deliver { delivery in
        for case (let index, .success(let value)) in delivery.results {
          journals[index].append(ObservedFetch.unbox(value))
        }
      }
      for (index, tables) in group.enumerated() {
        // Members are numbered after their group.
        members.append(Member(tables: tables, id: id + 1 + index, values: journals[index]))
      }
    }
    proceed()
    tell(.start(.inotify), [])
  }

  /// - Returns: What is wrong; `nil` when nothing is.
  static func run(_ script: Script, mutant: Mutant? = nil) -> String? {
    var simulation = Simulation(script, mutant: mutant)
    for step in script.steps {
      simulation.take(step)
      if simulation.failure != nil { return simulation.failure }
    }
    simulation.comeToRest()
    return simulation.failure
  }

  /// Leaves out what the failure does not need.
  static func shrink(_ script: Script, mutant: Mutant? = nil) -> Script {
    var script = script
    // Numbers may become others, the kind of failure must not.
    func kind(_ script: Script) -> String? {
      run(script, mutant: mutant).map { $0.filter { !$0.isNumber } }
    }
    let failure = kind(script)
    var hasShrunk = true
    while hasShrunk {
      hasShrunk = false
      for index in script.steps.indices.reversed() {
        var less = script
        less.steps.remove(at: index)
        if kind(less) == failure {
          script = less
          hasShrunk = true
          continue
        }
        for inner in script.steps[index].within.indices.reversed() {
          less = script
          less.steps[index].within.remove(at: inner)
          if kind(less) == failure {
            script = less
            hasShrunk = true
          }
        }
      }
    }
    return script
  }

  private mutating func fail(_ text: String) { if failure == nil { failure = text } }

  // MARK: - Steps

  private mutating func take(_ step: Step) {
    switch step.kind {
    case .foreign: file.stepForeign(0, choice: step.choice)
    case .secondForeign: file.stepForeign(1, choice: step.choice)
    case .own: file.stepOwn(choice: step.choice)
    case .publishOwn: publishOwn()
    case .look: look(step.within)
    case .quick: run(.quick, step.choice)
    case .slow: run(.slow, step.choice)
    case .alarm: ring()
    case .request:
      // One of the three groups, or all.
      scheduler.request([1, 4, 6, nil][Int(step.choice) % 4], now: now)
      proceed()
    case .replace: if step.choice % 4 == 0 { file.replace() }
    }
  }

  /// Lets all threads do what they have begun, and the detector look as its heartbeat makes it.
  private mutating func comeToRest() {
    file.finish()
    // Events may have been lost: the heartbeat's looks find everything all the same.
    if mutant != .lacksHeartbeat {
      for _ in 0..<3 {
        clock += 1_000_000_000
        look([])
      }
    }
    publishOwn()
    for _ in 0..<200 {
      ring()
      for lane in RefreshScheduler.Lane.allCases { run(lane, 8) }
      // Reading may have repaired the file, which the next heartbeat sees.
      if lanes.isEmpty, alarm == nil || mutant == .lacksAlarm {
        guard mutant != .lacksHeartbeat else { break }
        let before = ordinal
        look([])
        if lanes.isEmpty, ordinal == before { break }
      }
    }
    if !lanes.isEmpty { return fail("the lanes never come to rest: \(scheduler)") }
    for member in members where member.value != value(of: member.tables) {
      return fail(
        "the member that reads tables \(member.tables) has \(member.value), "
          + "the file \(value(of: member.tables))")
    }
    if file.isCounted, reported != file.foreignCommits, mutant == nil || mutant == .lacksHeartbeat {
      fail("\(reported) of \(file.foreignCommits) foreign commits were reported")
    }
  }

  private func value(of tables: Int) -> Int {
    (0..<SimulatedFile.tableCount).reduce(0) {
      $0 + (tables >> $1 & 1 == 1 ? file.versions[$1] : 0)
    }
  }
}

// MARK: - The detector

extension Simulation {
  /// Looks at the file while others go on.
  private final class Probe: CommitWatch.Probe {
    var simulation: Simulation
    private var within: [Step]

    init(_ simulation: Simulation, _ within: [Step]) {
      self.simulation = simulation
      self.within = within.reversed()
    }

    private func letOthersGoOn() {
      // The connection that looks keeps the file that it has open.
      guard let step = within.popLast(), ![.look, .replace].contains(step.kind) else { return }
      simulation.take(step)
    }

    func read() -> CommitWatch.Reading {
      letOthersGoOn()
      return simulation.file.reading
    }

    func isWriteLocked() -> Bool {
      letOthersGoOn()
      return simulation.mutant != .ignoresLocks && simulation.file.lockOwner != nil
    }

    func fileLock(ignoresOwn: Bool) -> CommitWatch.FileLock {
      letOthersGoOn()
      switch simulation.mutant {
      case .ignoresLocks: return .none
      case .trustsLedger where ignoresOwn: return .none
      default: return simulation.file.fileLock(ignoresOwn: ignoresOwn)
      }
    }

    func ownCommits() -> CommitLedger.Entry {
      letOthersGoOn()
      return simulation.mutant == .ignoresLedger
        ? CommitLedger.Entry() : simulation.file.ledger
    }
  }

  /// Has the detector wake, which looks at the file.
  private mutating func look(_ within: [Step]) {
    clock += 1_000_000
    tell(.woke(Detector.Wake(identity: identity)), within)
  }

  private var identity: FileIdentity { FileIdentity(device: 1, inode: UInt64(file.number) + 1) }

  /// Tells the detector what happened, and does what it decides.
  ///
  /// - Parameter within: What others do between the probes of its look.
  private mutating func tell(_ input: Detector.Input, _ within: [Step]) {
    var next: Detector.Input? = input
    var within = within
    while let input = next {
      next = nil
      for action in detector.handle(input, now: clock) {
        switch action {
        case .ask(let question): next = answer(to: question, &within)
        case .publish(let change, _):
          let position = found.take()
          let known = position.flatMap { file.foreignCommits(upTo: $0) }
          report(known, reason: change.changeset.everythingReason ?? "everything")
          if position != nil { reported = known ?? reported }
        case .advanceEpoch: generation += 1
        case .close, .closeOutdated, .announceDormant, .trackTables, .pauseEvents, .resumeEvents:
          break
        default: fail("the detector does \(action)")
        }
      }
    }
  }

  private mutating func answer(
    to question: Detector.Question, _ within: inout [Step]
  ) -> Detector.Input {
    switch question {
    case .check(let watch):
      defer { within = [] }
      return .checked(check(watch, within))
    case .findLog(let log): return .foundLog(log, isOpenElsewhere: false)
    case .findWriter:
      if file.isTorn { return .foundWriter(file.lockOwner == nil ? .dead : .alive) }
      switch file.isWAL ? .none : file.fileLock(ignoresOwn: false) {
      case .none, .prepared: return .foundWriter(.alive)
      case .exclusive: return .foundWriter(.exclusive)
      case .abandoned: return .foundWriter(.dead)
      }
    case .examineFile: return .examinedFile(isDamaged: false)
    case .findUsers: return .foundUsers(Detector.Users())
    case .findFile: return .foundFile(file.lockOwner == nil ? .present : .beingMade)
    case .open: return .opened(open())
    default: preconditionFailure("the detector asks \(question)")
    }
  }

  private mutating func check(_ watch: CommitWatch, _ within: [Step]) -> Detector.Checked {
    let probe = Probe(self, within)
    var watch = watch
    let finding = watch.look(probe)
    self = probe.simulation
    if case .commits(let count, _) = finding {
      found = watch.last
      let known = file.foreignCommits(upTo: watch.last)
      if file.isCounted, [nil, .ignoresLedger, .trustsLedger].contains(mutant),
        known != reported + count
      {
        fail("\(count) foreign commits were reported, \((known ?? -1) - reported) were made")
      }
    }
    return Detector.Checked(commits: watch, finding: finding, map: .complete)
  }

  /// Opens the file that stands at the path, if nothing is in the way. An own commit that is under way may
  /// be in the position and not in the ledger.
  private mutating func open() -> Detector.Opened {
    file.recover()
    guard file.lockOwner == nil, !file.ledger.isCommitting,
      case .position(let position) = file.reading
    else { return .failed }
    reported = file.foreignCommits
    let log = FileIdentity(device: 1, inode: 1_000 + UInt64(file.number))
    return .watching(
      Detector.OpenFile(
        identity: identity, commits: CommitWatch(position: position, ledger: file.ledger),
        log: WALFiles(log: log, index: log)))
  }

  /// Hands a foreign commit to the observations.
  ///
  /// - Parameter known: Up to which commit the tables are known.
  private mutating func report(_ known: Int?, reason: String) {
    ordinal += 1
    var changeset = Changeset(everything: reason)
    // Which tables changed is known of a log alone.
    if file.isWAL, file.isCounted, let known, known >= reported, ordinal % 3 != 0 {
      let tables = file.foreignTables[reported..<known].reduce(0) { $0 | $1 }
      changeset = self.changeset(mutant == .forgetsTable ? tables & (tables - 1) : tables)
    }
    note(changeset, .external)
  }

  private mutating func publishOwn() {
    guard !file.ownCommits.isEmpty else { return }
    ordinal += 1
    note(changeset(file.ownCommits.removeFirst()), .own)
    publishOwn()
  }

  private func changeset(_ tables: Int) -> Changeset {
    var changeset = Changeset()
    for table in 0..<SimulatedFile.tableCount where tables >> table & 1 == 1 {
      changeset[TableID(name: "t\(table)")] = .bulk(reason: "simulated")
    }
    return changeset
  }

  private mutating func note(_ changeset: Changeset, _ origin: Commit.Origin) {
    let commit = Commit(
      ordinal: ordinal, origin: origin, tables: .named([]), time: Timestamp(microseconds: 0))
    scheduler.note(.commit(commit), changeset, now: now)
    proceed()
  }
}

// MARK: - The lanes

extension Simulation {
  /// Does what is to be done, and sets the alarm.
  private mutating func proceed() {
    while true {
      switch scheduler.next(now: now) {
      case .call(let lane):
        guard lanes[lane] == nil else { return fail("the lane \(lane) is called twice") }
        lanes[lane] = .called
      case .post(let job):
        deliver(scheduler.finish(job, nil, now: now, time: Timestamp(microseconds: 0)))
        scheduler.didPost(job, now: now)
      case .callObservers: return fail("there are no observers of commits")
      case .wait(let until):
        alarm = until
        return
      case .idle:
        alarm = nil
        return
      }
    }
  }

  private mutating func ring() {
    guard let time = alarm, mutant != .lacksAlarm else { return }
    if time <= now { fail("the alarm was set to \(time), at \(now)") }
    now = time
    proceed()
  }

  /// Takes the thread of a lane a step on.
  private mutating func run(_ lane: RefreshScheduler.Lane, _ choice: UInt32) {
    switch lanes[lane] {
    case nil: break
    case .called:
      if connections[lane]?.generation != generation {
        connections[lane] = (generation, file.number)
      }
      lanes[lane] = .begun(early: file.versions(inFile: connections[lane]!.file))
    case .begun(let early):
      switch scheduler.begin(lane, seeing: .nothing, now: now) {
      case .read(let job):
        if connections[lane]!.generation != generation, mutant != .keepsConnection {
          // Nothing is read from a file that was replaced.
          lanes[lane] = .posting(
            job,
            scheduler.finish(
              job, .init(outcomes: []), now: now, time: Timestamp(microseconds: 0)))
        } else {
          lanes[lane] = .taken(job, early: early)
        }
      case .leave:
        lanes[lane] = nil
        proceed()
      case .giveUp, .askAgain: fail("there are no writers to wait for")
      }
    case .taken(let job, let early):
      let open = connections[lane]!.file
      // Who opens a file repairs it; one that cannot be opened fails the job.
      if open == file.number { file.recover() }
      if open == file.number && file.isTorn || choice % 13 == 0 {
        lanes[lane] = .posting(
          job,
          scheduler.fail(
            job, DatabaseError(code: .busy, message: "busy"),
            isFileMissing: mutant == .retriesNever, now: now,
            time: Timestamp(microseconds: 0)))
      } else {
        let versions = file.versions(inFile: open)
        lanes[lane] = .read(job, mutant == .readsTooEarly ? early : versions)
      }
    case .read(let job, let versions):
      let yieldReason: SnapshotWatch.YieldReason? =
        choice % 11 == 6 ? .writer : choice % 11 == 7 ? .log : nil
      var reading = RefreshScheduler.Reading(
        outcomes: job.members.map { outcome($0.id, of: job, versions, choice, yieldReason) },
        yieldReason: yieldReason, began: now)
      // Some jobs end before each member had its turn.
      if yieldReason != nil, job.lane == .quick { reading.outcomes.removeLast() }
      lanes[lane] = .posting(
        job, scheduler.finish(job, reading, now: now, time: Timestamp(microseconds: 0)))
    case .posting(let job, let posts):
      deliver(posts)
      lanes[lane] = nil
      scheduler.didPost(job, now: now)
      proceed()
    }
  }

  private func outcome(
    _ id: Int, of job: RefreshScheduler.Job, _ versions: [Int], _ choice: UInt32,
    _ yieldReason: SnapshotWatch.YieldReason?
  ) -> RefreshScheduler.Outcome {
    let place = members.firstIndex { $0.id == id }!
    let tables = members[place].tables
    var region = Region()
    var sum = 0
    for table in 0..<SimulatedFile.tableCount where tables >> table & 1 == 1 {
      region.insert(rowsOf: TableID(name: "t\(table)"))
      sum += versions[table]
    }
    let fate = (choice &+ UInt32(place)) % 11
    var outcome = RefreshScheduler.Outcome(
      id: id, result: .success(ObservedFetch.Box(value: sum)), region: region,
      duration: job.lane == .slow && fate == 1 ? .seconds(1) : .milliseconds(1))
    outcome.interruption =
      if let yieldReason, job.lane == .slow { .yieldReason(yieldReason) } else {
        // One that is too slow for its own lane waits for a commit.
        fate == 5 && job.lane == .quick ? .budget : nil
      }
    if outcome.interruption != nil { outcome.result = .failure(CancellationError()) }
    return outcome
  }

  private mutating func deliver(_ posts: RefreshScheduler.Posts) {
    for post in posts.all { post.channel.post(post.delivery) }
    for index in members.indices {
      for new in members[index].values.entries.dropFirst(members[index].seen) {
        if new < members[index].value {
          fail(
            "the member that reads tables \(members[index].tables) was given \(new) "
              + "after \(members[index].value)")
        }
        members[index].value = new
        members[index].seen += 1
      }
    }
  }
}
