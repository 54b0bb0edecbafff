// What came of the jobs, and who is told of it.

extension ObservationStateMachine {
  /// What the members of a job know, by their number: what they fetched is compared with it before
  /// ``finish(_:_:duration:time:)``.
  func known(_ job: Job) -> [MemberID: Known] {
    var known: [MemberID: Known] = [:]
    for (id, fetch) in job.members { known[id] = Known(fetch: fetch, last: members[id]?.last) }
    return known
  }

  /// Takes the outcome of a job and says what to post.
  mutating func finish(
    _ job: Job, _ outcomes: [Outcome], duration: Duration, time: Timestamp
  ) -> [Post] {
    let meanwhile = meanwhile.removeValue(forKey: job.lane) ?? Changeset()
    for outcome in outcomes { take(outcome, of: job.lane, meanwhile: meanwhile, time: time) }
    return posts(job, duration: duration)
  }

  /// Takes that a job could not be done: its members keep their results and stay dirty.
  mutating func fail(_ job: Job, reason: String, time: Timestamp) -> [Post] {
    let hasCommits = meanwhile.removeValue(forKey: job.lane)?.isEmpty == false
    for (id, _) in job.members {
      guard var member = members[id] else { continue }
      if hasCommits, quickUntilCommit.remove(id) != nil { member.lane = .slow }
      member.isFetching = false
      member.isOutdated = false
      member.isDirty = true
      due[member.lane, default: []].insert(id)
      if member.staleness == nil { hasNews(for: member.group) }
      member.staleness = Staleness(since: member.staleness?.since ?? time, reason: reason)
      members[id] = member
    }
    // The lane ends its run; it is started again when it is time to retry.
    running.remove(job.lane)
    return posts(job, duration: .zero)
  }

  /// What the results of all other members hold in memory.
  ///
  /// - Complexity: O(members).
  func heldBytes(without own: [MemberID]) -> Int {
    let own = Set(own)
    return members.reduce(0) { own.contains($1.key) ? $0 : $0 + $1.value.heldBytes }
  }

  private mutating func take(
    _ outcome: Outcome, of lane: Lane, meanwhile: Changeset, time: Timestamp
  ) {
    guard var member = members[outcome.id] else { return }
    defer {
      // The thread of the other lane could post a newer result before this one is posted.
      if member.lane != lane {
        member.isFetching = true
        moved[lane, default: []].insert(outcome.id)
      }
      members[outcome.id] = member
      makeDue(outcome.id)
    }
    member.isFetching = false
    let isOutdated = member.isOutdated
    member.isOutdated = false
    defer { if isOutdated { member.isDirty = true } }
    if let cancellation = outcome.cancellation {
      member.lastDuration = nil
      if !meanwhile.isEmpty, quickUntilCommit.remove(outcome.id) != nil { member.lane = .slow }
      switch cancellation {
      case .outdated, .postponed:
        member.isDirty = true
        // It is first in the next job.
        member.turn = 0
      case .tooSlow:
        member.lane = .slow
        member.isDirty = true
        member.staleness = .slow(since: time)
        hasNews(for: member.group)
        // Its region is unknown until it has run to its end.
        watchEverything(reason: "not fetched yet", by: &member, outcome.id)
      case .givenUp(let reason, let isRepeated):
        member.isDirty = member.isDirty || isRepeated || !meanwhile.isEmpty
        giveUp(&member, outcome.id, reason, isRepeated: isRepeated, time: time)
        rest(&member, outcome.id, for: max(.seconds(1), outcome.duration * 4))
      }
      return
    }
    watch(outcome.region, by: &member, outcome.id)
    member.heldBytes = outcome.heldBytes
    member.lastDuration = outcome.duration
    if meanwhile.affects(outcome.region) { member.isDirty = true }
    groups[member.group]?.outgoing.recomputed[member.index] = outcome.duration
    chooseLane(&member, outcome, hasCommits: !meanwhile.isEmpty, isOutdated: isOutdated)
    // The last result is as old as it was.
    guard !isOutdated else { return }
    // What came too late for a commit is older than the others of its group, as before.
    let staleness =
      member.lane == .slow && member.isDirty
      ? member.staleness ?? .slow(since: time) : nil
    if staleness != member.staleness { hasNews(for: member.group) }
    member.staleness = staleness
    guard outcome.isNews else { return }
    member.last = outcome.result
    groups[member.group]?.outgoing.results[member.index] = outcome.result
    hasNews(for: member.group)
  }

