/// Decides which observations must be fetched, where, and what each group is told. Pure.
///
///                commit touches region            lane takes it
///     clean ───────────────────────────▶ dirty ─────────────────▶ fetching ──▶ clean
///       ▲                                  ▲                          │
///       └──────── result delivered         └── commit meanwhile, or could not be read
///
/// There are two lanes. `quick` serves all observations from one snapshot; an observation that
/// exceeds its budget there moves to `slow`, which runs one at a time in a snapshot of its own, and
/// moves back after it has been quick again. Until then it rests between two runs, so that others
/// get their turn: it may become dirty meanwhile, and is due when the rest is over.
struct ObservationStateMachine {
  /// What takes less time in the slow lane may try the quick one again.
  var quickAgain = Duration.milliseconds(50)
  var members: [MemberID: Member] = [:]
  var groups: [GroupID: Group] = [:]
  private var nextID = 0
  /// Lanes that were started and did not end their run.
  var running: Set<Lane> = []
  /// Members that must be fetched and are not being fetched.
  var due: [Lane: Set<MemberID>] = [:]
  /// Members that the job of a lane moved to the other lane. They count as being fetched until what the job
  /// found is posted.
  var moved: [Lane: Set<MemberID>] = [:]
  /// What was committed since the job of a lane began: its fetches may not have seen it.
  var meanwhile: [Lane: Changeset] = [:]
  /// Groups that have something to be told.
  var newsworthy: Set<GroupID> = []
  /// Groups that are told of events.
  private var eventGroups: Set<GroupID> = []
  var index = RegionIndex()
  /// Members that are quick as long as nothing is committed, to whatever table: what they know of a
  /// long result is worth nothing in the next snapshot.
  var quickUntilCommit: Set<MemberID> = []
  /// Members whose results change as time goes by.
  var timeDependent: Set<MemberID> = []
  private var ordinal = 0
  private var origin: Commit.Origin?
  private var tables: Commit.Tables?
  private var evidence: Commit.Evidence?
  private var noticed: UInt64 = 0
  /// Counts jobs: who ran longest ago is fetched first.
  private var lastTurn = 0
  private var lastRest = 0
  /// Rests that began and that nobody times yet.
  private var untimedRests: [Rest] = []

  // MARK: - Groups

  /// - Parameter wantsEvents: Whether the group is told of every event, and not of results alone.
  mutating func addGroup(
    _ fetches: [ObservedFetch], mailbox: Mailbox<Delivery>, ordinal: Int, wantsEvents: Bool = true
  ) -> GroupID {
    nextID += 1
    let group = nextID
    self.ordinal = max(self.ordinal, ordinal)
    var ids: [MemberID] = []
    for (index, fetch) in fetches.enumerated() {
      nextID += 1
      ids.append(nextID)
      let member = Member(
        group: group, index: index, fetch: fetch, region: .full(reason: "not fetched yet"))
      members[nextID] = member
      self.index.insert(nextID, reading: member.region)
      due[.quick, default: []].insert(nextID)
    }
    groups[group] = Group(members: ids, mailbox: mailbox)
    if wantsEvents { eventGroups.insert(group) }
    return group
  }

  /// Takes what the consumer was told before the group was added: unless something was committed
  /// since, there is nothing to fetch.
  mutating func take(_ first: FirstFetch, of group: GroupID) {
    for (id, fetched) in zip(groups[group]?.members ?? [], first.members) {
      guard var member = members[id] else { continue }
      watch(fetched.region, by: &member, id)
      member.last = fetched.result
      member.lastDuration = fetched.duration
      if ordinal == first.ordinal {
        member.isDirty = false
        due[member.lane]?.remove(id)
      }
      members[id] = member
    }
  }

  /// - Returns: The members of the group, which may hold the last reference to objects of the application:
  ///   these must not end under a lock.
  @discardableResult
  mutating func removeGroup(_ id: GroupID) -> [Member] {
    var all: [Member] = []
    for member in groups.removeValue(forKey: id)?.members ?? [] {
      guard let removed = members.removeValue(forKey: member) else { continue }
      all.append(removed)
      index.remove(member, reading: removed.region)
      due[removed.lane]?.remove(member)
      timeDependent.remove(member)
      quickUntilCommit.remove(member)
    }
    eventGroups.remove(id)
    newsworthy.remove(id)
    return all
  }

