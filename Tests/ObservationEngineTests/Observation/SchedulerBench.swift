import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// Drives a ``RefreshScheduler`` as ``RefreshRunner`` does, on a clock that stands still, with results that are
/// stated. What its channels give their consumers is recorded.
struct SchedulerBench {
  typealias Job = RefreshScheduler.Job
  typealias Lane = RefreshScheduler.Lane

  /// What the consumer of a group is given.
  struct Given: Equatable, CustomStringConvertible {
    var group = 1
    var results: [Int: String] = [:]
    var events = 0
    /// Reasons by member.
    var stale: [Int: String] = [:]

    init(
      _ results: [Int: String] = [:], events: Int = 0, stale: [Int: String] = [:], to group: Int = 1
    ) {
      self.group = group
      self.results = results
      self.events = events
      self.stale = stale
    }

    var description: String { "\(results) events \(events) stale \(stale) to \(group)" }
  }

  /// What a fetch gives.
  enum Output: ExpressibleByStringLiteral {
    case value(String)
    case failure(String)
    /// An error that may heal.
    case transient(String)
    case cut(RefreshScheduler.Interruption)

    init(stringLiteral value: String) { self = .value(value) }

    /// It took longer than it may.
    static let overBudget = Output.cut(.budget)
  }

  static let slowness = "slow query, running on its own"
  static let overBudget = "cancelled after 30 s, not to hold up writers; allow more"
  static let millisecond: UInt64 = 1_000_000

  var scheduler: RefreshScheduler
  /// In nanoseconds.
  var now: UInt64 = 1_000_000_000
  /// What members that are added from now on fetch.
  var fetch = ObservedFetch({ _ in "" }, areEqual: { $0 == $1 })
  private(set) var ordinal = 0
  private let journal = Journal<Given>()
  private var seen = 0

  init(_ settings: RefreshScheduler.Settings = settings()) {
    scheduler = RefreshScheduler(settings)
  }

  static func settings() -> RefreshScheduler.Settings {
    var settings = RefreshScheduler.Settings()
    settings.snapshotBudget = .seconds(30)
    settings.snapshotBudgetRemedy = "allow more"
    return settings
  }

  /// One group, 1, of one member, 2, that reads `table`, with the value a.
  static func clean(
    reading table: String = "player", _ settings: RefreshScheduler.Settings = settings()
  ) throws -> SchedulerBench {
    var bench = SchedulerBench(settings)
    _ = bench.add(1)
    _ = try bench.refresh(["a"], reading: table)
    return bench
  }

  /// The same on the slow lane, having been touched by a commit and cut off on the quick one.
  static func slow() throws -> SchedulerBench {
    var bench = try clean()
    bench.commit("player")
    _ = try bench.refresh([.overBudget])
    return bench
  }

  // MARK: - Events

  mutating func add(
    _ count: Int, wantsEvents: Bool = true, skipsInitial: Bool = false,
    transientErrors: TransientErrors = .delivered, first: FirstFetch? = nil
  ) -> Int {
    let fetches = Array(repeating: fetch, count: count)
    let channel = NewestValue<Delivery>(
      known: .init(fetches, wantsEvents: wantsEvents, first: first))
    let group = scheduler.addGroup(
      fetches, channel: channel, ordinal: ordinal, wantsEvents: wantsEvents,
      skipsInitial: skipsInitial, transientErrors: transientErrors, first: first, now: now)
    channel.deliver { [journal] in journal.append(Self.given($0, to: group)) }
    return group
  }

  /// Takes note of a commit that inserted into `table`.
  mutating func commit(_ table: String, _ origin: Commit.Origin = .own, count: Int = 1) {
    note(
      Changeset([
        TableID(name: table): .rows(Commit.RowCounts(inserted: 1), updatedColumns: [])
      ]), origin, count: count)
  }

  mutating func note(_ changeset: Changeset, _ origin: Commit.Origin = .own, count: Int = 1) {
    ordinal += 1
    let commit = Commit(
      ordinal: ordinal, origin: origin, tables: .named([]), count: count,
      time: Timestamp(microseconds: 0))
    scheduler.note(.commit(commit), changeset, now: now)
  }

  mutating func advance(_ milliseconds: Double) { now += UInt64(milliseconds * 1_000_000) }

