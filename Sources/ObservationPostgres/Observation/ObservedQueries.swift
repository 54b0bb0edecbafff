internal import ObservationEngine

/// The queries that are observed, each with its newest result, and the groups to which the results are delivered.
///
/// It belongs to the thread of ``ServerWork``.
final class ObservedQueries {
  private struct Group {
    var queries: [TrackedQuery]
    let published: PublishedGroup
    var number = 0
    /// Whether it has got no result yet.
    var isNew = true
  }

  var settings: ServerSettings
  private var groups: [Int: Group] = [:]
  private var queries: [TrackedQuery.Key: TrackedQuery] = [:]
  private var notices: [DatabaseEvent] = []
  /// Why nothing that is shown is known to be of the newest state, whatever its queries returned.
  private var lateness: Staleness?

  init(_ settings: ServerSettings) { self.settings = settings }

  /// In no particular order.
  var all: [TrackedQuery] { Array(queries.values) }
  /// Whether nothing is observed.
  var isEmpty: Bool { groups.isEmpty }
  /// Whether a group has got no result yet.
  var hasNew: Bool { groups.values.contains(where: \.isNew) }
  /// Whether there are notices that were not delivered.
  var hasNotices: Bool { !notices.isEmpty }

  // MARK: - What is observed

  /// Starts to observe a group of queries.
  func start(_ number: Int, _ keys: [TrackedQuery.Key], _ published: PublishedGroup) {
    let tracked = keys.map { key in
      let query = queries[key] ?? TrackedQuery(key)
      queries[key] = query
      query.users += 1
      return query
    }
    groups[number] = Group(queries: tracked, published: published)
  }

  func stop(_ number: Int) {
    guard let group = groups.removeValue(forKey: number) else { return }
    group.published.finish()
    for query in group.queries {
      query.users -= 1
      if query.users == 0 { queries[query.key] = nil }
    }
  }

  /// Ends all groups.
  func stopAll() { for number in groups.keys { stop(number) } }

  // MARK: - Slow queries

  /// Puts off the slow ones of queries that are due: they are run by themselves, and marked until then.
  ///
  /// - Returns: The others.
  func puttingOff(_ due: [TrackedQuery]) -> [TrackedQuery] {
    for query in due where query.isSlow {
      query.awaitedSince = query.awaitedSince ?? SystemClock.monotonic()
      // Why its last run came to nothing says more.
      if !query.wasRefused {
        query.staleness = .slow(since: query.staleness?.since ?? SystemClock.now())
      }
    }
    return due.filter { !$0.isSlow }
  }

  /// Whether a query is to run by itself.
  var hasAwaited: Bool { queries.values.contains(where: \.isAwaited) }

  /// The one of them that has waited longest.
  var firstAwaited: TrackedQuery? {
    queries.values.filter(\.isAwaited).min { ($0.awaitedSince ?? 0) < ($1.awaitedSince ?? 0) }
  }

  // MARK: - Results

  /// Takes over what queries returned.
  ///
  /// - Returns: Those whose results differ from the last ones.
  func take(_ outcomes: [PanelReader.Outcome]) -> [TrackedQuery] {
    var changed: [TrackedQuery] = []
    for outcome in outcomes {
      let query = outcome.query
      switch outcome.result {
      case .success(let result):
        if outcome.isTimed { query.note(duration: result.duration) }
        query.isReliable = true
        query.isLocked = false
        query.wasRefused = false
        query.staleness = nil
        query.reads = outcome.reads ?? query.reads
        let rows = result.rowSet ?? RowSet.empty
        if query.take(.success(rows)) { changed.append(query) }
      case .failure(let fault):
        query.isReliable = false
        query.reads = nil
        let error = shown(fault, in: query.key.statement)
        if let elapsed = fault.elapsed, fault.state == ServerFault.cancelled {
          query.note(duration: elapsed)
        }
        // It is tried again; until then the last rows stay.
        query.isLocked =
          error.code.primary == .busy || fault.isForeignCancellation(within: settings.queryLimit)
        query.wasRefused = query.isLocked || fault.state == ServerFault.cancelled
        if query.wasRefused, case .success = query.result {
          query.staleness = Staleness(
            since: query.staleness?.since ?? SystemClock.now(), reason: error.message)
        } else {
          query.staleness = nil
          if query.take(.failure(error)) { changed.append(query) }
        }
      }
    }
    return changed
  }

  private func shown(_ fault: ServerFault, in statement: ServerStatement) -> DatabaseError {
    var fault = fault
    if fault.state == ServerFault.cancelled, let limit = settings.queryLimit,
      !fault.isForeignCancellation(within: limit)
    {
      fault.message =
        "cancelled: the query took more than \(limit.nanoseconds / 1_000_000) ms"
      fault.hint = settings.queryLimitRemedy
    } else if fault.state == ServerFault.tooBig {
      fault.hint = settings.resultBytesRemedy
    }
    return fault.error(in: statement)
  }

  /// Notes why no result is known to be that of the newest state, and delivers it.
  ///
  /// - Parameter time: Since when; what is stale already stays so since then.
  func markStale(_ reason: String, since time: Timestamp, ordinal: Int) {
    for query in queries.values {
      query.staleness = Staleness(since: query.staleness?.since ?? time, reason: reason)
    }
    postNotices(ordinal: ordinal)
  }

  /// Notes that the server's answer is late, and delivers that.
  func markLate(_ reason: String, since time: Timestamp, ordinal: Int) {
    guard lateness?.reason != reason else { return }
    lateness = Staleness(since: time, reason: reason)
    postNotices(ordinal: ordinal)
  }

  /// Notes that the server has answered; what follows delivers it.
  ///
  /// - Returns: Whether its answer was late.
  @discardableResult
  func endLateness() -> Bool {
    defer { lateness = nil }
    return lateness != nil
  }

  /// Forgets what they read: how commits are noticed has changed.
  func forgetReads() { for query in queries.values { query.reads = nil } }

  // MARK: - Delivery

  /// Keeps a notice for the next delivery.
  func note(_ text: String) { notices.append(.notice(text, SystemClock.now())) }

  /// Delivers notices, and what groups don't know yet.
  func postNotices(ordinal: Int) {
    var refreshed = PublishedGroup.Refreshed()
    refreshed.ordinal = ordinal
    post(refreshed, changed: [], outcomes: [])
  }

  /// Delivers to each group its part of a refresh, with the notices.
  ///
  /// - Parameter common: What concerns all groups.
  func post(
    _ common: PublishedGroup.Refreshed, changed: [TrackedQuery], outcomes: [PanelReader.Outcome]
  ) {
    var common = common
    common.events += notices
    notices = []
    for number in groups.keys {
      guard var group = groups[number] else { continue }
      var refreshed = common
      for (index, query) in group.queries.enumerated() {
        let isNew = group.isNew || changed.contains { $0 === query }
        if isNew, let result = query.result { refreshed.results[index] = result }
        if let staleness = query.staleness ?? lateness { refreshed.stale[index] = staleness }
        if let outcome = outcomes.first(where: { $0.query === query }) {
          refreshed.durations[index] = outcome.duration
        }
      }
      if group.isNew, group.queries.allSatisfy({ $0.result != nil }) { group.isNew = false }
      group.number += 1
      groups[number] = group
      group.published.post(refreshed, number: group.number)
    }
  }
}
