/// Decides when which observation is fetched, on which lane, and what each group is given. Pure: it
/// reads no clock and calls nothing of the application; times are nanoseconds of one clock.
///
/// An observation:
///
///             a commit touches it     its lane takes it        the fetch ends
///     clean ──────────────────────▶ due ─────────────▶ fetching ───────────▶ posting
///       ▲                           ▲ ▲                                       │ │ │
///       │       due, and time over  │ └──── touched meanwhile, or cancelled ──┘ │ │
///       │                        cooling ◀──── was slow, or was given up ───────┘ │
///       └──────────────────────────────────── its result is posted ───────────────┘
///
/// A lane:
///
///             has work             the time is over           may read
///     idle ─────────────▶ waiting ─────────────────▶ called ─────────────▶ running ──▶ posting
///       ▲                  ▲   ▲                       │                                │  │
///       │                  │   └──── a writer is near ─┘                                │  │
///       │                  └───────────────────────── it failed, and is tried again ────┘  │
///       └──────────────────────────────────────────────────────────────────────────────────┘
///
/// The lane `quick` serves all observations from one snapshot. An observation that exceeds its budget
/// there moves to `slow`, which runs one at a time in a snapshot of its own, and moves back after it has
/// been quick again. After a slow run it cools down, so that others get their turn.
///
/// ``RefreshRunner`` calls ``next(now:)`` after each event, until the answer is to wait, and again at the time
/// that the answer names.
struct RefreshScheduler {
  enum Lane: Int, Hashable, CaseIterable {
    case quick, slow
  }

  typealias MemberID = Int
  typealias GroupID = Int

  /// What is configured; see ``Configuration``.
  struct Settings {
    /// The least time between the starts of two refreshes.
    var minimumInterval = Duration.zero
    var debounce = Duration.zero
    /// How long a commit of another process that concerns no observation waits for further ones.
    var eventDelay = Duration.zero
    /// After which time results that depend on the time are fetched again; `nil` never does.
    var timeInterval: Duration?
    /// What a fetch may take on the quick lane.
    var refreshBudget = Duration.milliseconds(250)
    /// What a fetch may take at all; without it, no refresh gives way to a writer.
    var snapshotBudget: Duration?
    var snapshotBudgetRemedy = ""
    /// What takes less time may run on the quick lane again.
    var quickAgain = Duration.milliseconds(50)
  }

  // MARK: - Actions

  /// What is to be done after an event.
  enum Action {
    /// Have the lane's thread ask ``begin(_:seeing:now:)``.
    case call(Lane)
    /// End this job with ``finish(_:_:now:time:)``, on any thread: it has nothing to read.
    case post(Job)
    /// Have the observers of commits try again to get the writer's connection.
    case callObservers
    /// Ask again at that time.
    case wait(until: UInt64)
    /// Ask again after the next event.
    case idle
  }

  /// What a lane's thread does.
  enum Start {
    /// Read, and end the job with ``finish(_:_:now:time:)`` or ``fail(_:_:isFileMissing:now:time:)``.
    case read(Job)
    /// End the job with ``fail(_:_:isFileMissing:now:time:)``: what is shown is out of date for long.
    case giveUp(Job, reason: String)
    /// Ask again after so many nanoseconds, on this thread: to return to it would take longer.
    case askAgain(after: UInt64)
    /// End: there is nothing to do, or not yet.
    case leave
  }

  /// What a lane's thread sees of writers before it reads.
  enum Sight {
    /// There is none, or it does not matter.
    case nothing
    /// The WAL has so many frames.
    case log(frames: UInt32)
    /// Another process holds these locks of a rollback journal, and the file has this change counter.
    case journal(RollbackLocks.Contention, counter: UInt32?)
  }

  /// What a lane shall read in one transaction, and how.
  struct Job {
    let lane: Lane
    /// Empty when there is nothing to fetch, but events to deliver.
    let members: [(id: MemberID, fetch: ObservedFetch)]
    let began: UInt64
    /// On the writer's thread: after how many nanoseconds what is not fetched is postponed.
    var limit: UInt64?
    /// To which writers it gives way.
    let yielding: SnapshotWatch.Yielding
    /// Whether to find out if the writer waits for locks.
    let learnsWriter: Bool
    /// Whether to begin right after another process has published a commit.
    let awaitsCommit: Bool
    /// What the results of all other observations hold in memory.
    let heldBytes: Int
    /// The newest commit that the results will reflect, and whose it is.
    let ordinal: Int
    let origin: Commit.Origin?
    /// What the commits since the last job changed; `nil` when there were none.
    let tables: Commit.Tables?
    /// When the oldest commit of this job was noticed; 0 for none.
    let noticed: UInt64
  }

  /// What ended a fetch before its end.
  enum Interruption: Equatable {
    /// A writer waited, or its WAL had grown.
    case yieldReason(SnapshotWatch.YieldReason)
    /// It took longer than it may on its lane.
    case budget
    /// The time limit on the writer's thread is used up.
    case limit
  }

  /// What fetching one member gave.
  struct Outcome {
    let id: MemberID
    var result: Result<any Sendable, any Error>
    var region: Region
    var duration: Duration
    /// How the result came about.
    var method = RefreshMethod.recomputed(reason: nil)
    /// What the result holds in memory; 0 when that is not counted.
    var heldBytes = 0
    /// `nil` when the fetch came to its end, whatever its result.
    var interruption: Interruption?
  }

  /// What a job's transaction brought.
  struct Reading {
    /// Of the members in the order of the job; fewer when the transaction ended early.
    var outcomes: [Outcome]
    /// What ended it.
    var yieldReason: SnapshotWatch.YieldReason?
    /// A writer that met the transaction, and whether it waited for its end.
    var metWriter: (process: Int32, waits: Bool)?
    /// When it began; `nil` when it did not.
    var began: UInt64?
  }

  /// A message for a group's consumer, to be posted outside of any lock.
  struct Post {
    let channel: NewestValue<Delivery>
    let delivery: Delivery
  }

  /// What is to be posted, and the results that were replaced before they could be: they may hold the last
  /// reference to objects of the application, which must not be released under a lock.
  struct Posts {
    var all: [Post] = []
    fileprivate let replaced: [Result<any Sendable, any Error>]
  }