  /// What the scheduler says next, and the lane that it calls.
  enum Next: Equatable {
    case call(Lane)
    case callObservers
    /// After so many milliseconds.
    case wait(Double)
    case idle
  }

  /// Asks what is to be done next; what has nothing to read is posted.
  mutating func next() -> Next {
    while true {
      switch scheduler.next(now: now) {
      case .call(let lane): return .call(lane)
      case .post(let job): finish(job, nil)
      case .callObservers: return .callObservers
      case .wait(let until): return .wait(Double(until - now) / 1_000_000)
      case .idle: return .idle
      }
    }
  }

  /// The lanes that are called, once their pauses are over.
  mutating func calls() -> [Lane] {
    var lanes: [Lane] = []
    while true {
      switch next() {
      case .call(let lane): lanes.append(lane)
      case .wait(let time) where time <= 50: advance(time)
      case .wait, .callObservers, .idle: return lanes
      }
    }
  }

  /// What the thread of a lane that was called reads.
  mutating func job(
    _ lane: Lane, seeing sight: RefreshScheduler.Sight = .nothing
  ) throws -> Job {
    guard case .read(let job) = scheduler.begin(lane, seeing: sight, now: now) else {
      throw NoJob()
    }
    return job
  }

  /// One run of the quick lane, if it has something to do.
  ///
  /// - Returns: What the consumers were given since the last call.
  mutating func refresh(
    _ outputs: [Output] = [], reading table: String = "player"
  ) throws -> [Given] {
    if calls().contains(.quick) { finish(try job(.quick), outputs, reading: table) }
    return given()
  }

  mutating func finish(
    _ job: Job, _ outputs: [Output]?, reading table: String = "player", took: Double = 1,
    yieldReason: SnapshotWatch.YieldReason? = nil
  ) {
    let reading = outputs.map {
      self.reading(job, $0, table, took: took, yieldReason: yieldReason)
    }
    post(scheduler.finish(job, reading, now: now, time: Timestamp(microseconds: 0)))
    scheduler.didPost(job, now: now)
  }

  mutating func fail(_ job: Job, _ reason: String, isFileMissing: Bool = false) {
    post(
      scheduler.fail(
        job, DatabaseError(code: .busy, message: reason), isFileMissing: isFileMissing, now: now,
        time: Timestamp(microseconds: 0)))
    scheduler.didPost(job, now: now)
  }

  func post(_ posts: RefreshScheduler.Posts) {
    for post in posts.all { post.channel.post(post.delivery) }
  }

  /// What the consumers were given since the last call.
  mutating func given() -> [Given] {
    defer { seen = journal.entries.count }
    return Array(journal.entries.dropFirst(seen))
  }

  func reading(
    _ job: Job, _ outputs: [Output], _ table: String = "player", took: Double = 1,
    yieldReason: SnapshotWatch.YieldReason? = nil
  ) -> RefreshScheduler.Reading {
    var region = Region()
    region.insert(rowsOf: TableID(name: table))
    let outcomes = zip(job.members, outputs).map { member, output in
      var outcome = RefreshScheduler.Outcome(
        id: member.id, result: .failure(CancellationError()), region: region,
        duration: .nanoseconds(Int64(took * 1_000_000)))
      switch output {
      case .value(let text): outcome.result = .success(ObservedFetch.Box(value: text))
      case .failure(let text): outcome.result = .failure(BenchError(text: text))
      case .transient(let text):
        outcome.result = .failure(DatabaseError(code: .busy, message: text))
      case .cut(let interruption): outcome.interruption = interruption
      }
      return outcome
    }
    return .init(outcomes: outcomes, yieldReason: yieldReason, began: now)
  }

  private static func given(_ delivery: Delivery, to group: Int) -> Given {
    Given(
      delivery.results.mapValues { result in
        switch result {
        case .success(let value): ObservedFetch.unbox(value)
        case .failure(let error as DatabaseError): "error: \(error.message)"
        case .failure(let error): "error: \(error)"
        }
      }, events: delivery.events.count, stale: delivery.stale.mapValues(\.reason), to: group)
  }
}

private struct BenchError: Error, CustomStringConvertible {
  let text: String
  var description: String { text }
}

/// A lane has nothing to do.
struct NoJob: Error {}
