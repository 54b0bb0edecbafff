/// Decides which observations must be fetched, where, and what each group is told. Pure.
///
///                commit touches region            lane takes it
///     clean ───────────────────────────▶ dirty ─────────────────▶ fetching ──▶ clean
///       ▲                                  ▲                          │
///       └──────── result delivered         └── commit meanwhile, or could not be read
///
/// There are two lanes. `quick` serves all observations from one snapshot; an observation that
/// exceeds its budget there moves to `slow`, which runs one at a time in a snapshot of its own, and
/// moves back after it has been quick again.
struct ObservationStateMachine {
  enum Lane: Hashable, CaseIterable {
    case quick, slow
  }

  typealias MemberID = Int
  typealias GroupID = Int

  struct Member {
    let group: GroupID
    /// Its place in the group.
    let index: Int
    let fetch: ObservedFetch
    /// What its last fetch read; everything until then, so that nothing is missed.
    var region: Region
    var lane: Lane = .quick
    var isDirty = true
    var isFetching = false
    /// What was committed since the running fetch began: it may read other tables than the last one.
    var meanwhile = Changeset()
    var last: Result<any Sendable, any Error>?
    var staleness: Staleness?
  }

  struct Group {
    var members: [MemberID]
    let mailbox: Mailbox<Delivery>
    /// Events that no job has taken up: the next one brings the results that belong to them.
    var events: [DatabaseEvent] = []
    /// Events and results that go out with the next delivery.
    var outgoing = Delivery()
    var hasNews = false
  }

  /// What a lane shall do.
  struct Job {
    let lane: Lane
    /// Empty when there is nothing to fetch, but events to deliver.
    let members: [(id: MemberID, fetch: ObservedFetch)]
    /// The newest commit that the results will reflect, and whose it is.
    let ordinal: Int
    let origin: Commit.Origin?
    /// When the oldest commit of this job was noticed; 0 for none.
    let noticed: UInt64
  }

  /// What fetching one member gave.
  struct Outcome {
    let id: MemberID
    let result: Result<any Sendable, any Error>
    let region: Region
    let duration: Duration
    /// Cancelled for taking longer than the budget of the quick lane.
    var exceededBudget = false
  }

  /// A message for a group's mailbox, to be posted outside the lock.
  struct Post {
    let mailbox: Mailbox<Delivery>
    let delivery: Delivery
  }

  private var members: [MemberID: Member] = [:]
  private var groups: [GroupID: Group] = [:]
  private var nextID = 0
  private var running: Set<Lane> = []
  /// Members by the tables they read, so that a commit elsewhere costs nothing.
  private var readers: [TableID: Set<MemberID>] = [:]
  private var fullReaders: Set<MemberID> = []
  private var ordinal = 0
  private var origin: Commit.Origin?
  private var noticed: UInt64 = 0

  // MARK: - Groups

  mutating func addGroup(
    _ fetches: [ObservedFetch], mailbox: Mailbox<Delivery>, ordinal: Int
  ) -> GroupID {
    nextID += 1
    let group = nextID
    self.ordinal = max(self.ordinal, ordinal)
    var ids: [MemberID] = []
    for (index, fetch) in fetches.enumerated() {
      nextID += 1
      ids.append(nextID)
      members[nextID] = Member(
        group: group, index: index, fetch: fetch, region: .full(reason: "not fetched yet"))
      fullReaders.insert(nextID)
    }
    groups[group] = Group(members: ids, mailbox: mailbox)
    return group
  }

  mutating func removeGroup(_ id: GroupID) {
    for member in groups.removeValue(forKey: id)?.members ?? [] {
      unindex(member)
      members[member] = nil
    }
  }

  var isEmpty: Bool { groups.isEmpty }

  /// Forgets all groups, and says whose sequences end with that.
  mutating func removeAll() -> [Mailbox<Delivery>] {
    let mailboxes = groups.values.map(\.mailbox)
    for id in Array(groups.keys) { removeGroup(id) }
    return mailboxes
  }

  func hasMember(_ id: MemberID) -> Bool { members[id] != nil }

  // MARK: - Events

  /// Takes note of an event; which lanes must run is asked of ``startLanes()``.
  mutating func note(_ event: DatabaseEvent, _ changeset: Changeset, now: UInt64) {
    if case .commit(let commit) = event {
      ordinal = commit.ordinal
      origin = commit.origin
      if noticed == 0 { noticed = now }
      for id in affected(by: changeset) { members[id]?.isDirty = true }
      for (id, member) in members where member.isFetching && !member.isDirty {
        members[id]!.meanwhile.formUnion(changeset)
      }
    }
    // Nothing is up to date any more: trying to read says so, and marks every result as stale.
    if case .fileMissing = event { invalidateAll(now: now) }
    for id in groups.keys { groups[id]!.append(event) }
  }

  /// Marks every observation for a new fetch.
  mutating func invalidateAll(group: GroupID? = nil, now: UInt64) {
    for id in members.keys where group == nil || members[id]!.group == group {
      members[id]!.isDirty = true
    }
    if noticed == 0 { noticed = now }
  }

  private func affected(by changeset: Changeset) -> [MemberID] {
    if changeset.isEmpty { return [] }
    if changeset.allReason != nil { return Array(members.keys) }
    var candidates = fullReaders
    for table in changeset.tables.keys { candidates.formUnion(readers[table] ?? []) }
    return candidates.filter { changeset.affects(members[$0]!.region) }
  }