  /// What a group leaves behind, to be released under no lock as well.
  struct Removed {
    let channel: NewestValue<Delivery>
    let members: [MemberID]
    fileprivate let fetches: [ObservedFetch]
    fileprivate let outgoing: Delivery
  }

  // MARK: - State

  private enum Phase: Equatable {
    /// Its last result is of the newest state, as far as is known.
    case clean
    /// It waits for its lane.
    case due
    /// A job of its lane fetches it.
    case fetching(then: Then)
    /// The results of its job are being posted: it must not be fetched on another lane meanwhile, whose
    /// result could be posted first.
    case posting(by: Lane, isDue: Bool, coolsUntil: UInt64)
    /// It is not fetched until then.
    case cooling(until: UInt64, isDue: Bool)

    var text: String {
      switch self {
      case .clean: "clean"
      case .due: "due"
      case .fetching(then: .clean): "fetching"
      case .fetching(let then): "fetching, then \(then)"
      case .posting(_, let isDue, let until):
        "posting\(isDue ? ", then due" : "")\(until > 0 ? " at \(until)" : "")"
      case .cooling(let until, let isDue): "cooling until \(until)\(isDue ? ", then due" : "")"
      }
    }
  }

  /// What follows a fetch.
  private enum Then: Equatable {
    case clean
    /// Another one: something was committed meanwhile.
    case due
    /// Another one as soon as possible: it was asked for meanwhile.
    case asked
  }

  private struct Member {
    let group: GroupID
    /// Its place in the group.
    let index: Int
    let fetch: ObservedFetch
    /// What its last fetch read; everything until then, so that nothing is missed.
    var region = Region.full(reason: "not fetched yet")
    var lane = Lane.quick
    var phase = Phase.clean
    /// The job that fetched it last; 0 for none.
    var turn = 0
    /// How long its last fetch took; `nil` when that is not known, or was too long.
    var lastDuration: Duration?
    /// The newest commit before its last fetch; `nil` when that did not come to its end.
    var asOf: Int?
    /// When the job began that brought its last result.
    var lastBegan: UInt64 = 0
    /// What came of it so far.
    var last = Last.nothing
    var heldBytes = 0
    var staleness: Staleness?
  }

  private enum Last {
    case nothing, value, failure
  }

  private struct Group {
    let members: [MemberID]
    let channel: NewestValue<Delivery>
    let skipsInitial: Bool
    let transientErrors: TransientErrors
    /// Events that no job has taken up: the next one brings the results that belong to them.
    var events: [DatabaseEvent] = []
    /// Events and results that go out with the next delivery.
    var outgoing = Delivery()
    var hasNews = false

    mutating func append(_ event: DatabaseEvent) {
      events.append(event)
      if events.count > Delivery.eventLimit {
        events.removeFirst()
        outgoing.droppedEvents += 1
      }
    }

    mutating func takeUpEvents() {
      guard !events.isEmpty else { return }
      outgoing.append(events)
      events = []
      hasNews = true
    }
  }

  private enum LanePhase {
    case idle
    case waiting(until: UInt64, Cause)
    /// Its thread asks whether it may read, again and again since that time.
    case called(askingSince: UInt64?)
    /// A job runs, whose fetches may not have seen what was committed meanwhile.
    case running(meanwhile: Changeset)
    /// What a job found is being posted; it failed if there is a time to try again at.
    case posting(retryAt: UInt64?)

    var text: String {
      switch self {
      case .idle: "idle"
      case .waiting(let until, let cause):
        "waiting for \(cause) until \(until == .max ? "an event" : "\(until)")"
      case .called(let since): "called\(since.map { ", asking since \($0)" } ?? "")"
      case .running(let meanwhile): "running\(meanwhile.isEmpty ? "" : ", with commits")"
      case .posting(let retry): "posting\(retry == nil ? "" : ", then retry")"
      }
    }
  }

  private enum Cause {
    /// Refreshes pause under a steady writer, or by configuration.
    case pace
    /// There are only commits to report, which concern no observation.
    case events
    /// A writer of another process is near its commit.
    case writer
    /// A job could not be done. An event of the database is a reason to try before that time.
    case retry
  }

  private struct LaneState {
    var phase = LanePhase.idle
    var due: Set<MemberID> = []
    /// For a rollback journal.
    var policy = YieldPolicy()
    /// What the policy decided last.
    var yielding = SnapshotWatch.Yielding.toAnyWriter
  }

  private struct Lanes {
    private var states = Lane.allCases.map { _ in LaneState() }

    subscript(lane: Lane) -> LaneState {
      _read { yield states[lane.rawValue] }
      _modify { yield &states[lane.rawValue] }
    }
  }

  /// A refresh that is known to take no longer than `usual` runs on the writer right after an own commit,
  /// where the changed pages are in the cache and no thread need be woken: a third of the time. It is
  /// cancelled after `limit` nanoseconds, and then runs on a lane.
  private enum OnWriter {
    static let usual = Duration.microseconds(300)
    static let limit: UInt64 = 2_000_000
  }

  /// What failed is tried again after so many nanoseconds.
  private static let retryInterval: UInt64 = 100_000_000
  /// For so many nanoseconds a lane's thread looks for a moment to read by itself.
  private static let patience: UInt64 = 20_000_000

  var settings: Settings
  private var members: [MemberID: Member] = [:]
  /// Members without a value that no job has taken up yet: their consumers wait for the first one.
  private var newcomers: Set<MemberID> = []
  private var groups: [GroupID: Group] = [:]
  private var nextID = 0
  private var lanes = Lanes()
  /// Members that are due once they have cooled down.
  private var cooling: Set<MemberID> = []
  /// Groups that have something to be given.
  private var newsworthy: Set<GroupID> = []
  /// Whether the events that no job has taken up are only commits by others to the rows of tables.
  private var eventsCanWait = true
  /// Groups that request events.
  private var eventGroups: Set<GroupID> = []
  private var index = RegionIndex()
  /// Members whose results change as time goes by, and when they are due.
  private var timeDependent: Set<MemberID> = []
  private var timeDue: UInt64?
  /// Members whose fetches estimate how long they take.
  private var estimating: Set<MemberID> = []
  private var pace: Pace
  private var logTurn = LogTurn()
  private var observersDue: UInt64?
  private var heldBytes = 0
  private var ordinal = 0
  private var origin: Commit.Origin?
  private var tables: Commit.Tables?
  private var noticed: UInt64 = 0
  /// Counts jobs: the member that was fetched longest ago is fetched first.
  private var lastTurn = 0
  private var lastDelivery = 0
  /// Results that waited for other members of their group, and were replaced by newer ones.
  private var replaced: [Result<any Sendable, any Error>] = []