  /// Decides by how long a fetch took where the next one runs, and when.
  private mutating func chooseLane(
    _ member: inout Member, _ outcome: Outcome, hasCommits: Bool, isOutdated: Bool
  ) {
    let isByMemory = member.fetch.effort?() == .window
    if member.lane == .slow {
      if outcome.duration < quickAgain {
        // What it knew of the snapshot is worth nothing in the next.
        guard !isByMemory || !hasCommits else { return }
        member.lane = .quick
        if isByMemory { quickUntilCommit.insert(outcome.id) }
      } else if !isOutdated {
        // Under a steady writer one snapshot would follow the other, and the log never be reset.
        rest(&member, outcome.id, for: min(outcome.duration * 4, .milliseconds(500)))
      }
    } else if hasCommits, quickUntilCommit.remove(outcome.id) != nil, isByMemory {
      member.lane = .slow
    }
  }

  /// Keeps the last value, and says why there is none of the newest state.
  private mutating func giveUp(
    _ member: inout Member, _ id: MemberID, _ reason: String, isRepeated: Bool, time: Timestamp
  ) {
    watchEverything(reason: "the last fetch was cancelled", by: &member, id)
    hasNews(for: member.group)
    // An error would end a sequence that has a value to come.
    if isRepeated, member.last == nil {
      member.staleness = Staleness(since: member.staleness?.since ?? time, reason: reason)
      return
    }
    switch member.last {
    case .success:
      member.staleness = Staleness(since: member.staleness?.since ?? time, reason: reason)
    case .failure, nil:
      let error = DatabaseError(code: .interrupted, message: reason)
      member.staleness = nil
      if case .failure(let last as DatabaseError)? = member.last, last == error { return }
      member.last = .failure(error)
      groups[member.group]?.outgoing.results[member.index] = .failure(error)
    }
  }

  /// Has every commit concern a member of which it is not known what it would have read; it depends on the
  /// time if it did before.
  private mutating func watchEverything(
    reason: String, by member: inout Member, _ id: MemberID
  ) {
    var region = Region.full(reason: reason)
    if let reason = member.region.timeDependence { region.insertTime(reason: reason) }
    watch(region, by: &member, id)
  }

  /// Makes `region` what the member watches.
  mutating func watch(_ region: Region, by member: inout Member, _ id: MemberID) {
    guard region != member.region else { return }
    index.remove(id, reading: member.region)
    index.insert(id, reading: region)
    member.region = region
    if region.timeDependence != nil { timeDependent.insert(id) } else { timeDependent.remove(id) }
  }

  private mutating func posts(_ job: Job, duration: Duration) -> [Post] {
    var posts: [Post] = []
    // In the order in which they began, so that nobody is told before those who were there first.
    for id in newsworthy.sorted() {
      guard var group = groups[id], isReady(group) else { continue }
      // Events that no job has taken up stay: the results that belong to them are still to come.
      guard group.hasNews else { continue }
      if group.events.isEmpty { newsworthy.remove(id) }
      group.outgoing.ordinal = job.ordinal
      group.outgoing.origin = job.origin
      group.outgoing.tables = job.tables
      group.outgoing.evidence = job.evidence
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

  mutating func hasNews(for group: GroupID) {
    guard groups[group] != nil else { return }
    groups[group]!.hasNews = true
    newsworthy.insert(group)
  }
}