  /// Forgets all groups.
  ///
  /// - Returns: Whose sequences end with that; and all members, as ``removeGroup(_:)`` does.
  mutating func removeAll() -> (mailboxes: [Mailbox<Delivery>], members: [Member]) {
    let mailboxes = groups.values.map(\.mailbox)
    return (mailboxes, groups.keys.map(\.self).flatMap { removeGroup($0) })
  }

  /// What must be known of a table's changes to tell whom they concern; `nil` when nobody reads it.
  mutating func interest(in table: TableID) -> TableInterest? { index.interest(in: table) }

  // MARK: - Events

  /// Takes note of an event; which lanes must run is asked of ``startLanes()``.
  ///
  /// - Complexity: O(observations concerned + groups that want events).
  mutating func note(_ event: DatabaseEvent, _ changeset: Changeset, now: UInt64) {
    if case .commit(let commit) = event {
      ordinal = commit.ordinal
      origin = commit.origin
      tables = tables?.union(commit.tables) ?? commit.tables
      evidence = evidence?.union(commit.evidence) ?? commit.evidence
      if noticed == 0 { noticed = now }
      // What is being fetched is judged by its outcome.
      for id in quickUntilCommit where !members[id]!.isFetching { makeSlow(id) }
      if let affected = index.affected(by: changeset) {
        for id in affected { markDirty(id, since: commit.time) }
      } else {
        for id in Array(members.keys) { markDirty(id, since: commit.time) }
      }
      for lane in meanwhile.keys { meanwhile[lane]!.formUnion(changeset) }
    }
    // Nothing is up to date any more: trying to read says so, and marks every result as stale.
    if case .fileMissing = event { invalidateAll(now: now) }
    for id in eventGroups {
      groups[id]!.append(event)
      newsworthy.insert(id)
    }
  }

  /// Marks every observation for a new fetch; a rest is no reason to wait for it.
  mutating func invalidateAll(group: GroupID? = nil, now: UInt64) {
    for id in group.map({ groups[$0]?.members ?? [] }) ?? Array(members.keys) {
      endRest(of: id)
      markDirty(id)
    }
    if noticed == 0 { noticed = now }
  }

  /// Marks one member of a group for a new fetch, whose fetch is another from now on: what is being
  /// fetched is not told any more.
  mutating func invalidate(_ index: Int, of group: GroupID) {
    guard let id = groups[group]?.members[index] else { return }
    endRest(of: id)
    if members[id]!.isFetching { members[id]!.isOutdated = true } else { markDirty(id) }
  }

  /// Whether what is being fetched of a member is not wanted any more, or the member is gone.
  func mustEndFetch(of id: MemberID) -> Bool { members[id]?.isOutdated ?? true }

  /// Takes that a member whose fetch is wanted no more is fetched anew by the same job.
  ///
  /// - Returns: Whether there is need of it.
  mutating func beginAgain(_ id: MemberID) -> Bool {
    guard members[id]?.isOutdated == true else { return false }
    members[id]!.isOutdated = false
    return true
  }

  /// - Parameter time: When a commit was made that the last result does not know of.
  private mutating func markDirty(_ id: MemberID, since time: Timestamp? = nil) {
    guard let member = members[id] else { return }
    if member.lane == .slow, member.staleness == nil, member.last != nil, let time {
      // The others of its group are told of that commit before it is.
      members[id]!.staleness = .slow(since: time)
      hasNews(for: member.group)
    }
    guard !member.isDirty else { return }
    members[id]!.isDirty = true
    if !member.isFetching, member.rest == nil { due[member.lane, default: []].insert(id) }
  }

  /// Takes a member that is not being fetched to the slow lane, where it may be due already.
  private mutating func makeSlow(_ id: MemberID) {
    quickUntilCommit.remove(id)
    guard members[id]!.lane == .quick else { return }
    members[id]!.lane = .slow
    if due[.quick]?.remove(id) != nil { due[.slow, default: []].insert(id) }
  }

  // MARK: - Rests

  /// The rests that began since the last call: each is to be timed, and ended with
  /// ``restIsOver(_:)``.
  mutating func takeRests() -> [Rest] {
    defer { untimedRests = [] }
    return untimedRests
  }

  /// Takes that the time of a rest is over.
  mutating func restIsOver(_ rest: Rest) {
    if members[rest.id]?.rest == rest.number { endRest(of: rest.id) }
  }