  init(_ settings: Settings = Settings()) {
    self.settings = settings
    pace = Pace(least: settings.minimumInterval)
  }

  // MARK: - Groups

  /// - Parameters:
  ///   - ordinal: The newest observed commit.
  ///   - wantsEvents: Whether the group is given every event, and not results alone.
  ///   - skipsInitial: Whether the first value of each member is not given to the consumer.
  ///   - transientErrors: What becomes of errors that may heal, in a group that doesn't want events.
  ///   - first: What the consumer was given before: unless something was committed since, there is nothing
  ///     to fetch.
  mutating func addGroup(
    _ fetches: [ObservedFetch], channel: NewestValue<Delivery>, ordinal: Int,
    wantsEvents: Bool = true, skipsInitial: Bool = false,
    transientErrors: TransientErrors = .delivered, first: FirstFetch? = nil, now: UInt64
  ) -> GroupID {
    nextID += 1
    let group = nextID
    self.ordinal = max(self.ordinal, ordinal)
    var ids: [MemberID] = []
    for (index, fetch) in fetches.enumerated() {
      nextID += 1
      ids.append(nextID)
      let member = Member(group: group, index: index, fetch: fetch)
      members[nextID] = member
      self.index.insert(nextID, reading: member.region)
      if fetch.estimate != nil { estimating.insert(nextID) }
      if first == nil { newcomers.insert(nextID) }
      setPhase(.due, of: nextID)
    }
    groups[group] = Group(
      members: ids, channel: channel, skipsInitial: skipsInitial, transientErrors: transientErrors)
    if wantsEvents { eventGroups.insert(group) }
    if let first {
      for (id, fetched) in zip(ids, first.members) { take(fetched, asOf: first.ordinal, of: id) }
      startTime(now)
    }
    endRetries()
    return group
  }

  private mutating func take(_ fetched: FirstFetch.Member, asOf ordinal: Int, of id: MemberID) {
    watch(fetched.region, by: id)
    members[id]!.last = if case .success = fetched.result { .value } else { .failure }
    members[id]!.lastDuration = fetched.duration
    if fetched.isCurrent, self.ordinal == ordinal { setPhase(.clean, of: id) }
  }

  @discardableResult
  mutating func removeGroup(_ id: GroupID) -> Removed? {
    guard let group = groups.removeValue(forKey: id) else { return nil }
    var fetches: [ObservedFetch] = []
    for member in group.members {
      setPhase(.clean, of: member)
      let removed = members.removeValue(forKey: member)!
      fetches.append(removed.fetch)
      heldBytes -= removed.heldBytes
      index.remove(member, reading: removed.region)
      timeDependent.remove(member)
      estimating.remove(member)
      newcomers.remove(member)
    }
    eventGroups.remove(id)
    newsworthy.remove(id)
    return Removed(
      channel: group.channel, members: group.members, fetches: fetches, outgoing: group.outgoing)
  }

  /// Removes all groups.
  mutating func removeAll() -> [Removed] {
    observersDue = nil
    return groups.keys.sorted().compactMap { removeGroup($0) }
  }

  /// What must be known of a table's changes to decide which observations they concern; `nil` when none
  /// reads it.
  mutating func interest(in table: TableID) -> TableInterest? { index.interest(in: table) }

  /// Whether the result of a member is wanted: its group is there.
  func isWanted(_ id: MemberID) -> Bool { members[id] != nil }

  // MARK: - Events

  /// Takes note of an event of the database.
  ///
  /// - Complexity: O(observations concerned + groups that request events).
  mutating func note(_ event: DatabaseEvent, _ changeset: Changeset, now: UInt64) {
    if case .commit(let commit) = event { note(commit, changeset, now: now) }
    // No result is up to date now: trying to read says so, and marks each as stale.
    if case .fileMissing = event { request(nil, now: now) }
    for id in eventGroups {
      groups[id]!.append(event)
      newsworthy.insert(id)
    }
    if !event.canWait { eventsCanWait = false }
    endRetries()
  }

  private mutating func note(_ commit: Commit, _ changeset: Changeset, now: UInt64) {
    ordinal = commit.ordinal
    origin = commit.origin
    tables = tables?.union(commit.tables) ?? commit.tables
    if noticed == 0 { noticed = now }
    pace.noteCommits(commit.count)
    logTurn.noteCommit(now: now)
    for lane in Lane.allCases {
      // Between the connections of a process SQLite itself keeps order.
      if commit.origin == .external { lanes[lane].policy.noteCommits(commit.count, now: now) }
      if case .running(var meanwhile) = lanes[lane].phase {
        meanwhile.formUnion(changeset)
        lanes[lane].phase = .running(meanwhile: meanwhile)
      }
    }
    // Whatever was committed, the estimates are others now.
    for id in estimating { setPhase(members[id]!.phase, of: id) }
    for id in index.affected(by: changeset) ?? Set(members.keys) {
      touch(id, since: commit.time, now: now)
    }
  }

  /// Marks a member for a fetch, or all of a group, or all members; they do not cool down first.
  mutating func request(_ group: GroupID?, _ index: Int? = nil, now: UInt64) {
    var ids = group.map { groups[$0]?.members ?? [] } ?? Array(members.keys)
    if let index { ids = ids.indices.contains(index) ? [ids[index]] : [] }
    for id in ids {
      switch members[id]!.phase {
      case .clean, .cooling: setPhase(.due, of: id)
      case .due: break
      case .fetching: setPhase(.fetching(then: .asked), of: id)
      case .posting(let lane, _, _):
        setPhase(.posting(by: lane, isDue: true, coolsUntil: 0), of: id)
      }
    }
    if index == nil, noticed == 0 { noticed = now }
    endRetries()
  }

  /// The observers of commits could not get the writer's connection.
  mutating func observersFailed(now: UInt64) {
    if observersDue == nil { observersDue = now + Self.retryInterval }
  }