  /// Nothing is delivered before each member has a result, or a reason why it has none.
  private func isReady(_ group: Group) -> Bool {
    group.members.allSatisfy { members[$0]?.last != nil || members[$0]?.staleness != nil }
  }

  // MARK: - Lanes

  /// The lanes that have something to do and do not run; they run from now on.
  mutating func startLanes() -> [Lane] {
    let idle = Lane.allCases.filter { !running.contains($0) && hasWork($0) }
    running.formUnion(idle)
    return idle
  }

  private func hasWork(_ lane: Lane) -> Bool {
    members.values.contains { $0.lane == lane && $0.isDirty && !$0.isFetching }
      || (lane == .quick
        && groups.values.contains { ($0.hasNews || !$0.events.isEmpty) && isReady($0) })
  }

  /// What a running lane does next; `nil` ends its run.
  mutating func nextJob(_ lane: Lane) -> Job? {
    guard hasWork(lane) else {
      running.remove(lane)
      return nil
    }
    var due = members.filter { $0.value.lane == lane && $0.value.isDirty && !$0.value.isFetching }
      .map(\.key).sorted()
    if lane == .slow { due = Array(due.prefix(1)) }
    for id in due {
      members[id]!.isDirty = false
      members[id]!.isFetching = true
      members[id]!.meanwhile = Changeset()
    }
    defer { if lane == .quick { noticed = 0 } }
    if lane == .quick {
      for id in groups.keys { groups[id]!.takeUpEvents() }
    }
    return Job(
      lane: lane, members: due.map { ($0, members[$0]!.fetch) }, ordinal: ordinal, origin: origin,
      noticed: lane == .quick ? noticed : 0)
  }

  /// Ends a lane's run; what is left to do starts another.
  mutating func pause(_ lane: Lane) { running.remove(lane) }

  /// Takes the outcome of a job and says what to post.
  mutating func finish(
    _ job: Job, _ outcomes: [Outcome], duration: Duration, time: Timestamp
  ) -> [Post] {
    for outcome in outcomes { take(outcome, time: time) }
    return posts(job, duration: duration)
  }

  /// Takes that a job could not be done: its members keep their results and stay dirty.
  mutating func fail(_ job: Job, reason: String, time: Timestamp) -> [Post] {
    for (id, _) in job.members {
      guard var member = members[id] else { continue }
      member.isFetching = false
      member.isDirty = true
      let isNews = member.staleness == nil
      member.staleness = Staleness(since: member.staleness?.since ?? time, reason: reason)
      members[id] = member
      if isNews { groups[member.group]?.hasNews = true }
    }
    // The lane ends its run; it is started again when it is time to retry.
    running.remove(job.lane)
    return posts(job, duration: .zero)
  }

  private mutating func take(_ outcome: Outcome, time: Timestamp) {
    guard var member = members[outcome.id] else { return }
    defer { members[outcome.id] = member }
    member.isFetching = false
    unindex(outcome.id)
    if outcome.exceededBudget {
      member.lane = .slow
      member.isDirty = true
      member.staleness = Staleness(since: time, reason: "slow query, running on its own")
      groups[member.group]?.hasNews = true
      // Its region is unknown until it has run to its end.
      fullReaders.insert(outcome.id)
      member.region = .full(reason: "not fetched yet")
      return
    }
    member.region = outcome.region
    index(outcome.id, outcome.region)
    if member.meanwhile.affects(outcome.region) { member.isDirty = true }
    if member.staleness != nil, !member.isDirty { groups[member.group]?.hasNews = true }
    member.staleness = nil
    groups[member.group]?.outgoing.recomputed[member.index] = outcome.duration
    if member.lane == .slow, outcome.duration < .milliseconds(50) { member.lane = .quick }
    guard member.fetch.isNews(outcome.result, after: member.last) else { return }
    member.last = outcome.result
    groups[member.group]?.outgoing.results[member.index] = outcome.result
    groups[member.group]?.hasNews = true
  }

  private mutating func posts(_ job: Job, duration: Duration) -> [Post] {
    var posts: [Post] = []
    // In the order in which they began, so that nobody is told before those who were there first.
    for id in groups.keys.sorted() {
      guard var group = groups[id], group.hasNews, isReady(group) else { continue }
      group.outgoing.ordinal = job.ordinal
      group.outgoing.origin = job.origin
      group.outgoing.duration = duration
      group.outgoing.noticed = job.noticed
      for member in group.members.compactMap({ members[$0] }) {
        group.outgoing.stale[member.index] = member.staleness
      }
      posts.append(Post(mailbox: group.mailbox, delivery: group.outgoing))
      group.outgoing = Delivery()
      group.hasNews = false
      groups[id] = group
    }
    return posts
  }

  // MARK: - Index

  private mutating func index(_ id: MemberID, _ region: Region) {
    if region.isFull { fullReaders.insert(id) }
    for table in region.columns.keys { readers[table, default: []].insert(id) }
  }

  private mutating func unindex(_ id: MemberID) {
    fullReaders.remove(id)
    for table in members[id]?.region.columns.keys ?? [:].keys { readers[table]?.remove(id) }
  }
}

extension ObservationStateMachine.Group {
  fileprivate mutating func append(_ event: DatabaseEvent) {
    events.append(event)
    if events.count > Delivery.eventLimit {
      events.removeFirst()
      outgoing.droppedEvents += 1
    }
  }

  fileprivate mutating func takeUpEvents() {
    guard !events.isEmpty else { return }
    outgoing.append(events)
    events = []
    hasNews = true
  }
}