  private mutating func endRest(of id: MemberID) {
    guard let member = members[id], member.rest != nil else { return }
    members[id]!.rest = nil
    if member.isDirty, !member.isFetching { due[member.lane, default: []].insert(id) }
  }

  mutating func rest(_ member: inout Member, _ id: MemberID, for duration: Duration) {
    lastRest += 1
    member.rest = lastRest
    untimedRests.append(Rest(id: id, number: lastRest, duration: duration))
  }

  // MARK: - Time

  /// Whether some results change as time goes by.
  var dependsOnTime: Bool { !timeDependent.isEmpty }

  /// Marks the observations for a new fetch whose results change as time goes by.
  mutating func timeHasPassed() {
    for id in timeDependent { markDirty(id) }
  }

  /// Nothing is delivered before each member has a result, or a reason why it has none.
  func isReady(_ group: Group) -> Bool {
    group.members.allSatisfy { members[$0]?.last != nil || members[$0]?.staleness != nil }
  }

  // MARK: - Lanes

  /// The lanes that have something to do and do not run; they run from now on.
  mutating func startLanes() -> [Lane] {
    let idle = Lane.allCases.filter { !running.contains($0) && hasWork($0) }
    running.formUnion(idle)
    return idle
  }

  /// Whether the quick lane has something to do that is known to take no longer than `limit`.
  func canRunQuickly(within limit: Duration) -> Bool {
    guard !running.contains(.quick), hasWork(.quick) else { return false }
    var sum = Duration.zero
    for id in due[.quick] ?? [] {
      guard let duration = members[id]!.lastDuration else { return false }
      // A window of a long result was quick because nothing had been committed.
      if let effort = members[id]!.fetch.effort, effort() != .whole { return false }
      sum += duration
      if sum > limit { return false }
    }
    return true
  }

  /// Starts the quick lane alone.
  mutating func startQuickLane() -> Bool { running.insert(.quick).inserted }

  private func hasWork(_ lane: Lane) -> Bool {
    due[lane]?.isEmpty == false
      || (lane == .quick && newsworthy.contains { groups[$0].map(isReady) ?? false })
  }

  /// What a running lane does next; `nil` ends its run.
  mutating func nextJob(_ lane: Lane) -> Job? {
    guard hasWork(lane) else {
      running.remove(lane)
      return nil
    }
    // Otherwise one that is always dirty would keep the others of its lane from ever running.
    var chosen = (due[lane] ?? []).sorted { (members[$0]!.turn, $0) < (members[$1]!.turn, $1) }
    if lane == .slow { chosen = Array(chosen.prefix(1)) }
    lastTurn += 1
    for id in chosen {
      members[id]!.turn = lastTurn
      members[id]!.isDirty = false
      members[id]!.isFetching = true
      members[id]!.isOutdated = false
      due[lane]!.remove(id)
    }
    meanwhile[lane] = Changeset()
    index.mayHaveBecomeClean()
    defer {
      if lane == .quick {
        noticed = 0
        tables = nil
        evidence = nil
      }
    }
    if lane == .quick {
      for id in eventGroups { groups[id]!.takeUpEvents() }
    }
    return Job(
      lane: lane, members: chosen.map { ($0, members[$0]!.fetch) }, ordinal: ordinal,
      origin: origin, tables: tables, evidence: evidence,
      noticed: lane == .quick ? noticed : 0)
  }

  /// What a running quick lane does next, if nothing need be fetched for it.
  mutating func nextNews() -> Job? {
    due[.quick]?.isEmpty == false ? nil : nextJob(.quick)
  }

  /// Ends a lane's run, once what it found is posted; what is left to do starts another.
  mutating func pause(_ lane: Lane) {
    running.remove(lane)
    for id in moved.removeValue(forKey: lane) ?? [] {
      guard var member = members[id] else { continue }
      member.isFetching = false
      // Its window has moved since.
      if member.isOutdated { member.isDirty = true }
      member.isOutdated = false
      members[id] = member
      makeDue(id)
    }
  }

  /// Has a member fetched if it must be and may be.
  mutating func makeDue(_ id: MemberID) {
    guard let member = members[id], member.isDirty, !member.isFetching, member.rest == nil else {
      return
    }
    due[member.lane, default: []].insert(id)
  }
}