  /// - Parameter time: When a commit was made that the last result does not reflect.
  private mutating func touch(_ id: MemberID, since time: Timestamp? = nil, now: UInt64) {
    guard let member = members[id] else { return }
    switch member.phase {
    case .clean: setPhase(.due, of: id)
    case .fetching(then: .clean): setPhase(.fetching(then: .due), of: id)
    case .posting(let lane, _, let until):
      setPhase(.posting(by: lane, isDue: true, coolsUntil: until), of: id)
    case .cooling(let until, _):
      setPhase(until <= now ? .due : .cooling(until: until, isDue: true), of: id)
    case .due, .fetching: break
    }
    if isLeftOut(members[id]!), member.staleness == nil, member.last != .nothing, let time {
      // The others of its group show that commit before it does.
      members[id]!.staleness = .slow(since: time)
      hasNews(for: member.group)
    }
  }

  /// Whether the next job of the quick lane, which brings what the others of its group show, is without it.
  private func isLeftOut(_ member: Member) -> Bool {
    switch member.phase {
    case .clean: false
    case .due, .fetching: member.lane == .slow
    case .posting(let lane, _, let until): lane == .slow || until > 0
    case .cooling: true
    }
  }

  /// An event may have healed what made a job fail.
  private mutating func endRetries() {
    for lane in Lane.allCases {
      switch lanes[lane].phase {
      case .waiting(_, .retry): lanes[lane].phase = .idle
      case .posting(.some): lanes[lane].phase = .posting(retryAt: 0)
      case .idle, .waiting, .called, .running, .posting: break
      }
    }
  }

  // MARK: - Phases

  /// Changes the phase of a member, and what follows from it: its lane, and the sets of those that are due.
  private mutating func setPhase(_ phase: Phase, of id: MemberID) {
    guard var member = members[id] else { preconditionFailure("member \(id) is gone") }
    if member.phase == .due { lanes[member.lane].due.remove(id) }
    if case .cooling(_, isDue: true) = member.phase { cooling.remove(id) }
    member.phase = phase
    if case .fetching = phase {} else { member.lane = lane(for: member) }
    if phase == .due { lanes[member.lane].due.insert(id) }
    if case .cooling(_, isDue: true) = phase { cooling.insert(id) }
    members[id] = member
  }

  /// Where a member is fetched next: where it was, unless its fetch knows better.
  private func lane(for member: Member) -> Lane {
    guard let estimate = estimate(member) else { return member.lane }
    if estimate < settings.quickAgain { return .quick }
    return estimate > settings.refreshBudget ? .slow : member.lane
  }

  private func estimate(_ member: Member) -> Duration? {
    // A fetch that was cut off took longer than was expected.
    guard let estimate = member.fetch.estimate, let asOf = member.asOf else { return nil }
    return estimate(asOf == ordinal)
  }

  // MARK: - Time

  /// What is to be done now, besides what was said before.
  ///
  /// - Complexity: O(members that cool down).
  mutating func next(now: UInt64) -> Action {
    for id in cooling {
      if case .cooling(let until, _) = members[id]!.phase, until <= now { setPhase(.due, of: id) }
    }
    if let due = timeDue, due <= now {
      timeDue = nil
      for id in timeDependent { touch(id, now: now) }
    }
    if let due = observersDue, due <= now {
      observersDue = nil
      return .callObservers
    }
    for lane in Lane.allCases {
      if let action = start(lane, now: now) { return action }
    }
    return deadline.map { .wait(until: $0) } ?? .idle
  }

  private var deadline: UInt64? {
    var earliest = min(timeDue ?? .max, observersDue ?? .max)
    for lane in Lane.allCases {
      if case .waiting(let until, _) = lanes[lane].phase { earliest = min(earliest, until) }
    }
    for id in cooling {
      if case .cooling(let until, _) = members[id]!.phase { earliest = min(earliest, until) }
    }
    return earliest == .max ? nil : earliest
  }

  private mutating func start(_ lane: Lane, now: UInt64) -> Action? {
    switch lanes[lane].phase {
    case .waiting(let until, .events) where until > now && hasOnlyEvents:
      letEventsWait(until: until)
      return nil
    case .waiting(let until, .pace) where until > now:
      if lane == .quick, let earlier = startOfNewcomers(before: until, now: now) {
        lanes[lane].phase = .waiting(until: earlier, .pace)
      }
      return nil
    case .waiting(let until, let cause) where until > now && cause != .events: return nil
    case .waiting(_, .pace), .waiting(_, .writer):
      guard hasWork(lane) else {
        lanes[lane].phase = .idle
        return nil
      }
    case .idle, .waiting(_, .retry), .waiting(_, .events):
      let hasWaited = if case .waiting(_, .events) = lanes[lane].phase { true } else { false }
      lanes[lane].phase = .idle
      guard hasWork(lane) else { return nil }
      if lane == .quick, !hasWaited, settings.eventDelay > .zero, hasOnlyEvents {
        letEventsWait(until: now + settings.eventDelay.clockNanoseconds)
        return nil
      }
      if lane == .quick {
        var start = max(pace.start(now: now), now + settings.debounce.clockNanoseconds)
        start = startOfNewcomers(before: start, now: now) ?? start
        guard start <= now else {
          lanes[lane].phase = .waiting(until: start, .pace)
          return nil
        }
      }
    case .called, .running, .posting: return nil
    }
    if lanes[lane].due.isEmpty {
      // Nothing is read: to wake another thread for it would cost more than all the rest.
      return .post(makeJob(lane, now: now))
    }
    lanes[lane].phase = .called(askingSince: nil)
    return .call(lane)
  }

  /// How long a first value waits at most for the pace, which is that of commits: a frame of a screen. One that
  /// opens queries one after the other has no more refreshes than that.
  private static let newcomersPatience: UInt64 = 33_000_000

  /// When the next refresh starts because something is to be fetched for the first time; `nil` when the pace doesn't
  /// have it wait for longer.
  private mutating func startOfNewcomers(before start: UInt64, now: UInt64) -> UInt64? {
    let earlier = now + Self.newcomersPatience
    guard earlier < start, newcomers.contains(where: { members[$0]!.lane == .quick }) else {
      return nil
    }
    pace.startsEarlier(at: earlier)
    return earlier
  }

  /// Has commits that concern no observation wait. They neither make refreshes late, nor old what the next one shows.
  private mutating func letEventsWait(until time: UInt64) {
    lanes[.quick].phase = .waiting(until: time, .events)
    pace.waits()
    noticed = 0
  }

