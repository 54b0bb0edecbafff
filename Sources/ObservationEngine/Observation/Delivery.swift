/// What a refresh brought to the members of a group; see ``GroupUpdate``.
struct Delivery: NewestMessage {
  /// Numbers deliveries in the order in which they were decided. Those of two lanes may be posted in another.
  var number = 0
  /// First values, which the consumer is to know but not to be given; by member, as all of these.
  var initial: [Int: Result<any Sendable, any Error>] = [:]
  var results: [Int: Result<any Sendable, any Error>] = [:]
  /// The members whose first result this is; known once the consumer takes the delivery.
  var firsts: Set<Int> = []
  var refreshed: [Int: MemberRefresh] = [:]
  var stale: [Int: Staleness] = [:]
  var events: [DatabaseEvent] = []
  var droppedEvents = 0
  var ordinal = 0
  var origin: Commit.Origin?
  var tables: Commit.Tables?
  var duration: Duration = .zero
  var noticed: UInt64 = 0
  var pause: Duration = .zero

  /// Events kept for a consumer that does not fetch them.
  static let eventLimit = 1_000

  mutating func merge(_ newer: Delivery) {
    initial.merge(newer.initial) { older, _ in older }
    results.merge(newer.results) { $1 }
    refreshed.merge(newer.refreshed) { $1 }
    if newer.number > number { (number, stale) = (newer.number, newer.stale) }
    append(newer.events)
    droppedEvents += newer.droppedEvents
    // A slow query can end after a later commit was reported.
    ordinal = max(ordinal, newer.ordinal)
    origin = newer.origin
    tables = newer.tables.map { tables?.union($0) ?? $0 } ?? tables
    duration = newer.duration
    if noticed == 0 { noticed = newer.noticed }
    pause = newer.pause
  }

  mutating func append(_ more: [DatabaseEvent]) {
    events += more
    if events.count > Self.eventLimit {
      droppedEvents += events.count - Self.eventLimit
      events.removeFirst(events.count - Self.eventLimit)
    }
  }

  func news(to known: inout Known) -> Delivery? {
    var news = self
    for (index, value) in initial { known.members[index].result = value }
    news.initial = [:]
    news.firsts = Set(results.keys.filter { known.members[$0].result == nil })
    news.results = results.filter { known.members[$0.key].admits($0.value) }
    guard known.wantsEvents else { return news.results.isEmpty ? nil : news }
    var isOtherwiseStale = false
    if number > known.number {
      isOtherwiseStale = stale != known.stale
      (known.number, known.stale) = (number, stale)
    }
    news.stale = known.stale
    news.refreshed = known.refreshed.merging(refreshed) { $1 }
    let isNews =
      !news.results.isEmpty || !events.isEmpty || droppedEvents > 0 || isOtherwiseStale
    known.refreshed = isNews ? [:] : news.refreshed
    return isNews ? news : nil
  }

  /// What the consumer of a group knows of its members.
  struct Known: Sendable {
    var members: [LastResult]
    let wantsEvents: Bool
    /// The number of the newest delivery that it was given.
    fileprivate var number = 0
    fileprivate var stale: [Int: Staleness] = [:]
    /// Members that were refreshed, with results that were no news.
    fileprivate var refreshed: [Int: MemberRefresh] = [:]

    /// - Parameter first: What the consumer was given before the group began.
    init(_ fetches: [ObservedFetch], wantsEvents: Bool = false, first: FirstFetch? = nil) {
      members = fetches.enumerated().map { index, fetch in
        LastResult(of: fetch, first?.members[index].result)
      }
      self.wantsEvents = wantsEvents
    }
  }
}

/// The result of a fetch that a consumer was given last.
struct LastResult: Sendable {
  private let fetch: ObservedFetch
  var result: Result<any Sendable, any Error>?

  init(of fetch: ObservedFetch, _ result: Result<any Sendable, any Error>? = nil) {
    self.fetch = fetch
    self.result = result
  }

  /// Whether `new` is news, by the application's own `==`; it is the last result then.
  mutating func admits(_ new: Result<any Sendable, any Error>) -> Bool {
    switch (result, new) {
    case (.success(let old)?, .success(let new)):
      guard !fetch.areEqual(old, new) else { return false }
    case (.failure(let old)?, .failure(let new)):
      guard String(describing: old) != String(describing: new) else { return false }
    default: break
    }
    result = new
    return true
  }
}