  /// Sets the time at which results are fetched that change as time goes by, if there are any.
  private mutating func startTime(_ now: UInt64) {
    guard timeDue == nil, !timeDependent.isEmpty, let interval = settings.timeInterval else {
      return
    }
    timeDue = now + interval.clockNanoseconds
  }

  // MARK: - Jobs

  private func hasWork(_ lane: Lane) -> Bool {
    !lanes[lane].due.isEmpty
      || (lane == .quick && newsworthy.contains { groups[$0].map(isReady) ?? false })
  }

  /// Whether the work of the quick lane can wait for more of it.
  private var hasOnlyEvents: Bool {
    lanes[.quick].due.isEmpty && eventsCanWait
      && newsworthy.allSatisfy { groups[$0]?.hasNews != true }
  }

  /// A group is given nothing before each member has a result, or a reason why it has none.
  private func isReady(_ group: Group) -> Bool {
    group.members.allSatisfy { members[$0]!.last != .nothing || members[$0]!.staleness != nil }
  }

  /// Decides what the thread of a lane does that was called.
  mutating func begin(_ lane: Lane, seeing sight: Sight, now: UInt64) -> Start {
    guard case .called(let since) = lanes[lane].phase else {
      preconditionFailure("the lane \(lane) begins while it is \(lanes[lane].phase.text)")
    }
    guard hasWork(lane) else {
      lanes[lane].phase = .idle
      return .leave
    }
    switch wait(lane, sight, now) {
    case .read(let yielding):
      lanes[lane].yielding = yielding
      return .read(makeJob(lane, now: now))
    case .wait(_, isOverdue: true):
      return .giveUp(makeJob(lane, now: now), reason: Self.storm)
    case .wait(let time, isOverdue: false):
      if case .journal = sight, time <= YieldPolicy.settling,
        now - (since ?? now) < Self.patience
      {
        lanes[lane].phase = .called(askingSince: since ?? now)
        return .askAgain(after: time)
      }
      lanes[lane].phase = .waiting(
        until: now + max(time, YieldPolicy.settling), .writer)
      return .leave
    }
  }

  private mutating func wait(
    _ lane: Lane, _ sight: Sight, _ now: UInt64
  ) -> YieldPolicy.Decision {
    guard settings.snapshotBudget != nil else { return .read(.never) }
    switch sight {
    case .log(let frames) where lane == .slow:
      let time = logTurn.wait(now: now, frames: frames)
      if time > 0 { return .wait(time, isOverdue: false) }
    case .journal(let contention, let counter):
      return lanes[lane].policy.decide(
        now: now, contention: contention, counter: counter)
    case .nothing, .log: break
    }
    return .read(lanes[lane].yielding)
  }

  /// The job that is to run on the writer's thread right after its commit, if there is one that is known to
  /// be quick.
  mutating func beginOnWriter(now: UInt64) -> Job? {
    switch lanes[.quick].phase {
    case .idle, .waiting(_, .events): break
    case .waiting, .called, .running, .posting: return nil
    }
    guard settings.debounce == .zero, hasWork(.quick), isQuickOnWriter, pace.startOnWriter(now: now)
    else { return nil }
    var job = makeJob(.quick, now: now)
    job.limit = OnWriter.limit
    return job
  }

  private var isQuickOnWriter: Bool {
    var sum = Duration.zero
    for id in lanes[.quick].due {
      guard let duration = estimate(members[id]!) ?? members[id]!.lastDuration else { return false }
      sum += duration
      if sum > OnWriter.usual { return false }
    }
    return true
  }

  private mutating func makeJob(_ lane: Lane, now: UInt64) -> Job {
    // Otherwise one that is always due would keep the others of its lane from ever running.
    var chosen = lanes[lane].due.sorted { (members[$0]!.turn, $0) < (members[$1]!.turn, $1) }
    if lane == .slow { chosen = Array(chosen.prefix(1)) }
    lastTurn += 1
    var held = heldBytes
    for id in chosen {
      members[id]!.turn = lastTurn
      newcomers.remove(id)
      held -= members[id]!.heldBytes
      setPhase(.fetching(then: .clean), of: id)
    }
    lanes[lane].phase = .running(meanwhile: Changeset())
    index.mayHaveBecomeClean()
    defer {
      if lane == .quick {
        noticed = 0
        tables = nil
      }
    }
    if lane == .quick {
      eventsCanWait = true
      for id in eventGroups { groups[id]!.takeUpEvents() }
    }
    var yielding = lanes[lane].yielding
    if settings.snapshotBudget == nil {
      yielding = .never
    } else if lane == .slow, yielding == .never {
      // A slow query holds up no writer for all of its time.
      yielding = .toCommit
    }
    return Job(
      lane: lane, members: chosen.map { ($0, members[$0]!.fetch) }, began: now,
      yielding: yielding, learnsWriter: lanes[lane].policy.mustLearn,
      awaitsCommit: pace.pause > 0, heldBytes: held, ordinal: ordinal, origin: origin,
      tables: tables, noticed: lane == .quick ? noticed : 0)
  }

  // MARK: - Outcomes

  /// Takes what a job read, and decides what to post; ``didPost(_:now:)`` follows.
  ///
  /// - Parameter reading: `nil` for a job without members.
  mutating func finish(
    _ job: Job, _ reading: Reading?, now: UInt64, time: Timestamp
  ) -> Posts {
    let meanwhile = endRun(of: job)
    if let reading {
      if let began = reading.began {
        logTurn.didRefresh(job.lane, now: now)
        lanes[job.lane].policy.didEnd(
          began: began, now: now, gaveWay: reading.yieldReason == .writer)
      }
      if let (process, waits) = reading.metWriter {
        for lane in Lane.allCases { lanes[lane].policy.note(process: process, waits: waits) }
      }
      for (outcome, end) in ends(of: job, reading) {
        take(outcome, end, of: job, meanwhile: meanwhile, now: now, time: time)
      }
      if job.lane == .slow { noteThoseBehind(job, time) }
    }
    lanes[job.lane].phase = .posting(retryAt: nil)
    return posts(job, now: now)
  }

  /// Ends a job that could not be done: its members keep their results and stay due.
  ///
  /// Groups that want events get the staleness of their members, the others the error.
  ///
  /// - Parameter isFileMissing: A process that makes the file again must not meet a reader: it is read again
  ///   after an event, and not before.
  mutating func fail(
    _ job: Job, _ error: any Error, isFileMissing: Bool, now: UInt64, time: Timestamp
  ) -> Posts {
    _ = endRun(of: job)
    let reason = (error as? DatabaseError)?.message ?? String(describing: error)
    for (id, _) in job.members {
      guard let member = members[id] else { continue }
      if member.staleness == nil { hasNews(for: member.group) }
      members[id]!.staleness = Staleness(since: member.staleness?.since ?? time, reason: reason)
      if !eventGroups.contains(member.group) { deliver(error, to: id) }
      setPhase(.posting(by: job.lane, isDue: true, coolsUntil: 0), of: id)
    }
    lanes[job.lane].phase = .posting(
      retryAt: isFileMissing ? .max : now + Self.retryInterval)
    return posts(job, now: now)
  }

  /// Ends the run of a job whose deliveries are posted. Only now may its members be fetched again, so that
  /// deliveries are posted in the order of their fetches.
  mutating func didPost(_ job: Job, now: UInt64) {
    guard case .posting(let retry) = lanes[job.lane].phase else {
      preconditionFailure(
        "the lane \(job.lane) has posted while it is \(lanes[job.lane].phase.text)")
    }
    lanes[job.lane].phase = retry.map { .waiting(until: $0, .retry) } ?? .idle
    // How long a job took that failed says nothing of the next one.
    if job.lane == .quick, retry == nil { pace.end(now: now, isOnWriter: job.limit != nil) }
    for (id, _) in job.members {
      guard case .posting(_, let isDue, let until)? = members[id]?.phase else { continue }
      setPhase(
        until > now ? .cooling(until: until, isDue: isDue) : isDue ? .due : .clean, of: id)
    }
    if retry == nil { startTime(now) }
  }

  /// Marks what the quick lane has yet to fetch as stale, if a result that the slow lane brings may be of a later commit.
  private mutating func noteThoseBehind(_ job: Job, _ time: Timestamp) {
    for group in Set(job.members.compactMap { members[$0.id]?.group }) {
      for id in groups[group]!.members {
        let member = members[id]!
        guard member.lane == .quick, member.phase != .clean, member.last != .nothing,
          member.lastBegan < job.began, member.staleness == nil
        else { continue }
        members[id]!.staleness = .slow(since: time)
        hasNews(for: group)
      }
    }
  }

  private func endRun(of job: Job) -> Changeset {
    guard case .running(let meanwhile) = lanes[job.lane].phase else {
      preconditionFailure(
        "a job of the lane \(job.lane) ends while it is \(lanes[job.lane].phase.text)")
    }
    return meanwhile
  }

  /// How a fetch ended.
  private enum End {
    case whole
    /// It took longer than the budget of the quick lane: it must run on a lane of its own.
    case tooSlow
    /// A writer needed what it held, or it did not get its turn: it is fetched again within
    /// milliseconds.
    case postponed
    /// It took longer than any fetch may, or a writer waited for it on its own lane. Unless `isRepeated`,
    /// only a commit has it fetched again.
    case givenUp(reason: String, isRepeated: Bool)
  }

  /// How the fetches of a job ended. Of a job that ended early nothing is posted: what is left would be of
  /// another snapshot, and panels never disagree.
  private func ends(of job: Job, _ reading: Reading) -> [(Outcome, End)] {
    let all = reading.outcomes.map { ($0, end(of: $0, on: job)) }
    let isWhole =
      all.count == job.members.count
      && all.allSatisfy { if case .postponed = $0.1 { false } else { true } }
    guard !isWhole else { return all }
    // The member that took longest must run by itself, so that a job which takes too long as a whole becomes
    // shorter each time; but not when a writer needed the file, or on the writer, where there is little time.
    let longest =
      job.limit == nil && reading.yieldReason != .writer
      ? reading.outcomes.max { $0.duration < $1.duration }?.id : nil
    return job.members.map { id, _ in
      let outcome = Outcome(
        id: id, result: .failure(CancellationError()), region: Region(), duration: .zero)
      return (outcome, id == longest ? .tooSlow : .postponed)
    }
  }

  private func end(of outcome: Outcome, on job: Job) -> End {
    switch (outcome.interruption, job.lane) {
    case (nil, _): .whole
    case (.limit, _), (.yieldReason, .quick): .postponed
    case (.budget, .quick): .tooSlow
    case (.budget, .slow): .givenUp(reason: overBudget, isRepeated: false)
    case (.yieldReason(let yieldReason), .slow):
      .givenUp(reason: reason(yieldReason, outcome.duration), isRepeated: true)
    }
  }

  private mutating func take(
    _ outcome: Outcome, _ end: End, of job: Job, meanwhile: Changeset, now: UInt64,
    time: Timestamp
  ) {
    let id = outcome.id
    guard let phase = members[id]?.phase else { return }
    guard case .fetching(let then) = phase else {
      preconditionFailure("member \(id) was fetched while it is \(phase.text)")
    }
    var isDue = then != .clean
    var pause = Duration.zero
    switch end {
    case .whole:
      let isOutdated = then == .due || meanwhile.affects(outcome.region)
      isDue = isDue || isOutdated
      if job.lane == .slow, outcome.duration >= settings.quickAgain {
        // Under a steady writer one snapshot would follow the other, and the WAL never be reset.
        pause = min(outcome.duration * 4, .milliseconds(500))
      }
      if mustRetry(outcome) {
        isDue = true
        pause = max(.nanoseconds(Int64(Self.retryInterval)), min(outcome.duration * 4, .seconds(1)))
      }
      takeResult(outcome, of: job, isOutdated: isOutdated, time: time)
    case .postponed:
      isDue = true
      members[id]!.lastDuration = nil
      // It is first in the next job.
      members[id]!.turn = 0
    case .tooSlow:
      isDue = true
      members[id]!.lane = .slow
      members[id]!.staleness = .slow(since: time)
      // Its region is unknown until it has run to its end.
      watchEverything(reason: "not fetched yet", by: id)
      hasNews(for: members[id]!.group)
    case .givenUp(let reason, let isRepeated):
      isDue = isDue || isRepeated || !meanwhile.isEmpty
      pause = max(.seconds(1), outcome.duration * 4)
      giveUp(id, reason, isRepeated: isRepeated, time: time)
    }
    let until = pause == .zero || then == .asked ? 0 : now + pause.clockNanoseconds
    setPhase(.posting(by: job.lane, isDue: isDue, coolsUntil: until), of: id)
  }

  /// Whether a fetch failed for a reason that may go away without a commit. The user of a group with events
  /// sees the error, and may have cancelled the fetch.
  private func mustRetry(_ outcome: Outcome) -> Bool {
    guard case .failure(let error) = outcome.result, let member = members[outcome.id] else {
      return false
    }
    return error.isTransient && !eventGroups.contains(member.group)
  }

  /// - Parameter isOutdated: Whether something was committed meanwhile that concerns the member.
  private mutating func takeResult(
    _ outcome: Outcome, of job: Job, isOutdated: Bool, time: Timestamp
  ) {
    watch(outcome.region, by: outcome.id)
    var member = members[outcome.id]!
    heldBytes += outcome.heldBytes - member.heldBytes
    member.heldBytes = outcome.heldBytes
    member.lastDuration = outcome.duration
    member.asOf = job.ordinal
    member.lastBegan = job.began
    if job.lane == .slow, outcome.duration < settings.quickAgain { member.lane = .quick }
    member.lane = lane(for: member)
    // What came too late for a commit is older than the others of its group, as before.
    member.staleness =
      job.lane == .slow && isOutdated ? member.staleness ?? .slow(since: time) : nil
    groups[member.group]!.outgoing.refreshed[member.index] = MemberRefresh(
      duration: outcome.duration, method: outcome.method)
    switch outcome.result {
    case .success:
      let isInitial = member.last == .nothing && groups[member.group]!.skipsInitial
      member.last = .value
      members[outcome.id] = member
      add(outcome.result, of: member, isInitial: isInitial)
    case .failure(let error):
      members[outcome.id] = member
      deliver(error, to: outcome.id)
    }
  }

  /// Makes an error the result of a member, unless its group passes over such errors.
  private mutating func deliver(_ error: any Error, to id: MemberID) {
    let group = groups[members[id]!.group]!
    if group.transientErrors == .passedOver, error.isTransient { return }
    members[id]!.last = .failure
    add(.failure(error), of: members[id]!)
  }

  private mutating func add(
    _ result: Result<any Sendable, any Error>, of member: Member, isInitial: Bool = false
  ) {
    if isInitial {
      groups[member.group]!.outgoing.initial[member.index] = result
    } else {
      let former = groups[member.group]!.outgoing.results.updateValue(result, forKey: member.index)
      if let former { replaced.append(former) }
    }
    hasNews(for: member.group)
  }

  /// Keeps the last value, and says why there is none of the newest state.
  private mutating func giveUp(
    _ id: MemberID, _ reason: String, isRepeated: Bool, time: Timestamp
  ) {
    watchEverything(reason: "the last fetch was cancelled", by: id)
    var member = members[id]!
    let hasEvents = eventGroups.contains(member.group)
    let isStale = member.last == .value || (isRepeated && member.last == .nothing)
    member.staleness =
      isStale ? Staleness(since: member.staleness?.since ?? time, reason: reason) : nil
    members[id] = member
    if !isStale || !hasEvents {
      // A query that never had a value needs another limit: its error isn't transient, and ends a sequence.
      let isFinal = !hasEvents && !isRepeated && member.last == .nothing
      deliver(DatabaseError(code: isFinal ? .aborted : .interrupted, message: reason), to: id)
    }
    hasNews(for: member.group)
  }

  /// Makes every commit concern a member that was cut off, since it is unknown what it would have read; it
  /// depends on the time if it did before.
  private mutating func watchEverything(reason: String, by id: MemberID) {
    members[id]!.lastDuration = nil
    members[id]!.asOf = nil
    var region = Region.full(reason: reason)
    if let reason = members[id]!.region.timeDependence { region.insertTime(reason: reason) }
    watch(region, by: id)
  }

  /// Makes `region` what the member watches.
  private mutating func watch(_ region: Region, by id: MemberID) {
    let former = members[id]!.region
    guard region != former else { return }
    index.remove(id, reading: former)
    index.insert(id, reading: region)
    members[id]!.region = region
    if region.timeDependence != nil { timeDependent.insert(id) } else { timeDependent.remove(id) }
  }

  private mutating func hasNews(for group: GroupID) {
    groups[group]!.hasNews = true
    newsworthy.insert(group)
  }

  private mutating func posts(_ job: Job, now: UInt64) -> Posts {
    var posts = Posts(replaced: replaced)
    replaced = []
    // In the order in which they began: the first observers are the first to be given something.
    for id in newsworthy.sorted() {
      // Events that no job has taken up stay: the results that belong to them are still to come.
      guard var group = groups[id], isReady(group), group.hasNews else { continue }
      if group.events.isEmpty { newsworthy.remove(id) }
      lastDelivery += 1
      group.outgoing.number = lastDelivery
      group.outgoing.ordinal = job.ordinal
      group.outgoing.origin = job.origin
      group.outgoing.tables = job.tables
      group.outgoing.duration = .nanoseconds(Int64(now - job.began))
      group.outgoing.noticed = job.noticed
      group.outgoing.pause = .nanoseconds(Int64(pace.pause))
      for member in group.members.map({ members[$0]! }) {
        group.outgoing.stale[member.index] = member.staleness
      }
      posts.all.append(Post(channel: group.channel, delivery: group.outgoing))
      group.outgoing = Delivery()
      group.hasNews = false
      groups[id] = group
    }
    return posts
  }
}

// MARK: - Pace

extension RefreshScheduler {
  /// When the next refresh may start: immediately after a quiet time, less often under a writer that does
  /// not wait for it.
  ///
  ///     commits   |      |        | | | | | | | | | | | | | | | | | | | | |       |
  ///     refreshes ■      ■        ■ ·■ · ·■ · · · ·■ · · · · · · · ·■      ■       ■
  ///                    no delay   pauses double while each refresh finds several commits
  ///
  /// A refresh that finds one commit has kept up, and the next one is not delayed. So a program that
  /// commits, waits for the value, and commits again is never slowed down.
  private struct Pace {
    /// The bounds of a pause: from less than a refresh takes to what no user notices.
    private static let pauses: ClosedRange<UInt64> = 100_000...50_000_000
    /// However long refreshes take, they start this often.
    private static let longest: UInt64 = 500_000_000
    /// A refresh on the writer's own thread leaves it alone for so many times what it took, so that a
    /// program which writes without a break keeps nearly all of its writer's time.
    private static let writersShare: UInt64 = 8

    /// The least time between two starts, as configured.
    private let least: UInt64
    private var lastStart: UInt64?
    private var lastDuration: UInt64 = 0
    /// Commits since the last start.
    private var commits = 0
    private var writerIsFreeUntil: UInt64 = 0
    /// How long refreshes pause now because each found several commits; 0 when they keep up.
    private(set) var pause: UInt64 = 0

    init(least: Duration) { self.least = least.clockNanoseconds }

    mutating func noteCommits(_ count: Int) { commits += count }

    /// Commits are waited for: that there are several doesn't mean that refreshes are too slow.
    mutating func waits() { commits = 0 }

    /// Decides when the next refresh starts, from now on the last one.
    mutating func start(now: UInt64) -> UInt64 {
      if commits > 1 {
        let longest = max(Self.pauses.upperBound, min(4 * lastDuration, Self.longest))
        pause = min(max(2 * pause, Self.pauses.lowerBound), longest)
      } else {
        pause = 0
      }
      commits = 0
      let start =
        lastStart.map { max(now, $0 + interval, pause > 0 ? $0 + lastDuration + pause : 0) } ?? now
      lastStart = start
      return start
    }

    /// Notes that the next refresh starts before the time that was decided.
    mutating func startsEarlier(at time: UInt64) { lastStart = time }

    /// Decides whether a refresh may start on the writer's own thread, right after its commit; it is the last
    /// one then.
    mutating func startOnWriter(now: UInt64) -> Bool {
      guard now >= writerIsFreeUntil, commits <= 1, now >= (lastStart.map { $0 + interval } ?? 0)
      else { return false }
      pause = 0
      commits = 0
      lastStart = now
      return true
    }

    mutating func end(now: UInt64, isOnWriter: Bool) {
      lastDuration = now - min(now, lastStart ?? now)
      if isOnWriter { writerIsFreeUntil = now + Self.writersShare * lastDuration }
    }

    /// The least time from one start to the next: where one is configured, refreshes that take long
    /// start at most every fourfold of that time.
    private var interval: UInt64 {
      least > 0 ? max(least, min(4 * lastDuration, Self.longest)) : 0
    }
  }

  /// When a slow query may begin to read in WAL mode while a writer commits without a break. With a
  /// rollback journal ``YieldPolicy`` decides.
  ///
  ///     commits    |       |        | | | | | | | | | | | | | | | | | | | | | |        |
  ///     refreshes   ■       ■        ×                        ■            ■      ■     ■
  ///                 right after      waits                    limit        limit  it pauses
  ///
  /// A snapshot that begins while the WAL is long keeps it from being reset. So the query waits until the
  /// writer pauses, or the WAL was reset; but not for ever.
  private struct LogTurn {
    /// How long nothing must have been committed for a writer to be taken as pausing: longer than the
    /// detector waits between two checks in a burst.
    private static let pause: UInt64 = 10_000_000
    /// How long a query waits for a pause.
    private static let limit: UInt64 = 500_000_000

    private var waitsSince: UInt64?
    private var lastCommit: UInt64?

    mutating func noteCommit(now: UInt64) {
      // After a quiet time nothing is left of what the writer was like before.
      if lastCommit.map({ now > $0 + Self.limit }) ?? true { waitsSince = nil }
      lastCommit = now
    }

    /// - Returns: In how many nanoseconds to ask again; 0 when a query may begin.
    mutating func wait(now: UInt64, frames: UInt32) -> UInt64 {
      let quietAt = (lastCommit ?? 0) + Self.pause
      let isContended = frames >= WALGrowth.autocheckpoint && now < quietAt && lastCommit != nil
      if waitsSince == nil, isContended { waitsSince = now }
      guard let since = waitsSince, !isOver(now) else { return 0 }
      let quiet = isContended ? now + Self.pause : quietAt
      return quiet > now ? min(quiet, since + Self.limit) - now : 0
    }

    /// Ends the wait of a query that was run: in a pause of the writer, or because it had waited for long
    /// enough, and then the next one waits as well.
    mutating func didRefresh(_ lane: Lane, now: UInt64) {
      if lane == .slow { waitsSince = isOver(now) ? now : nil }
    }

    private func isOver(_ now: UInt64) -> Bool {
      waitsSince.map { now >= $0 + Self.limit } ?? false
    }
  }
}

// MARK: - Reasons

extension RefreshScheduler {
  private static let storm =
    "another process commits without a pause; shown when it pauses, or use WAL mode"

  private var overBudget: String {
    let budget = Self.text(settings.snapshotBudget ?? .zero)
    return "cancelled after \(budget), not to hold up writers; \(settings.snapshotBudgetRemedy)"
  }

  private func reason(_ yieldReason: SnapshotWatch.YieldReason, _ duration: Duration) -> String {
    let duration = Self.text(duration)
    return switch yieldReason {
    case .log: "cancelled after \(duration), to let the WAL be reset; tried again"
    case .writer:
      "cancelled after \(duration), to let a writer commit; tried again, or use WAL mode"
    }
  }

  /// Milliseconds below a second, and tenths of a second above.
  private static func text(_ duration: Duration) -> String {
    let milliseconds = duration.nanoseconds / 1_000_000
    guard milliseconds >= 1_000 else { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}

// MARK: - What a test sees

extension RefreshScheduler: CustomStringConvertible {
  /// The phase of each lane and each member.
  var description: String {
    let allLanes = Lane.allCases.map { "\($0): \(lanes[$0].phase.text)" }
    let allMembers = members.sorted { $0.key < $1.key }.map {
      "\($0): \($1.phase.text)\($1.lane == .slow ? ", slow" : "")"
    }
    return (allLanes + allMembers).joined(separator: "; ")
  }
}

extension DatabaseEvent {
  /// Whether its report can wait: another process committed rows, and nothing else happened.
  fileprivate var canWait: Bool {
    if case .commit(let commit) = self {
      commit.origin == .external && commit.kind == .data
    } else {
      false
    }
  }
}
